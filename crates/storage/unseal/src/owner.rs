//! The owner of a state.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The file of a state that names its region: the APPLID, and below it the application's folder.
pub const OWNER_FILE: &str = "region";

/// The APPLID and the folder of the region that a state names; `None` for one that no region has used, or none that wrote its
/// name.
///
/// # Errors
/// The operating system's.
pub fn owner_of(state: &Path) -> io::Result<Option<(String, PathBuf)>> {
    match fs::read(state.join(OWNER_FILE)) {
        Ok(text) => {
            let text = String::from_utf8_lossy(&text);
            let mut lines = text.lines().map(str::trim);
            let (applid, folder) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
            // A file that is empty, or zeros, names no owner: it is written again.
            let names_one = applid.chars().any(|c| c.is_ascii_alphanumeric());
            Ok(names_one.then(|| (applid.to_owned(), PathBuf::from(folder))))
        }
        // Where the state is no folder, opening it says so.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The folder of the application that a state belongs to, as the state has it; `None` if no region has used it.
pub fn application_of(state: &Path) -> Option<PathBuf> {
    owner_of(state).ok().flatten().map(|(_, folder)| folder)
}
