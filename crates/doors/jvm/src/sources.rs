//! Sources of the Java side: bytes in the binary, which a JVM server's own JDK compiles when it first needs them.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use spec::condition_named;

/// A source: its path in a folder of sources, and its text.
pub(crate) type Source = (String, String);

macro_rules! source {
    ($path:literal) => {
        ($path, include_str!(concat!("../java/", $path)))
    };
}

macro_rules! framework {
    ($path:literal) => {
        ($path, include_str!(concat!("../osgi/", $path)))
    };
}

/// The files of `osgi/`: what an OSGi JVM server has besides. They are compiled against its framework.
const OSGI: &[(&str, &str)] =
    &[framework!("syncpoint/jvm/OsgiBundle.java"), framework!("syncpoint/jvm/OsgiPrograms.java")];

macro_rules! liberty {
    ($path:literal) => {
        ($path, include_str!(concat!("../liberty/", $path)))
    };
}

/// The files of `liberty/`: what a Liberty JVM server has besides. They are compiled against its own interfaces.
const LIBERTY: &[(&str, &str)] = &[
    liberty!("syncpoint/jvm/HeldResponse.java"),
    liberty!("syncpoint/jvm/LibertyExtension.java"),
    liberty!("syncpoint/jvm/LibertyPrograms.java"),
    liberty!("syncpoint/jvm/RequestFilter.java"),
    liberty!("syncpoint/jvm/RequestFilters.java"),
    liberty!("syncpoint/jvm/Seat.java"),
];

/// The files of `java/`.
const FILES: &[(&str, &str)] = &[
    source!("com/ibm/cics/server/API.java"),
    source!("com/ibm/cics/server/AbendCancelException.java"),
    source!("com/ibm/cics/server/AbendException.java"),
    source!("com/ibm/cics/server/Abends.java"),
    source!("com/ibm/cics/server/Browse.java"),
    source!("com/ibm/cics/server/ByteArrayHolder.java"),
    source!("com/ibm/cics/server/CICSExecutorService.java"),
    source!("com/ibm/cics/server/CICSTransactionCallable.java"),
    source!("com/ibm/cics/server/CICSTransactionRunnable.java"),
    source!("com/ibm/cics/server/Channel.java"),
    source!("com/ibm/cics/server/CicsConditionException.java"),
    source!("com/ibm/cics/server/CicsException.java"),
    source!("com/ibm/cics/server/CicsRuntimeException.java"),
    source!("com/ibm/cics/server/CommAreaHolder.java"),
    source!("com/ibm/cics/server/Container.java"),
    source!("com/ibm/cics/server/DataHolder.java"),
    source!("com/ibm/cics/server/ESDS.java"),
    source!("com/ibm/cics/server/ESDS_Browse.java"),
    source!("com/ibm/cics/server/File.java"),
    source!("com/ibm/cics/server/ItemHolder.java"),
    source!("com/ibm/cics/server/KSDS.java"),
    source!("com/ibm/cics/server/KeyHolder.java"),
    source!("com/ibm/cics/server/KeyedFile.java"),
    source!("com/ibm/cics/server/KeyedFileBrowse.java"),
    source!("com/ibm/cics/server/NameResource.java"),
    source!("com/ibm/cics/server/NumberBrowse.java"),
    source!("com/ibm/cics/server/PrincipalFacility.java"),
    source!("com/ibm/cics/server/Program.java"),
    source!("com/ibm/cics/server/RRDS.java"),
    source!("com/ibm/cics/server/RRDS_Browse.java"),
    source!("com/ibm/cics/server/RecordHolder.java"),
    source!("com/ibm/cics/server/Region.java"),
    source!("com/ibm/cics/server/RemotableResource.java"),
    source!("com/ibm/cics/server/Resource.java"),
    source!("com/ibm/cics/server/SearchType.java"),
    source!("com/ibm/cics/server/TDQ.java"),
    source!("com/ibm/cics/server/TSQ.java"),
    source!("com/ibm/cics/server/TSQType.java"),
    source!("com/ibm/cics/server/Task.java"),
    source!("com/ibm/cics/server/TerminalPrincipalFacility.java"),
    source!("syncpoint/jvm/Carrier.java"),
    source!("syncpoint/jvm/ClassPath.java"),
    source!("syncpoint/jvm/Dumps.java"),
    source!("syncpoint/jvm/Facts.java"),
    source!("syncpoint/jvm/Link.java"),
    source!("syncpoint/jvm/Programs.java"),
    source!("syncpoint/jvm/Reader.java"),
    source!("syncpoint/jvm/Replies.java"),
    source!("syncpoint/jvm/Reply.java"),
    source!("syncpoint/jvm/Server.java"),
    source!("syncpoint/jvm/Shape.java"),
    source!("syncpoint/jvm/TerminalLines.java"),
    source!("syncpoint/jvm/Vitals.java"),
    source!("syncpoint/jvm/Works.java"),
    source!("syncpoint/jvm/Writer.java"),
];

