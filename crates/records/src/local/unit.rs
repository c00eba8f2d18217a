//! A unit of work of the engine of this machine.

use std::sync::Arc;

use super::core::Core;
use crate::change::Changes;
use crate::range::read_range;
use crate::state::{DIRECTORY, Description, directory_key};
use crate::{
    Answer, Batch, Direction, Error, Lifetime, Origin, Owner, Recovery, Resource, Result, Stamp, StoreId,
    UnitOfWork, Wait,
};

/// The longest key.
pub(crate) const LONGEST_KEY: usize = 1024;

pub(super) struct LocalUnit {
    core: Arc<Core>,
    owner: Owner,
    changes: Changes,
    /// How many changes it has made.
    edits: u64,
    /// Its locks are not its own concern any longer: the commit releases them.
    handed_over: bool,
}

impl LocalUnit {
    pub(super) fn new(core: Arc<Core>, owner: Owner) -> Self {
        Self { core, owner, changes: Changes::default(), edits: 0, handed_over: false }
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
        match self.core.recovery(store) {
            Err(error) => Answer::ready(Err(error)),
            Ok(Recovery::Recoverable) => {
                self.changes.set(store, key, record);
                Answer::ready(Ok(()))
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
        match self.core.commit_forced(changes, self.owner) {
            Ok(signalled) => Answer::later(signalled),
            Err(error) => {
                self.handed_over = false;
                Answer::ready(Err(error))
            }
        }
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
        let resource = Resource::named(&[b"store ", name.as_bytes()].concat());
        let locked = self.core.locks.try_acquire(self.owner, resource, Lifetime::Unit)?;
        if !locked || self.core.state.read().find(name).is_some() {
            return Err(Error::StoreExists(name.to_owned()));
        }
        let store = self.core.new_store();
        let description = Description { name: name.to_owned(), recovery, space: self.core.new_space() };
        self.changes.set(DIRECTORY, &directory_key(store), Some(&description.to_bytes()));
        Ok(store)
    }

    fn delete_store(&mut self, store: StoreId) -> Result<()> {
        self.core.recovery(store)?;
        self.changes.set(DIRECTORY, &directory_key(store), None);
        Ok(())
    }

    fn empty_store(&mut self, store: StoreId) -> Result<()> {
        let space = self.core.new_space();
        self.core.describe_in(&mut self.changes, store, space)
    }

    fn lock<'a>(&'a mut self, store: StoreId, key: &'a [u8], wait: Wait) -> Answer<'a, Result<()>> {
        self.core.locks.acquire(self.owner, Resource::record(store, key), Lifetime::Unit, wait)
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
            record.extend_from_slice(own.as_deref().unwrap_or_default());
            return Answer::ready(Ok(own.is_some()));
        }
        let state = self.core.state.read();
        Answer::ready(state.store(store).and_then(|known| match known.overlaid(key) {
            Some(overlaid) => {
                record.extend_from_slice(overlaid.as_deref().unwrap_or_default());
                Ok(overlaid.is_some())
            }
            None => self.core.base.get(known.space, key, record),
        }))
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
        let own = self.changes.in_store(store);
        let state = self.core.state.read();
        Answer::ready(state.store(store).and_then(|known| {
            batch.stamp = Stamp { committed: known.version, own: self.edits };
            read_range(known, own, &*self.core.base, (origin, direction), limit, batch)
        }))
    }

    fn is_current(&self, store: StoreId, stamp: Stamp) -> bool {
        let state = self.core.state.read();
        state.store(store).is_ok_and(|known| stamp == Stamp { committed: known.version, own: self.edits })
    }

    fn is_clean(&self) -> bool {
        self.changes.is_empty()
    }

    fn commit(self: Box<Self>) -> Answer<'static, Result<()>> {
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

    fn backout(self: Box<Self>) -> Answer<'static, Result<()>> {
        Answer::ready(Ok(()))
    }
}

impl Drop for LocalUnit {
    fn drop(&mut self) {
        if !self.handed_over {
            self.core.locks.release_all(self.owner, Lifetime::Unit);
        }
    }
}
