//! The end of a task's unit of work: one place for all who end one.

use records::Decision;

use super::Task;
use crate::meters::{Figure, Performance, Timed};
use crate::monitoring::{RecordType, Switch};
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
        let ended = self.end_unit(Decision::Commit).await.0;
        self.record_if(Switch::Syncpoint, RecordType::Syncpoint);
        ended
    }

    /// Ends the task's unit of work: what it has changed is undone. The task goes on with the next one.
    pub async fn rollback(&mut self) {
        let _ = self.end_unit(Decision::Backout).await;
        self.record_if(Switch::Syncpoint, RecordType::Syncpoint);
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
        if self.control.performance().is_none() {
            return self.work.end(decision, &mut self.kept).await;
        }
        let control = std::sync::Arc::clone(&self.control);
        let waited = || control.performance().map_or(0, Performance::suspended_for);
        let (watch, before) = (self.stopwatch(), waited());
        let ended = self.work.end(decision, &mut self.kept).await;
        if let (Some(performance), Some(passed)) = (control.performance(), watch.passed()) {
            // As published it is the time in which the task was dispatched.
            let time = passed.time.saturating_sub(waited().saturating_sub(before));
            performance.add(Figure::Syncpoints, 1);
            performance.clock(Figure::Syncpoint, Timed { time, count: 1 });
        }
        ended
    }
}
