//! Versions of records of stores that are not recoverable, for changes that are made only if no other change was faster.
//!
//! A version is a number that no other state of the record has had, not even at an earlier server. It is known in main storage alone: of
//! what was read at an earlier server this server cannot say that it has not changed.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use link::Asked;
use records::{Error, Lifetime, Replaced, Resource, Result, StoreId, Wait};

use super::session::{Session, failed};
use crate::limits::{STORE_MADE, VERSIONS_MAX};
use crate::protocol::{Reply, to_bytes};

/// The versions of one store's records.
struct Store {
    /// The version of all records that have not changed since a region first asked.
    base: u64,
    changed: HashMap<Vec<u8>, u64>,
}

/// All versions.
pub(super) struct Versions {
    next: Cell<u64>,
    stores: RefCell<HashMap<u32, Store>>,
}

impl Default for Versions {
    fn default() -> Self {
        // There are fewer changes than nanoseconds.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { next: Cell::new(since.as_nanos() as u64), stores: RefCell::default() }
    }
}

impl Versions {
    fn number(&self) -> u64 {
        self.next.replace(self.next.get().wrapping_add(1))
    }

    /// The version of a record, or of its absence. From now on changes of the store count.
    fn of(&self, store: u32, key: &[u8]) -> u64 {
        let mut stores = self.stores.borrow_mut();
        let store =
            stores.entry(store).or_insert_with(|| Store { base: self.number(), changed: HashMap::new() });
        store.changed.get(key).copied().unwrap_or(store.base)
    }

    /// A record was changed, and others see it.
    pub fn is_changed(&self, StoreId(store): StoreId, key: &[u8]) {
        let mut stores = self.stores.borrow_mut();
        let Some(known) = stores.get_mut(&store) else { return };
        if known.changed.len() >= VERSIONS_MAX {
            // All that was read before is taken for changed.
            *known = Store { base: self.number(), changed: HashMap::new() };
        }
        known.changed.insert(key.to_vec(), self.number());
    }

    /// A store is gone.
    pub fn forget(&self, StoreId(store): StoreId) {
        self.stores.borrow_mut().remove(&store);
    }
}

impl Session {
    /// Reads a record with its version.
    pub(super) fn versioned(&self, asked: Asked, store: u32, key: &[u8]) {
        // A record that is newer than its version is taken for changed; one that is older must not be taken for unchanged.
        let version = self.inner.versions.of(store, key);
        let (session, key) = (self.shared(), key.to_vec());
        tokio::task::spawn_local(async move {
            let (mut unit, mut record) = (session.unit(), Vec::new());
            asked.reply(&match unit.get(StoreId(store), &key, &mut record).await {
                Ok(there) => to_bytes(&Reply::Versioned(there.then_some(record.as_slice()), version)),
                Err(error) => failed(&error),
            });
        });
    }

    /// Changes a record if it still has this version.
    pub(super) fn replace(&self, asked: Asked, store: u32, key: &[u8], version: u64, record: Option<&[u8]>) {
        let (session, store) = (self.shared(), StoreId(store));
        let (key, record) = (key.to_vec(), record.map(<[u8]>::to_vec));
        let busy = self.begin_ending();
        tokio::task::spawn_local(async move {
            let (locks, owner) = (session.inner.engine.locks(), session.inner.engine.locks().new_owner());
            let (resource, wait) = (Resource::record(store, &key), Wait::AtMost(STORE_MADE));
            let replaced = match locks.acquire(owner, resource, Lifetime::Unit, wait).await {
                Ok(()) => session.replaces(store, &key, version, record.as_deref()).await,
                Err(error) => Err(error),
            };
            locks.release_all(owner, Lifetime::Unit);
            asked.reply(&match replaced {
                Ok(replaced) => to_bytes(&Reply::Replaced(match replaced {
                    Replaced::Done => 0,
                    Replaced::Changed => 1,
                    Replaced::Gone => 2,
                })),
                Err(error) => failed(&error),
            });
            drop(busy);
        });
    }

    async fn replaces(
        &self,
        store: StoreId,
        key: &[u8],
        version: u64,
        record: Option<&[u8]>,
    ) -> Result<Replaced> {
        if self.is_ended() {
            return Err(Error::Cancelled);
        }
        if !self.unit().get(store, key, &mut Vec::new()).await? {
            return Ok(Replaced::Gone);
        }
        if self.inner.versions.of(store.0, key) != version {
            return Ok(Replaced::Changed);
        }
        let changing = self.inner.begin_change(std::iter::once((store, key)))?;
        self.changes(store, key, record).await?;
        drop(changing);
        self.counts_change(store);
        Ok(Replaced::Done)
    }
}
