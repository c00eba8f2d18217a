//! Waiting: what a request could not have at once is noted, waited for, and there when the request is made again.

use records::{Answer, Batch, Direction, Error, Lifetime, Resource, StoreId, UnitOfWork, Wait};
use smallvec::SmallVec;

use super::{DEFINING, Work};
use crate::failure::{Stop, Tried};
use crate::range::{Beginning, Key};

/// Something that a request waits for.
pub(crate) enum Awaited {
    /// A lock of the unit of work, which the request takes when it is made again.
    Lock(StoreId, Key),
    /// The end of a unit of work that changes definitions.
    Definitions,
    /// The right to change definitions.
    Defining,
    /// A record that is not in main storage.
    Record(StoreId, Key),
    /// A range that is not in main storage.
    Range(StoreId, Beginning, Direction, usize),
    /// Room for a change of a store whose changes stay.
    Room(StoreId),
    /// A unit of work of our own.
    Commit(Answer<'static, records::Result<()>>),
}

/// The waits of a task.
pub(super) struct Waits {
    pub(super) patience: Wait,
    awaited: Option<Awaited>,
    /// Locks that it has got for the request that is made again.
    ahead: SmallVec<[(StoreId, Key); 2]>,
}

impl Default for Waits {
    fn default() -> Self {
        Self { patience: Wait::Forever, awaited: None, ahead: SmallVec::new() }
    }
}

impl Waits {
    pub(super) fn clear(&mut self) {
        (self.awaited, self.ahead) = (None, SmallVec::new());
    }

    pub(super) fn is_ahead(&self, store: StoreId, key: &[u8]) -> bool {
        self.ahead.iter().any(|(of, lock)| *of == store && **lock == *key)
    }

    /// Takes a lock that was waited for, if it is there.
    fn consume(&mut self, store: StoreId, key: &[u8]) -> bool {
        let at = self.ahead.iter().position(|(of, lock)| *of == store && **lock == *key);
        at.map(|at| self.ahead.swap_remove(at)).is_some()
    }
}

impl Work {
    /// Waits for what the last request has to wait for ([`Stop::Later`]); make it again then. Dropped, it leaves nothing behind.
    ///
    /// # Errors
    /// -913 or -904 for a lock that cannot be had, or the engine's.
    pub async fn wait(&mut self, unit: &mut dyn UnitOfWork) -> Tried<()> {
        let Some(awaited) = self.waits.awaited.take() else { return Ok(()) };
        let waited = self.wait_for(unit, awaited).await;
        if waited.is_err() {
            self.drop_ahead(unit);
        }
        Ok(waited?)
    }

    /// Returns true if the last request waits for another unit of work, not for the disk.
    pub fn waits_for_lock(&self) -> bool {
        matches!(self.waits.awaited, Some(Awaited::Lock(..) | Awaited::Definitions | Awaited::Defining))
    }

    async fn wait_for(&mut self, unit: &mut dyn UnitOfWork, awaited: Awaited) -> records::Result<()> {
        match awaited {
            Awaited::Lock(store, key) => {
                unit.lock(store, &key, self.waits.patience).await?;
                self.waits.ahead.push((store, key));
            }
            Awaited::Definitions => {
                self.lock_definitions().await?;
                self.tables.engine.locks().release(self.owner, &Resource::named(DEFINING), Lifetime::Task);
            }
            Awaited::Defining => {
                self.lock_definitions().await?;
                self.defines = true;
            }
            Awaited::Record(store, key) => drop(unit.get(store, &key, &mut Vec::new()).await?),
            Awaited::Range(store, beginning, direction, limit) => {
                if let Some(origin) = beginning.origin() {
                    unit.range(store, origin, direction, limit, &mut Batch::default()).await?;
                }
            }
            // A record that means nothing.
            Awaited::Room(store) => unit.put(store, b"", b"").await?,
            Awaited::Commit(answer) => answer.await?,
        }
        Ok(())
    }

    async fn lock_definitions(&self) -> records::Result<()> {
        let (locks, name) = (self.tables.engine.locks(), Resource::named(DEFINING));
        locks.acquire(self.owner, name, Lifetime::Task, self.waits.patience).await
    }

    /// Notes what must be waited for.
    pub(crate) fn later<T>(&mut self, awaited: Awaited) -> Tried<T> {
        self.waits.awaited = Some(awaited);
        Err(Stop::Later)
    }

    /// Takes a lock of the unit of work, once more each time.
    pub(crate) fn take(&mut self, unit: &mut dyn UnitOfWork, store: StoreId, key: &[u8]) -> Tried<()> {
        if self.waits.consume(store, key) {
            return Ok(());
        }
        match unit.lock(store, key, Wait::No).now() {
            Ok(Ok(())) => Ok(()),
            Ok(Err(Error::Locked)) | Err(_) => self.later(Awaited::Lock(store, Key::from_slice(key))),
            Ok(Err(error)) => Err(error.into()),
        }
    }

    /// Waits until no other unit of work has a lock, without keeping it.
    pub(crate) fn pass(&mut self, unit: &mut dyn UnitOfWork, store: StoreId, key: &[u8]) -> Tried<()> {
        if self.waits.consume(store, key) {
            unit.unlock(store, key);
            return Ok(());
        }
        match self.is_another(store, key) {
            true => self.later(Awaited::Lock(store, Key::from_slice(key))),
            false => Ok(()),
        }
    }

    /// Returns true if another unit of work has a lock.
    pub(crate) fn is_another(&self, store: StoreId, key: &[u8]) -> bool {
        let holder = self.tables.engine.locks().holder(&Resource::record(store, key));
        holder.is_some_and(|holder| holder != self.owner)
    }

    /// A request stops while it has this lock: it keeps it for the next attempt if it waits, and lets go of it otherwise.
    pub(super) fn stops_with(
        &mut self,
        unit: &mut dyn UnitOfWork,
        (store, key): (StoreId, &[u8]),
        stop: Stop,
    ) -> Stop {
        match stop {
            Stop::Later => self.waits.ahead.push((store, Key::from_slice(key))),
            _ => unit.unlock(store, key),
        }
        stop
    }

    /// Lets go of locks that were waited for by a request that was not made again.
    pub(super) fn drop_ahead(&mut self, unit: &mut dyn UnitOfWork) {
        for (store, key) in std::mem::take(&mut self.waits.ahead) {
            unit.unlock(store, &key);
        }
    }

    /// Reads a record if it is in main storage. Returns false if there is none.
    pub(crate) fn read(
        &mut self,
        unit: &mut dyn UnitOfWork,
        store: StoreId,
        key: &[u8],
        record: &mut Vec<u8>,
    ) -> Tried<bool> {
        match unit.get(store, key, record).now() {
            Ok(read) => Ok(read?),
            Err(_) => self.later(Awaited::Record(store, Key::from_slice(key))),
        }
    }
}
