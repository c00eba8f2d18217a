//! The configuration of a server of Liberty: the user's, of which is refused what is not built, or one that is written here.

use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::limits::SERVER_XML_MAX;
use crate::wlp::Auto;

/// The file, in the folder of its server.
const FILE: &str = "server.xml";
/// The line by which a file is one that was written here.
const MARK: &str = "<!-- Written by the region (autoconfigure): without this line it is yours. -->";
/// The names of files about applications: a number stands between.
const APPLICATION: (&str, &str) = ("syncpoint-", ".xml");
/// The line by which a file about an application is one that `LibertyPrograms` has written.
const APPLICATION_MARK: &str = "<!-- Written by the region: without this line it is yours. -->";
/// The published default.
const HTTP: u16 = 9080;
/// This machine's own address.
const HOST: &str = "localhost";

/// Headers by which a proxy says for whom it speaks (`$WSSC`: the scheme) are believed of no client.
const DISPATCHER: &str = "<httpDispatcher trustedHeaderOrigin=\"none\"/>";

/// The feature that makes a Liberty one of a region.
const CORE: [&str; 2] = ["cicsts:core-1.0", "cicsts:core"];
/// Features of Java EE 8 and before, whose servlets are of `javax`: beginnings of their names.
const JAVAX: [&str; 12] = [
    "javaee-",
    "servlet-3",
    "servlet-4",
    "webprofile-7",
    "webprofile-8",
    "jsp-2",
    "jsf-",
    "jaxrs-",
    "ejb-3",
    "ejblite-3",
    "cdi-1",
    "cdi-2",
];

/// A folder of a server that one JVM server has, as long as this is there.
pub(crate) struct Held {
    _folder: Option<File>,
}

/// Has a server's folder with a configuration that can be used, and holds the folder.
///
/// # Errors
/// There is none and none is to be written, or it asks for what is not built, or another JVM server has the folder.
pub(super) fn prepare(folder: &Path, auto: &Auto) -> Result<Held, String> {
    let path = folder.join(FILE);
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let is_ours = || read(&path).is_ok_and(|text| text.contains(MARK));
    let is_written = auto.is_on && (!path.exists() || is_ours());
    if is_written {
        fs::create_dir_all(folder.join("apps")).map_err(failed)?;
    }
    let held = hold(folder)?;
    if is_written {
        fs::write(&path, written(auto)?).map_err(failed)?;
    }
    if !path.exists() {
        return Err(format!(
            "there is no {}; -Dcom.ibm.cics.jvmserver.wlp.autoconfigure=true in the profile has one written",
            path.display()
        ));
    }
    forget(&overrides(folder));
    let text = read(&path).map_err(failed)?;
    check(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(held)
}

/// Holds a server's folder: two Libertys would take each other's applications. One without locks, or that is not there, is not held.
fn hold(folder: &Path) -> Result<Held, String> {
    let Ok(held) = File::open(folder) else { return Ok(Held { _folder: None }) };
    match held.try_lock() {
        Ok(()) => Ok(Held { _folder: Some(held) }),
        Err(TryLockError::WouldBlock) => Err(format!("another JVM server has {}", folder.display())),
        Err(TryLockError::Error(_)) => Ok(Held { _folder: None }),
    }
}

/// The folder of files that go beside the configuration of a server.
pub(super) fn overrides(folder: &Path) -> PathBuf {
    folder.join("configDropins/overrides")
}

/// Removes the applications of a JVM before: bundles have them again, if they still want them.
fn forget(overrides: &Path) {
    let files = fs::read_dir(overrides).into_iter().flatten().flatten();
    for file in files.filter(|file| is_numbered(&file.file_name().to_string_lossy())) {
        if read(&file.path()).is_ok_and(|text| text.lines().any(|line| line == APPLICATION_MARK)) {
            // What cannot be removed is a file of the user's, whom Liberty asks.
            let _ = fs::remove_file(file.path());
        }
    }
}

/// Returns true if a file about an application may have the name.
fn is_numbered(name: &str) -> bool {
    let (begin, end) = APPLICATION;
    let number = name.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(SERVER_XML_MAX).read_to_string(&mut text)?;
    Ok(text)
}

/// A configuration with the feature and a port.
fn written(auto: &Auto) -> Result<String, String> {
    let (host, port) = (auto.host.as_deref().unwrap_or(HOST), auto.http.unwrap_or(HTTP));
    let is_good = |c: char| c.is_ascii_alphanumeric() || ".-:*".contains(c);
    if !host.chars().all(is_good) {
        return Err(format!("'{host}' is no host"));
    }
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{MARK}\n<server>\n  <featureManager>\n    \
         <feature>cicsts:core-1.0</feature>\n    <feature>servlet-6.0</feature>\n  </featureManager>\n  \
         {DISPATCHER}\n  <httpEndpoint id=\"defaultHttpEndpoint\" host=\"{host}\" httpPort=\"{port}\" httpsPort=\"-1\"/>\n</server>\n"
    ))
}

