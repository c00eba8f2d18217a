//! A unit of work of the engine of this machine.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::cold::What;
use super::core::Core;
use super::force::Durable;
use super::indoubt::Resolution;
use crate::base::Patience;
use crate::change::{CHANGE_OVERHEAD, Changes, bytes_of};
use crate::key::LONGEST_KEY;
use crate::log::Ending;
use crate::range::read_range;
use crate::state::{DIRECTORY, Description, directory_key, is_own};
use crate::{
    Answer, Batch, Decider, Decision, Direction, Error, Lifetime, Origin, Owner, Recovery, Resource, Result,
    Stamp, StoreId, UnitOfWork, Wait,
};

pub(super) struct LocalUnit {
    core: Arc<Core>,
    owner: Owner,
    changes: Changes,
    /// Number of its changes.
    edits: u64,
    /// Bytes of changes that are taken without asking again.
    promised: usize,
    /// It has taken locks.
    locked: bool,
    /// Its locks are not its own concern any longer: the commit releases them.
    handed_over: bool,
    /// It is indoubt, or about to be: under this name, and with this owner of its locks.
    prepared: Option<(Box<[u8]>, Owner)>,
}

impl LocalUnit {
    pub(super) fn new(core: Arc<Core>, owner: Owner) -> Self {
        Self {
            core,
            owner,
            changes: Changes::default(),
            edits: 0,
            promised: 0,
            locked: false,
            handed_over: false,
            prepared: None,
        }
    }

    /// Refuses a prepared unit of work.
    fn check_open(&self) -> Result<()> {
        if self.prepared.is_none() { Ok(()) } else { Err(Error::Prepared) }
    }

    /// Refuses changes of so many bytes if the commit would be refused with them.
    fn admit(&mut self, bytes: usize) -> Result<()> {
        if let Some(left) = self.promised.checked_sub(bytes) {
            self.promised = left;
            return Ok(());
        }
        self.core.gate.refuses_changes().map_or(Ok(()), Err)?;
        self.core.check_size(self.changes.bytes() + bytes)
    }

    fn change<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        record: Option<&'a [u8]>,
    ) -> Answer<'a, Result<()>> {
        if key.len() > LONGEST_KEY {
            return Answer::ready(Err(Error::Limit("key length")));
        }
        self.edits += 1;
        match self.check_open().and_then(|()| self.core.recovery(store)) {
            Err(error) => Answer::ready(Err(error)),
            Ok(Recovery::Recoverable) => {
                let bytes = bytes_of(key, record);
                let admitted = self.admit(bytes).or_else(|refused| match refused {
                    // It may take the place of another.
                    Error::Limit(_) => {
                        self.core.check_size(self.changes.bytes() - self.changes.bytes_at(store, key) + bytes)
                    }
                    refused => Err(refused),
                });
                Answer::ready(admitted.map(|()| self.changes.set(store, key, record)))
            }
            Ok(Recovery::NonRecoverable) => {
                let core = &self.core;
                let changes = Changes::of(store, key, record);
                if core.gate.is_open() {
                    return Answer::ready(core.commit_unforced(changes));
                }
                Answer::later(async move {
                    core.gate.pass().await?;
                    core.commit_unforced(changes)
                })
            }
        }
    }

    /// The changes, and with them the duty to release the locks.
    fn hand_over(&mut self) -> Changes {
        self.handed_over = true;
        std::mem::take(&mut self.changes)
    }

    fn commit_forced(mut self) -> Answer<'static, Result<()>> {
        let changes = self.hand_over();
        match self.core.commit_forced(changes, self.owner, Ending::Commit) {
            Ok(signalled) => Answer::later(signalled),
            Err(error) => {
                self.handed_over = false;
                Answer::ready(Err(error))
            }
        }
    }

    fn begin_prepare(&mut self, name: &[u8]) -> Result<Durable> {
        let (owner, signalled) = self.core.prepare(name, self.owner, &mut self.changes)?;
        self.prepared = Some((name.into(), owner));
        Ok(signalled)
    }

    /// Ends a prepared unit of work. If that fails it is dropped, and so shunted.
    fn resolve(self: Box<Self>, decision: Decision, is_forced: bool) -> Answer<'static, Result<()>> {
        Answer::later(async move {
            let Some((name, owner)) = &self.prepared else { return Err(Error::NotIndoubt) };
            let by = Decider::Coordinator;
            let resolution = Resolution { name, decision, by, owner: Some(*owner) };
            let resolved = match is_forced {
                true => self.core.resolve(resolution).await,
                false => self.core.resolve_unforced(resolution).await,
            };
            if resolved.is_ok() {
                self.core.resolved.is_heard(*owner);
            }
            resolved
        })
    }

    fn commit_unforced_now(mut self) -> Result<()> {
        // The locks are released when this is dropped, after the changes are visible.
        let changes = std::mem::take(&mut self.changes);
        self.core.commit_unforced(changes)
    }
}

