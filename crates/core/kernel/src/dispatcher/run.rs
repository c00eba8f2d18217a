//! One program at its level: its steps, what each comes to, and the way an abend takes out of it.

use std::ops::ControlFlow;
use std::pin::pin;
use std::time::Duration;

use super::contain::{FAILED, Panic, contained};
use super::context::Context;
use super::levels::{Back, LevelEnd, Stay};
use super::{cobol, supplied};
use crate::diagnostics;
use crate::exec::{self, Call, Flow, Link, Next};
use crate::name::Name8;
use crate::programs::{Program, Programs, SuppliedCode};
use crate::raise::{Abend, AbendCode, Outcome, Raise};
use crate::task::{AbendExit, AbendRecord, Task};
use crate::words::escaped;

/// Work after a program.
pub(super) enum After {
    End(LevelEnd),
    /// It is boxed: what comes of each step of a program is handed on by value, and is nearly never this.
    Xctl(Box<Link>),
}

impl After {
    fn abended(abend: Abend) -> Self {
        Self::End(LevelEnd::Abended(abend))
    }
}

/// A supplied program.
pub(super) async fn run_supplied(stay: &Stay<'_>, task: Box<Task>, code: &SuppliedCode) -> Back<After> {
    let mut context = Context::new(stay, task);
    let flow = contained(pin!(supplied::program(code).run(&mut context))).await;
    let mut task = context.into_task();
    let abend = match flow {
        Ok(Ok(Flow::Xctl(link))) => return (task, After::Xctl(Box::new(link))),
        Ok(Ok(Flow::On | Flow::Return)) => return (task, After::End(LevelEnd::Returned)),
        Ok(Ok(Flow::Abend(abend))) => abend,
        // It is for `Context` to LINK: a program cannot go on behind what it returns.
        Ok(Ok(Flow::Link(_))) => Abend::from(AbendCode::from(FAILED)),
        Ok(Err(raise)) => Abend::from(raise),
        Err(panic) => {
            let abend = panic.abend(&task);
            record(&mut task, abend);
            Box::pin(diagnostics::dump_abend(&mut task, abend)).await;
            return (task, After::abended(abend));
        }
    };
    record(&mut task, abend);
    (task, After::abended(abend))
}

/// A COBOL program, from its start to its end.
pub(super) async fn run_cobol(stay: &Stay<'_>, task: Box<Task>, program: &Program) -> Back<After> {
    match cobol::of(&task, program).await {
        // It has memory of its own: a task whose programs are supplied ones does not keep that.
        Ok(unit) => Box::pin(cobol::run(stay, task, &unit)).await,
        Err(raise) => not_there(task, raise),
    }
}

/// A program that cannot be loaded.
fn not_there(mut task: Box<Task>, raise: Raise) -> Back<After> {
    let abend = match raise {
        Raise::Condition(..) => AbendCode::from("APCT").into(),
        raise => Abend::from(raise),
    };
    record(&mut task, abend);
    (task, After::abended(abend))
}

/// The transaction's RUNAWAY, or the region's ICVR; 0 is no limit.
pub(super) fn runaway_limit(task: &Task) -> Option<Duration> {
    let ms = task.transaction.runaway_ms.unwrap_or(task.region.options.runaway_ms);
    (ms > 0).then(|| Duration::from_millis(ms))
}

/// The abend of a task that has not given way for too long.
pub(super) const RUNAWAY: &str = "AICA";
/// The abend of a task that is purged by force while its program runs. One that waits has that of its wait.
pub(super) const PURGED_WHILE_RUNNING: &str = "AEXY";

/// FILE STATUS of a statement about one of COBOL's own files: the file cannot be used in this way.
pub(super) const NO_OWN_FILES: [u8; 2] = *b"37";

/// Results of one step of a program.
pub(super) enum Stepped {
    /// Resume with this.
    On(i32),
    /// The program is over.
    End(After),
    /// An abend of this program, or of one that it LINKed to: recorded where it came.
    Abend(Abend),
}

