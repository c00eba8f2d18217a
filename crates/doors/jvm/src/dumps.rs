//! Heap dumps of JVMs: files beside their output, the newest of which are kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kernel::name::Name8;

use crate::limits::HEAP_DUMPS_MAX;
use crate::output::FOLDER;

/// The path of a JVM server's next heap dump; the oldest ones make room for it.
pub(crate) fn next(folder: &Path, server: Name8) -> PathBuf {
    let (folder, name) = (folder.join(FOLDER), server.to_string());
    let begin = format!("{}-", name.trim_end());
    let mut own: Vec<PathBuf> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "hprof"))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin)))
        .collect();
    // Their names have their times.
    own.sort();
    for old in own.iter().take((own.len() + 1).saturating_sub(HEAP_DUMPS_MAX)) {
        // One that cannot be removed stays.
        let _ = fs::remove_file(old);
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    folder.join(format!("{begin}{:014}.hprof", now.as_millis()))
}

/// A JVM has made its dumps: they are sealed where the state is. The JVM itself writes in clear.
pub(crate) fn are_made(folder: &Path, server: Name8, is_good: bool, why: String) {
    let folder = folder.join(FOLDER);
    tokio::task::spawn_blocking(move || {
        let sealed = sealed::seal_folder(&folder);
        match (is_good, sealed) {
            (false, _) => tracing::error!(target: "SJ", "JVMSERVER {server} makes no dump: {why}"),
            (true, Ok(_)) => {
                tracing::info!(target: "SJ", "dumps of JVMSERVER {server} are in {}", folder.display())
            }
            (true, Err(error)) => {
                tracing::error!(target: "SJ", "a dump of JVMSERVER {server} stands in clear in {}: {error}", folder.display());
            }
        }
    });
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
}
