//! Messages about statements of `syncpoint sql`, and its prompt.

use std::io::Write;
use std::sync::Arc;

use db2::Mistake;
use db2::package::Spot;
use diagnostics::{Diagnostic, Source, TextPlace};

use crate::codes;

/// Asks a person for a statement, or for the rest of one.
pub(crate) fn prompt(is_open: bool) {
    print!("{}", if is_open { "   > " } else { "sql> " });
    // A prompt that is not seen is no reason to stop.
    let _ = std::io::stdout().flush();
}

/// The message of a text that is no statement.
pub(crate) fn mistake(mistake: &Mistake, at: Spot, source: Option<&Arc<Source>>) -> Diagnostic {
    let message = Diagnostic::error(codes::REFUSED, mistake.message.clone());
    let message = if mistake.help.is_empty() { message } else { message.help(mistake.help.clone()) };
    placed(message, if mistake.spot.line > 0 { mistake.spot } else { at }, source)
}

/// A message with its place in a source, if it has one.
pub(crate) fn placed(message: Diagnostic, at: Spot, source: Option<&Arc<Source>>) -> Diagnostic {
    match source {
        Some(source) if at.line > 0 => {
            message.at(TextPlace::new(source, at.line as usize, at.column.into(), at.width.into()))
        }
        _ => message,
    }
}
