//! From a command's outcome to what the program sees.

use spec::{Condition, cond, opt};

use super::handles::Action;
use super::{Call, Flow, Handler};
use crate::raise::{AbendCode, Outcome, Raise};
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
    let outcome = match task.region.handlers.get(call.command()) {
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

/// Answers a command that need not wait; `None` if this one may.
#[inline]
pub(crate) fn execute_now(task: &mut Task, call: &Call<'_>) -> Option<Result<i32, AbendCode>> {
    let outcome = match task.region.handlers.get(call.command())? {
        Handler::Now(handler) => handler(task, call),
        Handler::NowOr(now, _) => now(task, call).transpose()?.map(drop),
        Handler::Waits(_) | Handler::Control(_) => return None,
    };
    task.count(call);
    Some(settle(task, call, outcome))
}

/// Outcome into EIB, RESP, RESP2; condition into label, default or abend. What the program goes on with: 0, or the
/// number of a label.
pub(crate) fn settle(task: &mut Task, call: &Call<'_>, outcome: Outcome) -> Result<i32, AbendCode> {
    let function = spec::command(call.command()).eibfn;
    let (condition, resp2) = match outcome {
        Ok(()) => (cond::NORMAL, 0),
        Err(Raise::Abend(code)) => return Err(code),
        Err(Raise::Condition(condition, resp2)) => (condition, resp2),
    };
    task.level_mut().eib.set_outcome(function, condition.resp(), resp2);
    if tracing::enabled!(target: "EI", tracing::Level::TRACE) {
        trace(task, call, condition, resp2);
    }
    let taken = report(call, condition, resp2).map_err(abend_of)?;
    // HANDLE AID comes before HANDLE CONDITION: after CLEAR both could take a RECEIVE MAP.
    let key = task.level_mut().input_label.take();
    if taken {
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
        Action::Abend(code) => Err(AbendCode::from(code)),
    }
}

/// Not in [`settle`] itself, which every command passes through: it would not fit the registers any more.
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

/// Fills RESP and RESP2. Whether the command takes its conditions itself.
fn report(call: &Call<'_>, condition: Condition, resp2: i32) -> Outcome<bool> {
    let mut taken = call.keyword(opt::NOHANDLE);
    if call.has(opt::RESP) {
        taken = true;
        call.put_number(opt::RESP, i64::from(condition.resp()))?;
    }
    if call.has(opt::RESP2) {
        call.put_number(opt::RESP2, i64::from(resp2))?;
    }
    Ok(taken)
}

fn abend_of(raise: Raise) -> AbendCode {
    match raise {
        Raise::Abend(code) => code,
        Raise::Condition(..) => AbendCode::from("AEIA"),
    }
}
