//! The note of a state that says where its records are, if they are not its own.

use std::fs::{read_to_string, write};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;

use crate::folders::unwritable;

/// The file of a state that names the folder of its record server.
pub(crate) const FILE: &str = "records-are-in";

/// The folder, or the database, that a state names.
pub(crate) fn noted(state: &Path) -> Result<Option<PathBuf>, Vec<Diagnostic>> {
    let path = state.join(FILE);
    match read_to_string(&path) {
        Ok(text) => Ok(Some(PathBuf::from(text.trim()))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unwritable(&path, &error)),
    }
}

/// Notes in a state where its records are.
pub(crate) fn note(state: &Path, place: &Path) -> Result<(), Vec<Diagnostic>> {
    let path = state.join(FILE);
    let text = format!("{}\n", place.display());
    if read_to_string(&path).is_ok_and(|noted| noted == text) {
        return Ok(());
    }
    write(&path, text).map_err(|error| unwritable(&path, &error))
}
