//! Outcomes that are no answers: a wait, an SQLCODE, or an error of the engine.

use records::Error;

/// The answer to a request, or why there is none.
pub type Tried<T> = Result<T, Stop>;

/// Reasons for which a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Something must be waited for, and nothing was done yet: [`crate::Work::wait`], then the same request again.
    Later,
    /// The statement fails with an SQLCODE. [`crate::Work::undo_statement`] takes back its changes.
    Failed(Failure),
    /// The engine cannot go on: the unit of work must be backed out.
    Engine(Error),
}

/// An SQLCODE with what its message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The SQLCODE.
    pub code: i32,
    /// The reason behind it.
    pub reason: Reason,
    /// The words of its message, in the published order.
    pub tokens: Vec<String>,
}

/// Reasons behind an SQLCODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The code says all.
    Plain,
    /// To wait would have closed a circle.
    Deadlock,
    /// A lock was not granted in time.
    TimedOut,
    /// The wait was ended from outside.
    Cancelled,
    /// A unit of work in doubt keeps the lock.
    Retained,
    /// The disk is full.
    NoSpace,
    /// A limit that has a name was reached.
    Limit,
    /// A definition has changed the table since the statement was planned: plan it again.
    Stale,
}

impl Failure {
    /// A failure of this code with the words of its message.
    pub fn new(code: i32, tokens: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { code, reason: Reason::Plain, tokens: tokens.into_iter().map(Into::into).collect() }
    }

    /// A limit of this name was reached (-904).
    pub(crate) fn limit(name: &str) -> Self {
        Self::because(-904, Reason::Limit, name)
    }

    /// The table has changed since the statement was planned.
    pub(crate) fn stale(table: &str) -> Self {
        Self::because(-204, Reason::Stale, table)
    }

    fn because(code: i32, reason: Reason, token: &str) -> Self {
        Self { reason, ..Self::new(code, [token]) }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(match error {
            Error::Deadlock => Failure::because(-913, Reason::Deadlock, "00C90088"),
            Error::TimedOut => Failure::because(-913, Reason::TimedOut, "00C9008E"),
            Error::Cancelled => Failure::because(-913, Reason::Cancelled, "cancelled"),
            Error::Retained => Failure::because(-904, Reason::Retained, "retained"),
            Error::NoSpace(what) => Failure::because(-904, Reason::NoSpace, what),
            Error::Limit(name) => Failure::limit(name),
            Error::NoStore(_) => Failure::stale(""),
            error => return Self::Engine(error),
        })
    }
}

/// Bytes of a record of ours that are not what they should be.
pub(crate) fn corrupt(what: &str) -> Stop {
    Stop::Engine(Error::Corrupt(what.into()))
}
