//! Records by hash of their keys, in parts that threads seldom meet in.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Place;
use parking_lot::RwLock;
use smallvec::SmallVec;

/// Parts: so many that two threads seldom want the same one.
const PARTS: usize = 64;

/// Records by their keys.
pub(super) struct Parts {
    seed: u64,
    parts: Box<[Apart]>,
}

/// Far enough from its neighbours that a lock taken here slows nobody there.
#[derive(Default)]
#[repr(align(128))]
struct Apart(RwLock<Part>);

/// One part.
#[derive(Default)]
pub(super) struct Part {
    entries: HashTable<Entry>,
    /// Changes so far: what was read at one count is as it was as long as that stands.
    changes: u64,
}

/// Keys and records that are not longer than this together lie in the part itself: reading one touches no other memory.
const INLINE: usize = 96;

/// A record.
pub(super) struct Entry {
    /// Its key, then itself.
    bytes: SmallVec<[u8; INLINE]>,
    key_length: usize,
    /// The count of its part when it came to be as it is.
    pub version: u64,
}

impl Entry {
    fn new(key: &[u8], record: &[u8], version: u64) -> Self {
        let mut bytes = SmallVec::from_slice(key);
        bytes.extend_from_slice(record);
        Self { bytes, key_length: key.len(), version }
    }

    fn key(&self) -> &[u8] {
        &self.bytes[..self.key_length]
    }

    pub(super) fn record(&self) -> &[u8] {
        &self.bytes[self.key_length..]
    }

    fn replace(&mut self, record: &[u8], version: u64) {
        self.bytes.truncate(self.key_length);
        self.bytes.extend_from_slice(record);
        self.version = version;
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
        Self { seed: RandomState::new().hash_one(PARTS), parts }
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
        entry.replace(record, self.changes);
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

/// Keys are short: eight bytes at a time, each multiplied into what there is.
fn hash(seed: u64, key: &[u8]) -> u64 {
    const STEP: usize = 8;
    let (chunks, rest) = key.as_chunks::<STEP>();
    let hash = chunks.iter().fold(seed, |hash, chunk| fold(hash ^ u64::from_le_bytes(*chunk)));
    let mut last = [0; STEP];
    last[..rest.len()].copy_from_slice(rest);
    fold(hash ^ u64::from_le_bytes(last) ^ (key.len() as u64).rotate_right(STEP as u32))
}

/// Both halves of the product with a number whose bits look like chance.
fn fold(number: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(number) * u128::from(GOLDEN);
    (product as u64) ^ (product >> 64) as u64
}
