//! Failures of a statement, as far as a session is concerned.

use std::fmt;

use thiserror::Error;

use crate::codes::{Doing, Scope, Sqlca};
use crate::wire::ServerFault;

/// Reasons why a statement has no result.
#[derive(Clone, Debug, Error)]
pub enum Failure {
    /// The server objects to the statement. The session goes on.
    #[error("{0}")]
    Refused(Box<ServerFault>),
    /// The session has ended: what it had not committed is undone, or will be.
    #[error("the session is lost: {0}")]
    Lost(Lost),
    /// The program's values do not suit the statement, or it has a result that they cannot take. The server was not asked,
    /// or has done its part.
    #[error("SQLCODE {}", .0.code)]
    Code(Box<Sqlca>),
}

/// Reason why a session has ended.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The server's last word.
    pub fault: Option<Box<ServerFault>>,
    /// The system's own message.
    pub error: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Some(fault) => fault.fmt(f),
            None => f.write_str(&self.error),
        }
    }
}

impl Failure {
    /// Returns true if the server gave this state.
    pub fn is(&self, state: &[u8; 5]) -> bool {
        matches!(self, Self::Refused(fault) if &fault.state == state)
    }
}

impl From<Sqlca> for Failure {
    fn from(code: Sqlca) -> Self {
        Self::Code(Box::new(code))
    }
}

impl Sqlca {
    /// The SQLCA that a program sees for a failure.
    pub fn of(failure: &Failure, doing: Doing, scope: Scope) -> Self {
        match failure {
            Failure::Refused(fault) => Self::of_fault(fault, doing, scope),
            Failure::Lost(lost) => Self::of_lost(lost),
            Failure::Code(sqlca) => (**sqlca).clone(),
        }
    }

    /// The SQLCA that a program sees if its session has ended.
    pub fn of_lost(lost: &Lost) -> Self {
        match &lost.fault {
            Some(fault) => Self::of_fault(fault, Doing::Select, Scope::Unit),
            None => Self::error(-924, b"58006").token(lost.error.clone()),
        }
    }
}
