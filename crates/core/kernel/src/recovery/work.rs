//! The unit of work of a task: what it has changed, what it holds, and what is to be done at its end.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use coordinator::{Participant, UnitName, Voters};
use records::{Answer, Engine, Error, Lifetime, Locks, Owner, Resource, StoreId, Wait};
use spec::cond;

use super::UnitId;
use crate::control::TaskControl;
use crate::lines::often;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::region::Region;
use crate::stores::Stores;
use crate::waits::WaitKind;

/// Something that happens at the end of the unit of work.
pub type AtEnd = Box<dyn FnOnce(&Arc<Region>) + Send>;

/// Work that a task has been started for and must not be lost, as a record of the region's own: the first unit of
/// work that the task commits takes the record away.
pub trait Errand: Any + Send + Sync {
    /// Place of the record.
    fn record(&self, stores: &Stores) -> (StoreId, Vec<u8>);
}

/// The unit of work of a task.
pub struct UnitOfWork {
    pub(super) region: Arc<Region>,
    pub(super) control: Arc<TaskControl>,
    pub(super) owner: Owner,
    /// True for its own end, and for that of the task, if it may hold locks to it: only then are they looked for.
    pub(super) holds: Holds,
    pub(super) changes: Option<Box<dyn records::UnitOfWork>>,
    pub(super) tables: Option<Box<dyn records::UnitOfWork>>,
    /// Participants with changes of it.
    pub(super) enlisted: Vec<Arc<dyn Participant>>,
    /// Those of them that are in doubt, while another region decides about the unit of work.
    pub(super) voted: Voters,
    pub(super) at_commit: Vec<AtEnd>,
    pub(super) at_backout: Vec<AtEnd>,
    /// Errands that the task has begun.
    pub(super) errands: Vec<Box<dyn Errand>>,
    pub(super) ended: Ended,
    /// Its commit waits for the disk.
    pub(super) forced: bool,
}

#[derive(Default)]
pub(super) struct Holds {
    pub unit: bool,
    pub task: bool,
}

/// Ends of the task's units of work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ended {
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
            enlisted: Vec::new(),
            voted: Vec::new(),
            at_commit: Vec::new(),
            at_backout: Vec::new(),
            errands: Vec::new(),
            ended: Ended::default(),
            forced: true,
        }
    }

    /// Number of the task's units of work that have committed.
    pub fn commits(&self) -> u32 {
        self.ended.committed
    }

    /// Ends of the task's units of work.
    pub(crate) fn ended(&self) -> Ended {
        self.ended
    }

    /// Returns true if it has changed nothing and no participant takes part in it: its end waits for nothing.
    pub fn is_clean(&self) -> bool {
        let changed = self.changes.is_some() || self.tables.is_some();
        !changed && self.enlisted.is_empty() && self.errands.is_empty()
    }

    /// Owner of this task's locks.
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
        self.tables.get_or_insert_with(|| region.memory.begin(owner)).as_mut()
    }

    /// Something outside of this region has changes of the unit of work, too: it takes part in its end. Once for all that
    /// it does in the unit of work; it has been introduced to the region's coordinator.
    pub fn enlist(&mut self, participant: Arc<dyn Participant>) {
        if !self.enlisted.iter().any(|enlisted| enlisted.name() == participant.name()) {
            self.enlisted.push(participant);
        }
    }

    /// Its name for participants: the region's APPLID and the number of the unit of work.
    pub fn name(&self) -> UnitName {
        let number = UnitId::of_run(&self.region, self.control.unit()).0.to_be_bytes();
        UnitName::new(&[self.region.options.applid.as_bytes().as_slice(), &number].concat())
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
        if !self.region.records.is_shared() {
            return self.locks().acquire(self.owner, resource, lifetime, wait);
        }
        match self.locks().acquire(self.owner, resource.clone(), lifetime, wait).now() {
            Ok(acquired) => Answer::ready(acquired),
            Err(waiting) => {
                let (engine, owner) = (Arc::clone(&self.region.records), self.owner);
                Answer::later(unless_circle(engine, owner, resource, waiting))
            }
        }
    }

    /// Lets go of such a lock; one that is not held is not an error.
    pub fn dequeue(&self, resource: &Resource, lifetime: Lifetime) {
        self.locks().release(self.owner, resource, lifetime);
    }

    /// Takes a name among all regions that share the records: `name` is unlike any that [`Self::enqueue`] is given. Where no other
    /// region does, it is one of this region.
    pub fn enqueue_everywhere<'a>(
        &'a mut self,
        name: &'a [u8],
        lifetime: Lifetime,
        wait: Wait,
    ) -> Answer<'a, records::Result<()>> {
        if !self.region.records.is_shared() {
            return self.enqueue(Resource::named(name), lifetime, wait);
        }
        self.holds.task |= lifetime == Lifetime::Task;
        self.changes().lock_name(name, lifetime, wait)
    }

    /// Lets go of such a name; one that is not held is not an error.
    pub fn dequeue_everywhere(&mut self, name: &[u8], lifetime: Lifetime) {
        if !self.region.records.is_shared() {
            return self.dequeue(&Resource::named(name), lifetime);
        }
        self.changes().unlock_name(name, lifetime);
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

    /// Takes the lock of a record of the region's own, and reads the record; false if there is none.
    ///
    /// # Errors
    /// Those of [`Self::lock`] and [`Self::get`].
    pub async fn lock_and_get(
        &mut self,
        store: StoreId,
        key: &[u8],
        (wait, kind): (Wait, WaitKind),
        record: &mut Vec<u8>,
    ) -> Outcome<bool> {
        let control = Arc::clone(&self.control);
        let found = control.wait(kind, self.changes().lock_and_get(store, key, wait, record)).await?;
        found.map_err(|error| queue_error(&error))
    }

    /// Its commit is not to wait for the disk: a crash may lose it as a whole.
    pub fn is_not_forced(&mut self) {
        self.forced = false;
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

    /// The task begins an errand: that is over with the first unit of work that commits.
    pub fn begin_errand(&mut self, errand: impl Errand) {
        self.errands.push(Box::new(errand));
    }

    /// The task has failed: the errands that are not over.
    pub fn take_errands(&mut self) -> Vec<Box<dyn Errand>> {
        std::mem::take(&mut self.errands)
    }
}

/// The time between two looks who has a name that is waited for.
const HOLDER_LOOK_EVERY: Duration = Duration::from_secs(1);

/// Waits for a name while the record server knows whom it is waited for: a circle through records there ends the wait.
async fn unless_circle(
    engine: Arc<dyn Engine>,
    owner: Owner,
    resource: Resource,
    mut waiting: Answer<'static, records::Result<()>>,
) -> records::Result<()> {
    loop {
        let holder = engine.locks().holder(&resource);
        let noted = async {
            match holder {
                Some(holder) => engine.note_wait(owner, holder).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            acquired = &mut waiting => return acquired,
            noted = noted => if noted == Err(Error::Deadlock) { return noted },
            () = tokio::time::sleep(HOLDER_LOOK_EVERY) => continue,
        }
        // The holder may be about to end, or the server is not there.
        tokio::select! {
            biased;
            acquired = &mut waiting => return acquired,
            () = tokio::time::sleep(HOLDER_LOOK_EVERY / 10) => {}
        }
    }
}

/// Condition of a command on a queue for an error of the engine.
pub fn queue_error(error: &Error) -> Raise {
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
