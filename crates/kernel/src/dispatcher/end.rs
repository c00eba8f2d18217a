//! The end of a task: syncpoint or backout, and what becomes of its terminal.

use std::sync::Arc;

use super::levels::LevelEnd;
use crate::children::Ending;
use crate::name::Name8;
use crate::raise::{AbendCode, Raise};
use crate::region::Region;
use crate::task::{NextTask, Task};
use crate::terminals::{Message, input};

/// Commits or backs out, says what must be said, and frees the terminal.
pub(super) async fn end_task(region: &Arc<Region>, mut task: Box<Task>, end: LevelEnd) {
    let abended = match end {
        LevelEnd::Returned => match task.work.commit().await {
            Ok(()) => None,
            Err(Raise::Abend(code)) => Some((code, task.transaction.program)),
            Err(Raise::Condition(..)) => Some((AbendCode::from("ASPR"), task.transaction.program)),
        },
        LevelEnd::Abended { .. } => Some(
            task.abend
                .as_ref()
                .map_or((AbendCode::from("????"), Name8::BLANK), |abend| (abend.code, abend.program)),
        ),
    };
    let mut next = std::mem::take(&mut task.next);
    if let Some((code, program)) = abended {
        task.work.backout().await;
        task.work.forget_consumed().await;
        next = NextTask::default();
        report(region, &task, code, program).await;
    }
    if let Some(queue) = task.trigger_queue {
        region.transient_data.trigger_ended(queue);
    }
    let terminal = task.terminal.take();
    // Locks and storage go before the terminal is free and a parent goes on: they may want them.
    let child = task.child.take();
    drop(task);
    if let Some(child) = child {
        child.ended(abended.map_or(Ending::Normal, |(code, _)| Ending::Abend(code)));
    }
    if let Some(terminal) = terminal {
        input::task_ended(region, &terminal, next).await;
    }
}

async fn report(region: &Arc<Region>, task: &Task, code: AbendCode, program: Name8) {
    let message = Message::Abend { transaction: task.transaction.name, code, program };
    let text = message.text(region.options.applid);
    tracing::warn!(target: "AP", "task {}: {text}", task.number);
    if let Some(terminal) = &task.terminal {
        terminal.send(input::message_stream(region, terminal, &text)).await;
    }
}
