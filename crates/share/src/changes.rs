//! Private changes of a unit of work, on the region's side.

use std::collections::BTreeMap;
use std::ops::Bound;

use records::{Direction, Origin, Recovery, StoreId, change_bytes};

use crate::protocol::Change;

/// Changed records of one store by their keys; `None` if the record is deleted.
type Map = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// A change of a store itself.
#[derive(Debug)]
enum OfStore {
    Create(String, bool),
    Delete,
    Empty,
    Promise(bool),
}

/// The changes of a unit of work.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// By store; a handful at most.
    stores: Vec<(StoreId, Map)>,
    /// In the order in which they were made.
    of_stores: Vec<(StoreId, OfStore)>,
    bytes: usize,
}

/// Bytes of a change of a store itself, or somewhat more.
const OF_STORE_BYTES: usize = 64;

/// A key, and the record that the unit of work has made of it; `None` if it is deleted.
pub(crate) type Changed<'a> = (&'a [u8], Option<&'a [u8]>);

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.stores.is_empty() && self.of_stores.is_empty()
    }

    /// Bytes that they take of a unit of work, or somewhat more.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn in_store(&self, store: StoreId) -> Option<&Map> {
        self.stores.iter().find(|(known, _)| *known == store).map(|(_, map)| map)
    }

    /// The change of a key, if there is one.
    pub fn get(&self, store: StoreId, key: &[u8]) -> Option<Option<&[u8]>> {
        self.in_store(store)?.get(key).map(|record| record.as_deref())
    }

    /// Bytes that the change of a key takes.
    pub fn bytes_at(&self, store: StoreId, key: &[u8]) -> usize {
        self.get(store, key).map_or(0, |record| change_bytes(key, record))
    }

    pub fn set(&mut self, store: StoreId, key: &[u8], record: Option<&[u8]>) {
        self.bytes = self.bytes - self.bytes_at(store, key) + change_bytes(key, record);
        let at = self.stores.iter().position(|(known, _)| *known == store).unwrap_or_else(|| {
            self.stores.push((store, Map::new()));
            self.stores.len() - 1
        });
        self.stores[at].1.insert(key.to_vec(), record.map(<[u8]>::to_vec));
    }

    fn of_store(&mut self, store: StoreId, change: OfStore) {
        self.bytes += OF_STORE_BYTES;
        self.of_stores.push((store, change));
    }

    pub fn create(&mut self, store: StoreId, name: &str, recovery: Recovery) {
        self.bytes += name.len();
        self.of_store(store, OfStore::Create(name.to_owned(), recovery == Recovery::Recoverable));
    }

    /// Returns true if a store of this name is created here.
    pub fn creates(&self, name: &str) -> bool {
        self.of_stores.iter().any(|(_, change)| matches!(change, OfStore::Create(own, _) if own == name))
    }

    pub fn delete(&mut self, store: StoreId) {
        self.of_store(store, OfStore::Delete);
    }

    pub fn empty(&mut self, store: StoreId) {
        self.of_store(store, OfStore::Empty);
    }

    pub fn promise(&mut self, store: StoreId, recovery: Recovery) {
        self.of_store(store, OfStore::Promise(recovery == Recovery::Recoverable));
    }

    /// All of them, as a message has them.
    pub fn to_send(&self) -> Vec<Change<'_>> {
        let of_stores = self.of_stores.iter().map(|(StoreId(store), change)| match change {
            OfStore::Create(name, recoverable) => Change::Create(*store, name, *recoverable),
            OfStore::Delete => Change::Delete(*store),
            OfStore::Empty => Change::Empty(*store),
            OfStore::Promise(recoverable) => Change::Promise(*store, *recoverable),
        });
        let records = self.stores.iter().flat_map(|(StoreId(store), map)| {
            map.iter().map(|(key, record)| Change::Record(*store, key, record.as_deref()))
        });
        of_stores.chain(records).collect()
    }

    /// The changes of a store from `origin` on, in the direction of reading, up to the key `last` if there is one.
    pub fn range<'a>(
        &'a self,
        store: StoreId,
        origin: Origin<'_>,
        direction: Direction,
        last: Option<&[u8]>,
    ) -> Vec<Changed<'a>> {
        let Some(map) = self.in_store(store) else { return Vec::new() };
        let from = match origin {
            Origin::Start => Bound::Unbounded,
            Origin::At(key) => Bound::Included(key),
            Origin::Beyond(key) => Bound::Excluded(key),
        };
        let to = last.map_or(Bound::Unbounded, Bound::Included);
        let (low, high) = match direction {
            Direction::Forward => (from, to),
            Direction::Backward => (to, from),
        };
        if is_nothing(low, high) {
            return Vec::new();
        }
        let changes = map.range::<[u8], _>((low, high)).map(|(key, record)| (&**key, record.as_deref()));
        match direction {
            Direction::Forward => changes.collect(),
            Direction::Backward => changes.rev().collect(),
        }
    }
}

/// Returns true if nothing lies between the bounds, for which a map would panic.
fn is_nothing(low: Bound<&[u8]>, high: Bound<&[u8]>) -> bool {
    match (low, high) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
            low >= high
        }
    }
}
