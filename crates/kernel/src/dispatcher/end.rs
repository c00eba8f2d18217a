//! The end of a task: syncpoint or backout, and what becomes of its terminal.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use records::Decision;

use super::contain::{FAILED, Panic};
use super::levels::LevelEnd;
use super::tcb::Tcb;
use crate::children::{Child, Ending};
use crate::diagnostics::{Diagnostics, Reasons};
use crate::interval;
use crate::monitoring::End;
use crate::name::Name8;
use crate::raise::{AbendCode, Raise};
use crate::region::Region;
use crate::storage::check_task;
use crate::task::{AbendRecord, NextTask, Task, TaskControl, UntilOver};
use crate::terminals::{Message, Terminal, input};
use crate::transient_data::TransientData;

/// The abend of a task that has ended normally, and whose unit of work a participant has refused to commit.
const REFUSED: &str = "ASP7";

/// Commits or backs out, says what must be said, and frees the terminal.
pub(super) async fn end_task(tcb: &Tcb, mut task: Box<Task>, end: LevelEnd) {
    let region = &tcb.region;
    let end = last_look(&mut task, end);
    // Whoever waits to close a file goes on when the task is gone, and its message is there.
    let mut uses = UntilOver::default();
    let abended = match end {
        LevelEnd::Returned => {
            let committed;
            (committed, uses) = task.end_unit(Decision::Commit).await;
            committed.err().map(|raise| (refused(raise), task.transaction.program))
        }
        LevelEnd::Abended { .. } => Some(
            task.abend
                .as_ref()
                .map_or((AbendCode::from("????"), Name8::BLANK), |abend| (abend.code, abend.program)),
        ),
    };
    let mut next = std::mem::take(&mut task.next);
    if let Some((code, program)) = abended {
        (_, uses) = task.end_unit(Decision::Backout).await;
        interval::failed(&mut task, code).await;
        next = NextTask::default();
        report(region, &task, code, program).await;
    }
    measure(tcb, &mut task, abended.map(|(code, _)| code));
    if let Some(queue) = task.start_code.trigger_queue() {
        TransientData::of(region).trigger_ended(queue);
    }
    let (terminal, request) = (task.terminal().cloned(), task.facility.request().cloned());
    // Locks and storage go before the terminal is free and a parent goes on: they may want them.
    let child = task.child.take();
    if let (Some(child), Some(reason)) =
        (&child, task.abend.as_ref().and_then(|abend| abend.reason.as_deref()))
    {
        child.explain(reason);
    }
    drop(task);
    drop(uses);
    if let Some(child) = child {
        child.ended(abended.map_or(Ending::Normal, |(code, _)| Ending::Abend(code)));
    }
    if let Some(request) = request {
        request.ended(abended.map(|(code, _)| code));
    }
    if let Some(terminal) = terminal {
        input::task_ended(region, &terminal, next).await;
    }
}

/// The abend of a task whose unit of work could not be committed.
fn refused(raise: Raise) -> AbendCode {
    match raise {
        Raise::Abend(code) => code,
        // Nobody is left who could handle that a participant has refused.
        Raise::Condition(..) => AbendCode::from(REFUSED),
    }
}

/// A task was lost when the region's own code failed: its unit of work is backed out, its locks are released already.
/// Whoever waits for its end is told.
pub(super) async fn lost(
    region: &Arc<Region>,
    control: &Arc<TaskControl>,
    child: Option<Arc<Child>>,
    panic: &Panic,
) {
    let transaction = control.transaction.name;
    panic.tell(control.number, transaction);
    let code = AbendCode::from(FAILED);
    if let Some(queue) = control.start_code.trigger_queue() {
        TransientData::of(region).trigger_ended(queue);
    }
    if let Some(child) = child {
        child.ended(Ending::Abend(code));
    }
    if let Some(request) = control.facility.request() {
        request.ended(Some(code));
    }
    let is_at = |terminal: &&Arc<Terminal>| terminal.task().is_some_and(|task| Arc::ptr_eq(&task, control));
    if let Some(terminal) = control.terminal().filter(is_at) {
        let message = Message::Abend { transaction, code, program: Name8::BLANK };
        let text = message.text(region.options.applid);
        input::tell(region, terminal, &text).await;
        input::task_ended(region, terminal, NextTask::default()).await;
    }
}

/// A task that has violated storage does not end normally.
fn last_look(task: &mut Task, end: LevelEnd) -> LevelEnd {
    let Err(abend) = check_task(task) else { return end };
    if let LevelEnd::Abended(_) = end {
        return end;
    }
    let reason = String::from("a program wrote beside its storage");
    task.abend = Some(AbendRecord::new(abend, task.transaction.program, Some(reason)));
    LevelEnd::Abended(abend)
}

/// What the task itself knows of its requests and its end.
fn measure(tcb: &Tcb, task: &mut Task, abended: Option<AbendCode>) {
    tcb.meter.requested(&task.requests, task.work.ended());
    if abended.is_some() {
        task.transaction.abends.fetch_add(1, Ordering::Relaxed);
    }
    let control = Arc::clone(&task.control);
    if let Some(performance) = control.performance() {
        performance.ends(End {
            requests: std::mem::take(&mut task.requests),
            priority: task.priority,
            abends: [task.abend.as_ref().map(|abend| abend.code).or(abended), abended]
                .map(Option::unwrap_or_default),
        });
    }
}

async fn report(region: &Arc<Region>, task: &Task, code: AbendCode, program: Name8) {
    let message = Message::Abend { transaction: task.transaction.name, code, program };
    let mut text = message.text(region.options.applid);
    if Diagnostics::of(region).lines.may_write(program, Instant::now()) {
        tracing::warn!(target: "AP", "task {}: {text}", task.number);
    }
    let reason = task.abend.as_ref().and_then(|abend| abend.reason.as_ref());
    if let Some(reason) = reason.filter(|_| Reasons::of(region).may_be_seen_by(&task.user)) {
        text = format!("{text}\n{reason}");
    }
    if let Some(terminal) = task.terminal() {
        input::tell(region, terminal, &text).await;
    }
}
