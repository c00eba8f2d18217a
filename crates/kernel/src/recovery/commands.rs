//! SYNCPOINT and SYNCPOINT ROLLBACK.

use spec::cmd;

use crate::exec::{Answers, Call, Handler, Waiting};
use crate::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers =
    &[(cmd::SYNCPOINT, Handler::Waits(syncpoint)), (cmd::SYNCPOINT_ROLLBACK, Handler::Waits(rollback))];

/// SYNCPOINT: the unit of work commits; browses and reads for update end.
fn syncpoint<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let uses = task.files.end_unit_of_work();
        let committed = task.work.commit().await;
        count_unit(task);
        drop(uses);
        committed
    })
}

/// SYNCPOINT ROLLBACK: the unit of work is backed out, and the task goes on.
fn rollback<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let uses = task.files.end_unit_of_work();
        task.work.backout().await;
        count_unit(task);
        drop(uses);
        Ok(())
    })
}

/// The task's next unit of work has a number of its own; owners of locks are counted, so that they can lend it theirs.
fn count_unit(task: &Task) {
    task.control.begin_unit(task.region.records.locks().new_owner().0);
}
