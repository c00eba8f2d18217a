//! Link levels: LINK, XCTL and RETURN, and on which TCB each level's program runs.
//!
//! A level begins on the TCB of the level above it, and moves when its program, or one that it XCTLs to, must run
//! elsewhere. It always ends where it began: a stay elsewhere is a visit.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Admitted;
use super::abends::record;
use super::links::run_program;
use super::run::{run_cobol, run_supplied};
use super::stay::{After, Back, Entered, LevelEnd, Running, Stay, Stayed};
use super::thread::Tcb;
use super::way::runaway;
use crate::dispatcher::Dispatcher;
use crate::exec::{Link, begins_are_watched, look_at_begin};
use crate::programs::{Body, Program, Run};
use crate::raise::{Abend, AbendCode, Outcome};
use crate::task::Eib;
use crate::task::{Commarea, Level, Task, WaitKind};
use crate::transactions::Supplied;

/// Runs a task's first program, and all that come of it.
pub(super) async fn first_program(tcb: &Tcb, mut admitted: Box<Admitted>) -> Back<LevelEnd> {
    let program = admitted.program.take();
    let mut task = begin(tcb, admitted);
    if let Err(raise) = storage_is_there(&task).await {
        let abend = Abend::from(raise);
        record(&mut task, abend);
        task.leave();
        return (task, LevelEnd::Abended(abend));
    }
    match program {
        Some(program) => run_program(&stay(tcb), task, program, None).await,
        None => {
            let abend = Abend::from(AbendCode::from("APCT"));
            record(&mut task, abend);
            task.leave();
            (task, LevelEnd::Abended(abend))
        }
    }
}

/// A stay on a TCB.
pub(super) fn stay(tcb: &Tcb) -> Stay<'_> {
    Stay { tcb, runs: run_level }
}

/// A task of the application begins when the region is not short on storage.
///
/// # Errors
/// The abend of a task that was purged meanwhile.
async fn storage_is_there(task: &Task) -> Outcome {
    let dsa = &task.region.dsa;
    if dsa.is_short() && task.transaction.supplied == Supplied::No {
        Box::pin(task.wait(WaitKind::STORAGE, dsa.enough())).await?;
    }
    Ok(())
}

/// A task at its first level. What it was admitted with is gone then: it would be memory for as long as the task lives.
fn begin(tcb: &Tcb, admitted: Box<Admitted>) -> Box<Task> {
    let Admitted { attach, control, .. } = *admitted;
    let program = attach.first_program(&control.transaction);
    let task = Task::new(&tcb.region, control, attach.kept);
    let mut task = Box::new(task);
    let mut eib = Eib::default();
    eib.set_task(task.number, task.transaction.name, task.facility.terminal_name());
    eib.set_stamp(&task.attached.stamp());
    if let Some(terminal) = task.terminal() {
        let (aid, cursor) = terminal.last_key();
        eib.set_input(
            task.region.options.terminal_code_page.to_program_table()[usize::from(aid.code())],
            cursor.0,
        );
    }
    let mut level = Box::new(Level::new(program, eib));
    level.commarea = attach.commarea.map(|bytes| Commarea::held(&bytes));
    level.eib.set_commarea_length(level.commarea.as_ref().map_or(0, Commarea::length));
    level.channel = attach.channel;
    level.input_message = attach.input_message;
    task.enter(level);
    task
}

/// Runs a program, those it LINKs to, and those it XCTLs to as long as they may run here. `inside`: it runs already.
fn run_level<'a>(
    stay: &'a Stay<'_>,
    mut task: Box<Task>,
    mut program: Arc<Program>,
    mut inside: Option<Box<dyn Entered>>,
) -> Running<'a, Stayed> {
    Box::pin(async move {
        loop {
            let after;
            let run = Run::begin(program);
            if inside.is_none() {
                run.uses.fetch_add(1, Ordering::Relaxed);
                task.level_mut().characters = run.characters();
                if begins_are_watched(&task)
                    && let Err(raise) = Box::pin(look_at_begin(&mut task)).await
                {
                    let abend = Abend::from(raise);
                    record(&mut task, abend);
                    return ended(task, LevelEnd::Abended(abend));
                }
            }
            (task, after) = match &run.body {
                Body::Cobol(_) if let Some(inside) = inside.take() => inside.goes_on(stay, task).await,
                Body::Cobol(_) => run_cobol(stay, task, run.program()).await,
                Body::Supplied(native) => run_supplied(stay, task, native).await,
            };
            let link = match after {
                After::End(end) => return ended(task, end),
                After::Xctl(link) => *link,
            };
            drop(run);
            if let Some(abend) = runaway(&mut task) {
                return ended(task, LevelEnd::Abended(abend));
            }
            program = enter_xctl(&mut task, link);
            if !Dispatcher::of(&task.region).fits(stay.tcb.index, program.concurrency) {
                return (task, Stayed::Moves(program));
            }
        }
    })
}

/// Leaves the level. A COMMAREA that was a copy goes back with the task, to be written where the original is.
fn ended(mut task: Box<Task>, end: LevelEnd) -> Back<Stayed> {
    task.commarea_back = task.leave().and_then(|commarea| commarea.to_give_back());
    (task, Stayed::Ended(end))
}

/// Replaces the level's program; its EIB stays, its handles go.
fn enter_xctl(task: &mut Task, link: Link) -> Arc<Program> {
    let level = task.level_mut();
    level.invoked_by = std::mem::replace(&mut level.program, link.program.name);
    level.handles = Default::default();
    level.eib.set_commarea_length(link.commarea.as_ref().map_or(0, Commarea::length));
    level.commarea = link.commarea;
    level.channel = link.channel;
    level.own_channels.clear();
    if link.input_message.is_some() {
        level.input_message = link.input_message;
    }
    link.program
}
