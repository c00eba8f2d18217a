//! One table: its records by hash of their keys, in parts that threads seldom meet in, and its keys in order.
//!
//! Reading or replacing a record takes its part only; adding and deleting take the order first, then the part; reading
//! a range takes the order, then one part after the other. Nothing waits for a part with another in its hands.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Place;
use parking_lot::RwLock;

use crate::change::{Key, Map, Record};
use crate::range::Out;
use crate::{Batch, Direction, Error, Origin, Recovery, Result};

/// Parts of a table: so many that two threads seldom want the same one.
const PARTS: usize = 64;

/// The state of a record: another one after every change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(u64);

/// What became of a change that was made on condition that nobody was faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// It was made.
    Done,
    /// The record is another one now.
    Changed,
    /// The record is not there any more.
    Gone,
}

/// A table in main storage.
pub struct Table {
    name: String,
    recovery: Recovery,
    limit: Option<u64>,
    /// Places that are used: records, and those that units of work are about to add. Counted only if there is a limit.
    taken: AtomicU64,
    /// Changes whenever what can be seen of the table does.
    version: AtomicU64,
    seed: u64,
    parts: Box<[Part]>,
    order: RwLock<BTreeSet<Key>>,
}

/// Far enough from its neighbours that a lock taken here slows nobody there.
#[derive(Default)]
#[repr(align(128))]
struct Part(RwLock<HashTable<Entry>>);

struct Entry {
    key: Key,
    record: Record,
    version: u64,
}

