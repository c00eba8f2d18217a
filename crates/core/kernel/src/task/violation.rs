//! Storage violations: a check zone beside storage that tasks share, which was written over. It is looked for at FREEMAIN. Storage of a
//! task's own has none: programs work on a part of their window.

use areas::Overlay;

use super::Task;
use crate::raise::Raise;

/// The abend of a task that gives back storage beside which something was written.
const VIOLATION_ABEND: &str = "ASRB";

/// The violation of what was given back by FREEMAIN, which the log tells.
pub fn freed(task: &Task, overlay: &Overlay) -> Raise {
    let program = task.levels().next().map_or(task.transaction.program, |level| level.program);
    tracing::error!(
        target: "SM",
        "task {} ({}), program {program}: storage violation beside an area of GETMAIN: {overlay}",
        task.number,
        task.transaction.name,
    );
    Raise::abend(VIOLATION_ABEND)
}
