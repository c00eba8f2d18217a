//! The end of a task: syncpoint or backout, and what becomes of its terminal.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use records::Decision;

use super::cobol::Spares;
use super::contain::{FAILED, Panic};
use super::stay::LevelEnd;
use super::thread::Tcb;
use super::{Dispatcher, Ended, Failure};
use crate::diagnostics::shows_reasons;
use crate::meters::End;
use crate::name::Name8;
use crate::notices::Notices;
use crate::raise::{AbendCode, Raise};
use crate::recovery::{NOT_KNOWN, UntilOver};
use crate::region::Region;
use crate::storage::LeftStorage;
use crate::task::{AbendRecord, NextTask, Task, TaskControl};
use crate::terminals::Message;

/// The abend of a task that has ended normally, and whose unit of work a participant has refused to commit.
const REFUSED: &str = "ASP7";

/// Commits or backs out, says what must be said, and frees the terminal.
pub(super) async fn end_task(tcb: &Tcb, mut task: Box<Task>, end: LevelEnd) {
    let region = &tcb.region;
    // A task that waits to close a file goes on when this one is gone, and its message is there.
    let mut uses = UntilOver::default();
    let end = match (end, task.last_look()) {
        (LevelEnd::Returned, Err(raise)) => {
            let (abend, program) = (raise.into(), task.transaction.program);
            let reason = task.abend_reason.take();
            task.abend = Some(AbendRecord::new(abend, program, reason));
            LevelEnd::Abended(abend)
        }
        (end, _) => end,
    };
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
        next = NextTask::default();
        let failure = Failure { code, program, message: report(region, &task, code, program) };
        for follower in &Dispatcher::of(region).followers {
            if let Some(following) = (follower.failed)(&mut task, &failure) {
                following.await;
            }
        }
    }
    task.ends_line();
    let code = abended.map(|(code, _)| code);
    measure(tcb, &mut task, code);
    let control = Arc::clone(&task.control);
    let mut kept = std::mem::take(&mut task.kept);
    if let Some(window) = &task.window {
        kept.leave(&LeftStorage::of(window));
    }
    kept.task_ends(code, task.abend.as_ref().and_then(|abend| abend.reason.as_deref()));
    // Locks and storage go before the terminal is free and a parent goes on: they may want them.
    if let Some(window) = task.window.take()
        && let Some(left) = task.left.take()
        && abended.is_none()
    {
        Spares::of(tcb).keep(tcb.index, left, window);
    }
    drop(task);
    drop(uses);
    drop(kept);
    follow(region, &control, Ended { next, message: None }).await;
}

/// A task is gone.
async fn follow(region: &Arc<Region>, control: &Arc<TaskControl>, mut ended: Ended) {
    for follower in &Dispatcher::of(region).followers {
        if let Some(following) = (follower.ended)(region, control, &mut ended) {
            following.await;
        }
    }
}

/// The abend of a task whose unit of work could not be committed.
fn refused(raise: Raise) -> AbendCode {
    match raise {
        Raise::Abend(code) => code,
        // No program is left that could handle the refusal of a participant.
        Raise::Condition(..) => AbendCode::from(REFUSED),
    }
}

/// Ends a task that was lost when the region's own code failed: its unit of work is backed out, its locks are
/// released already, and so are all its resources. Those that wait for its end hear of it.
pub(super) async fn lost(region: &Arc<Region>, control: &Arc<TaskControl>, panic: &Panic) {
    let transaction = control.transaction.name;
    panic.tell(control.number, transaction);
    let code = AbendCode::from(FAILED);
    if let Some(span) = control.span() {
        span.fails(code, Name8::BLANK);
    }
    let message = Message::Abend { transaction, code, program: Name8::BLANK };
    let text = message.text(region.options.applid);
    Notices::message_to_user(region, Some(control), &message);
    follow(region, control, Ended { message: Some(text), ..Ended::default() }).await;
}

/// Notes the task's own account of its requests and its end.
fn measure(tcb: &Tcb, task: &mut Task, abended: Option<AbendCode>) {
    task.traces_end(abended);
    let units = task.work.ended();
    let requests = tcb.meter.requested(&task.requests, units.committed, units.backed_out);
    task.control.has_requested(requests);
    if let (Some(code), Some(span)) = (abended, task.span()) {
        span.fails(code, task.abend.as_ref().map_or(task.transaction.program, |abend| abend.program));
    }
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

/// Text of an abend for the log and the task's user.
fn report(region: &Arc<Region>, task: &Task, code: AbendCode, program: Name8) -> String {
    let transaction = task.transaction.name;
    let message = if code == AbendCode::from(NOT_KNOWN) {
        Message::InDoubt { transaction, code, program }
    } else {
        Message::Abend { transaction, code, program }
    };
    let text = message.text(region.options.applid);
    Notices::message_to_user(region, Some(&task.control), &message);
    if region.lines.may_write(program, Instant::now()) {
        tracing::warn!(target: "AP", "task {}: {text}", task.number);
    }
    let reason = task.abend.as_ref().and_then(|abend| abend.reason.as_ref());
    match reason.filter(|_| shows_reasons(region, &task.user)) {
        Some(reason) => format!("{text}\n{reason}"),
        None => text,
    }
}
