//! Services that programs CALL instead of asking for by EXEC CICS: those of Language Environment.
//!
//! Arguments are copied out, the service computes, and what it changed is copied back.

use cobol::ServiceCall;
use jiff::Zoned;
use le::{Answer, Now};

use crate::raise::{Abend, AbendCode, Outcome, Raise};
use crate::task::Task;

/// The names that suspend a program.
pub(crate) const NAMES: &[&str] = le::SERVICES;

/// The code under which the published runtime ends a task that it cannot go on with.
pub(crate) const RUNTIME_ABEND: &str = "4038";

/// What a service asks for.
pub(crate) enum Served {
    /// Go on; what the CALL returns.
    On(i32),
    /// End the task.
    Abend(Abend),
}

/// Answers a CALL.
///
/// # Errors
/// ASRA on a bad address.
pub(crate) fn call(task: &mut Task, service: &ServiceCall<'_>) -> Outcome<Served> {
    let before = arguments(service)?;
    let mut after = before.clone();
    let answer = le::call(service.name(), &mut after, now(), &mut task.century);
    for (index, (before, after)) in before.iter().zip(&after).enumerate() {
        if before != after
            && let (Ok(argument), Some(bytes)) = (service.arg(index), after)
        {
            argument.write(bytes)?;
        }
    }
    match answer {
        Some(Answer::Done) => Ok(Served::On(0)),
        Some(Answer::Message(text)) => {
            tracing::info!(target: "SYSOUT", "{} {}: {}", task.transaction.name, task.number, String::from_utf8_lossy(&text));
            Ok(Served::On(0))
        }
        Some(Answer::Dump(title)) => {
            tracing::warn!(target: "DU", "task {}: dump {}", task.number, String::from_utf8_lossy(&title));
            Ok(Served::On(0))
        }
        Some(Answer::Abend(abend)) => {
            let code = AbendCode::from(abend.transaction_code().as_str());
            Ok(Served::Abend(Abend { code, cancel: !abend.clean_up, dump: true }))
        }
        Some(Answer::Unhandled(feedback)) => {
            tracing::error!(target: "AP", "task {}: {}: {feedback:?} and no place for feedback", task.number, service.name());
            Err(Raise::abend(RUNTIME_ABEND))
        }
        None => Err(Raise::abend(RUNTIME_ABEND)),
    }
}

/// Copies of the arguments; none where OMITTED.
fn arguments(service: &ServiceCall<'_>) -> Outcome<Vec<Option<Vec<u8>>>> {
    (0..service.arg_count())
        .map(|index| match service.arg(index) {
            Ok(argument) => Ok(Some(argument.bytes()?.to_vec())),
            Err(cobol::AccessError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        })
        .collect()
}

/// The region's clock as the services want it.
fn now() -> Now {
    let zoned = Zoned::now();
    Now { unix_milliseconds: zoned.timestamp().as_millisecond(), offset: zoned.offset().seconds() }
}
