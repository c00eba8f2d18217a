//! The holder of a lease: a folder, and a run in it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

/// The file with the name of a folder among those whose records lie in a database.
const FILE: &str = "holder";
/// Held by the one who works in the folder, as the engine of a folder does.
const LOCK: &str = "lock";
/// Bytes of a name.
const BYTES: usize = 16;

/// A folder, and a run in it. The next run of the same folder takes the lease at once: no other process works in the folder beside it.
#[derive(Clone, Debug)]
pub struct Holder {
    pub(crate) folder: String,
    pub(crate) run: String,
    /// As messages call it.
    pub(crate) place: String,
    /// No other process works in the folder as long as this is there.
    pub(crate) lock: Option<Arc<File>>,
}

/// Returns true if the records of a folder's server lie in a database.
pub fn is_elsewhere(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

fn random() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn is_name(name: &str) -> bool {
    name.len() == 2 * BYTES && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Holder {
    /// A run in a folder, which is made if it is not there. No other process may work in it.
    ///
    /// # Errors
    /// Another process has it, or a file cannot be read or made.
    pub fn of(folder: &Path) -> io::Result<Self> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let private = |file: &str| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).mode(0o600);
            options.open(folder.join(file))
        };
        let lock = private(LOCK)?;
        lock.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => {
                io::Error::other(format!("{} is in use by another process", folder.display()))
            }
            std::fs::TryLockError::Error(error) => error,
        })?;
        let (mut file, mut name) = (private(FILE)?, String::new());
        // A start that was cut off, or damage: another name is right, it only waits for a lease of the former one.
        let is_read = file.read_to_string(&mut name).is_ok();
        if !is_read || !is_name(name.trim_end()) {
            name = random()?;
            file.set_len(0)?;
            std::os::unix::fs::FileExt::write_all_at(&file, name.as_bytes(), 0)?;
            file.flush()?;
            file.sync_all()?;
        }
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let place = format!("{} on {}", folder.display(), host.trim_end());
        Ok(Self { folder: name.trim_end().to_owned(), run: random()?, place, lock: Some(Arc::new(lock)) })
    }

    /// Its name in the lease.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.folder, self.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_name_and_each_run_has_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("records");
        assert!(!is_elsewhere(&place));
        let first = Holder::of(&place).expect("a holder");
        assert!(is_elsewhere(&place));
        let second = Holder::of(&place).expect_err("it is in use");
        assert!(second.to_string().contains("in use"), "{second}");
        let (name, run) = (first.folder.clone(), first.run.clone());
        drop(first);
        let second = Holder::of(&place).expect("a holder");
        assert_eq!(second.folder, name);
        assert_ne!(second.run, run);
        drop(second);
        std::fs::write(place.join(FILE), "damaged").expect("written");
        let third = Holder::of(&place).expect("a holder");
        assert!(is_name(&third.folder) && third.folder != name);
    }
}
