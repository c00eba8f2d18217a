//! Files that the region writes for its owner alone: what applications handle is nobody else's to read.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Read and write for the owner, nothing for others.
const FILE_MODE: u32 = 0o600;
/// The same of a folder.
const FOLDER_MODE: u32 = 0o700;

/// How a file is opened that may have to be made. One that is there keeps its mode: its owner has chosen it.
pub fn file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(FILE_MODE);
    options
}

/// Makes a folder, and those above it, where they are not there.
///
/// # Errors
/// As the system says.
pub fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
}
