//! Private changes of a unit of work whose records another process keeps: they stay here until its commit takes them there.
//!
//! A read sees them merged into what has come from there.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::{Batch, Direction, Origin, Recovery, StoreId, change_bytes};

/// Changed records of one store by their keys; `None` if the record is deleted.
type Map = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// A key, and the record that the unit of work has made of it; `None` if it is deleted.
type Changed<'a> = (&'a [u8], Option<&'a [u8]>);

/// A change of a store itself.
#[derive(Debug)]
pub enum OfStore {
    /// It is made, under this name.
    Create(String, Recovery),
    /// It is deleted.
    Delete,
    /// It is emptied.
    Empty,
    /// It has another promise.
    Promise(Recovery),
}

/// Bytes of a change of a store itself, or somewhat more.
const OF_STORE_BYTES: usize = 64;

/// The changes of a unit of work.
#[derive(Debug, Default)]
pub struct PrivateChanges {
    /// By store; a handful at most.
    stores: Vec<(StoreId, Map)>,
    /// In the order in which they were made.
    of_stores: Vec<(StoreId, OfStore)>,
    bytes: usize,
}

impl PrivateChanges {
    /// Returns true if there are none.
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

    /// Changes a record; `None` deletes it.
    pub fn set(&mut self, store: StoreId, key: &[u8], record: Option<&[u8]>) {
        self.bytes = self.bytes - self.bytes_at(store, key) + change_bytes(key, record);
        let at = self.stores.iter().position(|(known, _)| *known == store).unwrap_or_else(|| {
            self.stores.push((store, Map::new()));
            self.stores.len() - 1
        });
        self.stores[at].1.insert(key.to_vec(), record.map(<[u8]>::to_vec));
    }

    /// Changes a store itself.
    pub fn set_store(&mut self, store: StoreId, change: OfStore) {
        let name = if let OfStore::Create(name, _) = &change { name.len() } else { 0 };
        self.bytes += OF_STORE_BYTES + name;
        self.of_stores.push((store, change));
    }

    /// Returns true if a store of this name is created here.
    pub fn creates(&self, name: &str) -> bool {
        self.of_stores.iter().any(|(_, change)| matches!(change, OfStore::Create(own, _) if own == name))
    }

    /// All changes of stores themselves, in the order in which they were made.
    pub fn of_stores(&self) -> &[(StoreId, OfStore)] {
        &self.of_stores
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

    /// Merges them into records that have come from where they are kept; `more`: there may be more of them.
    pub fn merge<K: AsRef<[u8]>, R: AsRef<[u8]>>(
        &self,
        store: StoreId,
        (origin, direction): (Origin<'_>, Direction),
        (theirs, more): (&[(K, R)], bool),
        (limit, batch): (usize, &mut Batch),
    ) {
        // Beyond the last one that has come there may be others before the next change.
        let last = theirs.last().filter(|_| more).map(|(key, _)| key.as_ref());
        let mut own = self.range(store, (origin, direction), last).into_iter().peekable();
        let mut theirs = theirs.iter().map(|(key, record)| (key.as_ref(), record.as_ref())).peekable();
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

#[cfg(test)]
mod tests {
    use super::*;

    const STORE: StoreId = StoreId(7);

    fn merged(changes: &PrivateChanges, from: Origin<'_>, direction: Direction, more: bool) -> Vec<String> {
        let mut theirs = vec![("b", "2"), ("d", "4")];
        if direction == Direction::Backward {
            theirs.reverse();
        }
        let mut batch = Batch::default();
        changes.merge(STORE, (from, direction), (&theirs, more), (9, &mut batch));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        batch.iter().map(|(key, record)| text(key) + &text(record)).collect()
    }

    #[test]
    fn own_changes_are_seen_in_place_and_none_beyond_what_has_come() {
        let mut changes = PrivateChanges::default();
        for (key, record) in [("a", Some("1")), ("b", None), ("d", Some("44")), ("e", Some("5"))] {
            changes.set(STORE, key.as_bytes(), record.map(str::as_bytes));
        }
        let forward = |more| merged(&changes, Origin::Start, Direction::Forward, more);
        assert_eq!(forward(false), ["a1", "d44", "e5"]);
        assert_eq!(forward(true), ["a1", "d44"], "before e there may be others that have not come");
        assert_eq!(merged(&changes, Origin::Beyond(b"e"), Direction::Backward, false), ["d44", "a1"]);
        assert_eq!(merged(&changes, Origin::At(b"e"), Direction::Backward, true), ["e5", "d44"]);
    }

    #[test]
    fn a_change_counts_once_and_with_its_name() {
        let mut changes = PrivateChanges::default();
        changes.set(STORE, b"key", Some(b"record"));
        let once = changes.bytes();
        changes.set(STORE, b"key", Some(b"record"));
        assert_eq!(changes.bytes(), once);
        changes.set_store(StoreId(8), OfStore::Create("a name".into(), Recovery::Recoverable));
        assert!(changes.bytes() >= once + "a name".len() && changes.creates("a name"));
        assert!(!changes.creates("another"));
    }
}
