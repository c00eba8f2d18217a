//! Units of work: what commits and backs out together.
//!
//! States: *clean* (nothing was changed) → *in flight* (private changes, locks) → committed or backed out; the task's
//! next unit of work begins clean. All of a task's units of work have one owner of locks, so that a task never waits
//! for itself.
//!
//! Invariants: the log is forced before SYNCPOINT answers; an abend backs out before its message is shown.

mod commands;
mod indoubt;

use std::sync::Arc;

use records::{Lifetime, Owner};

pub(crate) use commands::HANDLERS;
pub use indoubt::Identity;

use crate::raise::{Outcome, Raise};
use crate::region::Region;
use crate::task::{TaskControl, WaitKind};

/// Something that happens at the end of the unit of work.
pub type AtEnd = Box<dyn FnOnce(&Arc<Region>) + Send>;

/// The unit of work of a task.
pub struct UnitOfWork {
    region: Arc<Region>,
    control: Arc<TaskControl>,
    owner: Owner,
    changes: Option<Box<dyn records::UnitOfWork>>,
    at_commit: Vec<AtEnd>,
    at_backout: Vec<AtEnd>,
}

impl UnitOfWork {
    /// A clean unit of work for a task.
    pub fn begin(region: &Arc<Region>, control: &Arc<TaskControl>) -> Self {
        Self {
            region: Arc::clone(region),
            control: Arc::clone(control),
            owner: region.records.locks().new_owner(),
            changes: None,
            at_commit: Vec::new(),
            at_backout: Vec::new(),
        }
    }

    /// Who holds this task's locks.
    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// The record engine's side of it. It begins here, so that tasks without records cost nothing.
    pub fn changes(&mut self) -> &mut dyn records::UnitOfWork {
        let (region, owner) = (&self.region, self.owner);
        self.changes.get_or_insert_with(|| region.records.begin(owner)).as_mut()
    }

    /// Does something at the end of the unit of work, if it commits: a deferred START, a trigger.
    pub fn at_commit(&mut self, action: AtEnd) {
        self.at_commit.push(action);
    }

    /// Undoes something at the end of the unit of work, if it is backed out: the last first.
    pub fn at_backout(&mut self, action: AtEnd) {
        self.at_backout.push(action);
    }

    /// Commits. Conditions about single resources are over by now: what fails here ends the task.
    ///
    /// # Errors
    /// The abend of a unit of work that could not be committed; it is backed out then.
    pub async fn commit(&mut self) -> Outcome {
        let committed = match self.changes.take() {
            None => Ok(()),
            // Once it is asked for, a commit goes on whatever becomes of the task: a purge must not leave before its
            // answer, or nobody would know what has become of the changes.
            Some(changes) => self.control.wait_through(WaitKind::Log, changes.commit()).await,
        };
        if committed.is_err() {
            self.undo();
        }
        self.at_backout.clear();
        let actions = std::mem::take(&mut self.at_commit);
        self.release_locks();
        match committed {
            Ok(()) => {
                actions.into_iter().for_each(|action| action(&self.region));
                Ok(())
            }
            Err(error) => {
                tracing::error!(target: "RM", "task {}: commit failed: {error}", self.control.number);
                Err(Raise::abend("ASPR"))
            }
        }
    }

    /// Backs out.
    pub async fn backout(&mut self) {
        self.at_commit.clear();
        self.undo();
        if let Some(changes) = self.changes.take()
            && let Err(error) = changes.backout().await
        {
            tracing::error!(target: "RM", "task {}: backout failed: {error}", self.control.number);
        }
        self.release_locks();
    }

    fn undo(&mut self) {
        for action in std::mem::take(&mut self.at_backout).into_iter().rev() {
            action(&self.region);
        }
    }

    fn release_locks(&self) {
        self.region.records.locks().release_all(self.owner, Lifetime::Unit);
    }
}

impl Drop for UnitOfWork {
    fn drop(&mut self) {
        let locks = self.region.records.locks();
        locks.release_all(self.owner, Lifetime::Unit);
        locks.release_all(self.owner, Lifetime::Task);
    }
}
