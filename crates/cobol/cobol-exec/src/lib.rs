//! EXEC CICS and EXEC SQL of a checked source: commands checked, statements listed, packages of SQL made.
//!
//! A checked source in, facts and messages out: each of its EXEC blocks is read here, once, for the lowering and for people. Grammar
//! and numbers of commands come from `spec`, what an SQL statement means from `db2`.
//!
//! Out of scope: text of a source (`cobol-source`), the rest of COBOL's grammar, and what a command does.

#![doc = include_str!("../README.md")]

mod arguments;
mod asked;
mod data;
mod grammar;
mod hexadecimal;
mod program;
mod sql;
mod tasks;
mod unit;
mod values;

use cobol_check::Checked;
use diagnostics::{Diagnostic, Severity};

pub use asked::{Area, Argument, Asked, Call, Command, Request};
pub use program::{ProgramInfo, Statement};

use unit::{Span, Words};

// The words of the source crate, under the names that this one is written with.
use cobol_source::{messages, origin, reference_format, token};

/// The errors that say that something is not built here, and not that a program is wrong.
pub const REFUSALS: [&str; 4] = ["SPTR040", "SPTR041", "SPTR061", "SPTR062"];

/// The meaning of a source's EXEC blocks.
#[derive(Clone, Debug)]
pub struct Read {
    /// Its programs, in the order of the source; contained programs behind those that contain them.
    pub programs: Vec<ProgramInfo>,
    /// The request of each block, by the number that the syntax tree gives it; `None` for a block with a mistake.
    pub asked: Vec<Option<Asked>>,
    /// Mistakes and doubts.
    pub messages: Vec<Diagnostic>,
}

/// Reads the EXEC blocks of a source, which may hold several programs. A command that is not built is a message of that severity.
pub fn read(checked: &Checked, unbuilt: Severity) -> Read {
    let mut messages = messages::Messages { frames: checked.frames().clone(), list: Vec::new() };
    let words = Words::without_sql(&checked.tokens, &checked.blocks);
    let units = unit::split(&words.tokens);
    if units.is_empty() {
        let message = Diagnostic::error("SPTR071", format!("{} holds no program", checked.source.name));
        messages
            .list
            .push(message.help("a program begins with PROGRAM-ID; a copybook is read where it is copied"));
    }
    let arithmetic = cobol_source::decimal_arithmetic(&checked.options);
    let arithmetic = arithmetic.and_then(|text| db2::Arithmetic::read(&text)).unwrap_or_default();
    let mut asked: Vec<Option<Asked>> = vec![None; checked.blocks.len()];
    let mut programs = Vec::with_capacity(units.len());
    // With damaged descriptions or without a member, an item that is not found may be there.
    let damaged =
        |message: &Diagnostic| message.severity == Severity::Error && !message.code.starts_with("SPCK");
    let whole = !checked.messages.iter().any(damaged);
    let all = checked.all_programs();
    let mut spans = Words::spans(&checked.blocks).peekable();
    for (place, unit) in units.iter().enumerate() {
        let mut own: Vec<Span<'_>> = Vec::new();
        // The first word behind a program is none of a block, so EXEC SQL in front of it is the program's.
        while let Some(span) = spans.next_if(|span| span.place.start <= unit.tokens.end) {
            own.extend(Some(span).filter(|span| span.place.start > unit.tokens.start));
        }
        let reader =
            program::Reader { tokens: &words.tokens, unit, unbuilt, arithmetic, messages: &mut messages };
        programs.push(reader.read(&own, all.get(place).copied(), whole, &mut asked));
    }
    Read { programs, asked, messages: messages.list }
}
