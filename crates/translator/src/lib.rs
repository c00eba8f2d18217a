//! COBOL with EXEC CICS and EXEC SQL to COBOL that GnuCOBOL compiles, with a map from its lines to the user's.
//!
//! Text words in, text words out: a source is read, its members are copied into it, each program's EXEC blocks become
//! calls, and the words are written as lines of free format. Grammar and numbers come from `spec`.
//!
//! What never lives here: files (a [`Library`] answers COPY), the COBOL compiler, and what a command does.

mod alike;
mod call;
mod cards;
mod copy;
mod data;
mod edits;
mod exec;
mod explain;
mod grammar;
mod hexadecimal;
mod hosted;
mod layout;
mod lexer;
mod members;
mod messages;
mod origin;
mod parameters;
mod phrases;
mod program;
mod reference_format;
mod replacing;
mod sql;
mod token;
mod unit;
mod values;
mod words;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

pub use cards::CompilerOption;
pub use explain::explain_cobc_output;
pub use layout::LineMap;
pub use members::{Library, NoLibrary, native_byte, supplied, supplied_names};
pub use origin::Origin;
pub use program::{ProgramInfo, Statement};
pub use reference_format::Format;

use lexer::Mode;
use messages::Messages;
use program::Settings;
use token::{Kind, Token};

/// The errors that say that something is not built here, and not that a program is wrong.
pub const REFUSALS: [&str; 7] = ["SPTR040", "SPTR041", "SPTR061", "SPTR062", "SPTR073", "SPTR085", "SPTR087"];

/// Options of the compiler for which the text is written: its dialect.
pub const COBC_FLAGS: [&str; 3] = ["-std=ibm", "-fno-arithmetic-osvs", "-fsign=EBCDIC"];

impl Translation {
    /// Options by which the compiler leaves words to this source as names, beside [`COBC_FLAGS`].
    pub fn name_flags(&self) -> impl Iterator<Item = String> {
        self.names.iter().map(|name| format!("-fnot-reserved={name}"))
    }
}

/// How to read a source.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The reference format.
    pub format: Format,
    /// Columns from one tab stop to the next.
    pub tab_width: usize,
    /// What becomes of commands and options that are not built yet.
    pub not_yet: NotYet,
}

/// What becomes of a command that is not built yet, or has an option that is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NotYet {
    /// It is an error.
    #[default]
    Refuse,
    /// It is a warning; the host refuses the command when it is executed.
    Warn,
    /// It is translated like any other: for tests of the translator itself.
    Translate,
}

impl Default for Options {
    fn default() -> Self {
        Self { format: Format::Detect, tab_width: 4, not_yet: NotYet::default() }
    }
}

/// A translated source.
#[derive(Clone, Debug)]
pub struct Translation {
    /// Its programs, in the order of the source; contained programs behind those that contain them.
    pub programs: Vec<ProgramInfo>,
    /// Text for the compiler; not fit for it if `messages` has errors.
    pub text: String,
    /// From lines of `text` to the user's.
    pub line_map: LineMap,
    /// Options of CBL and PROCESS cards, in their order.
    pub compiler_options: Vec<CompilerOption>,
    /// Words that are names in this source, and that the compiler would keep for itself.
    pub names: Vec<String>,
    /// What is wrong or doubtful.
    pub messages: Vec<Diagnostic>,
}

/// Translates a source, which may hold several programs.
pub fn translate(source: &Arc<Source>, library: &dyn Library, options: &Options) -> Translation {
    let free = match options.format {
        Format::Detect => reference_format::looks_free(&source.text),
        format => format == Format::Free,
    };
    let tab_width = reference_format::tab_width(&source.text, options.tab_width.max(1));
    let mode = Mode { free, debugging: false, tab_width };
    let mut messages = Messages::default();
    let (compiler_options, cards) = cards::read(source);
    let settings = Settings { not_yet: options.not_yet, linkage: !cards::no_linkage(&compiler_options) };
    let mut tokens = copy::expand(source, cards, library, mode, &mut messages);
    report_broken_literals(&tokens, &mut messages);
    let (lifted, sql) = sql::lift(tokens, &mut messages);
    tokens = lifted;
    let names = words::free(&mut tokens, free);
    let units = unit::split(&tokens);
    if units.is_empty() {
        let message = Diagnostic::error("SPTR071", format!("{} holds no program", source.name));
        messages.list.push(
            message.help("a program begins with PROGRAM-ID; a copybook is translated where it is copied"),
        );
    }
    let mut out = Vec::with_capacity(tokens.len() + tokens.len() / 4);
    out.extend_from_slice(&tokens[..units.first().map_or(tokens.len(), |unit| unit.tokens.start)]);
    let programs = units
        .iter()
        .map(|unit| {
            let blocks = sql
                .iter()
                .filter(|block| unit.tokens.contains(&block.place) || block.place == unit.tokens.end);
            let blocks: Vec<&sql::Block> = blocks.filter(|block| block.place > unit.tokens.start).collect();
            program::translate(&tokens, unit, &blocks, settings, &mut out, &mut messages)
        })
        .collect();
    let (text, line_map) = layout::write(&out);
    let line_map = line_map.attach(messages.frames);
    Translation { programs, text, line_map, compiler_options, names, messages: messages.list }
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
