//! The reasons that keep a statement from its ordinary end.

use sql::Failure;
use sql::codes::Sqlca;
use thiserror::Error;

/// A place that a program named and does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("parameter {argument} of the CALL has no byte {offset}")]
pub struct Unreachable {
    /// Which parameter.
    pub argument: u16,
    /// The offset in it.
    pub offset: usize,
}

/// The reason why a statement has no ordinary end.
pub(crate) enum Trouble {
    Failure(Failure),
    Unreachable(Unreachable),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Sqlca> for Trouble {
    fn from(sqlca: Sqlca) -> Self {
        Self::Failure(sqlca.into())
    }
}

impl From<Unreachable> for Trouble {
    fn from(unreachable: Unreachable) -> Self {
        Self::Unreachable(unreachable)
    }
}

/// Makes the error that a program gets for a statement that is not built here.
pub(crate) fn not_built(what: &str) -> Trouble {
    Sqlca::error(-199, b"42601").token(what).into()
}
