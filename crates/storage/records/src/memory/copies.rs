//! Copies of another engine's records in main storage, kept in step with it.
//!
//! `Copies` is an engine over an engine. What it adds is quick reading by a whole key in the stores that it is asked to
//! keep; everything else goes to the engine below, changes first of all.
//!
//! A copy is never out of date: a task that changes a key holds its lock until others see the change, and drops the copy
//! when it makes it. A reader that finds no copy makes one only if the lock was free before it read, and if nothing was
//! dropped meanwhile: then what he has read is what others see, until the next one drops it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use smallvec::SmallVec;

use super::parts::Parts;
use crate::{
    Answer, Archive, Batch, Claim, Decider, Decision, Direction, DoubtfulChange, EncryptionKey, Engine,
    Holder, Holding, Indoubt, Lifetime, Load, LockOf, Locks, LogCounts, Numbers, Origin, Owner, Recovery,
    Replaced, ResolvedWatcher, Resource, Result, SharedCounts, Sorted, Stamp, StoreId, StoreInfo,
    StoreWatcher, UnitOfWork, Verified, Versioned, Wait,
};

/// So many stores most units of work use at most.
const USUAL_STORES: usize = 4;

/// An engine that keeps copies of another one's records.
pub struct Copies {
    engine: Arc<dyn Engine>,
    kept: Arc<Kept>,
}

/// The stores that are kept.
#[derive(Default)]
struct Kept {
    /// With each, how often it was asked for.
    stores: RwLock<Vec<(Arc<Store>, usize)>>,
    /// Changes with `stores`; 0: none was ever kept.
    edition: AtomicU64,
}

/// One store's copies.
struct Store {
    id: StoreId,
    copies: Parts,
    /// Greatest number of copies, and the present one.
    limit: u64,
    count: AtomicU64,
}

impl Copies {
    /// Nothing is kept yet.
    pub fn over(engine: Arc<dyn Engine>) -> Arc<Self> {
        Arc::new(Self { engine, kept: Arc::default() })
    }
}

impl Kept {
    fn find(&self, store: StoreId) -> Option<Arc<Store>> {
        self.stores.read().iter().find(|(kept, _)| kept.id == store).map(|(kept, _)| Arc::clone(kept))
    }

    fn keep(&self, id: StoreId, limit: Option<u64>) {
        let mut stores = self.stores.write();
        match stores.iter_mut().find(|(kept, _)| kept.id == id) {
            Some((_, uses)) => *uses += 1,
            None => {
                let (copies, count) = (Parts::new(), AtomicU64::new(0));
                let store = Store { id, copies, limit: limit.unwrap_or(u64::MAX), count };
                stores.push((Arc::new(store), 1));
                self.edition.fetch_add(1, Ordering::Release);
            }
        }
    }

    /// One of those who asked for it needs it no longer.
    fn release(&self, id: StoreId) {
        let mut stores = self.stores.write();
        stores.iter_mut().filter(|(kept, _)| kept.id == id).for_each(|(_, uses)| *uses -= 1);
        stores.retain(|(_, uses)| *uses > 0);
        self.edition.fetch_add(1, Ordering::Release);
    }

    /// The store starts again: no copy of it is kept, not even one that was asked for.
    fn forget(&self, id: StoreId) {
        self.stores.write().retain(|(kept, _)| kept.id != id);
        self.edition.fetch_add(1, Ordering::Release);
    }
}

impl Store {
    /// Reads a copy; or, where there is none, what [`Self::fill`] needs to know.
    fn read(&self, key: &[u8], record: &mut Vec<u8>) -> std::result::Result<(), u64> {
        let (hashed, part) = self.copies.of(key);
        let part = part.read();
        part.read(hashed, record).map(drop).ok_or(part.removals())
    }

    fn fill(&self, key: &[u8], record: &[u8], removals: u64) {
        let room = |count| (count < self.limit).then_some(count + 1);
        if self.count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok()
            && !self.copies.insert_if(key, record, removals)
        {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn drop_copy(&self, key: &[u8]) {
        let (hashed, part) = self.copies.of(key);
        if part.write().remove(hashed) {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A load of stores of which copies are kept.
struct Loading<'a> {
    load: Box<dyn Load + 'a>,
    kept: &'a Kept,
}

impl Load for Loading<'_> {
    fn fill(&mut self, store: StoreId, records: Sorted<'_>) -> Result<u64> {
        self.kept.forget(store);
        self.load.fill(store, records)
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.load.commit()
    }
}

impl Engine for Copies {
    fn locks(&self) -> &Arc<Locks> {
        self.engine.locks()
    }

    fn begin(&self, owner: Owner) -> Box<dyn UnitOfWork> {
        let (unit, locks) = (self.engine.begin(owner), Arc::clone(self.engine.locks()));
        Box::new(Unit { unit, locks, kept: Arc::clone(&self.kept), edition: 0, known: SmallVec::new() })
    }

    fn find(&self, name: &str) -> Option<StoreId> {
        self.engine.find(name)
    }

    fn stores(&self) -> Vec<StoreInfo> {
        self.engine.stores()
    }

    fn is_shared(&self) -> bool {
        self.engine.is_shared()
    }

    fn is_reached(&self) -> bool {
        self.engine.is_reached()
    }

    fn claim(&self, name: &[u8], alone: bool) -> Answer<'static, Result<Option<Claim>>> {
        self.engine.claim(name, alone)
    }

    fn watch_store(&self, store: StoreId, watcher: StoreWatcher) -> Answer<'static, Result<()>> {
        self.engine.watch_store(store, watcher)
    }

    fn bound(&self, store: StoreId, most: u64) -> Answer<'static, Result<u64>> {
        self.engine.bound(store, most)
    }