/// Conditions, the classes of their exceptions, and the group of commands for which a class stands; none: all other commands.
const EXCEPTIONS: &str = include_str!("../java/exceptions.tsv");

/// A row of that table.
fn exceptions() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    EXCEPTIONS.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t');
        Some((columns.next()?, columns.next()?, columns.next().unwrap_or_default()))
    })
}

/// All sources: the files, a class for each exception, and the one that throws them.
pub(crate) fn all() -> Vec<Source> {
    owned(FILES).chain(exceptions().map(exception)).chain([conditions()]).collect()
}

/// The sources of an OSGi JVM server.
pub(crate) fn of_osgi() -> Vec<Source> {
    owned(OSGI).collect()
}

/// The sources of a Liberty JVM server: all of them, since its extension is one bundle.
pub(crate) fn of_liberty() -> Vec<Source> {
    all().into_iter().chain(owned(LIBERTY)).collect()
}

fn owned(files: &'static [(&'static str, &'static str)]) -> impl Iterator<Item = Source> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
}

/// The class of a condition's exception.
fn exception((condition, class, _): (&str, &str, &str)) -> Source {
    let resp = condition_named(condition).map_or(0, |condition| condition.resp());
    let text = format!(
        "package com.ibm.cics.server;\n\n/** The condition {condition}. */\n\
         public class {class} extends CicsConditionException {{\n    private static final long serialVersionUID = 1;\n\n    \
         public {class}(int resp2, String command) {{\n        super({resp}, resp2, \"{condition}\", command);\n    }}\n}}\n"
    );
    (format!("com/ibm/cics/server/{class}.java"), text)
}

/// The class that throws the exception of a condition.
fn conditions() -> Source {
    let files: Vec<String> = spec::commands()
        .iter()
        .filter(|command| command.group == "file control")
        .map(|command| format!("\"{}\"", command.name))
        .collect();
    let mut cases = String::new();
    let mut general: Vec<(&str, &str, Option<&str>)> = Vec::new();
    for (condition, class, group) in exceptions() {
        match general.iter_mut().find(|(known, ..)| *known == condition) {
            None => general.push((condition, class, (!group.is_empty()).then_some(class))),
            Some(known) => known.1 = class,
        }
    }
    for (condition, class, of_files) in general {
        let Some(resp) = condition_named(condition).map(|condition| condition.resp()) else { continue };
        let made = |class: &str| format!("new {class}(resp2, command)");
        let made = match of_files {
            Some(own) => format!("FILES.contains(command) ? {} : {}", made(own), made(class)),
            None => made(class),
        };
        let _ = writeln!(cases, "            case {resp} -> {made};");
    }
    let text = format!(
        "package syncpoint.jvm;\n\nimport com.ibm.cics.server.*;\nimport java.util.Set;\n\n\
         /** Conditions as exceptions. */\npublic final class Conditions {{\n    \
         private static final Set<String> FILES = Set.of({});\n\n    private Conditions() {{}}\n\n    \
         /** Throws the exception of a condition. */\n    \
         public static void raise(String command, int resp, int resp2) {{\n        \
         CicsConditionException thrown = switch (resp) {{\n{cases}            \
         default -> new CicsConditionException(resp, resp2, \"condition\", command);\n        }};\n        \
         Conditions.<RuntimeException>throwIt(thrown);\n    }}\n\n    \
         @SuppressWarnings(\"unchecked\")\n    private static <T extends Throwable> void throwIt(Throwable thrown) throws T {{\n        \
         throw (T) thrown;\n    }}\n}}\n",
        files.join(", ")
    );
    ("syncpoint/jvm/Conditions.java".to_owned(), text)
}

/// The digest of all sources, in hexadecimal digits.
pub(crate) fn digest(sources: &[Source]) -> String {
    let mut hash = Sha256::new();
    for (path, text) in sources {
        hash.update((path.len() as u64).to_be_bytes());
        hash.update(path);
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    fn files(root: &Path, folder: &Path, found: &mut HashSet<String>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => files(root, &path, found),
                path if path.extension().is_some_and(|end| end == "java") => {
                    found.insert(path.strip_prefix(root).expect("below").display().to_string());
                }
                _ => {}
            }
        }
    }

    #[test]
    fn every_file_is_in_the_binary() {
        for (folder, known) in [("java", FILES), ("osgi", OSGI), ("liberty", LIBERTY)] {
            let mut found = HashSet::new();
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            files(&root, &root, &mut found);
            assert_eq!(found, known.iter().map(|(path, _)| (*path).to_owned()).collect());
        }
    }

    #[test]
    fn every_exception_is_of_a_condition_and_has_a_class_of_its_own() {
        let mut classes = HashSet::new();
        for (condition, class, _) in exceptions() {
            assert!(condition_named(condition).is_some(), "{condition}");
            assert!(classes.insert(class), "{class}");
        }
    }
}
