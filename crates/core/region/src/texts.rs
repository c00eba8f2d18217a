//! Texts of an application: decks, definitions, commands.

use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::codes;

/// A text under the name by which its owner knows it.
pub(crate) fn source(root: &Path, path: &Path) -> Result<Arc<Source>, Vec<Diagnostic>> {
    let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => Ok(Source::new(shown, String::from_utf8_lossy(&bytes))),
        Err(error) => {
            Err(vec![Diagnostic::error(codes::UNREADABLE, format!("{shown} cannot be read: {error}"))])
        }
    }
}