    fn read_versioned(&self, store: StoreId, key: &[u8]) -> Answer<'static, Result<Option<Versioned>>> {
        self.engine.read_versioned(store, key)
    }

    fn replace_versioned(
        &self,
        store: StoreId,
        key: &[u8],
        version: u64,
        record: Option<&[u8]>,
    ) -> Answer<'static, Result<Replaced>> {
        self.engine.replace_versioned(store, key, version, record)
    }

    fn note_wait(&self, waiter: Owner, holder: Owner) -> Answer<'static, Result<()>> {
        self.engine.note_wait(waiter, holder)
    }

    fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.engine.awaited(owner)
    }

    fn held_elsewhere(&self) -> Vec<(Holding, LockOf)> {
        self.engine.held_elsewhere()
    }

    fn holder_for(&self, waiter: Owner) -> Option<Holder> {
        self.engine.holder_for(waiter)
    }

    fn release_names(&self, owner: Owner) {
        self.engine.release_names(owner);
    }

    fn shared_counts(&self) -> Option<(SharedCounts, Vec<(String, SharedCounts)>)> {
        self.engine.shared_counts()
    }

    fn set_numbers_aside(&self, count: u32) -> Result<StoreId> {
        self.engine.set_numbers_aside(count)
    }

    fn largest_unit(&self) -> usize {
        self.engine.largest_unit()
    }

    fn begin_load(&self) -> Result<Box<dyn Load + '_>> {
        Ok(Box::new(Loading { load: self.engine.begin_load()?, kept: &self.kept }))
    }

    fn checkpoint(&self) -> Result<()> {
        self.engine.checkpoint()
    }

    fn verify(&self, store: StoreId) -> Result<Verified> {
        self.engine.verify(store)
    }

    fn backup(
        &self,
        archive: &mut Archive<'_>,
        fixed: &mut dyn FnMut(),
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        self.engine.backup(archive, fixed, progress)
    }

    fn rotate(&self, key: &EncryptionKey) -> Result<()> {
        self.engine.rotate(key)
    }

    fn resealing(&self) -> Option<u64> {
        self.engine.resealing()
    }

    fn failure(&self) -> Answer<'static, String> {
        self.engine.failure()
    }

    fn log_counts(&self) -> LogCounts {
        self.engine.log_counts()
    }

    fn indoubt(&self) -> Result<Vec<Indoubt>> {
        self.engine.indoubt()
    }

    fn doubtful(&self, store: StoreId) -> Result<Vec<DoubtfulChange>> {
        self.engine.doubtful(store)
    }

    fn watch_resolved(&self, watcher: ResolvedWatcher) {
        self.engine.watch_resolved(watcher);
    }

    fn resolve(&self, name: &[u8], decision: Decision, by: Decider) -> Answer<'static, Result<()>> {
        self.engine.resolve(name, decision, by)
    }

    fn forget(&self, name: &[u8]) -> Answer<'static, Result<()>> {
        self.engine.forget(name)
    }

    fn keep(&self, store: StoreId, limit: Option<u64>) {
        // Others change records without a word to this process: an engine that is shared has copies of its own.
        match self.engine.is_shared() {
            true => self.engine.keep(store, limit),
            false => self.kept.keep(store, limit),
        }
    }

    fn release_kept(&self, store: StoreId) {
        match self.engine.is_shared() {
            true => self.engine.release_kept(store),
            false => self.kept.release(store),
        }
    }
}

/// A unit of work of the engine below, which reads copies and drops them.
struct Unit {
    unit: Box<dyn UnitOfWork>,
    locks: Arc<Locks>,
    kept: Arc<Kept>,
    /// The edition of `kept` that `known` is of.
    edition: u64,
    /// The stores that it has used, and whether they are kept.
    known: SmallVec<[(StoreId, Option<Arc<Store>>); USUAL_STORES]>,
}

impl Unit {
    /// The copies of a store, if it is kept. Cheap where nothing is.
    fn kept(&mut self, store: StoreId) -> Option<&Store> {
        let edition = self.kept.edition.load(Ordering::Acquire);
        if edition == 0 {
            return None;
        }
        if edition != self.edition {
            self.known.clear();
            self.edition = edition;
        }
        let at = self.known.iter().position(|(known, _)| *known == store).unwrap_or_else(|| {
            self.known.push((store, self.kept.find(store)));
            self.known.len() - 1
        });
        self.known[at].1.as_deref()
    }

