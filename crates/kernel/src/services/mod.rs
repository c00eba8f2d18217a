//! Services that programs CALL instead of asking for by EXEC CICS: those of Language Environment.

use cobol::ServiceCall;

use crate::raise::{Outcome, Raise};
use crate::task::Task;

/// The names that suspend a program.
pub(crate) const NAMES: &[&str] = &[];

/// Answers a CALL: what it returns.
pub(crate) fn call(_: &Task, service: &ServiceCall<'_>) -> Outcome<i32> {
    tracing::error!(target: "AP", "CALL of {}: not built", service.name());
    Err(Raise::abend("4038"))
}
