//! Records by hash of their keys, in parts that threads seldom meet in.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Place;
use parking_lot::RwLock;

use crate::apart::Apart;
use crate::hash::{hash, seed};

/// Parts: so many that two threads seldom want the same one.
const PARTS: usize = 64;

/// Records by their keys.
pub(super) struct Parts {
    seed: u64,
    parts: Box<[Apart<RwLock<Part>>]>,
}

/// One part.
#[derive(Default)]
pub(super) struct Part {
    entries: HashTable<Entry>,
    /// Changes so far: what was read at one count is as it was as long as that stands.
    changes: u64,
}

/// Keys and records that are not longer than this together lie in the entry itself.
const INLINE: usize = 88;

/// A record. It fills two lines of the processor's cache, which come together; the first has all that finding it takes
/// if its key is not long.
#[repr(C, align(128))]
pub(super) struct Entry {
    /// The count of its part when it came to be as it is.
    pub version: u64,
    key_length: u32,
    /// Of key and record, where they are short.
    length: u32,
    /// Its key, then itself, where they are too long to lie here; otherwise nothing.
    long: Vec<u8>,
    short: [u8; INLINE],
}

impl Entry {
    fn new(key: &[u8], record: &[u8], version: u64) -> Self {
        let mut entry =
            Self { version, key_length: key.len() as u32, length: 0, long: Vec::new(), short: [0; INLINE] };
        entry.set(key, record);
        entry
    }

    fn bytes(&self) -> &[u8] {
        if self.long.is_empty() { &self.short[..self.length as usize] } else { &self.long }
    }

    fn key(&self) -> &[u8] {
        &self.bytes()[..self.key_length as usize]
    }

    pub(super) fn record(&self) -> &[u8] {
        &self.bytes()[self.key_length as usize..]
    }

    fn set(&mut self, key: &[u8], record: &[u8]) {
        let length = key.len() + record.len();
        self.long.clear();
        match self.short.get_mut(..length) {
            Some(short) => {
                short[..key.len()].copy_from_slice(key);
                short[key.len()..].copy_from_slice(record);
                self.length = length as u32;
            }
            None => {
                self.long.extend_from_slice(key);
                self.long.extend_from_slice(record);
            }
        }
    }
}

/// A key with its hash.
#[derive(Clone, Copy)]
pub(super) struct Hashed<'a> {
    key: &'a [u8],
    hash: u64,
}

impl Parts {
    pub(super) fn new() -> Self {
        let parts = (0..PARTS).map(|_| Apart::default()).collect();
        Self { seed: seed(), parts }
    }

    /// The part of a key.
    pub(super) fn of<'a>(&self, key: &'a [u8]) -> (Hashed<'a>, &RwLock<Part>) {
        let hash = hash(self.seed, key);
        // The tables of the parts look at the first and the last bits.
        (Hashed { key, hash }, &self.parts[(hash >> 32) as usize % PARTS].0)
    }

    /// Forgets all records.
    pub(super) fn clear(&self) {
        for part in &self.parts {
            let mut part = part.0.write();
            part.entries.clear();
            part.changes += 1;
        }
    }

    /// Adds a record that is not there; false if it is.
    pub(super) fn insert(&self, key: &[u8], record: &[u8]) -> bool {
        let (hashed, part) = self.of(key);
        let mut part = part.write();
        part.changes += 1;
        part.insert(hashed, record, self.seed)
    }

    /// Adds a record that is not there, if nothing has changed since `changes`; false if it has, or is.
    pub(super) fn insert_if(&self, key: &[u8], record: &[u8], changes: u64) -> bool {
        let (hashed, part) = self.of(key);
        let mut part = part.write();
        part.changes == changes && part.insert(hashed, record, self.seed)
    }
}

impl Part {
    /// Changes so far.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    pub(super) fn find(&self, key: Hashed<'_>) -> Option<&Entry> {
        self.entries.find(key.hash, |entry| entry.key() == key.key)
    }

    /// Replaces a record that is there; false if it is not.
    pub(super) fn replace(&mut self, key: Hashed<'_>, record: &[u8]) -> bool {
        let Some(entry) = self.entries.find_mut(key.hash, |entry| entry.key() == key.key) else {
            return false;
        };
        self.changes += 1;
        entry.set(key.key, record);
        entry.version = self.changes;
        true
    }

    /// Removes a record; false if it was not there.
    pub(super) fn remove(&mut self, key: Hashed<'_>) -> bool {
        self.changes += 1;
        let found = self.entries.find_entry(key.hash, |entry| entry.key() == key.key);
        found.map(|entry| drop(entry.remove())).is_ok()
    }

    fn insert(&mut self, key: Hashed<'_>, record: &[u8], seed: u64) -> bool {
        let is = |entry: &Entry| entry.key() == key.key;
        match self.entries.entry(key.hash, is, |entry| hash(seed, entry.key())) {
            Place::Occupied(_) => false,
            Place::Vacant(place) => {
                place.insert(Entry::new(key.key, record, self.changes));
                true
            }
        }
    }
}
