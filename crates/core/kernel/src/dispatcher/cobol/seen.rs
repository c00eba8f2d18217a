//! A CALL of a service of the region, at which a watcher looks before it is answered, and then.

use std::pin::pin;

use cobol_run::Passed;

use super::Level;
use crate::dispatcher::contain::contained;
use crate::exec::{ServiceSeen, look_at_answer, look_at_service, services_are_watched};
use crate::raise::{Abend, Outcome};
use crate::services::Services;
use crate::task::Task;

/// Shows a watcher of commands a CALL, if it is one of a service; true if it is, and a watcher has looked.
///
/// # Errors
/// The abend that comes of it.
pub(super) async fn look(
    task: &mut Task,
    level: &mut Level,
    name: &str,
    arguments: &[Passed],
) -> Result<bool, Abend> {
    let is_service = || Services::of(&task.region).by_name(name).is_some();
    if !services_are_watched(task) || !is_service() {
        return Ok(false);
    }
    let program = level.shown_as();
    level.rests(task);
    let looked =
        contained(pin!(look_at_service(task, &ServiceSeen::of_program(name, arguments, program)))).await;
    level.runs_again(task);
    let outcome: Outcome = looked.map_err(|panic| panic.abend(task))?;
    outcome.map_err(Abend::from)?;
    Ok(true)
}

/// The same behind its answer.
///
/// # Errors
/// The abend that comes of it.
pub(super) async fn look_behind(
    task: &mut Task,
    level: &mut Level,
    name: &str,
    arguments: &[Passed],
) -> Result<(), Abend> {
    let program = level.shown_as();
    level.rests(task);
    let seen = ServiceSeen::of_program(name, arguments, program);
    let looked = contained(pin!(look_at_answer(task, &seen))).await;
    level.runs_again(task);
    let outcome: Outcome = looked.map_err(|panic| panic.abend(task))?;
    outcome.map_err(Abend::from)
}
