//! The end of a task's unit of work: one place for all who end one.

use records::Decision;

use super::{Task, UntilOver};
use crate::raise::Outcome;

impl Task {
    /// Ends the task's unit of work: what it has changed stays. Records that it holds for update and browses are over; the
    /// next unit of work begins.
    ///
    /// # Errors
    /// ROLLEDBACK where a participant has refused, or the abend of a unit of work that could not be committed: it is backed
    /// out.
    pub async fn syncpoint(&mut self) -> Outcome {
        self.end_unit(Decision::Commit).await.0
    }

    /// Ends the task's unit of work: what it has changed is undone. The task goes on with the next one.
    pub async fn rollback(&mut self) {
        let _ = self.end_unit(Decision::Backout).await;
    }

    /// The one end of a unit of work. Whoever closes a file waits until the uses that it gives back are dropped.
    pub(crate) async fn end_unit(&mut self, decision: Decision) -> (Outcome, UntilOver) {
        let until_over = self.kept.unit_ends();
        let ended = match decision {
            Decision::Commit => self.work.commit().await,
            Decision::Backout => {
                self.work.backout().await;
                Ok(())
            }
        };
        self.begin_unit();
        (ended, until_over)
    }

    /// The next unit of work has a number of its own; owners of locks are counted, so that they can lend it theirs.
    fn begin_unit(&self) {
        self.control.begin_unit(self.region.records.locks().new_owner().0);
    }
}
