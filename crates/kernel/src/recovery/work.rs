//! The unit of work of a task: what it has changed, what it holds, and what is to be done at its end.

use std::sync::Arc;
use std::time::Duration;

use records::{Answer, Engine, Error, Lifetime, Locks, Owner, Resource, StoreId, Wait};
use spec::cond;

use crate::diagnostics::often;
use crate::interval::KeptStart;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::region::Region;
use crate::task::{TaskControl, WaitKind};

/// The abend of a unit of work that cannot be committed.
const COMMIT_FAILED: &str = "ASPR";

/// Something that happens at the end of the unit of work.
pub type AtEnd = Box<dyn FnOnce(&Arc<Region>) + Send>;

/// The unit of work of a task.
pub struct UnitOfWork {
    region: Arc<Region>,
    control: Arc<TaskControl>,
    owner: Owner,
    /// Whether it may hold locks to its own end, and whether to that of the task: only then are they looked for.
    holds: Holds,
    changes: Option<Box<dyn records::UnitOfWork>>,
    tables: Option<Box<dyn records::UnitOfWork>>,
    at_commit: Vec<AtEnd>,
    at_backout: Vec<AtEnd>,
    /// Protected STARTs that the task has begun to work off.
    consumed: Vec<KeptStart>,
    ended: Ended,
}

#[derive(Default)]
struct Holds {
    unit: bool,
    task: bool,
}

/// How the task's units of work have ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ended {
    pub committed: u32,
    pub backed_out: u32,
}

impl UnitOfWork {
    /// A clean unit of work for a task.
    pub fn begin(region: &Arc<Region>, control: &Arc<TaskControl>) -> Self {
        Self {
            region: Arc::clone(region),
            control: Arc::clone(control),
            owner: region.records.locks().new_owner(),
            holds: Holds::default(),
            changes: None,
            tables: None,
            at_commit: Vec::new(),
            at_backout: Vec::new(),
            consumed: Vec::new(),
            ended: Ended::default(),
        }
    }

    /// How the task's units of work have ended.
    pub(crate) fn ended(&self) -> Ended {
        self.ended
    }

    /// Who holds this task's locks.
    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// The region.
    pub fn region(&self) -> &Arc<Region> {
        &self.region
    }

    /// The lock manager.
    pub fn locks(&self) -> &Arc<Locks> {
        self.region.records.locks()
    }

    /// The record engine's side of it. It begins here, so that tasks without records cost nothing.
    pub fn changes(&mut self) -> &mut dyn records::UnitOfWork {
        self.holds.unit = true;
        let (region, owner) = (&self.region, self.owner);
        self.changes.get_or_insert_with(|| region.records.begin(owner)).as_mut()
    }

    /// The same, by the engine that has the data set: data tables have one of their own.
    pub fn changes_in(&mut self, dataset: &vsam::Dataset) -> &mut dyn records::UnitOfWork {
        if !records::Memory::has(dataset.store()) {
            return self.changes();
        }
        self.holds.unit = true;
        let (region, owner) = (&self.region, self.owner);
        self.tables.get_or_insert_with(|| region.tables.memory.begin(owner)).as_mut()
    }

