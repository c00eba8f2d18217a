//! Files of a state that may be encrypted: read with the key that their application names.

use std::io::{self, Write};
use std::path::Path;

use diagnostics::Diagnostic;

use crate::application::{Messages, read_region};
use crate::codes;

/// The plain bytes of a file, wherever the state is that it belongs to.
pub(crate) fn read(file: &Path) -> io::Result<Vec<u8>> {
    region::read_unlocked(file, read_region)
}

/// Prints a file.
pub(crate) fn print(file: &Path) -> Result<(), Messages> {
    let bytes = read(file).map_err(|error| {
        vec![Diagnostic::error(codes::UNREADABLE, format!("{} cannot be read: {error}", file.display()))]
    })?;
    // A reader that has seen enough closes the pipe.
    let _ = io::stdout().write_all(&bytes);
    Ok(())
}