    fn drop_copy(&mut self, store: StoreId, key: &[u8]) {
        if let Some(kept) = self.kept(store) {
            kept.drop_copy(key);
        }
    }
}

impl UnitOfWork for Unit {
    fn owner(&self) -> Owner {
        self.unit.owner()
    }

    fn create_store(&mut self, name: &str, recovery: Recovery) -> Result<StoreId> {
        self.unit.create_store(name, recovery)
    }

    fn create_store_as(&mut self, store: StoreId, name: &str, recovery: Recovery) -> Result<()> {
        self.unit.create_store_as(store, name, recovery)
    }

    fn delete_store(&mut self, store: StoreId) -> Result<()> {
        self.kept.forget(store);
        self.unit.delete_store(store)
    }

    fn empty_store(&mut self, store: StoreId) -> Result<()> {
        self.kept.forget(store);
        self.unit.empty_store(store)
    }

    fn set_recovery(&mut self, store: StoreId, recovery: Recovery) -> Result<()> {
        self.unit.set_recovery(store, recovery)
    }

    fn make_room(&mut self, changes: usize, bytes: usize) -> Result<()> {
        self.unit.make_room(changes, bytes)
    }

    fn begins_several(&mut self) -> Answer<'_, ()> {
        self.unit.begins_several()
    }

    fn lock<'a>(&'a mut self, store: StoreId, key: &'a [u8], wait: Wait) -> Answer<'a, Result<()>> {
        self.unit.lock(store, key, wait)
    }

    fn lock_and_get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        wait: Wait,
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        if self.kept(store).is_none() {
            return self.unit.lock_and_get(store, key, wait, record);
        }
        Answer::later(async move {
            self.lock(store, key, wait).await?;
            self.get(store, key, record).await
        })
    }

    fn has_lock(&self, store: StoreId, key: &[u8]) -> bool {
        self.unit.has_lock(store, key)
    }

    fn lock_name<'a>(&'a mut self, name: &'a [u8], lifetime: Lifetime, wait: Wait) -> Answer<'a, Result<()>> {
        self.unit.lock_name(name, lifetime, wait)
    }

    fn unlock_name(&mut self, name: &[u8], lifetime: Lifetime) {
        self.unit.unlock_name(name, lifetime);
    }

    fn has_locks_elsewhere(&self) -> bool {
        self.unit.has_locks_elsewhere()
    }

    fn take_numbers<'a>(
        &'a mut self,
        store: StoreId,
        numbers: Numbers,
        count: u64,
    ) -> Answer<'a, Result<u64>> {
        self.unit.take_numbers(store, numbers, count)
    }

    fn unlock(&mut self, store: StoreId, key: &[u8]) {
        self.unit.unlock(store, key);
    }

    fn get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        let Some(kept) = self.kept(store) else { return self.unit.get(store, key, record) };
        let Err(removals) = kept.read(key, record) else { return Answer::ready(Ok(true)) };
        if self.locks.holder(&Resource::record(store, key)).is_some() {
            return self.unit.get(store, key, record);
        }
        let found = match self.unit.get(store, key, record) {
            Answer::Ready(found) => found,
            Answer::Later(_) => None,
        };
        // A task that has to wait may as well do so the next time.
        if found.is_none() {
            return self.unit.get(store, key, record);
        }
        if let (Some(Ok(true)), Some(kept)) = (&found, self.kept(store)) {
            kept.fill(key, record, removals);
        }
        Answer::Ready(found)
    }

    fn put<'a>(&'a mut self, store: StoreId, key: &'a [u8], record: &'a [u8]) -> Answer<'a, Result<()>> {
        self.drop_copy(store, key);
        self.unit.put(store, key, record)
    }

    fn delete<'a>(&'a mut self, store: StoreId, key: &'a [u8]) -> Answer<'a, Result<()>> {
        self.drop_copy(store, key);
        self.unit.delete(store, key)
    }

    fn range<'a>(
        &'a mut self,
        store: StoreId,
        origin: Origin<'a>,
        direction: Direction,
        limit: usize,
        batch: &'a mut Batch,
    ) -> Answer<'a, Result<()>> {
        self.unit.range(store, origin, direction, limit, batch)
    }

    fn is_current(&self, store: StoreId, stamp: Stamp) -> bool {
        self.unit.is_current(store, stamp)
    }

    fn is_clean(&self) -> bool {
        self.unit.is_clean()
    }

    fn commit(self: Box<Self>) -> Answer<'static, Result<()>> {
        self.unit.commit()
    }

    fn commit_unforced(self: Box<Self>) -> Answer<'static, Result<()>> {
        self.unit.commit_unforced()
    }

    fn prepare<'a>(&'a mut self, name: &'a [u8]) -> Answer<'a, Result<()>> {
        self.unit.prepare(name)
    }

    fn backout(self: Box<Self>) -> Answer<'static, Result<()>> {
        self.unit.backout()
    }
}
