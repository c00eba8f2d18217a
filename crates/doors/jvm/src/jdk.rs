//! The JDK of a JVM server, and the Java side's classes, which its compiler makes once.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use parking_lot::Mutex;

use crate::limits::TEXT_MAX;
use crate::sources::{self, Source};

/// The oldest JDK that has what the Java side needs: records, unix sockets in java.nio.
const OLDEST: u32 = 17;

/// Held while classes are made: JVM servers of a process start at one time, and one draft is enough.
static COMPILES: Mutex<()> = Mutex::new(());

/// A JDK.
#[derive(Clone, Debug)]
pub(crate) struct Jdk {
    /// Its folder.
    pub home: PathBuf,
    /// Its version, as it says it.
    version: String,
}

impl Jdk {
    /// The JDK in a folder; `None`: that of JAVA_HOME, or the first one in PATH.
    ///
    /// # Errors
    /// The reason why there is none, and what to do.
    pub fn find(home: Option<&Path>) -> Result<Self, String> {
        let home = match home {
            Some(home) => home.to_owned(),
            None => own_home().ok_or(
                "there is no Java: set JAVA_HOME in the profile to the folder of a JDK, or install openjdk-17-jdk-headless",
            )?,
        };
        let java = home.join("bin/java");
        if !java.is_file() {
            return Err(format!("JAVA_HOME {} has no bin/java", home.display()));
        }
        let compiler = home.join("bin/javac");
        if !compiler.is_file() {
            return Err(format!(
                "JAVA_HOME {} has no compiler (bin/javac): a JDK is needed, not a JRE",
                home.display()
            ));
        }
        let version = said(Command::new(&compiler).arg("-version"))?;
        let version = version.split_whitespace().nth(1).unwrap_or_default().to_owned();
        if major(&version).is_none_or(|major| major < OLDEST) {
            return Err(format!(
                "JAVA_HOME {} is Java {version}: {OLDEST} is the oldest that can be used",
                home.display()
            ));
        }
        Ok(Self { home, version })
    }

    /// The program that runs Java.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// The folder with the Java side's classes for this JDK, below another one: compiled if it is not there yet.
    ///
    /// # Errors
    /// The reason why it cannot be made.
    pub fn classes(&self, below: &Path) -> Result<PathBuf, String> {
        self.compiled(below, "classes", &sources::all(), None)
    }

    /// The same for what an OSGi JVM server has besides, which stands on these classes and on the framework.
    ///
    /// # Errors
    /// As of [`Self::classes`].
    pub fn osgi_classes(&self, below: &Path, classes: &Path, framework: &Path) -> Result<PathBuf, String> {
        let mut stands_on = classes.as_os_str().to_owned();
        stands_on.push(":");
        stands_on.push(framework);
        self.compiled(below, "osgi", &sources::of_osgi(), Some(&stands_on))
    }

    /// The classes of the extension of Liberty, compiled against interfaces that its installation has.
    ///
    /// # Errors
    /// As of [`Self::classes`].
    pub fn liberty_classes(&self, below: &Path, interfaces: &OsStr) -> Result<PathBuf, String> {
        self.compiled(below, "liberty", &sources::of_liberty(), Some(interfaces))
    }

    /// Makes a jar of a folder of classes, with a manifest.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn jar(&self, jar: &Path, manifest: &Path, classes: &Path) -> Result<(), String> {
        let mut command = Command::new(self.home.join("bin/jar"));
        command.args(["-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "--create", "--file"]).arg(jar);
        command.arg("--manifest").arg(manifest).arg("-C").arg(classes).arg(".");
        said(&mut command).map(drop)
    }

    /// The first number of its version.
    pub fn major(&self) -> u32 {
        major(&self.version).unwrap_or(OLDEST)
    }

    fn compiled(
        &self,
        below: &Path,
        what: &str,
        all: &[Source],
        stands_on: Option<&OsStr>,
    ) -> Result<PathBuf, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
        let version: String = self.version.chars().map(|c| if plain(c) { c } else { '_' }).collect();
        let folder = below.join(format!("{what}-{}-{version}", sources::digest(all)));
        let _turn = COMPILES.lock();
        if folder.is_dir() {
            return Ok(folder);
        }
        // It is there as a whole or not at all.
        let draft = below.join(format!("draft-{what}-{}", std::process::id()));
        let made = self.compile(all, &draft, stands_on).and_then(|classes| {
            fs::rename(classes, &folder)
                .or_else(|error| if folder.is_dir() { Ok(()) } else { Err(error) })
                .map_err(failed)
        });
        let _ = fs::remove_dir_all(&draft);
        made.map(|()| folder)
    }