impl UnitOfWork for LocalUnit {
    fn owner(&self) -> Owner {
        self.owner
    }

    fn create_store(&mut self, name: &str, recovery: Recovery) -> Result<StoreId> {
        let store = self.core.new_store();
        self.create_store_as(store, name, recovery).map(|()| store)
    }

    fn create_store_as(&mut self, store: StoreId, name: &str, recovery: Recovery) -> Result<()> {
        self.check_open()?;
        if is_own(name) {
            return Err(Error::StoreExists(name.to_owned()));
        }
        self.locked = true;
        let locked = self.core.locks.try_acquire(self.owner, Resource::store_name(name), Lifetime::Unit)?;
        if !locked || self.core.state.read().find(name).is_some() {
            return Err(Error::StoreExists(name.to_owned()));
        }
        if self.core.recovery(store).is_ok() {
            return Err(Error::StoreExists(name.to_owned()));
        }
        let description = Description { name: name.to_owned(), recovery, space: self.core.new_space() };
        self.changes.set(DIRECTORY, &directory_key(store), Some(&description.to_bytes()));
        Ok(())
    }

    fn delete_store(&mut self, store: StoreId) -> Result<()> {
        self.check_open()?;
        self.core.recovery(store)?;
        self.changes.set(DIRECTORY, &directory_key(store), None);
        Ok(())
    }

    fn empty_store(&mut self, store: StoreId) -> Result<()> {
        self.check_open()?;
        let space = self.core.new_space();
        self.core.describe_in(&mut self.changes, store, |store| store.space = space)
    }

    fn set_recovery(&mut self, store: StoreId, recovery: Recovery) -> Result<()> {
        self.check_open()?;
        self.core.describe_in(&mut self.changes, store, |store| store.recovery = recovery)
    }

    fn lock<'a>(&'a mut self, store: StoreId, key: &'a [u8], wait: Wait) -> Answer<'a, Result<()>> {
        if let Err(error) = self.check_open() {
            return Answer::ready(Err(error));
        }
        self.locked = true;
        self.core.locks.acquire(self.owner, Resource::record(store, key), Lifetime::Unit, wait)
    }

