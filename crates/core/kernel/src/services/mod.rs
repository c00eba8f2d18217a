//! Services that programs CALL instead of asking for by EXEC CICS: those of Language Environment, those that other crates
//! bring ([`Service`]), and the one routine that may wait ([`SLEEP`]).
//!
//! For Language Environment, arguments are copied out, the service computes, and what it changed is copied back.

mod service_call;

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use cobol_run::Passed;
use le::{Answer, Now};
use smallvec::SmallVec;

use crate::clock::Moment;
use crate::raise::{Abend, AbendCode, Outcome, Raise};
use crate::region::Region;
use crate::task::Task;
use crate::words::escaped;

use service_call::Manner;
pub use service_call::ServiceCall;

/// Programs that another crate answers: it is asked on the TCB of the task that CALLs them.
pub trait Service: Send + Sync {
    /// The names that are CALLed.
    fn names(&self) -> &'static [&'static str];

    /// Returns true if a CALL of this name always waits: then it is not tried where the program stands.
    fn always_waits(&self, _name: &str) -> bool {
        false
    }

    /// Answers a CALL: at once where nothing has to be waited for. One that is `tried` is made where the program stands: it
    /// cannot wait there, and is made again if it must.
    ///
    /// # Errors
    /// The abend of the task; a condition counts as its default abend.
    fn call<'a>(
        &'a self,
        task: &'a mut Task,
        call: &'a ServiceCall<'a>,
        tried: bool,
    ) -> Outcome<Answered<'a>>;
}

/// Results of a CALL.
pub enum Answered<'a> {
    /// It returns this RETURN-CODE.
    Now(i32),
    /// It was tried, and has to wait, or must not be tried. The retried CALL continues from the work already done.
    Left,
    /// It has to wait.
    Waits(Pin<Box<dyn Future<Output = Outcome<i32>> + 'a>>),
}

/// Services that programs of a region CALL, beside Language Environment.
pub struct Services {
    others: Vec<Arc<dyn Service>>,
    /// The answerer of each name that programs CALL.
    own: HashMap<&'static str, AnsweredBy>,
}

impl Services {
    /// These.
    pub fn new(others: Vec<Arc<dyn Service>>) -> Self {
        let of_others = others.iter().enumerate().flat_map(|(place, service)| {
            service.names().iter().map(move |name| match service.always_waits(name) {
                true => (*name, AnsweredBy::Waiting(place)),
                false => (*name, AnsweredBy::Other(place)),
            })
        });
        let of_language_environment =
            le::SERVICES.iter().map(|name| (*name, AnsweredBy::LanguageEnvironment));
        let own = of_others.chain([(SLEEP, AnsweredBy::Interval)]).chain(of_language_environment).collect();
        Self { others, own }
    }

    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The answerer of a name that a program CALLs; `None` if it is another program's.
    pub(crate) fn by_name(&self, name: &str) -> Option<AnsweredBy> {
        self.own.get(name).copied()
    }

    /// The service of another crate.
    pub(crate) fn other(&self, place: usize) -> Option<&Arc<dyn Service>> {
        self.others.get(place)
    }
}

/// The answerer of a CALL that is none of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnsweredBy {
    LanguageEnvironment,
    /// Another crate, by its place among the services.
    Other(usize),
    /// The same, where it always waits.
    Waiting(usize),
    /// DELAY does it.
    Interval,
}

/// `CALL 'C$SLEEP' USING seconds`: the task waits, and its TCB does not.
pub const SLEEP: &str = "C$SLEEP";

/// The code under which the published runtime ends a task that it cannot go on with.
pub(crate) const RUNTIME_ABEND: &str = "4038";

/// Requests of a service.
pub(crate) enum Served {
    /// Go on; what the CALL returns.
    On(i32),
    /// End the task.
    Abend(Abend),
}

/// The answer of a service of another crate.
pub(crate) struct ServiceAnswer {
    /// RETURN-CODE, or the reason why the task ends; `None` leaves it as it is.
    pub code: Outcome<Option<i32>>,
    /// The program's runaway limit starts again.
    pub gave_way: bool,
    /// The program is to see its interface block.
    pub shows_interface_block: bool,
}

