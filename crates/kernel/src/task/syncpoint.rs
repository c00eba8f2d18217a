//! The end of a task's unit of work: one place for all who end one.

use records::Decision;

use super::Task;
use crate::raise::Outcome;
use crate::recovery::UntilOver;

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

    /// The one end of a task's unit of work.
    pub(crate) async fn end_unit(&mut self, decision: Decision) -> (Outcome, UntilOver) {
        self.work.end(decision, &mut self.kept).await
    }
}
