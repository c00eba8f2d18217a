//! Code of COBOL programs, loaded when a task needs it.

use std::sync::Arc;

use native::Unit;

use crate::programs::{Program, Programs};
use crate::raise::Outcome;
use crate::task::{Task, WaitKind};

/// The code of a program, loaded if it is not.
///
/// # Errors
/// It cannot be loaded.
pub(super) async fn unit(task: &Task, program: &Program) -> Outcome<Arc<Unit>> {
    if let Some(module) = program.loaded() {
        return Ok(Arc::clone(&module.unit));
    }
    let programs = Programs::of(&task.region);
    let module = Box::pin(task.wait(WaitKind::PROGRAM, programs.module(program))).await??;
    task.traces_detail("LD", ("LOAD", program.name.trimmed(), 0), String::new);
    Ok(Arc::clone(&module.unit))
}
