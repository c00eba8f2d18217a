//! COBOL with EXEC CICS and EXEC SQL to COBOL that GnuCOBOL compiles, with a map from its lines to the user's.
//!
//! Text words in, text words out: a source is read, its members are copied into it, each program's EXEC blocks become
//! calls, and the words are written as lines of free format. Grammar and numbers come from `spec`.
//!
//! What never lives here: files (a [`Library`] answers COPY), the COBOL compiler, and what a command does.

mod addresses;
mod alike;
mod call;
mod data;
mod edits;
mod explain;
mod grammar;
mod hexadecimal;
mod hosted;
mod jumps;
mod layout;
mod parameters;
mod phrases;
mod program;
mod sql;
mod unit;
mod values;
mod words;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

pub use cobol_source::{
    CompilerOption, Format, Library, NoLibrary, Origin, native_byte, supplied, supplied_names,
};
pub use explain::explain_cobc_output;
pub use layout::LineMap;
pub use program::{ProgramInfo, Statement};

use cobol_source::Text;
use program::Settings;

// The words of the source crate, under the names that this one is written with.
use cobol_source::{exec, messages, origin, reference_format, token};

/// The message of PROCEDURE DIVISION RETURNING, whose item has no storage in a hosted program.
pub const NO_RETURNING: &str = "SPTR073";

/// The errors that say that something is not built here, and not that a program is wrong.
pub const REFUSALS: [&str; 7] =
    ["SPTR040", "SPTR041", "SPTR061", "SPTR062", NO_RETURNING, "SPTR085", "SPTR087"];

/// What is said of the hosted compiler alone, and does not hold for programs of our own.
pub const HOSTED_ONLY: [&str; 11] = [
    "SPTR073", "SPTR079", "SPTR081", "SPTR082", "SPTR083", "SPTR084", "SPTR085", "SPTR086", "SPTR087",
    "SPTR089", "SPTR093",
];

/// Options of the compiler for which the text is written: its dialect.
pub const COBC_FLAGS: [&str; 4] = ["-std=ibm", "-fno-arithmetic-osvs", "-fsign=EBCDIC", "-ffold-call=UPPER"];

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
    /// The treatment of commands and options that are not built yet.
    pub not_yet: NotYet,
    /// Host variables lie as our own compiler has them: COMP-5 with its highest byte first.
    pub own: bool,
}

/// The treatment of a command that is not built yet, or has an option that is not.
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
        Self { format: Format::Detect, tab_width: 4, not_yet: NotYet::default(), own: false }
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
    let text = cobol_source::read(source, library, options.format, options.tab_width);
    let Text { tokens, free, options: compiler_options, mut messages } = text;
    let linkage = !cobol_source::no_linkage(&compiler_options);
    let settings = Settings { not_yet: options.not_yet, linkage, own: options.own };
    let (mut tokens, sql) = sql::lift(tokens, &mut messages);
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
