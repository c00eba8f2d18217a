//! Ends of units of work: at once if all of it is in the region's own record engine, with the coordinator's help if
//! others take part.

use std::any::Any;
use std::sync::Arc;

use coordinator::{Cause, Coordinator, Ending, Limits, Outcome as End};
use records::{Decision, Engine, Error, Lifetime, StoreId};
use smallvec::SmallVec;
use spec::cond;

use super::{Identity, UnitId, UnitOfWork};
use crate::limits::DECISIONS_MAX;
use crate::lines::often;
use crate::meters::Figure;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::waits::WaitKind;

/// The abend of a unit of work that cannot be committed.
const COMMIT_FAILED: &str = "ASPR";
/// The abend where only a participant that does not answer knows whether the unit of work is committed.
pub const NOT_KNOWN: &str = "ASP3";

/// The coordinator of a region that keeps its decisions there.
pub fn coordinator(engine: &Arc<dyn Engine>, store: StoreId) -> Arc<Coordinator> {
    Coordinator::new(Arc::clone(engine), store, Limits { decisions: DECISIONS_MAX })
}

/// News that participants are still to hear: boxed, since nearly no task carries it.
type Telling = Box<Ending>;

/// Reasons why a unit of work is not committed.
enum Failed {
    /// The record engine's doing.
    Engine(Error),
    /// A participant's, or the coordinator's.
    BackedOut(Cause),
    /// It may be.
    Unknown(Cause),
    /// The task's own: it was purged before anything was decided.
    Abended(Raise),
}

/// Values that parts keep until a unit of work is over.
pub type UntilOver = SmallVec<[Box<dyn Any + Send>; 1]>;

/// Parts that end with a unit of work beside its changes: state of domains for its task.
pub trait EndsWithUnit {
    /// The unit of work ends: what is to be dropped once it is over.
    fn unit_ends(&mut self) -> UntilOver;
}

impl UnitOfWork {
    /// Ends a task's unit of work, with all that ends with it; the next one begins. A task that closes a file waits
    /// until the uses that it gives back are dropped.
    pub(crate) async fn end(
        &mut self,
        decision: Decision,
        parts: &mut impl EndsWithUnit,
    ) -> (Outcome, UntilOver) {
        let until_over = parts.unit_ends();
        let ended = match decision {
            Decision::Commit => self.commit().await,
            Decision::Backout => {
                self.backout().await;
                Ok(())
            }
        };
        // The next one has a number of its own; owners of locks are counted, so that they can lend it theirs.
        self.control.begin_unit(self.region.records.locks().new_owner().0);
        (ended, until_over)
    }

    /// Commits. Conditions about single resources are over by now: what fails here ends the task.
    ///
    /// # Errors
    /// ROLLEDBACK where a participant has refused, or the abend of a unit of work that could not be committed; it is backed
    /// out then.
    pub(super) async fn commit(&mut self) -> Outcome {
        let (committed, telling) = match self.work_off().await {
            Ok(()) if !self.voted.is_empty() => self.commit_as_told().await,
            Ok(()) if self.enlisted.is_empty() => (self.commit_here().await, None),
            Ok(()) => Box::pin(self.commit_together()).await,
            Err(failed) => {
                self.changes = None;
                (Err(failed), self.back_out_others())
            }
        };
        let committed = match (committed, self.tables.take()) {
            // Data tables come behind, since they do not refuse. A unit of work that is not committed is backed out.
            (Ok(()), Some(tables)) => tables.commit().await.map_err(Failed::Engine),
            (committed, _) => committed,
        };
        if committed.is_err() {
            self.undo();
        }
        self.at_backout.clear();
        let actions = std::mem::take(&mut self.at_commit);
        self.release_locks();
        let ended = match committed {
            Ok(()) => {
                self.ended.committed += 1;
                self.errands.clear();
                actions.into_iter().for_each(|action| action(&self.region));
                Ok(())
            }
            Err(failed) => Err(self.tell(failed)),
        };
        if let Some(telling) = telling {
            self.settle(telling).await;
        }
        ended
    }

    /// Errands are over with the changes of the task that was started for them.
    async fn work_off(&mut self) -> Result<(), Failed> {
        for place in 0..self.errands.len() {
            let (store, key) = self.errands[place].record(&self.region.stores);
            let deleted = self.delete(store, &key).await;
            deleted.map_err(|_| Failed::Abended(Raise::abend(COMMIT_FAILED)))?;
        }
        Ok(())
    }

    /// All of it is in the record engine, or nothing is.
    async fn commit_here(&mut self) -> Result<(), Failed> {
        match self.changes.take() {
            None => Ok(()),
            // Once it is asked for, a commit goes on whatever becomes of the task: a purge must not leave before its
            // answer, or the outcome of the changes would be unknown.
            Some(changes) => {
                if let Some(performance) = self.control.performance() {
                    performance.add(Figure::LogWrites, 1);
                }
                let commit = if self.forced { changes.commit() } else { changes.commit_unforced() };
                let committed = self.control.wait_through(WaitKind::LOG, commit).await;
                committed.map_err(Failed::Engine)
            }
        }
    }

    /// Another region has decided to commit: participants of this one hear it.
    async fn commit_as_told(&mut self) -> (Result<(), Failed>, Option<Telling>) {
        let (voted, unit) = (std::mem::take(&mut self.voted), self.name());
        let note = self.identity().to_name();
        let committed = self.commit_here().await;
        // Own changes that could not be committed are in doubt still, and participants with them.
        let telling = committed.is_ok().then(|| self.region.coordinator.passes_on(unit, note, voted));
        (committed, telling.map(Box::new))
    }

