//! Steps of a program: what each comes to.

use std::ops::ControlFlow;
use std::pin::pin;

use super::abends::record;
use super::contain::{Panic, contained};
use super::stay::{After, Back, LevelEnd};
use crate::exec::{self, Call, Flow, Link, Next};
use crate::name::Name8;
use crate::programs::Programs;
use crate::raise::{Abend, AbendCode, Outcome};
use crate::task::Task;
use crate::words::escaped;

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
