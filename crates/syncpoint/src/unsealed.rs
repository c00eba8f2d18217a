//! Files of a state that may be encrypted: read with the key that their application names.

use std::io::{self, Write};
use std::path::{Path, absolute};

use config::REGION_FILE;
use diagnostics::Diagnostic;
use sealed::KEYRING;

use crate::application::{Messages, read_region};
use crate::codes;

/// The plain bytes of a file, wherever the state is that it belongs to.
pub(crate) fn read(file: &Path) -> io::Result<Vec<u8>> {
    if sealed::is_sealed(file) {
        unlock(file)?;
    }
    sealed::read(file)
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

/// Finds the state above a file, in it the folder of its application, and there where the key is.
fn unlock(file: &Path) -> io::Result<()> {
    let file = absolute(file)?;
    let mut above = file.ancestors().skip(1);
    let found = above.find_map(|folder| match folder.join(KEYRING).is_file() {
        true => Some((region::application_of(folder)?, Some(folder.to_owned()))),
        // A recording lies in the folder of its application, not in the state.
        false => folder.join(REGION_FILE).is_file().then(|| (folder.to_owned(), None)),
    });
    // Where none is above it, the key may be at hand nevertheless.
    let Some((folder, state)) = found else { return Ok(()) };
    let config = read_region(&folder).map_err(|messages| {
        io::Error::other(messages.first().map(|message| message.message.clone()).unwrap_or_default())
    })?;
    let state = state.unwrap_or_else(|| folder.join(&config.state));
    region::unlock(&folder, &state, &config.data);
    Ok(())
}
