//! Files that the region writes for its owner alone: no other user may read data of applications.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Read and write for the owner, nothing for others.
const FILE_MODE: u32 = 0o600;
/// The same of a folder.
const FOLDER_MODE: u32 = 0o700;

/// Options for a file that may have to be made. One that is there keeps its mode: its owner has chosen it.
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_made_is_the_owners_alone() {
        let above = tempfile::tempdir().expect("a folder");
        let made = above.path().join("a/b");
        folder(&made).expect("made");
        folder(&made).expect("there already");
        let path = made.join("records");
        file().create(true).append(true).open(&path).expect("a file");
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&above.path().join("a")), mode(&made), mode(&path)), (0o700, 0o700, 0o600));
    }
}