    fn lock_and_get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        wait: Wait,
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        if let Err(error) = self.check_open() {
            return Answer::ready(Err(error));
        }
        self.locked = true;
        let resource = Resource::record(store, key);
        match self.core.locks.acquire(self.owner, resource, Lifetime::Unit, wait).now() {
            Ok(Ok(())) => self.get(store, key, record),
            Ok(Err(error)) => Answer::ready(Err(error)),
            Err(locked) => Answer::later(async move {
                locked.await?;
                self.get(store, key, record).await
            }),
        }
    }

    fn has_lock(&self, store: StoreId, key: &[u8]) -> bool {
        self.core.locks.holder(&Resource::record(store, key)) == Some(self.owner)
    }

    fn unlock(&mut self, store: StoreId, key: &[u8]) {
        let changed = self.changes.in_store(store).is_some_and(|changes| changes.contains_key(key));
        if !changed {
            self.core.locks.release(self.owner, &Resource::record(store, key), Lifetime::Unit);
        }
    }

    fn get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        record.clear();
        if let Some(own) = self.changes.in_store(store).and_then(|changes| changes.get(key)) {
            let verified = own.as_ref().map(|own| own.verified(key)).transpose();
            return Answer::ready(verified.map(|own| {
                record.extend_from_slice(own.unwrap_or_default());
                own.is_some()
            }));
        }
        let core = &self.core;
        match self.check_open().and_then(|()| core.get(store, key, record, Patience::AtOnce)) {
            Err(Error::NotAtOnce) => {
                let what = move || What::Record(key.into());
                let read = move |core: &Core, patience| core.get(store, key, record, patience);
                Answer::later(core.read_cold(store, what, read))
            }
            read => Answer::ready(read),
        }
    }

    fn make_room(&mut self, changes: usize, bytes: usize) -> Result<()> {
        let bytes = bytes + changes * CHANGE_OVERHEAD;
        self.promised = 0;
        self.admit(bytes)?;
        self.promised = bytes;
        Ok(())
    }

    fn put<'a>(&'a mut self, store: StoreId, key: &'a [u8], record: &'a [u8]) -> Answer<'a, Result<()>> {
        self.change(store, key, Some(record))
    }

    fn delete<'a>(&'a mut self, store: StoreId, key: &'a [u8]) -> Answer<'a, Result<()>> {
        self.change(store, key, None)
    }

    fn range<'a>(
        &'a mut self,
        store: StoreId,
        origin: Origin<'a>,
        direction: Direction,
        limit: usize,
        batch: &'a mut Batch,
    ) -> Answer<'a, Result<()>> {
        if let Err(error) = self.check_open() {
            return Answer::ready(Err(error));
        }
        let (own, edits) = (self.changes.in_store(store), self.edits);
        let mut read = move |core: &Core, patience| {
            let state = core.state.read();
            let known = state.store(store)?;
            let engine = core.versions.load(Ordering::Acquire);
            batch.stamp = Stamp { committed: known.version, engine, own: edits };
            let read = read_range(known, own, (&*core.base, patience), (origin, direction), limit, batch);
            if let Err(Error::Overwritten(_)) = read {
                core.suspect_overlay();
            }
            read
        };
        match read(&self.core, Patience::AtOnce) {
            Err(Error::NotAtOnce) => {
                let what = move || What::range(origin, direction, limit);
                Answer::later(self.core.read_cold(store, what, read))
            }
            read => Answer::ready(read),
        }
    }

    fn is_current(&self, store: StoreId, stamp: Stamp) -> bool {
        if stamp.own != self.edits {
            return false;
        }
        if stamp.engine == self.core.versions.load(Ordering::Acquire) {
            return true;
        }
        let state = self.core.state.read();
        state.store(store).is_ok_and(|known| stamp.committed == known.version)
    }

    fn is_clean(&self) -> bool {
        self.changes.is_empty() && self.prepared.is_none()
    }

    fn commit(self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return self.resolve(Decision::Commit, true);
        }
        if self.changes.is_empty() {
            return Answer::ready(Ok(()));
        }
        if self.core.gate.is_open() {
            return self.commit_forced();
        }
        Answer::later(async move {
            self.core.gate.pass().await?;
            self.commit_forced().await
        })
    }

    fn commit_unforced(self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return self.resolve(Decision::Commit, false);
        }
        if self.changes.is_empty() {
            return Answer::ready(Ok(()));
        }
        if self.core.gate.is_open() {
            return Answer::ready(self.commit_unforced_now());
        }
        Answer::later(async move {
            self.core.gate.pass().await?;
            self.commit_unforced_now()
        })
    }

    fn prepare<'a>(&'a mut self, name: &'a [u8]) -> Answer<'a, Result<()>> {
        if let Err(error) = self.check_open() {
            return Answer::ready(Err(error));
        }
        if self.changes.is_empty() {
            return Answer::ready(Ok(()));
        }
        if !self.core.gate.is_open() {
            return Answer::later(async move {
                self.core.gate.pass().await?;
                self.begin_prepare(name)?.await
            });
        }
        match self.begin_prepare(name) {
            Ok(signalled) => Answer::later(signalled),
            Err(error) => Answer::ready(Err(error)),
        }
    }

    fn backout(self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return self.resolve(Decision::Backout, true);
        }
        Answer::ready(Ok(()))
    }
}

impl Drop for LocalUnit {
    fn drop(&mut self) {
        if let Some((_, owner)) = &self.prepared {
            self.core.shunt(*owner);
        } else if self.locked && !self.handed_over {
            self.core.locks.release_all(self.owner, Lifetime::Unit);
        }
    }
}
