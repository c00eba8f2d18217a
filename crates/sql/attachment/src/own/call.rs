//! A program's call of a statement, the words that run, and what is given for them.

use db2::package::{Change, Count, Isolation as Level, Package, Statement as Source};
use db2_rows::Isolation;
use sql::codes::Sqlca;

use super::prepared::Prepared;
use crate::arguments::Inputs;

/// A program's call of a statement.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) level: u16,
    pub(super) token: u64,
    pub(super) number: u16,
    pub(super) package: &'a Package,
    pub(super) source: &'a Source,
    pub(super) now: db2_values::Timestamp,
}

/// The words of a statement that runs: the program's own, or those that it has prepared.
#[derive(Clone, Copy)]
pub(super) enum Words<'w> {
    Own,
    Prepared(&'w Prepared),
}

/// The words of a statement, and what the program gives for its host variables or markers.
#[derive(Clone, Copy)]
pub(super) struct Given<'g> {
    pub(super) words: Words<'g>,
    pub(super) inputs: &'g Inputs,
}

/// A change for many rows.
#[derive(Clone, Copy)]
pub(super) struct Many {
    pub(super) change: Change,
    pub(super) rows: Count,
    /// All of them, or none.
    pub(super) is_atomic: bool,
}

impl<'g> Given<'g> {
    /// A program's own statement with its host variables.
    pub(super) fn own(inputs: &'g Inputs) -> Self {
        Self { words: Words::Own, inputs }
    }

    /// The isolation that the statement asks for.
    pub(super) fn isolation(&self, source: &Source) -> Option<Level> {
        match self.words {
            Words::Own => source.isolation,
            Words::Prepared(prepared) => prepared.read.isolation.or(source.isolation),
        }
    }
}

/// Rows that were changed; none is +100, but for VALUES.
pub(super) fn counted(rows: u64, change: Change) -> Sqlca {
    match change {
        Change::InsertValues => Sqlca::default().counting(rows),
        _ if rows == 0 => Sqlca::not_found(),
        _ => Sqlca::default().counting(rows),
    }
}

pub(super) fn isolation(wanted: Option<Level>) -> Isolation {
    match wanted {
        Some(Level::UncommittedRead) => Isolation::Uncommitted,
        Some(Level::ReadStability) => Isolation::ReadStability,
        Some(Level::RepeatableRead) => Isolation::RepeatableRead,
        Some(Level::CursorStability) | None => Isolation::CursorStability,
    }
}
