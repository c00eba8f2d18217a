//! Private changes of a unit of work, until its commit makes statements of them.

use std::collections::BTreeMap;
use std::ops::Bound;

use records::{Batch, Direction, Origin, Recovery, StoreId, change_bytes};

/// Changed records of one store by their keys; `None` if the record is deleted.
type Map = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// A key and its record, as the database has them.
pub(super) type Keyed = (Vec<u8>, Vec<u8>);

/// A change of a store itself.
#[derive(Debug)]
pub(super) enum OfStore {
    Create(String, Recovery),
    Delete,
    Empty,
    Promise(Recovery),
}

/// The changes of a unit of work.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// By store; a handful at most.
    stores: Vec<(StoreId, Map)>,
    /// In the order in which they were made.
    pub of_stores: Vec<(StoreId, OfStore)>,
    bytes: usize,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.stores.is_empty() && self.of_stores.is_empty()
    }

    /// Bytes that they take, or somewhat more.
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

    /// Returns true if a store of this name is created here.
    pub fn creates(&self, name: &str) -> bool {
        self.of_stores.iter().any(|(_, change)| matches!(change, OfStore::Create(own, _) if own == name))
    }

    /// All records, by store.
    pub fn records(&self) -> impl Iterator<Item = (StoreId, &[u8], Option<&[u8]>)> {
        self.stores
            .iter()
            .flat_map(|(store, map)| map.iter().map(|(key, record)| (*store, &**key, record.as_deref())))
    }

    /// The stores whose records are changed.
    pub fn changed_stores(&self) -> impl Iterator<Item = StoreId> {
        self.stores.iter().map(|(store, _)| *store)
    }

    /// The changes of a store from `origin` on, in the direction of reading, up to the key `last` if there is one.
    fn range<'a>(
        &'a self,
        store: StoreId,
        (origin, direction): (Origin<'_>, Direction),
        last: Option<&[u8]>,
    ) -> Vec<(&'a [u8], Option<&'a [u8]>)> {
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

    /// Merges own changes into what the database has sent; `more`: it may have more of them.
    pub fn merge(
        &self,
        store: StoreId,
        (origin, direction): (Origin<'_>, Direction),
        (theirs, more): (&[Keyed], bool),
        (limit, batch): (usize, &mut Batch),
    ) {
        // Beyond the last one that has come there may be others before the next change.
        let last = theirs.last().filter(|_| more).map(|(key, _)| &**key);
        let mut own = self.range(store, (origin, direction), last).into_iter().peekable();
        let mut theirs = theirs.iter().map(|(key, record)| (&**key, &**record)).peekable();
        while batch.len() < limit {
            let own_first = match (own.peek(), theirs.peek()) {
                (None, None) => return,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some((own, _)), Some((their, _))) => match direction {
                    Direction::Forward => own <= their,
                    Direction::Backward => own >= their,
                },
            };
            if !own_first {
                let Some((key, record)) = theirs.next() else { return };
                batch.push(key, record, limit);
                continue;
            }
            let Some((key, record)) = own.next() else { return };
            theirs.next_if(|(their, _)| *their == key);
            if let Some(record) = record {
                batch.push(key, record, limit);
            }
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
