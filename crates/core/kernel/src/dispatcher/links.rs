//! LINK: the program of a level that was just entered, on whichever TCB it must run, and the way back.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::loaded;
use super::stay::{Back, Entered, LevelEnd, Stay, Stayed};
use super::way::runaway;
use super::work::{Visit, Work};
use crate::dispatcher::Dispatcher;
use crate::exec::Link;
use crate::programs::{Body, Program};
use crate::raise::{Abend, AbendCode, Outcome};
use crate::region::Region;
use crate::storage;
use crate::task::{Commarea, Level, Task};

/// Runs the program of the level that was just entered, on whichever TCB it must run, and those it XCTLs to. The level is
/// left at the end.
///
/// `inside`: the program runs already, here.
pub(super) async fn run_program(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    mut program: Arc<Program>,
    mut inside: Option<Box<dyn Entered>>,
) -> Back<LevelEnd> {
    let region = Arc::clone(&task.region);
    loop {
        let stayed;
        let is_here = inside.is_some() || Dispatcher::of(&region).fits(stay.tcb.index, program.concurrency);
        (task, stayed) = if is_here {
            (stay.runs)(stay, task, program, inside.take()).await
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
    inside: Box<dyn Entered>,
) -> Back<Result<Outcome, Abend>> {
    let program = Arc::clone(inside.program());
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
        loaded::unit(task, program).await?;
    }
    if let (false, Some(Commarea::Lent { address, length })) = (here, &link.commarea) {
        link.commarea = Some(Commarea::copy_of(*address, *length)?);
    }
    Ok(())
}
