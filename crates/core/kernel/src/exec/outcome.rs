//! The door that every command passes, from every caller, and the way from its outcome to the result that the caller
//! sees.
//!
//! ```text
//! where the program stands   execute_known ──► handler ┐
//! where it can wait          execute ──► before ──► handler ──► after ──► answered ──► settle
//! after the program of LINK  came_back ──────────────────────► after ──────────────► settle
//! ```
//!
//! Watchers of commands stand at `before` and `after` (`watch`); a command that a watcher looks at is not answered where
//! its program stands, so both may wait. `answered` counts each command once, `settle` notes for the dump what it came to.

use spec::{Condition, cond, opt};

use super::checks::check_access;
use super::handlers::{self, Known};
use super::short::{enough_for_set, must_wait};
use super::{Call, Cell, Flow, Handler, Link, elsewhere, unhandled, watch};
use crate::programs::Programs;
use crate::raise::{AbendCode, Outcome, Raise, RaiseCondition};
use crate::task::{Action, Task};

/// Target of control after a command. `F`: further targets.
pub(crate) enum Next<F = Flow> {
    /// Back to the caller: 0, or the number of a label.
    Program(i32),
    /// Elsewhere.
    Flow(F),
}

/// Answers one command, which may wait.
///
/// # Errors
/// An abend: also for a condition that the program does not handle.
pub(crate) async fn execute(task: &mut Task, call: &Call<'_>) -> Result<Next, AbendCode> {
    let known = handlers::of(call.command());
    task.traces_commands();
    let allowed = if task.region.secured { check_access(task, call) } else { Ok(()) };
    let allowed = match allowed {
        Ok(()) => watch::before(task, call).await,
        Err(raise) => Err(raise),
    };
    let answer = match allowed {
        Ok(()) => handle(task, call, known.handler).await,
        Err(raise) => Err(raise),
    };
    let answer = match answer {
        Ok(Flow::On) => watch::after(task, call, Ok(())).await.map(|()| None),
        Ok(flow) => Ok(Some(flow)),
        Err(raise) => watch::after(task, call, Err(raise)).await.map(|()| None),
    };
    task.record_if_due();
    task.looks_if_time_is_over();
    answered(task, call, known, answer)
}

/// Outcome of the command's handler, of any kind.
async fn handle(task: &mut Task, call: &Call<'_>, handler: Option<Handler>) -> Outcome<Flow> {
    if !call.is_built() {
        unhandled::tell_unbuilt(task, call);
        return Err(cond::INVREQ.raise(0));
    }
    if must_wait(task, call) {
        Box::pin(enough_for_set(task, call)).await?;
    }
    let done = match handler {
        Some(Handler::Now(handler)) => handler(task, call),
        Some(Handler::Waits(handler)) => handler(task, call).await,
        Some(Handler::NowOr(now, waits) | Handler::NowNearlyAlways(now, waits)) => match now(task, call) {
            Ok(Some(())) => Ok(()),
            Ok(None) => waits(task, call).await,
            Err(raise) => Err(raise),
        },
        Some(Handler::Control(handler)) => match handler(task, call) {
            Err(raise) => Err(raise),
            flow => return flow,
        },
        // The compiler refuses such a command, unless an option makes it a warning.
        None => Err(Raise::abend("AEY9")),
    };
    let Err(raise) = done else { return Ok(Flow::On) };
    match elsewhere::taken(task, call, raise) {
        Some(to) if to.is_routed() => match Box::pin(elsewhere::route(task, call, raise)).await? {
            Some(flow) => Ok(flow),
            None => Box::pin(handle(task, call, handler)).await,
        },
        Some(to) => Box::pin(elsewhere::ship(task, call, to)).await.map(|()| Flow::On),
        None => Err(raise),
    }
}

/// The outcome of a command that was answered where its program stands.
pub(crate) enum Came {
    /// The program goes on behind it.
    On,
    /// It goes on at a label, by its number.
    Label(i32),
    /// The task abends.
    Abend(AbendCode),
    /// Control goes elsewhere.
    Flow(Box<Flow>),
    /// The level is over.
    Return,
    /// It has to wait: it is asked for again.
    Waits,
}

impl From<Result<i32, AbendCode>> for Came {
    #[inline(always)]
    fn from(settled: Result<i32, AbendCode>) -> Self {
        match settled {
            Ok(0) => Self::On,
            Ok(label) => Self::Label(label),
            Err(code) => Self::Abend(code),
        }
    }
}

