//! A cluster and its alternate indexes, as all who have it open share them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use records::{Batch, Direction, Engine, Numbers, Origin, Recovery, StoreId, UnitOfWork};
use smallvec::SmallVec;

use crate::note::Note;
use crate::{AlternateIndex, Cluster, Error, KeyField, Name, Organization, Result};

/// Keys up to this length are kept without the heap.
const INLINE_KEY: usize = 48;
/// Length of a relative byte address as a key.
pub const RBA_LENGTH: usize = 8;
/// Length of a relative record number as a key.
pub const RRN_LENGTH: usize = 4;

/// A key: from the record, or a relative byte address or record number, big-endian.
pub type Key = SmallVec<[u8; INLINE_KEY]>;

/// A relative byte address as a key.
pub fn rba(address: u64) -> Key {
    Key::from_slice(&address.to_be_bytes())
}

/// A relative record number as a key.
pub fn rrn(number: u32) -> Key {
    Key::from_slice(&number.to_be_bytes())
}

/// An alternate index: a store of its own, from keys to base keys.
///
/// In a unique index the key of an entry is the alternate key. Otherwise a number stands behind it: the numbers of one
/// alternate key rise as its records come, so that duplicates are found in the order in which they were written.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) name: Name,
    pub(crate) store: StoreId,
    pub(crate) key: KeyField,
    pub(crate) unique: bool,
    pub(crate) upgrade: bool,
    /// Numbers below may be taken by units of work that others do not see yet. `None`: other processes take some, too, and the
    /// engine gives them out.
    next_number: Option<AtomicU64>,
}

/// Entries of one alternate key that are looked at in one step.
const GROUP_STEP: usize = 64;

impl Index {
    /// An index in its store. The numbers that units of work in doubt have taken are not given out again: two entries of one
    /// key would be one.
    pub(crate) fn open(engine: &dyn Engine, definition: &AlternateIndex, store: StoreId) -> Result<Self> {
        let AlternateIndex { name, key, unique, upgrade, .. } = definition;
        let is_shared = engine.is_shared();
        let mut next = 0;
        if !unique && !is_shared {
            for (entry, _) in engine.doubtful(store)? {
                let number = entry.last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
                next = next.max(number.saturating_add(1));
            }
        }
        let (name, next_number) = (name.clone(), (!is_shared).then(|| AtomicU64::new(next)));
        Ok(Self { name, store, key: *key, unique: *unique, upgrade: *upgrade, next_number })
    }

    /// The key of an entry; the number counts where the index is not unique.
    pub(crate) fn entry_key(&self, alternate: &[u8], number: u64) -> Key {
        let mut key = Key::from_slice(alternate);
        if !self.unique {
            key.extend_from_slice(&number.to_be_bytes());
        }
        key
    }

    /// The key for a new entry: behind all that have the same alternate key.
    pub(crate) async fn new_entry(&self, unit: &mut dyn UnitOfWork, alternate: &[u8]) -> Result<Key> {
        if self.unique {
            return Ok(Key::from_slice(alternate));
        }
        let end = self.entry_key(alternate, u64::MAX);
        let mut last = Batch::default();
        unit.range(self.store, Origin::At(&end), Direction::Backward, 1, &mut last).await?;
        let last = last.first().and_then(|(key, _)| key.strip_prefix(alternate));
        let last = last.and_then(|number| number.try_into().ok()).map(u64::from_be_bytes);
        let least = last.map_or(0, |number| number + 1);
        let Some(next_number) = &self.next_number else {
            let number = unit.take_numbers(self.store, Numbers::From(least), 1).await?;
            return Ok(self.entry_key(alternate, number));
        };
        let take = |next: u64| Some(next.max(least) + 1);
        let before = next_number.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        Ok(self.entry_key(alternate, before.unwrap_or_default().max(least)))
    }

