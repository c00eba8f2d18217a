//! From a command's outcome to what the program sees.

use cobol::ExecCall;
use spec::{Condition, cond};

use super::handlers::{self, Known};
use super::handles::Action;
use super::{Call, Flow, Handler, unhandled};
use crate::raise::{AbendCode, Outcome, Raise, RaiseCondition};
use crate::task::Task;

/// Where control goes after a command.
pub(crate) enum Next {
    /// Back into the program: 0, or the number of a label.
    Program(i32),
    /// Elsewhere.
    Flow(Flow),
}

/// Answers one command of a program.
///
/// # Errors
/// An abend: also for a condition that nobody handles.
pub(crate) async fn execute(task: &mut Task, call: &Call<'_>) -> Result<Next, AbendCode> {
    let outcome = match handlers::of(call.command()).handler {
        Some(Handler::Now(handler)) => handler(task, call),
        Some(Handler::Waits(handler)) => handler(task, call).await,
        Some(Handler::NowOr(now, waits)) => match now(task, call) {
            Ok(Some(())) => Ok(()),
            Ok(None) => waits(task, call).await,
            Err(raise) => Err(raise),
        },
        Some(Handler::Control(handler)) => match handler(task, call) {
            Ok(Flow::On) => Ok(()),
            Ok(flow) => {
                task.count(call);
                note(task, call, None, 0);
                return Ok(Next::Flow(flow));
            }
            Err(raise) => Err(raise),
        },
        // The translator refuses such a command; a module translated for another region can still bring it.
        None => Err(Raise::abend("AEY9")),
    };
    task.count(call);
    settle(task, call, outcome).map(Next::Program)
}

/// Answers a command that need not wait; `None` if this one may, or is none.
#[inline(always)]
pub(crate) fn execute_now(task: &mut Task, exec: &ExecCall<'_>) -> Option<Result<i32, AbendCode>> {
    let call = &Call::new(exec)?;
    let known = handlers::of(call.command());
    let outcome = match known.handler? {
        Handler::Now(handler) => handler(task, call),
        Handler::NowOr(now, _) => {
            // It might have had to wait: that counts as giving way. What can never wait does not.
            exec.renew_limit();
            now(task, call).transpose()?
        }
        Handler::Waits(_) | Handler::Control(_) => return None,
    };
    task.count(call);
    Some(match outcome {
        Ok(()) => end(task, call, known, cond::NORMAL, 0),
        outcome => settle(task, call, outcome),
    })
}

/// Refuses a command that is not built, or has an option that is not: INVREQ, and the log says where.
///
/// # Errors
/// An abend if nobody handles INVREQ.
pub(crate) fn refuse(task: &mut Task, call: &Call<'_>) -> Result<i32, AbendCode> {
    unhandled::tell_unbuilt(task, call);
    task.count(call);
    settle(task, call, Err(cond::INVREQ.raise(0)))
}

/// Outcome into EIB, RESP, RESP2; condition into label, default or abend. What the program goes on with: 0, or the
/// number of a label.
pub(crate) fn settle(task: &mut Task, call: &Call<'_>, outcome: Outcome) -> Result<i32, AbendCode> {
    let (condition, resp2) = match outcome {
        Ok(()) => (cond::NORMAL, 0),
        Err(Raise::Abend(code)) => {
            note(task, call, None, 0);
            unhandled::tell(task, call, Raise::Abend(code));
            return Err(code);
        }
        Err(Raise::Condition(condition, resp2)) => (condition, resp2),
    };
    end(task, call, handlers::of(call.command()), condition, resp2)
}

/// The end of every command that is no abend; that of most is only the EIB.
#[inline(always)]
fn end(
    task: &mut Task,
    call: &Call<'_>,
    known: &Known,
    condition: Condition,
    resp2: i32,
) -> Result<i32, AbendCode> {
    note(task, call, Some(condition), resp2);
    let level = task.level_mut();
    level.eib.set_outcome(known.function, condition.resp(), resp2);
    let silent = condition == cond::NORMAL && call.is_silent() && level.input_label.is_none();
    if silent && !tracing::enabled!(target: "EI", tracing::Level::TRACE) {
        return Ok(0);
    }
    tell(task, call, condition, resp2)
}

/// Notes a command for the task's dump. Without a condition it passes control, or ends its task.
#[inline(always)]
fn note(task: &mut Task, call: &Call<'_>, condition: Option<Condition>, resp2: i32) {
    let program = task.level().program;
    task.recent.note(program, (call.statement(), call.command()), condition, resp2);
}

/// The rest of [`end`], where there is more to it than the EIB.
#[inline(never)]
fn tell(task: &mut Task, call: &Call<'_>, condition: Condition, resp2: i32) -> Result<i32, AbendCode> {
    if tracing::enabled!(target: "EI", tracing::Level::TRACE) {
        trace(task, call, condition, resp2);
    }
    if condition != cond::NORMAL {
        task.level_mut().eib.set_condition(condition);
    }
    call.report(condition, resp2).map_err(abend_of)?;
    // HANDLE AID comes before HANDLE CONDITION: after CLEAR both could take a RECEIVE MAP.
    let key = task.level_mut().input_label.take();
    if call.takes_conditions() {
        return Ok(0);
    }
    if let Some(label) = key {
        return Ok(i32::from(label));
    }
    if condition == cond::NORMAL {
        return Ok(0);
    }
    match task.level().handles.action(condition) {
        Action::Label(label) => Ok(i32::from(label)),
        Action::Ignore => Ok(0),
        Action::Abend(code) => {
            unhandled::tell(task, call, condition.raise(resp2));
            Err(AbendCode::from(code))
        }
    }
}

#[cold]
fn trace(task: &Task, call: &Call<'_>, condition: Condition, resp2: i32) {
    tracing::trace!(
        target: "EI",
        program = %task.level().program,
        statement = call.statement(),
        command = call.command().0,
        resp = condition.resp(),
        resp2,
        "{} {}({}) {resp2}", spec::command(call.command()).name, condition.name(), condition.resp()
    );
}

fn abend_of(raise: Raise) -> AbendCode {
    match raise {
        Raise::Abend(code) => code,
        Raise::Condition(..) => AbendCode::from("AEIA"),
    }
}