    /// Others take part: when it is certain how it ends, and whom the end is still to be told.
    async fn commit_together(&mut self) -> (Result<(), Failed>, Option<Telling>) {
        let (changes, enlisted) = (self.changes.take(), std::mem::take(&mut self.enlisted));
        let (name, note) = (self.name(), self.identity().to_name());
        let coordinator = &self.region.coordinator;
        let mut ending = coordinator.commit(name.clone(), note, changes, enlisted.clone());
        // Until there is a decision, a purge is one.
        if let Err(purged) = self.control.wait(WaitKind::PARTICIPANT, ending.voted()).await {
            drop(ending);
            let telling = coordinator.backout(name, None, enlisted);
            return (Err(Failed::Abended(purged)), Some(Box::new(telling)));
        }
        let end = match self.control.wait_unless_forced(WaitKind::PARTICIPANT, ending.outcome()).await {
            Ok(end) => end,
            // The log is waited for, and a participant that alone decides is not: the unit of work is shunted.
            Err(purged) => {
                if self.control.wait_through(WaitKind::LOG, ending.participant_decides()).await {
                    often!(warn, target: "RM", "task {}: it is purged before its participant has answered whether it has committed", self.control.number);
                    return (Err(Failed::Abended(purged)), None);
                }
                ending.outcome().await
            }
        };
        let ended = match end {
            End::Committed => Ok(()),
            End::BackedOut(cause) => Err(Failed::BackedOut(cause)),
            End::Unknown(cause) => Err(Failed::Unknown(cause)),
        };
        (ended, Some(Box::new(ending)))
    }

    /// Backs out.
    pub(super) async fn backout(&mut self) {
        self.ended.backed_out += 1;
        self.at_commit.clear();
        self.undo();
        self.tables = None;
        if let Some(changes) = self.changes.take()
            && let Err(error) = changes.backout().await
        {
            often!(error, target: "RM", "task {}: backout failed: {error}", self.control.number);
        }
        if let Some(telling) = self.back_out_others() {
            self.settle(telling).await;
        }
        self.release_locks();
    }

    fn back_out_others(&mut self) -> Option<Telling> {
        let enlisted = std::mem::take(&mut self.enlisted);
        let voted = std::mem::take(&mut self.voted);
        if !voted.is_empty() {
            return Some(Box::new(self.region.coordinator.takes_back(self.name(), voted)));
        }
        (!enlisted.is_empty()).then(|| Box::new(self.region.coordinator.backout(self.name(), None, enlisted)))
    }

    /// Participants hear how it has ended, whatever becomes of the task meanwhile.
    pub(super) async fn settle(&self, telling: Telling) {
        let told = tokio::spawn(telling.settle());
        let _ = Box::pin(self.control.wait(WaitKind::PARTICIPANT, told)).await;
    }

    /// Its identity, for those who look at it after its task.
    pub(super) fn identity(&self) -> Identity {
        Identity {
            unit: UnitId::of_run(&self.region, self.control.unit()),
            task: self.control.number,
            transaction: self.control.transaction.name,
            terminal: self.control.facility.terminal_name().unwrap_or_default(),
            user: self.control.user.id,
            coordinated_as: Vec::new(),
        }
    }

    /// Says in the log why it is not committed: what that is to the task.
    fn tell(&self, failed: Failed) -> Raise {
        let task = self.control.number;
        match failed {
            Failed::Abended(abend) => abend,
            Failed::Engine(error)
            | Failed::BackedOut(Cause::Engine(error))
            | Failed::Unknown(Cause::Engine(error)) => {
                often!(error, target: "RM", "task {task}: commit failed: {error}");
                Raise::abend(COMMIT_FAILED)
            }
            Failed::BackedOut(Cause::Participant(name)) => {
                often!(warn, target: "RM", "task {task}: its unit of work is backed out, because {name} cannot commit it");
                cond::ROLLEDBACK.raise(0)
            }
            Failed::Unknown(Cause::Participant(name)) => {
                often!(error, target: "RM", "task {task}: {name} has not answered whether it has committed the unit of work");
                Raise::abend(NOT_KNOWN)
            }
            Failed::BackedOut(cause) | Failed::Unknown(cause) => {
                often!(error, target: "RM", "task {task}: commit failed: {cause}");
                Raise::abend(COMMIT_FAILED)
            }
        }
    }

    pub(super) fn undo(&mut self) {
        for action in std::mem::take(&mut self.at_backout).into_iter().rev() {
            action(&self.region);
        }
    }

    pub(super) fn release_locks(&mut self) {
        if std::mem::take(&mut self.holds.unit) {
            self.locks().release_all(self.owner, Lifetime::Unit);
        }
    }
}

impl Drop for UnitOfWork {
    fn drop(&mut self) {
        // Nothing is left of one that was ended; a task that is cut off leaves what it has begun.
        self.undo();
        // What is in doubt stays so without its task, and so do its participants.
        self.voted.clear();
        if let Some(telling) = self.back_out_others()
            && let Ok(event_loop) = tokio::runtime::Handle::try_current()
        {
            event_loop.spawn(telling.settle());
        }
        self.release_locks();
        if self.holds.task {
            self.locks().release_all(self.owner, Lifetime::Task);
            // Its changes, with what they hold, are dropped before.
            self.changes = None;
            self.region.records.release_names(self.owner);
        }
    }
}
