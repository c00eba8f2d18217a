//! One table: its records in parts, its keys in order.
//!
//! Reading or replacing a record takes its part only, as a reader; adding and deleting take the order first, then the part
//! alone; reading a range takes the order, then one part after the other. Nothing waits for a part with another in its
//! hands.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;
use parking_lot::RwLock;

use super::cell::Set;
use super::parts::Parts;
use crate::change::{Map, Record};
use crate::key::Key;
use crate::range::Out;
use crate::{Batch, Direction, Error, Origin, Recovery, Replaced, Result};

/// The state of a record: another one after every change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(u64);

/// A table in main storage.
pub struct Table {
    name: String,
    recovery: Recovery,
    limit: Option<u64>,
    /// Places that are used: records, and those that units of work are about to add. Counted only if there is a limit.
    taken: CachePadded<AtomicU64>,
    /// Changes whenever what can be seen of the table does.
    stamp: CachePadded<AtomicU64>,
    records: Parts,
    order: RwLock<BTreeSet<Key>>,
}

impl Table {
    pub(super) fn new(name: &str, recovery: Recovery, limit: Option<u64>) -> Self {
        Self {
            name: name.to_owned(),
            recovery,
            limit,
            taken: CachePadded::default(),
            stamp: CachePadded::default(),
            records: Parts::new(),
            order: RwLock::default(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its promise.
    pub fn recovery(&self) -> Recovery {
        self.recovery
    }

    /// Number of records that it takes.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Number of records that it has.
    pub fn len(&self) -> usize {
        self.order.read().len()
    }

    /// Returns true if it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads a record into `record`, replacing what is there; `None` (and an empty `record`) when there is none.
    pub fn read(&self, key: &[u8], record: &mut Vec<u8>) -> Option<Version> {
        let (hashed, part) = self.records.of(key);
        part.read().read(hashed, record).map(Version)
    }

    /// Returns true if there is a record with this key.
    pub fn has(&self, key: &[u8]) -> bool {
        let (hashed, part) = self.records.of(key);
        part.read().has(hashed)
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
        let (hashed, part) = self.records.of(key);
        if let Some(record) = record {
            match part.read().set(hashed, record, Some(version.0)) {
                None => return Replaced::Gone,
                Some(Set::Changed) => return Replaced::Changed,
                Some(Set::Done) => {
                    self.touch();
                    return Replaced::Done;
                }
                Some(Set::Misfit) => {}
            }
        }
        // It goes, or it needs another cell: the order is taken before the part.
        let mut order = self.order.write();
        let mut part = part.write();
        match part.version(hashed) {
            None => return Replaced::Gone,
            Some(now) if now != version.0 => return Replaced::Changed,
            Some(_) => {}
        }
        match record {
            Some(record) => drop(part.put(hashed, record)),
            None => {
                part.remove(hashed);
                order.remove(key);
                self.give_back(1);
            }
        }
        self.touch();
        Replaced::Done
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
        let (hashed, part) = self.records.of(key);
        match record {
            Some(record) => {
                // Mostly it is there; where it is not, the order comes first.
                if part.read().set(hashed, record, None) != Some(Set::Done) {
                    let mut order = self.order.write();
                    if part.write().put(hashed, record) {
                        order.insert(Key::from_slice(key));
                    }
                }
            }
            None => {
                let mut order = self.order.write();
                if part.write().remove(hashed) {
                    order.remove(key);
                    self.give_back(1);
                }
            }
        }
    }

    fn insert(&self, key: &[u8], record: &[u8]) -> bool {
        let mut order = self.order.write();
        self.records.insert(key, record) && order.insert(Key::from_slice(key))
    }

    /// Forgets all records.
    pub(super) fn clear(&self) {
        let mut order = self.order.write();
        self.give_back(order.len() as u64);
        order.clear();
        self.records.clear();
        self.touch();
    }

    /// Which committed changes there are.
    pub(super) fn stamp(&self) -> u64 {
        self.stamp.load(Ordering::Acquire)
    }

    /// Says that something has changed.
    fn touch(&self) {
        self.stamp.fetch_add(1, Ordering::AcqRel);
    }

    /// Reads up to `limit` records into `batch`, as the unit of work with the changes `own` sees them.
    pub(super) fn range(
        &self,
        own: Option<&Map>,
        (origin, direction): (Origin<'_>, Direction),
        limit: usize,
        batch: &mut Batch,
    ) -> Result<()> {
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
                let keys = order.range::<[u8], _>(bounds);
                self.merge(keys, own.range::<[u8], _>(bounds), |a, b| a < b, &mut out)
            }
            Direction::Backward => {
                let bounds = (Bound::Unbounded, from);
                let keys = order.range::<[u8], _>(bounds).rev();
                self.merge(keys, own.range::<[u8], _>(bounds).rev(), |a, b| a > b, &mut out)
            }
        }
    }

    /// Keys of the table and own changes read together; where both have a key, the change counts.
    fn merge<'a>(
        &self,
        keys: impl Iterator<Item = &'a Key>,
        own: impl Iterator<Item = (&'a Key, &'a Option<Record>)>,
        before: fn(&Key, &Key) -> bool,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let (mut keys, mut own) = (keys.peekable(), own.peekable());
        let mut record = Vec::new();
        while !out.is_full() {
            let own_first = match (keys.peek(), own.peek()) {
                (None, None) => break,
                (Some(_), None) => false,
                (None, Some(_)) => true,
                (Some(key), Some((changed, _))) => !before(key, changed),
            };
            if !own_first {
                keys.next().into_iter().for_each(|key| self.push(key, &mut record, out));
            } else if let Some((changed, change)) = own.next() {
                keys.next_if(|key| *key == changed);
                out.push_change(changed, change)?;
            }
        }
        Ok(())
    }

    fn push(&self, key: &Key, record: &mut Vec<u8>, out: &mut Out<'_>) {
        let (hashed, part) = self.records.of(key);
        if part.read().read(hashed, record).is_some() {
            out.push(key, record);
        }
    }
}