impl Table {
    pub(super) fn new(name: &str, recovery: Recovery, limit: Option<u64>) -> Self {
        Self {
            name: name.to_owned(),
            recovery,
            limit,
            taken: AtomicU64::new(0),
            version: AtomicU64::new(0),
            seed: RandomState::new().hash_one(name),
            parts: (0..PARTS).map(|_| Part::default()).collect(),
            order: RwLock::default(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it promises.
    pub fn recovery(&self) -> Recovery {
        self.recovery
    }

    /// How many records it takes.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// How many records it has.
    pub fn len(&self) -> usize {
        self.order.read().len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads a record into `record`, replacing what is there; `None` (and an empty `record`) when there is none.
    pub fn read(&self, key: &[u8], record: &mut Vec<u8>) -> Option<Version> {
        record.clear();
        let (hash, part) = self.part(key);
        let part = part.0.read();
        let entry = part.find(hash, |entry| entry.key[..] == *key)?;
        record.extend_from_slice(&entry.record);
        Some(Version(entry.version))
    }

    /// Whether there is a record with this key.
    pub fn has(&self, key: &[u8]) -> bool {
        let (hash, part) = self.part(key);
        part.0.read().find(hash, |entry| entry.key[..] == *key).is_some()
    }

    /// Adds a record unless there is one with this key, outside any unit of work; false if there is.
    pub fn add(&self, key: &[u8], record: &[u8]) -> Result<bool> {
        if self.has(key) {
            return Ok(false);
        }
        self.reserve()?;
        let added = self.insert(key, record);
        if !added {
            self.give_back(1);
        }
        self.touch();
        Ok(added)
    }

    /// Replaces a record, or deletes it (`None`), outside any unit of work, if it is still as `version` says.
    pub fn replace(&self, key: &[u8], version: Version, record: Option<&[u8]>) -> Replaced {
        let Some(record) = record else { return self.delete_if(key, version) };
        let (hash, part) = self.part(key);
        let mut part = part.0.write();
        match part.find_mut(hash, |entry| entry.key[..] == *key) {
            None => Replaced::Gone,
            Some(entry) if entry.version != version.0 => Replaced::Changed,
            Some(entry) => {
                entry.set(record, self.touch());
                Replaced::Done
            }
        }
    }

    fn delete_if(&self, key: &[u8], version: Version) -> Replaced {
        let mut order = self.order.write();
        let (hash, part) = self.part(key);
        let mut part = part.0.write();
        match part.find_entry(hash, |entry| entry.key[..] == *key) {
            Err(_) => Replaced::Gone,
            Ok(entry) if entry.get().version != version.0 => Replaced::Changed,
            Ok(entry) => {
                entry.remove();
                order.remove(key);
                self.give_back(1);
                self.touch();
                Replaced::Done
            }
        }
    }

    /// Takes a place for a record that is about to be added.
    pub(super) fn reserve(&self) -> Result<()> {
        let Some(limit) = self.limit else { return Ok(()) };
        let one_more = |taken| (taken < limit).then_some(taken + 1);
        let took = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        took.map(drop).map_err(|_| Error::Limit("records of a table"))
    }

    /// Gives places back.
    pub(super) fn give_back(&self, places: u64) {
        if self.limit.is_some() {
            self.taken.fetch_sub(places, Ordering::Relaxed);
        }
    }

    /// Makes changes visible; places for new records were reserved.
    pub(super) fn publish(&self, changes: &Map) {
        for (key, record) in changes {
            self.set(key, record.as_deref());
        }
        self.touch();
    }

    /// Makes one change visible; a place for a new record was reserved.
    pub(super) fn publish_one(&self, key: &[u8], record: Option<&[u8]>) {
        self.set(key, record);
        self.touch();
    }

    fn set(&self, key: &[u8], record: Option<&[u8]>) {
        let Some(record) = record else {
            if self.delete(key) {
                self.give_back(1);
            }
            return;
        };
        let (hash, part) = self.part(key);
        let mut part = part.0.write();
        if let Some(entry) = part.find_mut(hash, |entry| entry.key[..] == *key) {
            entry.set(record, self.version.load(Ordering::Relaxed) + 1);
            return;
        }
        drop(part);
        self.insert(key, record);
    }

    fn insert(&self, key: &[u8], record: &[u8]) -> bool {
        let mut order = self.order.write();
        let (hash, part) = self.part(key);
        let mut part = part.0.write();
        let version = self.version.load(Ordering::Relaxed) + 1;
        match part.entry(hash, |entry| entry.key[..] == *key, |entry| self.hash(&entry.key)) {
            Place::Occupied(_) => false,
            Place::Vacant(place) => {
                let key = Key::from_slice(key);
                place.insert(Entry { key: key.clone(), record: record.into(), version });
                order.insert(key)
            }
        }
    }

    fn delete(&self, key: &[u8]) -> bool {
        let mut order = self.order.write();
        let (hash, part) = self.part(key);
        let mut part = part.0.write();
        let found = part.find_entry(hash, |entry| entry.key[..] == *key);
        found.map(|entry| drop(entry.remove())).is_ok() && order.remove(key)
    }

    /// Forgets all records.
    pub(super) fn clear(&self) {
        let mut order = self.order.write();
        self.give_back(order.len() as u64);
        order.clear();
        self.parts.iter().for_each(|part| part.0.write().clear());
        self.touch();
    }

    /// Which committed changes there are.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Says that something has changed; what it is from now on.
    fn touch(&self) -> u64 {
        self.version.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Reads up to `limit` records into `batch`, as the unit of work with the changes `own` sees them.
    pub(super) fn range(
        &self,
        own: Option<&Map>,
        (origin, direction): (Origin<'_>, Direction),
        limit: usize,
        batch: &mut Batch,
    ) {
        let from: Bound<&[u8]> = match origin {
            Origin::Start => Bound::Unbounded,
            Origin::At(key) => Bound::Included(key),
            Origin::Beyond(key) => Bound::Excluded(key),
        };
        let none = Map::new();
        let own = own.unwrap_or(&none);
        let order = self.order.read();
        let mut out = Out::new(batch, limit);
        match direction {
            Direction::Forward => {
                let bounds = (from, Bound::Unbounded);
                self.merge(
                    order.range::<[u8], _>(bounds),
                    own.range::<[u8], _>(bounds),
                    |a, b| a < b,
                    &mut out,
                );
            }
            Direction::Backward => {
                let bounds = (Bound::Unbounded, from);
                let keys = order.range::<[u8], _>(bounds).rev();
                self.merge(keys, own.range::<[u8], _>(bounds).rev(), |a, b| a > b, &mut out);
            }
        }
        out.finish();
    }

    /// Keys of the table and own changes read together; where both have a key, the change counts.
    fn merge<'a>(
        &self,
        keys: impl Iterator<Item = &'a Key>,
        own: impl Iterator<Item = (&'a Key, &'a Option<Record>)>,
        before: fn(&Key, &Key) -> bool,
        out: &mut Out<'_>,
    ) {
        let (mut keys, mut own) = (keys.peekable(), own.peekable());
        while !out.is_full() {
            let own_first = match (keys.peek(), own.peek()) {
                (None, None) => return,
                (Some(_), None) => false,
                (None, Some(_)) => true,
                (Some(key), Some((changed, _))) => !before(key, changed),
            };
            if !own_first {
                keys.next().into_iter().for_each(|key| self.push(key, out));
            } else if let Some((changed, change)) = own.next() {
                keys.next_if(|key| *key == changed);
                out.push_change(changed, change);
            }
        }
    }

    fn push(&self, key: &Key, out: &mut Out<'_>) {
        let (hash, part) = self.part(key);
        if let Some(entry) = part.0.read().find(hash, |entry| entry.key == *key) {
            out.push(key, &entry.record);
        }
    }

    fn part(&self, key: &[u8]) -> (u64, &Part) {
        let hash = self.hash(key);
        // The tables of the parts look at the first and the last bits.
        (hash, &self.parts[(hash >> 32) as usize % PARTS])
    }

    /// Keys are short: eight bytes at a time, each multiplied into what there is.
    fn hash(&self, key: &[u8]) -> u64 {
        const STEP: usize = 8;
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let fold = |a: u64| {
            let product = u128::from(a) * u128::from(FACTOR);
            (product as u64) ^ (product >> 64) as u64
        };
        let (chunks, rest) = key.as_chunks::<STEP>();
        let hash = chunks.iter().fold(self.seed, |hash, chunk| fold(hash ^ u64::from_le_bytes(*chunk)));
        let mut last = [0; STEP];
        last[..rest.len()].copy_from_slice(rest);
        fold(hash ^ u64::from_le_bytes(last) ^ (key.len() as u64).rotate_right(8))
    }
}

impl Entry {
    fn set(&mut self, record: &[u8], version: u64) {
        self.version = version;
        if self.record.len() == record.len() {
            self.record.copy_from_slice(record);
        } else {
            self.record = record.into();
        }
    }
}
