//! Messages of a command, and the text files that users name.

use std::fs;
use std::path::Path;

use diagnostics::Diagnostic;

use crate::codes;

/// Messages that say why a command did not do what it was asked for.
pub type Messages = Vec<Diagnostic>;

/// Reads a text file.
pub fn read(path: &Path) -> Result<String, Messages> {
    fs::read_to_string(path).map_err(|error| {
        vec![Diagnostic::error(codes::UNREADABLE, format!("{} cannot be read: {error}", path.display()))]
    })
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Result<(), Messages> {
    fs::write(path, text).map_err(|error| unwritable(path, &error))
}

/// Returns the message that a file or folder cannot be written.
pub fn unwritable(path: &Path, error: &std::io::Error) -> Messages {
    vec![Diagnostic::error(codes::UNWRITABLE, format!("{} cannot be written: {error}", path.display()))]
}
