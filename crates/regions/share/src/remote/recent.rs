//! Copies of the records that were read last, of files that are no data tables.
//!
//! A copy is made when a record is read for the second time: copies of what is read once would cost memory here, and stamps at the server.
//! Each part has two generations. A copy that is read or made is in the young one; when that has half of the part's bytes, it becomes the
//! old one, and what was in that is forgotten. So what is read again and again stays, and the limit holds.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::mem::{size_of, take};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::RwLock;
use records::StoreId;

use crate::limits::{ONCE_BITS, RECENT_PARTS};
use crate::protocol::OfCopies;
use crate::stamps::Looks;

/// A copy: the record, if there is one, and its stamp.
pub(super) struct Copy {
    record: Option<Box<[u8]>>,
    place: u32,
    stamp: u64,
}

impl Copy {
    pub fn new(record: Option<&[u8]>, (place, stamp): (u32, u64)) -> Self {
        Self { record: record.map(Into::into), place, stamp }
    }

    /// Bytes of the record.
    pub fn bytes(&self) -> usize {
        self.record.as_deref().map_or(0, <[u8]>::len)
    }

    /// Reads it: true or false, as the record is there or not; `None` if it is out of date.
    pub fn read(&self, page: &Looks, record: &mut Vec<u8>) -> Option<bool> {
        if !page.is_still(self.place, self.stamp) {
            return None;
        }
        record.extend_from_slice(self.record.as_deref().unwrap_or_default());
        Some(self.record.is_some())
    }
}

/// Bytes of a copy beside its key and its record: two allocations, and its place in the map.
const AROUND: usize = size_of::<(Box<[u8]>, Copy)>() + 48;

/// The uses of one store's copies.
#[derive(Default)]
struct Counts {
    used: AtomicU64,
    refused: AtomicU64,
}

#[derive(Default)]
struct Generation {
    stores: HashMap<StoreId, HashMap<Box<[u8]>, Copy>>,
    bytes: usize,
}

impl Generation {
    fn get(&self, store: StoreId, key: &[u8]) -> Option<&Copy> {
        self.stores.get(&store)?.get(key)
    }

    fn insert(&mut self, store: StoreId, key: Box<[u8]>, copy: Copy) {
        self.bytes += key.len() + copy.bytes() + AROUND;
        let length = key.len();
        if let Some(former) = self.stores.entry(store).or_default().insert(key, copy) {
            self.bytes -= length + former.bytes() + AROUND;
        }
    }

    fn remove(&mut self, store: StoreId, key: &[u8]) -> Option<(Box<[u8]>, Copy)> {
        let (key, copy) = self.stores.get_mut(&store)?.remove_entry(key)?;
        self.bytes -= key.len() + copy.bytes() + AROUND;
        Some((key, copy))
    }
}

#[derive(Default)]
struct Part {
    young: Generation,
    old: Generation,
}

impl Part {
    fn insert(&mut self, store: StoreId, key: Box<[u8]>, copy: Copy, most: usize) {
        self.young.insert(store, key, copy);
        if self.young.bytes > most / 2 {
            self.old = take(&mut self.young);
        }
    }
}

/// Keys that were read, as bits by their hashes: now and then a key passes for one that was read.
struct Once {
    bits: Box<[AtomicU64]>,
    many: AtomicUsize,
}

impl Default for Once {
    fn default() -> Self {
        let bits = (0..ONCE_BITS / u64::BITS as usize).map(|_| AtomicU64::new(0)).collect();
        Self { bits, many: AtomicUsize::new(0) }
    }
}

impl Once {
    /// Returns true if this was asked before. When many have asked, all of it is forgotten.
    fn was_asked(&self, hash: u64) -> bool {
        let bit = hash as usize % ONCE_BITS;
        let (word, mask) = (&self.bits[bit / u64::BITS as usize], 1 << (bit % u64::BITS as usize));
        if word.load(Ordering::Relaxed) & mask != 0 || word.fetch_or(mask, Ordering::Relaxed) & mask != 0 {
            return true;
        }
        if self.many.fetch_add(1, Ordering::Relaxed) >= ONCE_BITS / 8 {
            self.bits.iter().for_each(|word| word.store(0, Ordering::Relaxed));
            self.many.store(0, Ordering::Relaxed);
        }
        false
    }
}

/// The copies of a region.
#[derive(Default)]
pub(super) struct Recent {
    once: Once,
    /// Bytes of each part; 0: there are no copies.
    most: AtomicUsize,
    parts: [RwLock<Part>; RECENT_PARTS],
    hash: RandomState,
    counts: RwLock<HashMap<StoreId, Arc<Counts>>>,
}

impl Recent {
    /// So many bytes may be used.
    pub fn takes(&self, bytes: usize) {
        self.most.store(bytes / RECENT_PARTS, Ordering::Relaxed);
    }

    /// Returns true if copies are made.
    pub fn is_on(&self) -> bool {
        self.most.load(Ordering::Relaxed) > 0
    }

