//! Folders for files that a session and its client share: data sets of a job that go with it, what a tool loads.
//!
//! They are in the state, where both sides see them whatever folder for temporary files each of them has, and on the disk that data
//! may fill. If files of the state are sealed, so are these, with a key that is not kept.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::protocol::KeyText;

/// The folder of these folders in the state.
const FOLDER: &str = "temporary";
const PRIVATE: u32 = 0o700;

/// A folder as the side knows it that has made it; dropped, it is gone.
pub(crate) struct Made {
    pub path: PathBuf,
    pub key: Option<KeyText>,
}

impl Made {
    /// Makes one in a state that this process has open.
    pub fn new(state: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Links on the way would make it another folder once it is gone.
        let state = fs::canonicalize(state)?;
        let path = state.join(FOLDER).join(format!("{}-{number}", std::process::id()));
        let mut folder = DirBuilder::new();
        folder.recursive(true).mode(PRIVATE).create(&path)?;
        let key = sealed::protect_for_now(&path)?.map(KeyText);
        Ok(Self { path, key })
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // What is left goes with the next start.
        let _ = fs::remove_dir_all(&self.path);
        sealed::forget(&self.path);
    }
}

/// A folder as the one knows it who has asked for it.
pub struct TemporaryFolder {
    path: PathBuf,
    /// This process is not the one that has made it, and knows its key until the end.
    is_guest: bool,
}

impl TemporaryFolder {
    pub(crate) fn new(path: PathBuf, key: Option<KeyText>, is_guest: bool) -> io::Result<Self> {
        if let Some(KeyText(key)) = key.filter(|_| is_guest) {
            sealed::protect_with(&path, &key)?;
        }
        Ok(Self { path, is_guest })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if self.is_guest {
            sealed::forget(&self.path);
        }
    }
}

/// Removes folders that a killed process has left in a state. For the one who has just opened it.
///
/// # Errors
/// The system's own.
pub fn remove_left(state: &Path) -> io::Result<()> {
    match fs::remove_dir_all(state.join(FOLDER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
