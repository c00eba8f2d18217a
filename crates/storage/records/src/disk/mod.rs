//! The disk, as far as the log needs it: files of a fixed size that are written in place, durably.

mod real;

use std::fs::{DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

pub use crate::blocks::BLOCK;
pub use real::RealDisk;

/// A folder of files.
pub trait Disk: Send + Sync {
    /// The names of the files.
    fn list(&self) -> io::Result<Vec<String>>;
    /// Creates a file full of zeros, or makes an existing one so; durable when it returns.
    fn create(&self, name: &str, bytes: u64) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file.
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;
    /// Renames a file; durable when it returns.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Returns true if a file that is not needed any more spares the making of another one.
    fn reuses(&self) -> bool {
        true
    }
    /// Notes a few bytes in one of two slots, in place of those noted there before. They outlive the process at once, and a
    /// power cut when `durable` says so or the system has got around to it, as do those of the other slot; before that, an
    /// earlier note may come back.
    fn note(&self, slot: usize, bytes: &[u8], durable: bool) -> io::Result<()>;
    /// A file for what is to outlive the process, though not a power cut; made if it is not there. `None` where there is none.
    fn beside(&self, _name: &str) -> io::Result<Option<File>> {
        Ok(None)
    }
    /// The notes of the two slots; `None` if nothing was ever noted.
    fn noted(&self) -> io::Result<Option<[Vec<u8>; 2]>>;
}

/// An open file. Offsets, lengths and the memory of buffers are aligned to [`BLOCK`].
pub trait DiskFile: Send {
    /// Its size.
    fn size(&self) -> io::Result<u64>;
    /// Reads all of `buffer`.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Writes all of `bytes`; durable when it returns.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
}

/// Creates a folder, and those above it, for its owner alone.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o700))
}

/// Leaves a file to its owner alone.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(0o600))
}