/// Answers the command of a cell where its program stands. No watcher looks at it, and the region has the storage that it gets.
/// `renew_limit`: what it does where the command might have had to wait.
#[inline(always)]
pub(crate) fn execute_known(
    task: &mut Task,
    call: &Call<'_>,
    cell: &Cell,
    renew_limit: impl FnOnce(),
) -> Came {
    let known = &cell.known;
    if cell.returns {
        return match counted(task, call, known.slot, Ok(())) {
            Ok(()) => {
                note(task, call, None, 0);
                Came::Return
            }
            outcome => settle(task, call, known, outcome).into(),
        };
    }
    if let Some(Handler::Now(handler)) = known.handler
        && !task.region.secured
    {
        let outcome = handler(task, call);
        let outcome = counted(task, call, known.slot, outcome);
        return settle(task, call, known, outcome).into();
    }
    execute_other(task, call, known, renew_limit)
}

/// The same of a command that might have to wait, that is checked first, or that passes control.
#[inline(never)]
fn execute_other(task: &mut Task, call: &Call<'_>, known: &Known, renew_limit: impl FnOnce()) -> Came {
    let refusal = if task.region.secured { check_access(task, call).err() } else { None };
    let outcome = match (refusal, known.handler) {
        (Some(raise), _) => Err(raise),
        (None, Some(Handler::Now(handler))) => handler(task, call),
        (None, Some(Handler::NowOr(now, _))) => {
            // It might have had to wait: that counts as giving way. What can never wait does not.
            if !task.may_go_on() {
                return Came::Waits;
            }
            renew_limit();
            match now(task, call).transpose() {
                Some(Err(raise)) if elsewhere::taken(task, call, raise).is_some() => return Came::Waits,
                Some(outcome) => outcome,
                None => return Came::Waits,
            }
        }
        (None, Some(Handler::NowNearlyAlways(now, _))) => match now(task, call).transpose() {
            Some(Err(raise)) if elsewhere::taken(task, call, raise).is_some() => return Came::Waits,
            Some(outcome) => outcome,
            None => return Came::Waits,
        },
        (None, Some(Handler::Control(handler))) => match handler(task, call) {
            Ok(Flow::On) => Ok(()),
            Ok(flow) => {
                if let Err(raise) = counted(task, call, known.slot, Ok(())) {
                    return settle(task, call, known, Err(raise)).into();
                }
                note(task, call, None, 0);
                return Came::Flow(Box::new(flow));
            }
            Err(raise) => Err(raise),
        },
        (None, Some(Handler::Waits(_)) | None) => return Came::Waits,
    };
    let outcome = counted(task, call, known.slot, outcome);
    settle(task, call, known, outcome).into()
}

/// Asks a LINK of a cell for its program, which is run where the program stands if `is_here` takes it. No watcher looks at the command.
///
/// # Errors
/// It is over: there is no such program. Or it has to be asked for again where it can wait, and nothing has come of it.
pub(crate) fn link_known(
    task: &mut Task,
    call: &Call<'_>,
    cell: &Cell,
    is_here: impl FnOnce(&mut Task, &Link) -> bool,
) -> Result<Link, Came> {
    let known = &cell.known;
    let Some(Handler::Control(handler)) = known.handler else { return Err(Came::Waits) };
    let came = match cell.meant.again(task, call) {
        Some(link) => Ok(Flow::Link(link)),
        None => {
            let changes = Programs::of(&task.region).changes();
            let came = handler(task, call);
            if let Ok(Flow::Link(link)) = &came {
                cell.meant.is(link, changes);
            }
            came
        }
    };
    match came {
        Ok(Flow::Link(link)) if is_here(task, &link) => {
            if let Err(raise) = counted(task, call, known.slot, Ok(())) {
                return Err(settle(task, call, known, Err(raise)).into());
            }
            note(task, call, None, 0);
            Ok(link)
        }
        Ok(_) => Err(Came::Waits),
        Err(raise) if elsewhere::taken(task, call, raise).is_some() => Err(Came::Waits),
        Err(raise) => {
            let outcome = counted(task, call, known.slot, Err(raise));
            Err(settle(task, call, known, outcome).into())
        }
    }
}

/// The rest of such a LINK, whose program has come to its end.
pub(crate) fn linked_known(task: &mut Task, call: &Call<'_>, cell: &Cell, outcome: Outcome) -> Came {
    settle(task, call, &cell.known, outcome).into()
}

/// The rest of a LINK, whose program has come back.
///
/// # Errors
/// As [`execute`].
pub(crate) async fn came_back(task: &mut Task, call: &Call<'_>, outcome: Outcome) -> Result<i32, AbendCode> {
    let outcome = watch::after(task, call, outcome).await;
    settle(task, call, handlers::of(call.command()), outcome)
}

/// Counts a command, and settles it unless it passes control.
#[inline(always)]
fn answered<F>(
    task: &mut Task,
    call: &Call<'_>,
    known: &Known,
    answer: Outcome<Option<F>>,
) -> Result<Next<F>, AbendCode> {
    let (flow, outcome) = match answer {
        Ok(flow) => (flow, Ok(())),
        Err(raise) => (None, Err(raise)),
    };
    let outcome = counted(task, call, known.slot, outcome);
    if let (Some(flow), Ok(())) = (flow, outcome) {
        note(task, call, None, 0);
        return Ok(Next::Flow(flow));
    }
    settle(task, call, known, outcome).map(Next::Program)
}