/// Refuses features that are not built, with their line, and a file without the one that is needed.
fn check(text: &str) -> Result<(), String> {
    let mut has_core = false;
    for (at, begin) in text.match_indices("<feature>") {
        let name = text[at + begin.len()..].split('<').next().unwrap_or_default().trim();
        let line = text[..at].lines().count().max(1);
        let lower = name.to_ascii_lowercase();
        if CORE.contains(&lower.as_str()) {
            has_core = true;
        } else if lower.starts_with("cicsts:") {
            return Err(format!("line {line}: the feature {name} is not built"));
        } else if JAVAX.iter().any(|begin| lower.starts_with(begin)) {
            return Err(format!(
                "line {line}: the feature {name} is one of Java EE: those of Jakarta EE 9 and later are built"
            ));
        }
    }
    // Another file may have it.
    if has_core || text.contains("<include") {
        Ok(())
    } else {
        Err(format!("it lacks the feature {}", CORE[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_that_are_not_built_are_refused_with_their_line() {
        let of = |feature: &str| {
            check(&format!(
                "<server>\n <featureManager>\n  <feature>cicsts:core-1.0</feature>\n  <feature>{feature}</feature>\n"
            ))
        };
        assert_eq!(of("servlet-6.0"), Ok(()));
        for (feature, why) in [
            ("cicsts:jdbc-1.0", "line 4: the feature cicsts:jdbc-1.0 is not built"),
            (
                " servlet-4.0 ",
                "line 4: the feature servlet-4.0 is one of Java EE: those of Jakarta EE 9 and later are built",
            ),
        ] {
            assert_eq!(of(feature).expect_err(feature), why);
        }
        assert_eq!(check("<server/>").expect_err("no feature"), "it lacks the feature cicsts:core-1.0");
    }

    #[test]
    fn files_about_applications_are_removed_and_no_other_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let marked = format!("{APPLICATION_MARK}\n<server/>\n");
        for (name, text) in [
            ("syncpoint-1.xml", &*marked),
            ("syncpoint-2.xml", "<server/>\n"),
            ("syncpoint-.xml", &marked),
            ("syncpoint-mine.xml", &marked),
            ("syncpoint-3.xml.old", &marked),
        ] {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        forget(folder.path());
        let files = fs::read_dir(folder.path()).expect("a folder").flatten();
        let mut left: Vec<_> = files.map(|file| file.file_name()).collect();
        left.sort();
        assert_eq!(left, ["syncpoint-.xml", "syncpoint-2.xml", "syncpoint-3.xml.old", "syncpoint-mine.xml"]);
        let java = include_str!("../../liberty/syncpoint/jvm/LibertyPrograms.java");
        assert!(java.contains(APPLICATION_MARK), "Java writes another line");
    }

    #[test]
    fn one_jvm_server_at_a_time_has_the_folder_of_a_server() {
        let folder = tempfile::tempdir().expect("a folder");
        let auto = Auto { is_on: true, host: None, http: None };
        let held = prepare(folder.path(), &auto).expect("it is free");
        let refused = prepare(folder.path(), &auto).map(drop).expect_err("it is held");
        assert!(refused.contains("another JVM server has"), "{refused}");
        drop(held);
        prepare(folder.path(), &auto).expect("it is free again");
    }

    #[test]
    fn a_file_of_the_user_is_never_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        let auto = |port| Auto { is_on: true, host: None, http: Some(port) };
        let refused = prepare(folder.path(), &Auto::default()).map(drop).expect_err("there is none");
        assert!(refused.contains("autoconfigure=true"), "{refused}");
        for port in [0, 9081] {
            prepare(folder.path(), &auto(port)).expect("it is written");
            let text = read(&path).expect("a file");
            assert!(text.contains(&format!("httpPort=\"{port}\"")) && text.contains(DISPATCHER), "{text}");
        }
        let own = "<server><feature>cicsts:core-1.0</feature></server>";
        fs::write(&path, own).expect("a file");
        prepare(folder.path(), &auto(1)).expect("it is good");
        assert_eq!(read(&path).expect("a file"), own);
    }
}
