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