    /// Takes a lock that is no record's, to the end of the unit of work or of the task.
    pub fn enqueue(
        &mut self,
        resource: Resource,
        lifetime: Lifetime,
        wait: Wait,
    ) -> Answer<'static, records::Result<()>> {
        match lifetime {
            Lifetime::Task => self.holds.task = true,
            Lifetime::Unit | Lifetime::Tables => self.holds.unit = true,
        }
        self.locks().acquire(self.owner, resource, lifetime, wait)
    }

    /// Lets go of such a lock; one that is not held is not an error.
    pub fn dequeue(&self, resource: &Resource, lifetime: Lifetime) {
        self.locks().release(self.owner, resource, lifetime);
    }

    /// Takes the lock of a record of the region's own to the end of the unit of work.
    ///
    /// # Errors
    /// LOCKED where an indoubt unit of work has it, or the abend of a wait that ended badly.
    pub async fn lock(&mut self, store: StoreId, key: &[u8], wait: Wait, kind: WaitKind) -> Outcome {
        let control = Arc::clone(&self.control);
        let locked = control.wait(kind, self.changes().lock(store, key, wait)).await?;
        locked.map_err(|error| queue_error(&error))
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// The abend of a task that was purged.
    pub async fn pause(&self, time: Duration, kind: WaitKind) -> Outcome {
        self.control.wait(kind, tokio::time::sleep(time)).await
    }

    /// Reads a record of the region's own; false if there is none.
    ///
    /// # Errors
    /// IOERR.
    pub async fn get(&mut self, store: StoreId, key: &[u8], record: &mut Vec<u8>) -> Outcome<bool> {
        self.changes().get(store, key, record).await.map_err(|error| queue_error(&error))
    }

    /// Writes a record of the region's own.
    ///
    /// # Errors
    /// NOSPACE, IOERR.
    pub async fn put(&mut self, store: StoreId, key: &[u8], record: &[u8]) -> Outcome {
        self.changes().put(store, key, record).await.map_err(|error| queue_error(&error))
    }

    /// Deletes a record of the region's own.
    ///
    /// # Errors
    /// IOERR.
    pub async fn delete(&mut self, store: StoreId, key: &[u8]) -> Outcome {
        self.changes().delete(store, key).await.map_err(|error| queue_error(&error))
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
    pub(super) async fn commit(&mut self) -> Outcome {
        for place in 0..self.consumed.len() {
            self.consumed[place].consume(self).await.map_err(|_| Raise::abend(COMMIT_FAILED))?;
        }
        let committed = match self.changes.take() {
            None => Ok(()),
            // Once it is asked for, a commit goes on whatever becomes of the task: a purge must not leave before its
            // answer, or nobody would know what has become of the changes.
            Some(changes) => self.control.wait_through(WaitKind::Log, changes.commit()).await,
        };
        let committed = match (committed, self.tables.take()) {
            // Data tables come behind, since they do not refuse. A unit of work that is not committed is backed out.
            (Ok(()), Some(tables)) => tables.commit().await,
            (committed, _) => committed,
        };
        if committed.is_err() {
            self.undo();
        }
        self.at_backout.clear();
        let actions = std::mem::take(&mut self.at_commit);
        self.release_locks();
        match committed {
            Ok(()) => {
                self.ended.committed += 1;
                self.consumed.clear();
                actions.into_iter().for_each(|action| action(&self.region));
                Ok(())
            }
            Err(error) => {
                often!(error, target: "RM", "task {}: commit failed: {error}", self.control.number);
                Err(Raise::abend(COMMIT_FAILED))
            }
        }
    }

    /// A protected START is worked off by this task: it is over with the first unit of work that commits.
    pub(crate) fn consume(&mut self, start: Option<KeptStart>) {
        self.consumed.extend(start);
    }

    /// The task has failed: the protected STARTs that it has not worked off.
    pub(crate) fn take_consumed(&mut self) -> Vec<KeptStart> {
        std::mem::take(&mut self.consumed)
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
        self.release_locks();
    }

    fn undo(&mut self) {
        for action in std::mem::take(&mut self.at_backout).into_iter().rev() {
            action(&self.region);
        }
    }

    fn release_locks(&mut self) {
        if std::mem::take(&mut self.holds.unit) {
            self.locks().release_all(self.owner, Lifetime::Unit);
        }
    }
}

/// What an error of the engine is to a command on a queue.
pub(crate) fn queue_error(error: &Error) -> Raise {
    match error {
        Error::Locked => cond::QBUSY.raise(0),
        Error::Retained => cond::LOCKED.raise(0),
        Error::NoSpace(_) | Error::Limit(_) => cond::NOSPACE.raise(0),
        // The task that would wait for ever is the one that goes.
        Error::Deadlock | Error::TimedOut | Error::Cancelled => Raise::abend("AKCS"),
        error => {
            often!(error, target: "RM", "{error}");
            cond::IOERR.raise(0)
        }
    }
}

impl Drop for UnitOfWork {
    fn drop(&mut self) {
        // Nothing is left of one that was ended; a task that is cut off leaves what it has begun.
        self.undo();
        self.release_locks();
        if self.holds.task {
            self.locks().release_all(self.owner, Lifetime::Task);
        }
    }
}
