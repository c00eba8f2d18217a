//! Storage violations: check zones that a program has written over.
//!
//! They are looked for where a level LINKs and ends, at FREEMAIN and at the task's end. Who violates storage ends with
//! [`VIOLATION_ABEND`], past every exit: nobody knows what else it has written over.

use areas::Overlay;

use super::{Commarea, Task};
use crate::raise::{Abend, AbendCode, Raise};

/// The abend of a task that has violated storage.
const VIOLATION_ABEND: &str = "ASRB";

/// Says that a task has violated storage, and ends it.
pub(crate) fn violated(task: &Task, what: &str, overlay: &Overlay) -> Abend {
    let program = task.levels().next().map_or(task.transaction.program, |level| level.program);
    tracing::error!(
        target: "SM",
        "task {} ({}), program {program}: storage violation beside {what}: {overlay}",
        task.number,
        task.transaction.name,
    );
    Abend { cancel: true, ..AbendCode::from(VIOLATION_ABEND).into() }
}

/// The violation of what was given back by FREEMAIN.
pub fn freed(task: &Task, overlay: &Overlay) -> Raise {
    Raise::Abend(violated(task, "an area of GETMAIN", overlay).code)
}

/// Looks at the storage of the running program's level: its COMMAREA.
///
/// # Errors
/// The abend of the task.
pub fn check_level(task: &Task) -> Result<(), Abend> {
    let overlay = task.level().commarea.as_ref().and_then(Commarea::overlay);
    overlay.map_or(Ok(()), |overlay| Err(violated(task, "the COMMAREA", &overlay)))
}

/// Looks at all that the task has got, at its end.
///
/// # Errors
/// The abend of the task.
pub fn check_task(task: &Task) -> Result<(), Abend> {
    let areas = || task.storage.overlay().map(|overlay| ("an area of GETMAIN or SET", overlay));
    let twa = || task.twa.overlay().map(|overlay| ("the TWA", overlay));
    areas().or_else(twa).map_or(Ok(()), |(what, overlay)| Err(violated(task, what, &overlay)))
}
