//! A unit of work on tables.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{Table, Tables};
use crate::change::Changes;
use crate::key::LONGEST_KEY;
use crate::{
    Answer, Batch, Direction, Error, Lifetime, Locks, Origin, Owner, Recovery, Resource, Result, Stamp,
    StoreId, UnitOfWork, Wait,
};

/// Tables that one unit of work uses, for which it needs no heap.
const FEW_TABLES: usize = 2;

pub(super) struct MemoryUnit {
    locks: Arc<Locks>,
    tables: Arc<Tables>,
    owner: Owner,
    /// The tables that it has used.
    known: SmallVec<[Known; FEW_TABLES]>,
    changes: Changes,
    /// Number of its changes.
    edits: u64,
    /// It has taken locks. The end of the owner's unit of work in another engine must not release them before the
    /// changes are visible here; so they have a lifetime of their own.
    locked: bool,
}

/// A table that a unit of work uses.
struct Known {
    store: StoreId,
    table: Arc<Table>,
    /// Places reserved for new records.
    reserved: u64,
}

impl MemoryUnit {
    pub(super) fn new(locks: Arc<Locks>, tables: Arc<Tables>, owner: Owner) -> Self {
        Self {
            locks,
            tables,
            owner,
            known: SmallVec::new(),
            changes: Changes::default(),
            edits: 0,
            locked: false,
        }
    }

    /// The table, by its place among those known: looked up once.
    fn know(&mut self, store: StoreId) -> Result<usize> {
        if let Some(at) = self.known.iter().position(|known| known.store == store) {
            return Ok(at);
        }
        self.known.push(Known { store, table: self.tables.get(store)?, reserved: 0 });
        Ok(self.known.len() - 1)
    }

    fn change(&mut self, store: StoreId, key: &[u8], record: Option<&[u8]>) -> Result<()> {
        if key.len() > LONGEST_KEY {
            return Err(Error::Limit("key length"));
        }
        let at = self.know(store)?;
        let known = &mut self.known[at];
        self.edits += 1;
        if known.table.limit().is_some() {
            let own = self.changes.in_store(store).and_then(|changes| changes.get(key));
            known.count(key, own.map(Option::is_some), record.is_some())?;
        }
        match known.table.recovery() {
            Recovery::Recoverable => self.changes.set(store, key, record),
            Recovery::NonRecoverable => {
                known.reserved = 0;
                known.table.publish_one(key, record);
            }
        }
        Ok(())
    }

    /// Makes all changes visible.
    fn publish(&mut self) {
        for (store, changes) in std::mem::take(&mut self.changes).stores_mut() {
            if let Some(known) = self.known.iter_mut().find(|known| known.store == store) {
                known.reserved = 0;
                known.table.publish(changes);
            }
        }
    }
}

impl Known {
    /// Reserves a place for a record that is new, or gives the place of one back that was to be added. `own`: whether
    /// the unit's last change left a record; `stays`: whether this one does.
    fn count(&mut self, key: &[u8], own: Option<bool>, stays: bool) -> Result<()> {
        match (own, stays) {
            (Some(true), true) | (None | Some(false), false) => {}
            _ if self.table.has(key) => {}
            (None | Some(false), true) => {
                self.table.reserve()?;
                self.reserved += 1;
            }
            (Some(true), false) => {
                self.table.give_back(1);
                self.reserved -= 1;
            }
        }
        Ok(())
    }
}

impl UnitOfWork for MemoryUnit {
    fn owner(&self) -> Owner {
        self.owner
    }

    fn create_store(&mut self, _: &str, _: Recovery) -> Result<StoreId> {
        Err(Error::Unsupported("tables created by a unit of work"))
    }

    fn delete_store(&mut self, _: StoreId) -> Result<()> {
        Err(Error::Unsupported("tables deleted by a unit of work"))
    }

    fn empty_store(&mut self, _: StoreId) -> Result<()> {
        Err(Error::Unsupported("tables emptied by a unit of work"))
    }

    fn set_recovery(&mut self, _: StoreId, _: Recovery) -> Result<()> {
        Err(Error::Unsupported("tables that promise something else"))
    }

    fn lock<'a>(&'a mut self, store: StoreId, key: &'a [u8], wait: Wait) -> Answer<'a, Result<()>> {
        self.locked = true;
        self.locks.acquire(self.owner, Resource::record(store, key), Lifetime::Tables, wait)
    }

    fn lock_and_get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        wait: Wait,
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        self.locked = true;
        let resource = Resource::record(store, key);
        match self.locks.acquire(self.owner, resource, Lifetime::Tables, wait).now() {
            Ok(Ok(())) => self.get(store, key, record),
            Ok(Err(error)) => Answer::ready(Err(error)),
            Err(locked) => Answer::later(async move {
                locked.await?;
                self.get(store, key, record).await
            }),
        }
    }

    fn has_lock(&self, store: StoreId, key: &[u8]) -> bool {
        self.locks.holder(&Resource::record(store, key)) == Some(self.owner)
    }

    fn unlock(&mut self, store: StoreId, key: &[u8]) {
        let changed = self.changes.in_store(store).is_some_and(|changes| changes.contains_key(key));
        if !changed {
            self.locks.release(self.owner, &Resource::record(store, key), Lifetime::Tables);
        }
    }

    fn get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        if let Some(own) = self.changes.in_store(store).and_then(|changes| changes.get(key)) {
            record.clear();
            record.extend_from_slice(own.as_deref().unwrap_or_default());
            return Answer::ready(Ok(own.is_some()));
        }
        Answer::ready(self.know(store).map(|at| self.known[at].table.read(key, record).is_some()))
    }

    fn put<'a>(&'a mut self, store: StoreId, key: &'a [u8], record: &'a [u8]) -> Answer<'a, Result<()>> {
        Answer::ready(self.change(store, key, Some(record)))
    }

    fn delete<'a>(&'a mut self, store: StoreId, key: &'a [u8]) -> Answer<'a, Result<()>> {
        Answer::ready(self.change(store, key, None))
    }

    fn range<'a>(
        &'a mut self,
        store: StoreId,
        origin: Origin<'a>,
        direction: Direction,
        limit: usize,
        batch: &'a mut Batch,
    ) -> Answer<'a, Result<()>> {
        Answer::ready(self.know(store).and_then(|at| {
            let table = &self.known[at].table;
            batch.stamp = Stamp { committed: table.stamp(), engine: 0, own: self.edits };
            table.range(self.changes.in_store(store), (origin, direction), limit, batch)
        }))
    }

    fn is_current(&self, store: StoreId, stamp: Stamp) -> bool {
        let known = self.known.iter().find(|known| known.store == store);
        known.is_some_and(|known| stamp.own == self.edits && stamp.committed == known.table.stamp())
    }

    /// Nothing here is ever durable.
    fn is_clean(&self) -> bool {
        true
    }

    fn commit(mut self: Box<Self>) -> Answer<'static, Result<()>> {
        self.publish();
        Answer::ready(Ok(()))
    }

    fn commit_unforced(self: Box<Self>) -> Answer<'static, Result<()>> {
        self.commit()
    }

    fn backout(self: Box<Self>) -> Answer<'static, Result<()>> {
        Answer::ready(Ok(()))
    }
}

impl Drop for MemoryUnit {
    fn drop(&mut self) {
        self.known.iter().for_each(|known| known.table.give_back(known.reserved));
        if self.locked {
            self.locks.release_all(self.owner, Lifetime::Tables);
        }
    }
}