    /// Returns true if a record was read before: then a copy of it may be made.
    pub fn was_read(&self, store: StoreId, key: &[u8]) -> bool {
        self.once.was_asked(self.hash.hash_one((store, key)))
    }

    fn part(&self, store: StoreId, key: &[u8]) -> &RwLock<Part> {
        &self.parts[self.hash.hash_one((store, key)) as usize % RECENT_PARTS]
    }

    fn counts_of(&self, store: StoreId) -> Arc<Counts> {
        if let Some(counts) = self.counts.read().get(&store) {
            return Arc::clone(counts);
        }
        Arc::clone(self.counts.write().entry(store).or_default())
    }

    /// Reads a copy: true or false, as the record is there or not; `None` if there is no copy that is up to date.
    pub fn read(&self, page: &Looks, store: StoreId, key: &[u8], record: &mut Vec<u8>) -> Option<bool> {
        let part = self.part(store, key);
        let (there, is_old) = {
            let part = part.read();
            let young = part.young.get(store, key);
            let copy = young.or_else(|| part.old.get(store, key))?;
            let there = copy.read(page, record);
            (there, young.is_none())
        };
        let counts = self.counts_of(store);
        let count = if there.is_some() { &counts.used } else { &counts.refused };
        count.fetch_add(1, Ordering::Relaxed);
        if there.is_some() && is_old {
            let mut part = part.write();
            if let Some((key, copy)) = part.old.remove(store, key) {
                part.insert(store, key, copy, self.most.load(Ordering::Relaxed));
            }
        }
        there
    }

    /// Takes a copy.
    pub fn fill(&self, store: StoreId, key: &[u8], copy: Copy) {
        let most = self.most.load(Ordering::Relaxed);
        if key.len() + copy.bytes() + AROUND <= most / 2 {
            self.part(store, key).write().insert(store, key.into(), copy, most);
        }
    }

    /// All copies are forgotten.
    pub fn forget(&self) {
        self.parts.iter().for_each(|part| *part.write() = Part::default());
    }

    /// Copies of a data table that is closed were used so often, and out of date.
    pub fn counts_others(&self, store: StoreId, used: u64, refused: u64) {
        let counts = self.counts_of(store);
        counts.used.fetch_add(used, Ordering::Relaxed);
        counts.refused.fetch_add(refused, Ordering::Relaxed);
    }

    /// The number of copies that were used and that were out of date, by store.
    pub fn counts(&self) -> OfCopies {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = self.counts.read();
        counts.iter().map(|(store, counts)| (store.0, of(&counts.used), of(&counts.refused))).collect()
    }

    /// Bytes of all copies.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        let of_part = |part: &RwLock<Part>| part.read().young.bytes + part.read().old.bytes;
        self.parts.iter().map(of_part).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamps::Page;

    const STORE: StoreId = StoreId(7);

    #[test]
    fn what_is_read_again_and_again_stays_and_the_limit_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut page = Page::open(folder.path()).expect("a page");
        let looks = Looks::open(folder.path()).expect("the page");
        let (recent, most) = (Recent::default(), 100_000);
        let copy = |stamp| Copy::new(Some(&[7; 100]), (1, stamp));
        let stamp = page.give(1).expect("a stamp");
        assert!(!recent.is_on());
        assert!(!recent.was_read(STORE, b"hot") && recent.was_read(STORE, b"hot"));
        for number in 0..2 * ONCE_BITS as u32 {
            recent.was_read(STORE, &number.to_be_bytes());
        }
        let known =
            (0..1_000_u32).filter(|number| recent.was_read(STORE, &(number + 4_000_000).to_be_bytes()));
        assert!(known.count() < 250, "keys that were never read are known seldom");
        recent.fill(STORE, b"hot", copy(stamp));
        assert_eq!(recent.bytes(), 0, "nothing is kept while it is off");
        recent.takes(most);
        recent.fill(STORE, b"hot", copy(stamp));
        for number in 0..20_000_u32 {
            recent.fill(STORE, &number.to_be_bytes(), copy(stamp));
            let mut record = Vec::new();
            assert_eq!(recent.read(&looks, STORE, b"hot", &mut record), Some(true), "after {number}");
            assert_eq!(record, [7; 100]);
            assert!(recent.bytes() <= most, "{} bytes after {number}", recent.bytes());
        }
        assert!(recent.bytes() > most / 4, "{} bytes are used", recent.bytes());
        assert_eq!(recent.read(&looks, STORE, &0_u32.to_be_bytes(), &mut Vec::new()), None);
        assert_eq!(recent.read(&looks, StoreId(8), b"hot", &mut Vec::new()), None);
        page.raise(1).expect("raised");
        assert_eq!(recent.read(&looks, STORE, b"hot", &mut Vec::new()), None);
        assert_eq!(recent.counts(), [(7, 20_000, 1)]);
        recent.forget();
        assert_eq!(recent.bytes(), 0);
    }
}
