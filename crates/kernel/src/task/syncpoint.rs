//! The end of a task's unit of work: one place for all who end one.

use records::Decision;

use super::Task;
use crate::raise::Outcome;
use crate::recovery::{Prepared, Remains, UntilOver};

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

    /// Returns what the task would leave behind if it ended now.
    pub fn remains(&self) -> Remains {
        let held = if self.kept.is_holding() { Remains::Holds } else { Remains::Nothing };
        self.work.remains().max(held)
    }

    /// Prepares the task's unit of work for a coordinator that is another region: the next thing that it hears is how it
    /// ends, by [`Self::syncpoint`], [`Self::rollback`] or [`Self::shunt`].
    pub async fn prepare(&mut self, coordinated_as: &[u8]) -> Prepared {
        self.work.prepare(coordinated_as).await
    }

    /// Leaves the task's unit of work in doubt, since its coordinator cannot be heard.
    pub fn shunt(&mut self) {
        self.work.shunt();
    }

    /// The one end of a task's unit of work.
    pub(crate) async fn end_unit(&mut self, decision: Decision) -> (Outcome, UntilOver) {
        self.work.end(decision, &mut self.kept).await
    }
}
