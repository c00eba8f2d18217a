//! SYNCPOINT and SYNCPOINT ROLLBACK.

use spec::cmd;

use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers =
    &[(cmd::SYNCPOINT, Handler::Waits(syncpoint)), (cmd::SYNCPOINT_ROLLBACK, Handler::Waits(rollback))];

/// SYNCPOINT: the unit of work commits; browses and reads for update end.
fn syncpoint<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(task.syncpoint())
}

/// SYNCPOINT ROLLBACK: the unit of work is backed out, and the task goes on.
fn rollback<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        task.rollback().await;
        Ok(())
    })
}
