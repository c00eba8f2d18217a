//! SYNCPOINT and SYNCPOINT ROLLBACK.

use spec::{cmd, cond};

use kernel::exec::{Answers, Call, Handler, NOT_IN_SUBSET, Waiting};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{StartCode, Task};

/// This domain's commands.
pub(crate) const HANDLERS: Answers =
    &[(cmd::SYNCPOINT, Handler::Waits(syncpoint)), (cmd::SYNCPOINT_ROLLBACK, Handler::Waits(rollback))];

/// SYNCPOINT: the unit of work commits; browses and reads for update end.
fn syncpoint<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        may_end(task)?;
        task.syncpoint().await
    })
}

/// The region that has LINKed to a program ends the unit of work, unless it asks for a syncpoint with each LINK.
fn may_end(task: &Task) -> Outcome {
    match task.start_code {
        StartCode::Linked(false) => Err(cond::INVREQ.raise(NOT_IN_SUBSET)),
        _ => Ok(()),
    }
}

/// SYNCPOINT ROLLBACK: the unit of work is backed out, and the task goes on.
fn rollback<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        may_end(task)?;
        task.rollback().await;
        Ok(())
    })
}