/// Work behind a command's answer: the program's next step, or the program that the command LINKs to.
pub(super) fn behind(
    task: Box<Task>,
    answered: Result<Result<Next, AbendCode>, Panic>,
) -> ControlFlow<Back<Stepped>, (Box<Task>, Link)> {
    let to = match answered {
        Ok(Ok(Next::Flow(Flow::Link(to)))) => to,
        Ok(Ok(Next::Program(label))) => return ControlFlow::Break((task, Stepped::On(label))),
        Ok(Ok(Next::Flow(Flow::On))) => return ControlFlow::Break((task, Stepped::On(0))),
        Ok(Ok(Next::Flow(Flow::Return))) => {
            return ControlFlow::Break((task, Stepped::End(After::End(LevelEnd::Returned))));
        }
        Ok(Ok(Next::Flow(Flow::Xctl(link)))) => {
            return ControlFlow::Break((task, Stepped::End(After::Xctl(Box::new(link)))));
        }
        Ok(Ok(Next::Flow(Flow::Abend(abend)))) => return ControlFlow::Break(abend_here(task, abend)),
        Ok(Err(code)) => return ControlFlow::Break(abend_here(task, code.into())),
        Err(panic) => return ControlFlow::Break(failed(task, &panic)),
    };
    ControlFlow::Continue((task, to))
}

/// The program that a command has LINKed to is over.
pub(super) async fn linked(
    mut task: Box<Task>,
    call: &Call<'_>,
    end: Result<Outcome, Abend>,
) -> Back<Stepped> {
    match end {
        Err(abend) => (task, Stepped::Abend(abend)),
        Ok(outcome) => {
            let behind = contained(pin!(exec::came_back(&mut task, call, outcome))).await;
            match behind {
                Ok(Ok(label)) => (task, Stepped::On(label)),
                Ok(Err(code)) => abend_here(task, code.into()),
                Err(panic) => failed(task, &panic),
            }
        }
    }
}

/// Advice for a task instead of a CALL of a routine of the COBOL runtime that touches the process.
pub(super) fn instead_of(routine: &str) -> &'static str {
    let is_one = ["CBL_", "C$", "X'", "SYSTEM", "EXTFH"].iter().any(|start| routine.starts_with(start));
    if is_one { " for tasks: files, time and programs are asked for by EXEC CICS" } else { "" }
}

/// An abend whose reason only the log can tell in full.
pub(super) fn gave_up(mut task: Box<Task>, why: &str, code: &str) -> Back<Stepped> {
    // The runtime's reasons may have several lines, and name what the program names.
    let why = why.replace('\n', "; ");
    let why = escaped(&why);
    if task.may_write_line() {
        tracing::error!(target: "AP", "task {} ({}), program {}: {why}", task.number, task.transaction.name, task.level().program);
    }
    task.abend_reason = Some(why.into_owned());
    abend_here(task, AbendCode::from(code).into())
}

/// The region's own code has failed in what the program asked for.
#[cold]
pub(super) fn failed(task: Box<Task>, panic: &Panic) -> Back<Stepped> {
    let abend = panic.abend(&task);
    abend_here(task, abend)
}

/// An abend of the program at this level.
pub(super) fn abend_here(mut task: Box<Task>, abend: Abend) -> Back<Stepped> {
    record(&mut task, abend);
    (task, Stepped::Abend(abend))
}

/// Notes an abend where it comes.
pub(super) fn record(task: &mut Task, abend: Abend) {
    let program = task.level().program;
    let reason = task.abend_reason.take();
    task.abend = Some(AbendRecord::new(abend, program, reason));
}

/// The exit that an abend takes at this level, if any.
pub(super) fn exit_for(task: &mut Task, abend: Abend) -> Option<AbendExit> {
    // A purged task, and one whose terminal is gone, must end: no exit may keep it.
    if abend.cancel || task.control.is_purged() { None } else { task.level_mut().handles.take_abend_exit() }
}

/// HANDLE ABEND PROGRAM: it gets the level, with its COMMAREA.
pub(super) fn exit_program(task: &mut Task, name: Name8) -> After {
    let Ok(program) = Programs::of(&task.region).usable(name) else {
        let abend = Abend::from(AbendCode::from("AEI0"));
        record(task, abend);
        return After::abended(abend);
    };
    let level = task.level_mut();
    let (commarea, channel) = (level.commarea.take(), level.channel.take());
    After::Xctl(Box::new(Link { program, commarea, channel, input_message: None }))
}
