//! Link levels: LINK, XCTL and RETURN, and on which TCB each level's program runs.
//!
//! A level begins on the TCB of the level above it, and moves when its program, or one that it XCTLs to, must run
//! elsewhere. It always ends where it began: a stay elsewhere is a visit.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::oneshot;

use super::cobol::Inside;
use super::run::{After, record, run_cobol, run_supplied};
use super::tcb::{Tcb, Visit, Work};
use super::way::runaway;
use super::{Admitted, cobol};
use crate::dispatcher::Dispatcher;
use crate::exec::{Link, begins_are_watched, look_at_begin};
use crate::programs::{Body, Program, Run};
use crate::raise::{Abend, AbendCode, Outcome};
use crate::region::Region;
use crate::storage;
use crate::task::Eib;
use crate::task::{Commarea, Level, Task, WaitKind};
use crate::transactions::Supplied;

/// Ends of a link level, or of a whole task.
pub enum LevelEnd {
    /// RETURN, or the program's end.
    Returned,
    /// Abnormally: the task's abend record says how.
    Abended(Abend),
}

/// Results of a level's stay on one TCB.
pub enum Stayed {
    /// The level is over.
    Ended(LevelEnd),
    /// It has another program, which must run on another TCB.
    Moves(Arc<Program>),
}

/// A task's stay on one TCB: for all of its life, or for one program that must run there.
pub(crate) struct Stay<'a> {
    pub(super) tcb: &'a Tcb,
}

impl<'a> Stay<'a> {
    pub fn new(tcb: &'a Tcb) -> Self {
        Self { tcb }
    }
}

/// A task that comes back from a program.
pub(super) type Back<T> = (Box<Task>, T);

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
        Some(program) => run_program(&Stay::new(tcb), task, program, None).await,
        None => {
            let abend = Abend::from(AbendCode::from("APCT"));
            record(&mut task, abend);
            task.leave();
            (task, LevelEnd::Abended(abend))
        }
    }
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

/// Runs the program of the level that was just entered, on whichever TCB it must run, and those it XCTLs to. The level is
/// left at the end.
///
/// `inside`: the program runs already, here.
async fn run_program(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    mut program: Arc<Program>,
    mut inside: Option<Box<Inside>>,
) -> Back<LevelEnd> {
    let region = Arc::clone(&task.region);
    loop {
        let stayed;
        let is_here = inside.is_some() || Dispatcher::of(&region).fits(stay.tcb.index, program.concurrency);
        (task, stayed) = if is_here {
            run_level(stay, task, program, inside.take()).await
        } else {
            visit(&region, task, program).await
        };
        match stayed {
            Stayed::Ended(end) => return (task, end),
            Stayed::Moves(next) => program = next,
        }
    }
}

/// Runs the level on a TCB where its program may run.
async fn visit(region: &Region, mut task: Box<Task>, program: Arc<Program>) -> Back<Stayed> {
    task.turn.gives_way();
    let (back, returned) = oneshot::channel();
    let target = Dispatcher::of(region).tcb_for(program.concurrency);
    if let Some(performance) = task.control.performance() {
        performance.moves();
    }
    if !Dispatcher::of(region).send(target, Work::Visit(Visit { task, program, back })) {
        unreachable!("a TCB ends only when no task runs, and this one does");
    }
    returned.await.unwrap_or_else(|_| unreachable!("a TCB finishes its visits before it ends"))
}

/// Runs a program, those it LINKs to, and those it XCTLs to as long as they may run here. `inside`: it runs already.
pub(crate) fn run_level<'a>(
    stay: &'a Stay<'_>,
    mut task: Box<Task>,
    mut program: Arc<Program>,
    mut inside: Option<Box<Inside>>,
) -> Pin<Box<dyn Future<Output = Back<Stayed>> + 'a>> {
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
                Body::Cobol(_) if let Some(inside) = inside.take() => {
                    Box::pin(cobol::run_inside(stay, task, inside)).await
                }
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

/// Enters a level for a LINKed program.
pub(super) fn enter_link(task: &mut Task, link: Link) {
    let caller = task.level();
    let length = link.commarea.as_ref().map_or(0, Commarea::length);
    let mut level = Box::new(Level::new(link.program.name, caller.eib.for_next_level(length)));
    level.invoked_by = caller.program;
    level.commarea = link.commarea;
    level.channel = link.channel;
    level.input_message = link.input_message;
    task.enter(level);
}

/// Enters a level for a LINKed program that was left: nothing of the last time is seen.
pub(super) fn begin_again(task: &mut Task, mut level: Box<Level>, link: Link) {
    let caller = task.level();
    level.eib.becomes_next(&caller.eib, link.commarea.as_ref().map_or(0, Commarea::length));
    level.invoked_by = caller.program;
    level.program = link.program.name;
    level.commarea = link.commarea;
    level.channel = link.channel;
    level.own_channels.clear();
    level.handles.clear();
    level.input_message = link.input_message;
    level.input_label = None;
    task.enter(level);
}

/// LINK: what its program's end means to the one that asked. The outer error is an abend below.
pub(super) async fn link(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    mut link: Link,
) -> Back<Result<Outcome, Abend>> {
    let program = Arc::clone(&link.program);
    if let Some(abend) = runaway(&mut task) {
        return (task, Err(abend));
    }
    if let Err(outcome) = ready(stay, &task, &program, &mut link).await {
        return (task, Ok(Err(outcome)));
    }
    enter_link(&mut task, link);
    let (task, end) = run_program(stay, task, program, None).await;
    behind_link(task, end)
}

/// The same of a program that has been entered within the code of the one that asked, and goes on outside of it.
pub(super) async fn link_inside(
    stay: &Stay<'_>,
    task: Box<Task>,
    inside: Box<Inside>,
) -> Back<Result<Outcome, Abend>> {
    let program = Arc::clone(&inside.program);
    let (task, end) = run_program(stay, task, program, Some(inside)).await;
    behind_link(task, end)
}

fn behind_link(mut task: Box<Task>, end: LevelEnd) -> Back<Result<Outcome, Abend>> {
    let back = task.commarea_back.take();
    if let Some((address, bytes)) = back
        && storage::write(address, &bytes).is_err()
    {
        return (task, Err(Abend::from(AbendCode::from("ASRA"))));
    }
    match end {
        LevelEnd::Returned => {
            let came_to = task.came_to.take();
            (task, Ok(came_to.map_or(Ok(()), Err)))
        }
        LevelEnd::Abended(abend) => (task, Err(abend)),
    }
}

/// Loads a program before its level is entered, so that the LINK itself gets PGMIDERR; and makes the COMMAREA a copy
/// where the program runs on another TCB.
async fn ready(stay: &Stay<'_>, task: &Task, program: &Arc<Program>, link: &mut Link) -> Outcome {
    let here = Dispatcher::of(&task.region).fits(stay.tcb.index, program.concurrency);
    if let (true, Body::Cobol(_)) = (here, &program.body) {
        cobol::of(task, program).await?;
    }
    if let (false, Some(Commarea::Lent { address, length })) = (here, &link.commarea) {
        link.commarea = Some(Commarea::copy_of(*address, *length)?);
    }
    Ok(())
}