    fn compile(&self, all: &[Source], draft: &Path, stands_on: Option<&OsStr>) -> Result<PathBuf, String> {
        let (sources, classes) = (draft.join("sources"), draft.join("classes"));
        kernel::private::folder(&classes).map_err(failed)?;
        let mut paths = Vec::with_capacity(all.len());
        for (path, text) in all {
            let path = sources.join(path);
            path.parent().map_or(Ok(()), kernel::private::folder).map_err(failed)?;
            fs::write(&path, text).map_err(failed)?;
            paths.push(path);
        }
        let mut command = Command::new(self.home.join("bin/javac"));
        command.args([
            "-nowarn",
            "-proc:none",
            "-encoding",
            "UTF-8",
            "--release",
            "17",
            "-J-XX:+UseSerialGC",
            "-J-XX:TieredStopAtLevel=1",
            "-d",
        ]);
        command.arg(&classes);
        if let Some(stands_on) = stands_on {
            command.arg("-cp").arg(stands_on);
        }
        said(command.args(&paths))?;
        Ok(classes)
    }
}

/// The first number of a version.
fn major(version: &str) -> Option<u32> {
    version.split(['.', '-', '+']).next()?.parse().ok()
}

fn failed(error: std::io::Error) -> String {
    format!("the classes of the Java side cannot be kept: {error}")
}

/// Words of a program that ends well: of its output, else of its errors.
///
/// # Errors
/// It cannot be started, or does not end well.
fn said(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{program}: {error}"))?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match output.status.success() {
        true if out.trim().is_empty() => Ok(err.into_owned()),
        true => Ok(out.into_owned()),
        false => Err(format!("{program} failed: {}", err.chars().take(TEXT_MAX).collect::<String>())),
    }
}

/// JAVA_HOME of the region's own environment, or the home of the first compiler in PATH.
fn own_home() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        return Some(PathBuf::from(home));
    }
    let path = std::env::var_os("PATH")?;
    let homes = |program: &'static str| {
        let found =
            std::env::split_paths(&path).map(move |folder| folder.join(program)).find(|at| at.is_file());
        found.and_then(|at| at.canonicalize().ok()?.parent()?.parent().map(Path::to_owned))
    };
    homes("javac").or_else(|| homes("java"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_jdk_is_refused_with_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = Jdk::find(Some(folder.path())).expect_err("it is empty");
        assert!(refused.contains("has no bin/java"), "{refused}");
        fs::create_dir(folder.path().join("bin")).expect("a folder");
        fs::write(folder.path().join("bin/java"), "").expect("a file");
        let refused = Jdk::find(Some(folder.path())).expect_err("it is a JRE");
        assert!(refused.contains("a JDK is needed, not a JRE"), "{refused}");
    }

    #[test]
    fn the_sources_compile_once_for_a_jdk() {
        let folder = tempfile::tempdir().expect("a folder");
        let jdk = Jdk::find(None).expect("`scripts/install test` installs a JDK");
        let classes = jdk.classes(folder.path()).expect("classes");
        assert!(classes.join("com/ibm/cics/server/Task.class").is_file());
        let stamp = || {
            fs::metadata(classes.join("syncpoint/jvm/Server.class"))
                .and_then(|file| file.modified())
                .expect("a time")
        };
        let first = stamp();
        assert_eq!(jdk.classes(folder.path()).as_deref(), Ok(classes.as_path()));
        assert_eq!(stamp(), first, "it was there already");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no draft is left");
    }
}
