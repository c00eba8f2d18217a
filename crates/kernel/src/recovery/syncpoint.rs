//! The end of a unit of work: one place for all who end one.

use std::sync::Arc;

use super::UnitOfWork;
use crate::raise::Outcome;
use crate::region::Region;
use crate::task::{Task, TaskControl};

impl Task {
    /// Ends the task's unit of work: what it has changed stays. Records that it holds for update and browses are over; the
    /// next unit of work begins.
    ///
    /// # Errors
    /// The abend of a unit of work that could not be committed: it is backed out.
    pub async fn syncpoint(&mut self) -> Outcome {
        let uses = self.files.end_unit_of_work();
        let committed = self.work.commit().await;
        self.begin_unit();
        // Who closes a file waits for the end of those that have changed it.
        drop(uses);
        committed
    }

    /// Ends the task's unit of work: what it has changed is undone. The task goes on with the next one.
    pub async fn rollback(&mut self) {
        let uses = self.files.end_unit_of_work();
        self.work.backout().await;
        self.begin_unit();
        drop(uses);
    }

    /// The next unit of work has a number of its own; owners of locks are counted, so that they can lend it theirs.
    fn begin_unit(&self) {
        self.control.begin_unit(self.region.records.locks().new_owner().0);
    }
}

/// Does something in a unit of work of its own, apart from that of the task on whose behalf it is done.
///
/// # Errors
/// What `action` says: its changes are backed out; or as [`Task::syncpoint`].
pub(crate) async fn apart<T>(
    region: &Arc<Region>,
    control: &Arc<TaskControl>,
    action: impl AsyncFnOnce(&mut UnitOfWork) -> Outcome<T>,
) -> Outcome<T> {
    let mut own = UnitOfWork::begin(region, control);
    match action(&mut own).await {
        Ok(done) => own.commit().await.map(|()| done),
        Err(raise) => {
            own.backout().await;
            Err(raise)
        }
    }
}
