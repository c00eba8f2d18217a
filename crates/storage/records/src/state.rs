//! The stores, and the overlay: what was committed since the last checkpoint.
//!
//! A store's overlay has two layers: *active* takes what is committed now; *frozen* is what a checkpoint is writing to
//! the base. A read looks into active, then frozen, then the base.

use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::{Batch, Space};
use crate::change::{Changes, Map, Record};
use crate::key::Key;
use crate::position::Position;
use crate::{Error, Recovery, Result, StoreId, StoreInfo};

/// The store that describes the stores: number → recovery, space, name.
pub(crate) const DIRECTORY: StoreId = StoreId(0);
/// Space of the directory.
pub(crate) const DIRECTORY_SPACE: Space = Space(1);

/// Returns true if a name is that of one of the engine's own stores.
pub(crate) fn is_own(name: &str) -> bool {
    name.starts_with('\0')
}

/// Bytes that the overlay is taken to need for a change, besides its key and record.
const CHANGE_COST: usize = 96;

/// One store.
pub(crate) struct Store {
    pub(crate) name: String,
    pub(crate) recovery: Recovery,
    pub(crate) space: Space,
    pub(crate) active: Map,
    pub(crate) frozen: Arc<Map>,
    /// Changes whenever what can be seen of the store does.
    pub(crate) version: u64,
}

impl Store {
    fn new(description: Description) -> Self {
        let Description { name, recovery, space } = description;
        Self { name, recovery, space, active: Map::new(), frozen: Arc::default(), version: 0 }
    }

    /// The overlay's state of a key: nothing, that it was deleted, or its record.
    pub(crate) fn overlaid(&self, key: &[u8]) -> Option<&Option<Record>> {
        if self.active.is_empty() && self.frozen.is_empty() {
            return None;
        }
        let key = &Key::from_slice(key);
        self.active.get(key).or_else(|| self.frozen.get(key))
    }
}

/// A store as the directory describes it.
#[derive(Clone)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) recovery: Recovery,
    pub(crate) space: Space,
}

impl Description {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.recovery == Recovery::Recoverable)];
        bytes.extend(self.space.0.to_be_bytes());
        bytes.extend(self.name.as_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let read = || {
            let (recovery, rest) = bytes.split_first()?;
            let (space, name) = rest.split_first_chunk::<4>()?;
            let recovery = if *recovery == 0 { Recovery::NonRecoverable } else { Recovery::Recoverable };
            let name = std::str::from_utf8(name).ok()?.to_owned();
            Some(Self { name, recovery, space: Space(u32::from_be_bytes(*space)) })
        };
        read().ok_or_else(|| Error::Corrupt("the directory of stores".into()))
    }
}

/// A store's key in the directory.
pub(crate) fn directory_key(store: StoreId) -> [u8; 4] {
    store.0.to_be_bytes()
}

/// All stores. Plain data, kept under a lock by its owner.
pub(crate) struct CommittedState {
    stores: BTreeMap<StoreId, Store>,
    names: HashMap<String, StoreId>,
    /// Spaces that no store uses any longer.
    doomed: Vec<Space>,
    /// Everything before it in the log is in the overlay or the base.
    pub(crate) position: Position,
    /// Bytes of the overlay, roughly.
    pub(crate) bytes: usize,
    /// Changes since the last freeze.
    pub(crate) changes: u64,
    /// Part of `bytes` that a freeze has taken which is not yet in the base.
    frozen_bytes: usize,
    /// The freeze that is not yet in the base.
    batch: Option<Arc<Batch>>,
    versions: Arc<AtomicU64>,
}

impl CommittedState {
    /// A state that knows the directory only.
    pub(crate) fn new(position: Position) -> Self {
        let directory =
            Description { name: String::new(), recovery: Recovery::Recoverable, space: DIRECTORY_SPACE };
        Self {
            stores: BTreeMap::from([(DIRECTORY, Store::new(directory))]),
            names: HashMap::new(),
            doomed: Vec::new(),
            position,
            bytes: 0,
            changes: 0,
            frozen_bytes: 0,
            batch: None,
            versions: Arc::default(),
        }
    }

    pub(crate) fn store(&self, id: StoreId) -> Result<&Store> {
        self.stores.get(&id).ok_or(Error::NoStore(id))
    }

    /// Record in the overlay, open to the tests that damage it.
    #[cfg(test)]
    pub(crate) fn overlaid_mut(&mut self, store: StoreId, key: &[u8]) -> Option<&mut Option<Record>> {
        self.stores.get_mut(&store)?.active.get_mut(key)
    }

    pub(crate) fn find(&self, name: &str) -> Option<StoreId> {
        self.names.get(name).copied()
    }

    /// The stores, without the engine's own.
    pub(crate) fn list(&self) -> Vec<StoreInfo> {
        let stores = self.stores.iter().filter(|(id, store)| **id != DIRECTORY && !is_own(&store.name));
        stores
            .map(|(id, store)| StoreInfo { id: *id, name: store.name.clone(), recovery: store.recovery })
            .collect()
    }

