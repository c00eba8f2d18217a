//! Heap dumps of JVMs: files beside their output, the newest of which are kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kernel::name::Name8;
use parking_lot::Mutex;

use crate::limits::HEAP_DUMPS_MAX;
use crate::output::FOLDER;

/// Dumps are sealed one after the other: none twice at the same time.
static SEALING: Mutex<()> = Mutex::new(());

/// The begin of the names of a JVM server's heap dumps.
fn begin(server: Name8) -> String {
    format!("{}-", server.to_string().trim_end())
}

/// The heap dumps of a JVM server, the oldest first.
fn own(folder: &Path, server: Name8) -> Vec<PathBuf> {
    let begin = begin(server);
    let mut own: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "hprof"))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin)))
        .collect();
    // Their names have their times.
    own.sort();
    own
}

/// The path of a JVM server's next heap dump; the oldest ones make room for it.
pub(crate) fn next(folder: &Path, server: Name8) -> PathBuf {
    let folder = folder.join(FOLDER);
    let own = own(&folder, server);
    for old in own.iter().take((own.len() + 1).saturating_sub(HEAP_DUMPS_MAX)) {
        // One that cannot be removed stays.
        let _ = fs::remove_file(old);
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    folder.join(format!("{}{:014}.hprof", begin(server), now.as_millis()))
}

/// Seals a dump where the state is sealed.
fn seal(path: &Path) -> io::Result<bool> {
    let _turn = SEALING.lock();
    sealed::seal(path)
}

/// A JVM has made its dumps, of which one may be in a file: that is sealed where the state is. The JVM itself writes in clear.
pub(crate) fn are_made(folder: &Path, server: Name8, heap: PathBuf, failed: Option<String>) {
    let folder = folder.join(FOLDER);
    tokio::task::spawn_blocking(move || {
        let sealed = if heap.as_os_str().is_empty() { Ok(false) } else { seal(&heap) };
        if let Err(error) = sealed {
            stands_in_clear(server, &heap, &error);
        }
        match failed {
            Some(why) => tracing::error!(target: "SJ", "JVMSERVER {server} makes no dump: {why}"),
            None => tracing::info!(target: "SJ", "dumps of JVMSERVER {server} are in {}", folder.display()),
        }
    });
}

fn stands_in_clear(server: Name8, path: &Path, error: &io::Error) {
    tracing::error!(target: "SJ", "a dump of JVMSERVER {server} stands in clear in {}: {error}", path.display());
}

/// A JVM has ended: a dump of which it has not said that it is made is sealed as far as it goes.
pub(crate) fn jvm_has_ended(folder: &Path, server: Name8) {
    for path in own(&folder.join(FOLDER), server) {
        if let Err(error) = seal(&path) {
            stands_in_clear(server, &path, &error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_dumps_of_a_server_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join(FOLDER);
        fs::create_dir(&below).expect("a folder");
        let old = |name: &str, time: u32| below.join(format!("{name}-{time:014}.hprof"));
        for time in 1..=HEAP_DUMPS_MAX as u32 {
            fs::write(old("JVM1", time), "a heap").expect("written");
            fs::write(old("JVM12", time), "a heap").expect("written");
        }
        let next = next(folder.path(), Name8::from("JVM1"));
        assert!(next > old("JVM1", 4) && !next.exists(), "{}", next.display());
        assert!(!old("JVM1", 1).exists() && old("JVM1", 2).exists() && old("JVM12", 1).exists());
    }
    #[test]
    fn the_dumps_of_a_jvm_that_has_ended_are_sealed_and_no_other_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join(FOLDER);
        fs::create_dir(&below).expect("a folder");
        let names = ["JVM1-00000000000001.hprof", "JVM2-00000000000001.hprof", "JVM1.other"];
        names.iter().for_each(|name| fs::write(below.join(name), "card 4711").expect("written"));
        sealed::protect(folder.path(), &[7; sealed::KEY], None).expect("a key");
        jvm_has_ended(folder.path(), Name8::from("JVM1"));
        assert_eq!(names.map(|name| sealed::is_sealed(&below.join(name))), [true, false, false]);
        sealed::forget(folder.path());
    }
}
