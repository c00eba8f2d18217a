//! Abends of tasks: which there are for a program that keeps its thread, how one is noted, and the exit that it takes.

use std::time::Duration;

use crate::raise::Abend;
use crate::task::{AbendExit, AbendRecord, Task};

/// The transaction's RUNAWAY, or the region's ICVR; 0 is no limit.
pub(super) fn runaway_limit(task: &Task) -> Option<Duration> {
    let ms = task.transaction.runaway_ms.unwrap_or(task.region.options.runaway_ms);
    (ms > 0).then(|| Duration::from_millis(ms))
}

/// The abend of a task that has not given way for too long.
pub(super) const RUNAWAY: &str = "AICA";
/// The abend of a task that is purged by force while its program runs. One that waits has that of its wait.
pub(super) const PURGED_WHILE_RUNNING: &str = "AEXY";

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
