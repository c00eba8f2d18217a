//! Services that programs CALL instead of asking for by EXEC CICS: those of Language Environment, and those that other
//! crates bring ([`Service`]).
//!
//! For Language Environment, arguments are copied out, the service computes, and what it changed is copied back.

use std::pin::Pin;
use std::sync::Arc;

use cobol::ServiceCall;
use le::{Answer, Now};
use smallvec::SmallVec;

use crate::interval::clock::Moment;
use crate::raise::{Abend, AbendCode, Outcome, Raise};
use crate::task::Task;

/// Programs that another crate answers: it is asked on the TCB of the task that CALLs them.
pub trait Service: Send + Sync {
    /// The names that are CALLed.
    fn names(&self) -> &'static [&'static str];

    /// Answers a CALL: at once where nothing has to be waited for.
    ///
    /// # Errors
    /// The abend of the task; a condition counts as its default abend.
    fn call<'a>(&'a self, task: &'a mut Task, call: ServiceCall<'a>) -> Outcome<Answered<'a>>;
}

/// What a CALL came to.
pub enum Answered<'a> {
    /// It returns this RETURN-CODE.
    Now(i32),
    /// It has to wait.
    Waits(Pin<Box<dyn Future<Output = Outcome<i32>> + 'a>>),
}

/// The names that suspend a program: those of Language Environment, and those of other services.
pub(crate) fn names(others: &[Arc<dyn Service>]) -> Vec<&'static str> {
    let others = others.iter().flat_map(|service| service.names());
    le::SERVICES.iter().chain(others).copied().collect()
}

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
/// What the service raises; ASRA on a bad address.
pub(crate) async fn call(
    others: &[Arc<dyn Service>],
    task: &mut Task,
    service: &ServiceCall<'_>,
) -> Outcome<Served> {
    let Some(mut place) = service.index().checked_sub(le::SERVICES.len()) else {
        return language_environment(task, service);
    };
    let mut others = others.iter();
    let other = loop {
        let Some(other) = others.next() else { return Err(Raise::abend(RUNTIME_ABEND)) };
        match place.checked_sub(other.names().len()) {
            Some(rest) => place = rest,
            None => break other,
        }
    };
    match other.call(task, *service)? {
        Answered::Now(code) => Ok(Served::On(code)),
        Answered::Waits(answer) => Ok(Served::On(answer.await?)),
    }
}

fn language_environment(task: &mut Task, service: &ServiceCall<'_>) -> Outcome<Served> {
    let mut arguments = arguments(service)?;
    let answer = le::call(service.name(), &mut arguments, &now, &mut task.century);
    for (index, argument) in arguments.iter().enumerate() {
        if let Some(bytes) = argument.as_ref().and_then(le::Argument::changed) {
            service.arg(index)?.write(bytes)?;
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

/// So many arguments most services have at most.
const USUAL_ARGUMENTS: usize = 4;

/// Copies of the arguments; none where OMITTED.
fn arguments(service: &ServiceCall<'_>) -> Outcome<SmallVec<[Option<le::Argument>; USUAL_ARGUMENTS]>> {
    let mut arguments = SmallVec::new();
    for index in 0..service.arg_count() {
        arguments.push(match service.arg(index) {
            Ok(argument) => Some(le::Argument::filled(argument.size(), |bytes| argument.read_first(bytes))?),
            Err(cobol::AccessError::Missing) => None,
            Err(error) => return Err(error.into()),
        });
    }
    Ok(arguments)
}

/// The region's clock as the services want it.
fn now() -> Now {
    let Moment { unix_ms, offset_s } = Moment::now();
    Now { unix_milliseconds: unix_ms, offset: offset_s }
}
