//! Private changes: what a unit of work has written, before and while it commits.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::StoreId;
use crate::key::Key;
pub(crate) use crate::record::Record;
use crate::record::SUM;

/// Changed records of one store in order of their keys; `None` where the record was deleted.
pub(crate) type Map = BTreeMap<Key, Option<Record>>;

/// The changes of a unit of work, by store.
#[derive(Default)]
pub(crate) struct Changes {
    /// A handful of stores at most: looking through them beats hashing.
    stores: SmallVec<[(StoreId, Map); 1]>,
    /// Bytes that they will take in the log.
    bytes: usize,
}

/// Bytes of a change in the log besides its key and record.
pub(crate) const CHANGE_OVERHEAD: usize = 10 + SUM;

/// Bytes that a change takes in the log, or somewhat more.
pub fn bytes_of(key: &[u8], record: Option<&[u8]>) -> usize {
    CHANGE_OVERHEAD + key.len() + record.map_or(0, <[u8]>::len)
}

impl Changes {
    /// Changes with a single one in it.
    pub(crate) fn of(store: StoreId, key: &[u8], record: Option<&[u8]>) -> Self {
        let mut changes = Self::default();
        changes.set(store, key, record);
        changes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    /// Bytes that they will take in the log, or somewhat more.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of them that the change of a key takes.
    pub(crate) fn bytes_at(&self, store: StoreId, key: &[u8]) -> usize {
        let change = self.in_store(store).and_then(|changes| changes.get(key));
        change.map_or(0, |record| bytes_of(key, record.as_deref()))
    }

    pub(crate) fn set(&mut self, store: StoreId, key: &[u8], record: Option<&[u8]>) {
        let record = record.map(|record| Record::new(key, record));
        self.insert(store, key, record);
    }

    /// Sets a change with the checksum that it had.
    pub(crate) fn insert(&mut self, store: StoreId, key: &[u8], record: Option<Record>) {
        self.bytes += bytes_of(key, record.as_deref());
        let at = self.stores.iter().position(|(s, _)| *s == store).unwrap_or_else(|| {
            self.stores.push((store, Map::new()));
            self.stores.len() - 1
        });
        if let Some(former) = self.stores[at].1.insert(Key::from_slice(key), record) {
            self.bytes -= bytes_of(key, former.as_deref());
        }
    }

    /// Number of stores with changes.
    pub(crate) fn stores(&self) -> usize {
        self.stores.len()
    }

    /// The changes in one store.
    pub(crate) fn in_store(&self, store: StoreId) -> Option<&Map> {
        self.stores.iter().find(|(s, _)| *s == store).map(|(_, map)| map)
    }

    /// All changes, by store in the order in which the stores were first touched, then by key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (StoreId, &Key, &Option<Record>)> {
        self.stores.iter().flat_map(|(store, map)| map.iter().map(|(key, record)| (*store, key, record)))
    }

    /// The changes by store, to be made.
    pub(crate) fn stores_mut(&mut self) -> impl Iterator<Item = (StoreId, &mut Map)> {
        self.stores.iter_mut().map(|(store, map)| (*store, map))
    }
}