/// Counts a command that was answered; `slot`: its counter. Its outcome, or the abend of a task that has passed a threshold.
#[inline(always)]
fn counted(task: &mut Task, call: &Call<'_>, slot: u8, outcome: Outcome) -> Outcome {
    task.requests.count(slot.into());
    if task.resource.is_some() {
        count_resource(task, call);
    }
    if task.is_look_due() {
        return task.look().and(outcome);
    }
    outcome
}

/// Counts it where its resource is counted, too: few commands have one.
#[inline(never)]
fn count_resource(task: &mut Task, call: &Call<'_>) {
    if let Some(resource) = task.resource.take() {
        resource.count(call.command(), || call.keyword(opt::UPDATE));
        task.using.take().into_iter().for_each(|using| task.ends_use(&using, call.command()));
    }
    elsewhere::count_update(task, call);
}

/// The interface block as a program will see it behind a command that comes to this; `None` if the task ends.
pub fn interface_behind(task: &Task, call: &Call<'_>, outcome: &Outcome) -> Option<Vec<u8>> {
    let (condition, resp2) = match outcome {
        Ok(()) => (cond::NORMAL, 0),
        Err(Raise::Condition(condition, resp2)) => (*condition, *resp2),
        Err(Raise::Abend(_)) => return None,
    };
    let mut eib = task.level().eib.copy();
    eib.set_outcome(handlers::of(call.command()).function, condition.resp(), resp2);
    if condition != cond::NORMAL {
        eib.set_condition(condition);
    }
    Some(eib.bytes())
}

/// Outcome into EIB, RESP, RESP2; condition into label, default or abend. What the caller goes on with: 0, or the number of
/// a label.
#[inline(always)]
fn settle(task: &mut Task, call: &Call<'_>, known: &Known, outcome: Outcome) -> Result<i32, AbendCode> {
    let (condition, resp2) = match outcome {
        Ok(()) => (cond::NORMAL, 0),
        Err(Raise::Condition(condition, resp2)) => (condition, resp2),
        Err(Raise::Abend(code)) => return Err(abended(task, call, code)),
    };
    note(task, call, Some(condition), resp2);
    let level = task.level_mut();
    level.eib.set_outcome(known.function, condition.resp(), resp2);
    let goes_on = condition == cond::NORMAL && level.input_label.is_none();
    let is_told = || call.is_silent() || call.reports_nothing_raised();
    if goes_on && !tracing::enabled!(target: "EI", tracing::Level::TRACE) && is_told() {
        return Ok(0);
    }
    tell(task, call, condition, resp2)
}

/// A command that ends its task.
#[cold]
#[inline(never)]
fn abended(task: &mut Task, call: &Call<'_>, code: AbendCode) -> AbendCode {
    note(task, call, None, 0);
    unhandled::tell(task, call, Raise::Abend(code));
    code
}

/// Notes a command for the task's dump. Without a condition it passes control, or ends its task.
#[inline(always)]
fn note(task: &mut Task, call: &Call<'_>, condition: Option<Condition>, resp2: i32) {
    let program = task.level().program;
    if task.recent.note(program, (call.statement(), call.command()), condition, resp2) {
        task.traces_commands();
    }
}

/// The rest of [`settle`], where there is more to it than the EIB.
#[inline(never)]
fn tell(task: &mut Task, call: &Call<'_>, condition: Condition, resp2: i32) -> Result<i32, AbendCode> {
    if tracing::enabled!(target: "EI", tracing::Level::TRACE) {
        trace(task, call, condition, resp2);
    }
    if condition != cond::NORMAL {
        task.level_mut().eib.set_condition(condition);
        if condition == cond::SYSIDERR
            && let Some(reason) = task.kept.take::<elsewhere::SystemReason>()
        {
            task.level_mut().eib.set_system_reason(reason.0);
        }
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
            let code = if is_outside_subset(task, condition, resp2) { OUTSIDE_SUBSET } else { code };
            unhandled::tell(task, call, condition.raise(resp2));
            Err(AbendCode::from(code))
        }
    }
}

/// RESP2 of INVREQ, and the abend, where a program that another region has LINKed to asks for what only that region can do.
pub const NOT_IN_SUBSET: i32 = 200;
const OUTSIDE_SUBSET: &str = "ADPL";

fn is_outside_subset(task: &Task, condition: Condition, resp2: i32) -> bool {
    (condition, resp2) == (cond::INVREQ, NOT_IN_SUBSET) && task.start_code.is_link()
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
