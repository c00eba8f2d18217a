//! Records by hash of their keys, which threads read without meeting each other.
//!
//! Each part has a lock for what it has in it: reading and replacing a record that is there takes it as a reader, and the
//! readers of different threads do not contend. Adding and removing take it alone. Readers and writers of one record are
//! the matter of its [`Cell`].

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Place;

use super::cell::{Cell, Set};
use crate::key::Key;
use crate::shared::Shared;

/// Parts: adding or removing a record keeps readers from one of them only.
const PARTS: usize = 16;

/// Records by their keys.
pub(super) struct Parts {
    hashing: RandomState,
    parts: Box<[Shared<Part>]>,
}

/// One part.
pub(super) struct Part {
    hashing: RandomState,
    entries: HashTable<Entry>,
    /// Number of times that a record was removed, or was to be: a record that was read elsewhere at one count still
    /// counts as long as that stands.
    removals: u64,
    /// The highest version of any record that was removed: one of the same key begins beyond it.
    versions: u64,
}

/// A key and its record. Two lines of the processor's cache, which come together, hold both if they are not long.
#[repr(align(128))]
struct Entry {
    key: Key,
    record: Cell,
}

const _: () = assert!(size_of::<Entry>() == 128);

/// A key with its hash.
#[derive(Clone, Copy)]
pub(super) struct Hashed<'a> {
    key: &'a [u8],
    hash: u64,
}

impl Parts {
    pub(super) fn new() -> Self {
        let hashing = RandomState::default();
        let part = || Part { hashing: hashing.clone(), entries: HashTable::new(), removals: 0, versions: 0 };
        let parts = (0..PARTS).map(|_| Shared::new(part())).collect();
        Self { hashing, parts }
    }

    /// The part of a key.
    pub(super) fn of<'a>(&self, key: &'a [u8]) -> (Hashed<'a>, &Shared<Part>) {
        let hash = self.hashing.hash_one(key);
        // The tables of the parts look at the first and the last bits.
        (Hashed { key, hash }, &self.parts[(hash >> 32) as usize % PARTS])
    }

    /// Forgets all records.
    pub(super) fn clear(&self) {
        self.parts.iter().for_each(|part| part.write().clear());
    }

    /// Adds a record that is not there; false if it is.
    pub(super) fn insert(&self, key: &[u8], record: &[u8]) -> bool {
        let (hashed, part) = self.of(key);
        part.write().insert(hashed, record)
    }

    /// Adds a record that is not there, if none was removed since `removals`; false if one was, or it is there.
    pub(super) fn insert_if(&self, key: &[u8], record: &[u8], removals: u64) -> bool {
        let (hashed, part) = self.of(key);
        let mut part = part.write();
        part.removals == removals && part.insert(hashed, record)
    }
}

impl Part {
    /// Number of times that a record was removed, or was to be.
    pub(super) fn removals(&self) -> u64 {
        self.removals
    }

    fn find(&self, key: Hashed<'_>) -> Option<&Cell> {
        self.entries.find(key.hash, |entry| *entry.key == *key.key).map(|entry| &entry.record)
    }

    pub(super) fn has(&self, key: Hashed<'_>) -> bool {
        self.find(key).is_some()
    }

    /// The version of a record that is there.
    pub(super) fn version(&self, key: Hashed<'_>) -> Option<u64> {
        self.find(key).map(Cell::version)
    }

    /// Reads a record in place of what is in `record`, and tells its version; `None` (and an empty `record`) when there is
    /// none.
    pub(super) fn read(&self, key: Hashed<'_>, record: &mut Vec<u8>) -> Option<u64> {
        record.clear();
        self.find(key).map(|cell| cell.read(record))
    }

    /// Replaces a record that is there, if it is of this version still.
    pub(super) fn set(&self, key: Hashed<'_>, record: &[u8], version: Option<u64>) -> Option<Set> {
        self.find(key).map(|cell| cell.set(record, version))
    }

    /// Removes a record; false if it was not there.
    pub(super) fn remove(&mut self, key: Hashed<'_>) -> bool {
        self.removals += 1;
        let found = self.entries.find_entry(key.hash, |entry| *entry.key == *key.key);
        let Ok(entry) = found else { return false };
        let (entry, _) = entry.remove();
        self.versions = self.versions.max(entry.record.version());
        true
    }

    fn clear(&mut self) {
        self.removals += 1;
        let latest = self.entries.drain().map(|entry| entry.record.version()).max();
        self.versions = self.versions.max(latest.unwrap_or_default());
    }

    /// Replaces a record, or adds it: true if it was not there.
    pub(super) fn put(&mut self, key: Hashed<'_>, record: &[u8]) -> bool {
        match self.entries.find_mut(key.hash, |entry| *entry.key == *key.key) {
            Some(entry) => entry.record = Cell::new(record, entry.record.version()),
            None => return self.insert(key, record),
        }
        false
    }

    /// Adds a record that is not there; false if it is.
    fn insert(&mut self, key: Hashed<'_>, record: &[u8]) -> bool {
        let is = |entry: &Entry| *entry.key == *key.key;
        match self.entries.entry(key.hash, is, |entry| self.hashing.hash_one(&*entry.key)) {
            Place::Occupied(_) => false,
            Place::Vacant(place) => {
                let record = Cell::new(record, self.versions);
                place.insert(Entry { key: Key::from_slice(key.key), record });
                true
            }
        }
    }
}
