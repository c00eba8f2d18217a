//! The folders and files of a region's state.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use diagnostics::Diagnostic;

use crate::codes;

/// Rights of folders and files of the state.
pub(crate) const PRIVATE_FOLDER: u32 = 0o700;
pub(crate) const PRIVATE_FILE: u32 = 0o600;
/// The folder of data sets and log within the state.
pub(crate) const DATA: &str = "data";
/// The file within the state that says that its data have come from a backup, until links have noted it.
pub(crate) const RESTORED: &str = "restored";
/// The folder of the audit within the state.
pub const AUDIT: &str = "audit";
/// The folder of sequential data sets within the state.
pub(crate) const SEQUENTIAL: &str = "sequential";
/// The folder of dumps within the state.
pub(crate) const DUMPS: &str = "dumps";
/// The folder of the files of monitoring and statistics within the state.
pub const RECORD_FOLDER: &str = "instruments";
/// The folder of journals within the state.
pub(crate) const JOURNALS: &str = "journals";

/// Makes a file of the state, or empties one.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE_FILE).open(path)
}

/// Makes a folder of the state: its owner's alone, since it holds what the data sets hold.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(path)
}

/// That a folder or file of the state cannot be used.
pub(crate) fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> Vec<Diagnostic> {
    let message = format!("the region keeps its state in {}, which cannot be used: {error}", path.display());
    vec![
        Diagnostic::error(codes::UNWRITABLE, message)
            .help("name another folder with --data DIR, or mend its rights"),
    ]
}
