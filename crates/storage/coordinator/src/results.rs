//! Results of a resynchronisation.

/// Results of a resynchronisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resynchronised {
    /// Units of work that were committed.
    pub committed: usize,
    /// Units of work that were backed out.
    pub backed_out: usize,
    /// Units of work that an operator had ended otherwise.
    pub otherwise: usize,
}
