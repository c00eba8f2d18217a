//! EXEC CICS and EXEC SQL of a COBOL source: commands checked, statements listed, packages of SQL made.
//!
//! Text words in, facts and messages out: a source is read, its members are copied into it, each EXEC block is checked. Grammar and
//! numbers of commands come from `spec`, what an SQL statement means from `db2`.
//!
//! What never lives here: files (a [`Library`] answers COPY), the rest of COBOL's grammar, and what a command does.

#![doc = include_str!("../README.md")]

mod arguments;
mod data;
mod grammar;
mod hexadecimal;
mod program;
mod sql;
mod tasks;
mod unit;
mod values;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

pub use cobol_source::{
    CompilerOption, Format, Library, NoLibrary, Origin, native_byte, supplied, supplied_names,
};
pub use program::{ProgramInfo, Statement};

use cobol_source::Text;

// The words of the source crate, under the names that this one is written with.
use cobol_source::{exec, messages, origin, reference_format, token};

/// The errors that say that something is not built here, and not that a program is wrong.
pub const REFUSALS: [&str; 4] = ["SPTR040", "SPTR041", "SPTR061", "SPTR062"];

/// How to read a source.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The reference format.
    pub format: Format,
    /// Columns from one tab stop to the next.
    pub tab_width: usize,
    /// The treatment of commands and options that are not built yet.
    pub not_yet: NotYet,
}

/// The treatment of a command that is not built yet, or has an option that is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NotYet {
    /// It is an error.
    #[default]
    Refuse,
    /// It is a warning; the region refuses the command when it is executed.
    Warn,
    /// It is read like any other: for tests.
    Accept,
}

impl Default for Options {
    fn default() -> Self {
        Self { format: Format::Detect, tab_width: 4, not_yet: NotYet::default() }
    }
}

/// What the EXEC blocks of a source say.
#[derive(Clone, Debug)]
pub struct Read {
    /// Its programs, in the order of the source; contained programs behind those that contain them.
    pub programs: Vec<ProgramInfo>,
    /// What is wrong or doubtful.
    pub messages: Vec<Diagnostic>,
}

/// Reads a source, which may hold several programs.
pub fn read(source: &Arc<Source>, library: &dyn Library, options: &Options) -> Read {
    let text = cobol_source::read(source, library, options.format, options.tab_width);
    let Text { tokens, mut messages, options: cards, .. } = text;
    let arithmetic = cobol_source::decimal_arithmetic(&cards).and_then(|text| db2::Arithmetic::read(&text));
    let (tokens, sql) = sql::lift(tokens, &mut messages);
    let units = unit::split(&tokens);
    if units.is_empty() {
        let message = Diagnostic::error("SPTR071", format!("{} holds no program", source.name));
        messages
            .list
            .push(message.help("a program begins with PROGRAM-ID; a copybook is read where it is copied"));
    }
    let programs = units
        .iter()
        .map(|unit| {
            let blocks = sql
                .iter()
                .filter(|block| unit.tokens.contains(&block.place) || block.place == unit.tokens.end);
            let blocks: Vec<&sql::Block> = blocks.filter(|block| block.place > unit.tokens.start).collect();
            program::read(
                &tokens,
                unit,
                &blocks,
                (options.not_yet, arithmetic.unwrap_or_default()),
                &mut messages,
            )
        })
        .collect();
    Read { programs, messages: messages.list }
}
