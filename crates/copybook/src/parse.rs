//! A copybook from its text.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::build::{POINTER_LENGTH, layouts};
use crate::clauses::{Entry, entry};
use crate::layout::Layout;
use crate::tokens::{TokenKind, tokens};

/// What a copybook describes.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// Its records, in order.
    pub layouts: Vec<Layout>,
    /// What is to be said about it.
    pub messages: Vec<Diagnostic>,
}

/// Reads data descriptions in fixed or free format, as hosted programs lay them out. COPY statements must have been expanded.
pub fn parse(source: &Arc<Source>) -> Parsed {
    parse_with_pointers(source, POINTER_LENGTH)
}

/// The same where a pointer has so many bytes.
pub fn parse_with_pointers(source: &Arc<Source>, length: usize) -> Parsed {
    let mut parsed = Parsed::default();
    let tokens = tokens(source);
    let sentences =
        tokens.split(|token| token.kind == TokenKind::Stop).filter(|sentence| !sentence.is_empty());
    let entries: Vec<Entry> =
        sentences.filter_map(|sentence| entry(sentence, &mut parsed.messages)).collect();
    parsed.layouts = layouts(&entries, length, &mut parsed.messages);
    parsed
}
