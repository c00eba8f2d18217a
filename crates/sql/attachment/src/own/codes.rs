//! Reasons why a statement over the region's tables fails, as a program sees them.

use db2_rows::{Failure, Reason, Stop};
use db2_run::tables::Trouble as RowsTrouble;
use db2_run::{Failed, Refused, Unplanned};
use db2_syntax::{Reason as Read, Refusal};
use sql::codes::{Doing, Scope, Sqlca, state};

use crate::trouble::Unreachable;

/// SQLERRD(3) of a deadlock and of a time-out: the reasons 00C90088 and 00C9008E.
const DEADLOCK: i32 = 13_172_872;
const TIME_OUT: i32 = 13_172_878;

/// The reason why a statement has no ordinary end.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The program sees this code; what the statement has changed is put back.
    Code(Box<Sqlca>),
    /// A deadlock, or a lock that did not come in time.
    Conflict(Failure),
    /// A definition has changed the table since the statement was planned.
    Stale,
    /// The engine cannot go on: the unit of work must be backed out.
    Engine(records::Error),
    /// The program named storage that it does not have.
    Unreachable(Unreachable),
}

impl Trouble {
    /// The code that a program sees, and true if the whole unit of work is taken back with it.
    pub(super) fn seen(self, scope: Scope) -> Result<(Sqlca, bool), Unreachable> {
        match self {
            Self::Code(sqlca) => Ok((*sqlca, false)),
            Self::Conflict(failure) => {
                let mut sqlca = match scope {
                    Scope::Unit => Sqlca::error(-911, b"40001"),
                    Scope::Statement => Sqlca::error(-913, b"57033"),
                };
                sqlca.details[2] = if failure.reason == Reason::TimedOut { TIME_OUT } else { DEADLOCK };
                sqlca.tokens = failure.tokens;
                Ok((sqlca, scope == Scope::Unit))
            }
            Self::Stale => Ok((coded(-904).token("DEFINITION"), false)),
            Self::Engine(error) => {
                tracing::error!(target: "DB", "the region's tables: {error}");
                Ok((Sqlca::error(-901, b"58004").token(error.to_string()), true))
            }
            Self::Unreachable(unreachable) => Err(unreachable),
        }
    }
}

/// A code with the state that it has.
pub(super) fn coded(code: i32) -> Sqlca {
    Sqlca::error(code, state(code).unwrap_or(b"58004"))
}

/// The code of a statement that this engine does not carry out.
pub(super) fn not_built(what: impl Into<String>) -> Trouble {
    Sqlca::error(-199, b"42601").token(what).into()
}

impl From<Sqlca> for Trouble {
    fn from(sqlca: Sqlca) -> Self {
        Self::Code(Box::new(sqlca))
    }
}

impl From<crate::trouble::Trouble> for Trouble {
    fn from(trouble: crate::trouble::Trouble) -> Self {
        match trouble {
            crate::trouble::Trouble::Failure(failure) => {
                Sqlca::of(&failure, Doing::Select, Scope::Statement).into()
            }
            crate::trouble::Trouble::Unreachable(unreachable) => Self::Unreachable(unreachable),
        }
    }
}

impl From<Unreachable> for Trouble {
    fn from(unreachable: Unreachable) -> Self {
        Self::Unreachable(unreachable)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        match failure.reason {
            Reason::Deadlock | Reason::TimedOut | Reason::Cancelled => Self::Conflict(failure),
            Reason::Stale => Self::Stale,
            Reason::Plain | Reason::Retained | Reason::NoSpace | Reason::Limit => {
                Sqlca { tokens: failure.tokens, ..coded(failure.code) }.into()
            }
        }
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failed(failure) => failure.into(),
            Stop::Engine(error) => Self::Engine(error),
            // The caller waits; it passes this on to no other.
            Stop::Later => Self::Stale,
        }
    }
}

impl From<Failed<RowsTrouble>> for Trouble {
    fn from(failed: Failed<RowsTrouble>) -> Self {
        match failed {
            Failed::Refused(Refused { code, state, token }) => {
                let sqlca = Sqlca::error(code, state);
                if token.is_empty() { sqlca.into() } else { sqlca.token(token).into() }
            }
            Failed::Rows(RowsTrouble::Failed(failure)) => failure.into(),
            Failed::Rows(RowsTrouble::Engine(error)) => Self::Engine(error),
        }
    }
}

impl From<Unplanned> for Trouble {
    fn from(unplanned: Unplanned) -> Self {
        match unplanned {
            Unplanned::NoTable(name) => coded(-204).token(name).into(),
            Unplanned::Number(number) => coded(-405).token(number).into(),
            Unplanned::Definition => not_built("A DEFINITION IN THIS PLACE"),
        }
    }
}

/// The code of a statement that cannot be read: its token is the word that is meant.
pub(super) fn unreadable(text: &str, refusal: &Refusal) -> Sqlca {
    let column = usize::from(refusal.spot.column).saturating_sub(1);
    let word: String = text.chars().skip(column).take(usize::from(refusal.spot.width)).collect();
    match refusal.reason {
        Read::NotBuilt => Sqlca::error(-199, b"42601").token(refusal.message.clone()),
        Read::Code(code @ (-104 | -199)) => coded(code).token(refusal.message.clone()),
        Read::Code(code) if !refusal.name.is_empty() => coded(code).token(&refusal.name),
        Read::Code(code) => coded(code).token(word),
    }
}
