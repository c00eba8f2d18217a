//! COBOL source text to text words, each with its origin.
//!
//! Reference format, CBL and PROCESS cards, continuation, debugging lines, COPY with REPLACING, REPLACE, and the blocks
//! of EXEC … END-EXEC as words: for `cobol-syntax`, and for `cobol-exec`, which reads EXEC blocks alone.
//!
//! Out of scope: files (a [`Library`] answers COPY), and the grammar of COBOL.

#![doc = include_str!("../README.md")]

mod cards;
mod conditional;
mod coprocessor;
mod copy;
mod directives;
pub mod exec;
mod lexer;
mod members;
pub mod messages;
mod options;
pub mod origin;
pub mod reference_format;
mod replacing;
pub mod token;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

pub use cards::{currency, no_linkage};
pub use coprocessor::decimal_arithmetic;
pub use members::{Library, NoLibrary, native_byte, supplied, supplied_names};
pub use messages::{Messages, did_you_mean};
pub use options::CompilerOption;
pub use origin::{At, Origin};
pub use reference_format::Format;
pub use token::{Kind, Token};

use conditional::Conditional;
use lexer::{Lexer, Mode};

/// A source as text words, with all members in it and every replacement made.
#[derive(Debug)]
pub struct Text {
    /// The text words.
    pub tokens: Vec<Token>,
    /// True if the source is in free format.
    pub free: bool,
    /// The options of its CBL and PROCESS cards, in their order.
    pub options: Vec<CompilerOption>,
    /// The messages so far; they also make origins of places.
    pub messages: Messages,
}

/// Returns the text words of a source as it is, without COPY and REPLACE; code that conditional compilation leaves out
/// is not among them. The format is free only if some line cannot be fixed.
pub fn words(source: &Arc<Source>, tab_width: usize) -> Text {
    let free = !reference_format::could_be_fixed(&source.text, tab_width);
    let mode = Mode { free, debugging: false, tab_width };
    let mut messages = Messages::default();
    let frame = messages.frames.enter(source, None, tab_width);
    let mut lexer = Lexer::new(frame, mode);
    let mut conditional = Conditional::new(&[]);
    let base = conditional.enter();
    for (index, line) in source.text.lines().enumerate() {
        let counts = conditional.counts();
        if let Some(directive) = lexer.read(index as u32 + 1, line, counts, &mut messages) {
            conditional.obey(&directive.words, directive.at, &mut messages);
        }
    }
    conditional.leave(base, &mut messages);
    Text { tokens: lexer.take(), free, options: Vec::new(), messages }
}

/// Reads a source. `tab_width` is how far apart tab stops are, where the text does not show that itself.
pub fn read(source: &Arc<Source>, library: &dyn Library, format: Format, tab_width: usize) -> Text {
    let free = match format {
        Format::Detect => reference_format::looks_free(&source.text),
        format => format == Format::Free,
    };
    let tab_width = reference_format::tab_width(&source.text, tab_width.max(1));
    let mode = Mode { free, debugging: false, tab_width };
    let mut messages = Messages::default();
    let frame = messages.frames.enter(source, None, tab_width);
    let (options, cards) = cards::read(source, frame, &mut messages);
    let conditional = Conditional::new(&options);
    let tokens = copy::expand(source, cards, frame, library, mode, conditional, &mut messages);
    let tokens = replacing::statements(tokens, &mut messages);
    report_broken_literals(&tokens, &mut messages);
    Text { tokens, free, options, messages }
}

fn report_broken_literals(tokens: &[Token], messages: &mut Messages) {
    for token in tokens.iter().filter(|token| token.kind == Kind::Broken) {
        let help = "close it on this line, or go on in the next with - in column 7 and a quote";
        let message = Diagnostic::error("SPTR002", "this literal has no closing quote")
            .label("opened here")
            .help(messages.cut_or(token.at, token.at, help));
        messages.add(token.at, message);
    }
}
