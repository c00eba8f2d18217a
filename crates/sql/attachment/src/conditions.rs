//! The outcome of a statement, for GET DIAGNOSTICS.

use sql::codes::Sqlca;

/// An error or a warning of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The row of a change for many that it is about, from 1; 0: of none.
    pub(crate) row: i32,
    pub(crate) sqlca: Sqlca,
}

/// The outcome of a statement.
#[derive(Debug, Default)]
pub(crate) struct Diagnosed {
    pub(crate) sqlca: Sqlca,
    /// At least one, also where it only says that all went well.
    pub(crate) conditions: Vec<Condition>,
    /// There were more.
    pub(crate) is_cut: bool,
}

/// Conditions of one statement that are kept at most; if there were more, MORE is Y.
const CONDITIONS_MAX: usize = 1000;

/// Notes of the statement that runs, which become its outcome.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// The outcome of the statement before.
    pub(crate) last: Diagnosed,
    /// Conditions apart from its own.
    noted: Vec<Condition>,
    is_cut: bool,
    /// The row of a change for many that it fails at, from 1.
    pub(crate) failing_row: i32,
}

impl Notes {
    /// A statement begins: nothing is known of it yet.
    pub(crate) fn begin(&mut self) {
        (self.failing_row, self.is_cut) = (0, false);
        self.noted.clear();
    }

    pub(crate) fn note(&mut self, condition: Condition) {
        if self.noted.len() < CONDITIONS_MAX {
            self.noted.push(condition);
        } else {
            self.is_cut = true;
        }
    }

    pub(crate) fn has_noted(&self) -> bool {
        !self.noted.is_empty()
    }

    /// The statement has run.
    pub(crate) fn end(&mut self, sqlca: &Sqlca) {
        let mut conditions = std::mem::take(&mut self.noted);
        let row = std::mem::take(&mut self.failing_row);
        if conditions.is_empty() {
            conditions.push(Condition { row, sqlca: sqlca.clone() });
        }
        let is_cut = std::mem::take(&mut self.is_cut);
        self.last = Diagnosed { sqlca: sqlca.clone(), conditions, is_cut };
    }
}