/// A service of another crate answers a program where that stands; `None` if it has to wait: then [`answer_call`]
/// is asked.
pub(crate) fn answer_call_now(
    service: &dyn Service,
    task: &mut Task,
    name: &str,
    arguments: &[Passed],
) -> Option<ServiceAnswer> {
    let call = ServiceCall::new(task, name, arguments);
    let code = match service.call(task, &call, true) {
        Ok(Answered::Now(code)) => Some(Ok(code)),
        Ok(Answered::Left | Answered::Waits(_)) => None,
        Err(raise) => Some(Err(raise)),
    };
    let manner = call.finish(task);
    code.map(|code| ServiceAnswer::of(code, manner, false))
}

/// The same where it can wait.
pub(crate) async fn answer_call(
    service: &dyn Service,
    task: &mut Task,
    name: &str,
    arguments: &[Passed],
) -> ServiceAnswer {
    let call = ServiceCall::new(task, name, arguments);
    let mut waited = false;
    let code = match service.call(task, &call, false) {
        Ok(Answered::Now(code)) => Ok(code),
        Ok(Answered::Waits(answer)) => {
            waited = true;
            answer.await
        }
        Ok(Answered::Left) => Err(Raise::abend(RUNTIME_ABEND)),
        Err(raise) => Err(raise),
    };
    ServiceAnswer::of(code, call.finish(task), waited)
}

impl ServiceAnswer {
    fn of(code: Outcome<i32>, manner: Manner, waited: bool) -> Self {
        let code = code.map(|code| (!manner.is_statement).then_some(code));
        let Manner { gives_way, shows_interface_block, .. } = manner;
        Self { code, gave_way: waited || gives_way, shows_interface_block }
    }
}

/// A service of Language Environment answers a program, whose arguments lie in its window.
pub(crate) fn call_language_environment(
    task: &mut Task,
    name: &str,
    arguments: &[Passed],
) -> Outcome<Served> {
    let mut copies = SmallVec::<[Option<le::Argument>; USUAL_ARGUMENTS]>::new();
    for argument in arguments {
        let bytes = match argument {
            Passed::Area(at, length) => {
                task.window.as_ref().and_then(|window| window.read(*at, window.present(*at, *length)))
            }
            Passed::Copy(bytes) => Some(Cow::Borrowed(bytes.as_slice())),
            _ => None,
        };
        copies.push(bytes.and_then(|bytes| {
            let fill = |into: &mut [u8]| {
                into.copy_from_slice(&bytes);
                Ok::<(), Infallible>(())
            };
            le::Argument::filled(bytes.len(), fill).ok()
        }));
    }
    let answer = le::call(name, &mut copies, &now, &mut task.century);
    for (argument, copy) in arguments.iter().zip(&copies) {
        if let (Passed::Area(at, _), Some(changed)) =
            (argument, copy.as_ref().and_then(le::Argument::changed))
            && let Some(window) = task.window.as_mut()
        {
            window.put(*at, changed);
        }
    }
    outcome_of(task, name, answer)
}

/// Meaning of Language Environment's answer for the task.
fn outcome_of(task: &Task, name: &str, answer: Option<Answer>) -> Outcome<Served> {
    match answer {
        Some(Answer::Done) => Ok(Served::On(0)),
        Some(Answer::Message(text)) => {
            if task.may_write_line() {
                let text = String::from_utf8_lossy(&text);
                tracing::info!(target: "SYSOUT", "{} {}: {}", task.transaction.name, task.number, escaped(&text));
            }
            Ok(Served::On(0))
        }
        Some(Answer::Dump(title)) => {
            if task.may_write_line() {
                tracing::warn!(target: "DU", "task {}: dump {}", task.number, escaped(&String::from_utf8_lossy(&title)));
            }
            Ok(Served::On(0))
        }
        Some(Answer::Abend(abend)) => {
            let code = AbendCode::from(abend.transaction_code().as_str());
            Ok(Served::Abend(Abend { code, cancel: !abend.clean_up, dump: true }))
        }
        Some(Answer::Unhandled(feedback)) => {
            if task.may_write_line() {
                tracing::error!(target: "AP", "task {}: {}: {feedback:?} and no place for feedback", task.number, name);
            }
            Err(Raise::abend(RUNTIME_ABEND))
        }
        None => Err(Raise::abend(RUNTIME_ABEND)),
    }
}

/// So many arguments most services have at most.
const USUAL_ARGUMENTS: usize = 4;

/// The region's clock as the services want it.
fn now() -> Now {
    let Moment { unix_ms, offset_s } = Moment::now();
    Now { unix_milliseconds: unix_ms, offset: offset_s }
}