    /// The key of the entry for a record.
    pub(crate) async fn entry_of(
        &self,
        unit: &mut dyn UnitOfWork,
        alternate: &[u8],
        base: &[u8],
    ) -> Result<Option<Key>> {
        if self.unique {
            return Ok(Some(Key::from_slice(alternate)));
        }
        let mut batch = Batch::default();
        let mut from = Key::from_slice(alternate);
        loop {
            unit.range(self.store, Origin::Beyond(&from), Direction::Forward, GROUP_STEP, &mut batch).await?;
            let group = || batch.iter().take_while(|(key, _)| key.starts_with(alternate));
            if let Some((key, _)) = group().find(|(_, contents)| *contents == base) {
                return Ok(Some(Key::from_slice(key)));
            }
            match group().nth(GROUP_STEP - 1) {
                Some((last, _)) => from = Key::from_slice(last),
                None => return Ok(None),
            }
        }
    }

    /// The alternate key and the base key of an entry.
    pub(crate) fn split<'a>(&self, key: &'a [u8], contents: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        (&key[..self.key.length.min(key.len())], contents)
    }
}

/// A cluster and what is kept up to date with it; shared by all who have it open.
pub(crate) struct Sphere {
    pub(crate) cluster: Cluster,
    pub(crate) store: StoreId,
    /// That it had records; a table has no note.
    pub(crate) note: Option<Note>,
    pub(crate) upgrades: Vec<Arc<Index>>,
    /// ESDS: the address of the next record, as far as it is known here.
    pub(crate) next_address: AtomicU64,
    /// Other processes take addresses, too, and the engine gives them out.
    pub(crate) is_shared: bool,
}

impl Sphere {
    pub(crate) async fn open(
        cluster: Cluster,
        (store, note): (StoreId, Note),
        indexes: Vec<Arc<Index>>,
        engine: &Arc<dyn Engine>,
    ) -> Result<Self> {
        let mut next = 0;
        if cluster.organization == Organization::EntrySequenced {
            let behind = |key: &[u8], record: &[u8]| {
                let address = key.try_into().map(u64::from_be_bytes);
                let address = address.map_err(|_| Error::Corrupt(format!("an address of {}", cluster.name)));
                address.map(|address| address + record.len() as u64)
            };
            let (mut last, mut unit) = (Batch::default(), engine.begin(engine.locks().new_owner()));
            unit.range(store, Origin::Start, Direction::Backward, 1, &mut last).await?;
            if let Some((key, record)) = last.first() {
                next = behind(key, record)?;
            }
            // A unit of work in doubt may have taken the addresses behind it.
            let doubtful = if engine.is_shared() { Vec::new() } else { engine.doubtful(store)? };
            for (key, record) in doubtful {
                next = next.max(behind(&key, record.as_deref().unwrap_or_default())?);
            }
        }
        let upgrades = indexes.into_iter().filter(|index| index.upgrade).collect();
        let note = Some(note);
        let (next_address, is_shared) = (AtomicU64::new(next), engine.is_shared());
        Ok(Self { cluster, store, note, upgrades, next_address, is_shared })
    }

    /// A cluster that nothing is kept up to date with.
    pub(crate) fn alone(cluster: Cluster, store: StoreId, is_shared: bool) -> Self {
        let next_address = AtomicU64::new(0);
        Self { cluster, store, note: None, upgrades: Vec::new(), next_address, is_shared }
    }

    /// The address for a new record of an ESDS. Addresses of units of work that are backed out stay unused.
    pub(crate) async fn new_address(&self, unit: &mut dyn UnitOfWork, length: usize) -> Result<u64> {
        let length = length as u64;
        if !self.is_shared {
            return Ok(self.next_address.fetch_add(length, Ordering::Relaxed));
        }
        let address = unit.take_numbers(self.store, Numbers::Addresses, length).await?;
        self.next_address.fetch_max(address.saturating_add(length), Ordering::Relaxed);
        Ok(address)
    }

    pub(crate) fn is_recoverable(&self) -> bool {
        self.cluster.recovery == Recovery::Recoverable
    }
}
