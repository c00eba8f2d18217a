//! Files that were in clear before their folder had a key.

use std::fs;
use std::io;
use std::path::Path;

use crate::beginning::is_sealed;
use crate::file::{SEALING, seal_file};
use crate::ring::key_for;

/// Seals all files in clear in a folder and below it; a protected one, or nothing is done. Returns how many there were.
///
/// # Errors
/// The system's own, with the file.
pub fn seal_folder(folder: &Path) -> io::Result<usize> {
    if key_for(folder)?.is_none() {
        return Ok(0);
    }
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut sealed = 0;
    for entry in entries {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            sealed += seal_folder(&path)?;
        } else if path.as_os_str().to_string_lossy().ends_with(SEALING) {
            // A crash came meanwhile: the file itself is still there.
            fs::remove_file(&path)?;
        } else if kind.is_file() && !is_sealed(&path) && entry.metadata()?.len() > 0 {
            let named =
                |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
            seal_file(&path).map_err(named)?;
            sealed += 1;
        }
    }
    Ok(sealed)
}

/// Seals a file that was written in clear; in a protected folder, or nothing is done. Returns false where there is nothing to seal.
///
/// # Errors
/// The system's own.
pub fn seal(path: &Path) -> io::Result<bool> {
    if key_for(path)?.is_none() {
        return Ok(false);
    }
    let is_clear = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        file => file.map(|file| file.is_file() && file.len() > 0)? && !is_sealed(path),
    };
    if is_clear {
        seal_file(path)?;
    }
    Ok(is_clear)
}