    /// The highest number of a store.
    pub(crate) fn last_store(&self) -> StoreId {
        self.stores.last_key_value().map_or(DIRECTORY, |(id, _)| *id)
    }

    /// The spaces that stores use.
    pub(crate) fn spaces(&self) -> impl Iterator<Item = Space> + '_ {
        self.stores.values().map(|store| store.space)
    }

    /// Marks a space to be cleared by the next checkpoint.
    pub(crate) fn doom(&mut self, space: Space) {
        self.doomed.push(space);
    }

    /// Makes committed changes visible. What they replace is left in their place.
    pub(crate) fn publish(&mut self, changes: &mut Changes) -> Result<()> {
        changes.stores_mut().try_for_each(|(store, map)| {
            map.iter_mut().try_for_each(|(key, record)| self.publish_one(store, key, record))
        })
    }

    /// Makes one committed change visible, and leaves there what it replaces. Changes of a store that is gone are left out.
    pub(crate) fn publish_one(&mut self, id: StoreId, key: &Key, record: &mut Option<Record>) -> Result<()> {
        if id == DIRECTORY {
            self.describe(key, record.as_deref())?;
        }
        let version = self.next_version();
        let Some(store) = self.stores.get_mut(&id) else { return Ok(()) };
        store.version = version;
        let cost = |record: &Option<Record>| {
            CHANGE_COST + key.len() + record.as_ref().map_or(0, |record| record.len())
        };
        self.bytes += cost(record);
        self.changes += 1;
        match store.active.entry(key.clone()) {
            Entry::Vacant(vacant) => drop(vacant.insert(record.take())),
            Entry::Occupied(mut occupied) => {
                self.bytes -= cost(occupied.get());
                std::mem::swap(occupied.get_mut(), record);
            }
        }
        Ok(())
    }

    /// Follows a change of the directory.
    pub(crate) fn describe(&mut self, key: &[u8], description: Option<&[u8]>) -> Result<()> {
        let id = key.try_into().map(u32::from_be_bytes).map(StoreId);
        let id = id.map_err(|_| Error::Corrupt("a key of the directory of stores".into()))?;
        let description = description.map(Description::from_bytes).transpose()?;
        let version = self.next_version();
        if let Some(former) = self.stores.remove(&id) {
            self.names.remove(&former.name);
            if description.as_ref().is_none_or(|new| new.space != former.space) {
                self.doomed.push(former.space);
            } else if let Some(new) = description {
                // Only its name or its promise changed: its records stay.
                self.names.insert(new.name.clone(), id);
                let store = Store { name: new.name, recovery: new.recovery, version, ..former };
                self.stores.insert(id, store);
                return Ok(());
            }
        }
        if let Some(new) = description {
            self.names.insert(new.name.clone(), id);
            self.stores.insert(id, Store { version, ..Store::new(new) });
        }
        Ok(())
    }

    /// Number of changes that it has seen: it can be read without the state's lock.
    pub(crate) fn versions(&self) -> &Arc<AtomicU64> {
        &self.versions
    }

    fn next_version(&self) -> u64 {
        self.versions.fetch_add(1, Ordering::Release) + 1
    }

    /// Bytes of the active layers, roughly.
    pub(crate) fn active_bytes(&self) -> usize {
        self.bytes.saturating_sub(self.frozen_bytes)
    }

    /// Freezes the active layers for a checkpoint. A freeze that has not yet reached the base is returned again.
    pub(crate) fn freeze(&mut self) -> Arc<Batch> {
        if let Some(batch) = &self.batch {
            return batch.clone();
        }
        let mut changes = Vec::new();
        for store in self.stores.values_mut().filter(|store| !store.active.is_empty()) {
            store.frozen = Arc::new(std::mem::take(&mut store.active));
            changes.push((store.space, store.frozen.clone()));
        }
        changes.sort_by_key(|(space, _)| *space);
        let batch = Batch { cleared: std::mem::take(&mut self.doomed), changes, position: self.position };
        let batch = Arc::new(batch);
        self.frozen_bytes = self.bytes;
        self.changes = 0;
        self.batch = Some(batch.clone());
        batch
    }

    /// Forgets the frozen layers: the base has them now.
    pub(crate) fn thaw(&mut self) {
        self.batch = None;
        for store in self.stores.values_mut() {
            store.frozen = Arc::default();
        }
        self.bytes = self.bytes.saturating_sub(self.frozen_bytes);
        self.frozen_bytes = 0;
    }

    /// Returns true if there is anything that the base does not have.
    pub(crate) fn is_ahead_of_base(&self) -> bool {
        self.batch.is_some() || !self.doomed.is_empty() || self.stores.values().any(|s| !s.active.is_empty())
    }
}
