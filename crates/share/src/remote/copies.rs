//! Copies of records in the region, which are read without an exchange as long as their stamps are what they were.
//!
//! A copy comes with a stamp, which the server raises before a change of the record can be seen. So who reads a copy reads what
//! everybody sees at that moment. Records that are not there are copied, too.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::RwLock;
use records::StoreId;

use crate::limits::COPIES_MAX;
use crate::protocol::OfCopies;
use crate::stamps::Looks;

/// A copy: the record, if there is one, and its stamp.
struct Copy {
    record: Option<Box<[u8]>>,
    place: u32,
    stamp: u64,
}

/// Copies of one store's records.
pub(super) struct Kept {
    store: StoreId,
    copies: RwLock<HashMap<Box<[u8]>, Copy>>,
    most: AtomicU64,
    used: AtomicU64,
    refused: AtomicU64,
}

/// The copies of a region.
#[derive(Default)]
pub(super) struct Copies {
    /// With each, how often it was asked for.
    stores: RwLock<Vec<(Arc<Kept>, usize)>>,
    /// True as soon as a store was ever kept.
    any: AtomicBool,
    page: RwLock<Option<Looks>>,
}

impl Kept {
    /// Reads a copy: true or false, as the record is there or not; `None` if there is no copy that is up to date.
    fn read(&self, page: &Looks, key: &[u8], record: &mut Vec<u8>) -> Option<bool> {
        let copies = self.copies.read();
        let copy = copies.get(key)?;
        if !page.is_still(copy.place, copy.stamp) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        self.used.fetch_add(1, Ordering::Relaxed);
        record.extend_from_slice(copy.record.as_deref().unwrap_or_default());
        Some(copy.record.is_some())
    }

    /// Takes a copy, if there is room for it.
    pub fn fill(&self, key: &[u8], record: Option<&[u8]>, (place, stamp): (u32, u64)) {
        let mut copies = self.copies.write();
        if copies.contains_key(key) || (copies.len() as u64) < self.most.load(Ordering::Relaxed) {
            copies.insert(key.into(), Copy { record: record.map(Into::into), place, stamp });
        }
    }
}

impl Copies {
    /// A server is there: its page of stamps; copies of what an earlier one has said are dropped.
    pub fn begin(&self, folder: Option<&Path>) {
        let page = folder.and_then(|folder| Looks::open(folder).ok());
        let mut current = self.page.write();
        self.stores.read().iter().for_each(|(kept, _)| kept.copies.write().clear());
        *current = page;
    }

    /// Keeps copies of a store from now on. Returns true if it was not kept before.
    pub fn keep(&self, store: StoreId, most: Option<u64>) -> bool {
        let most = most.unwrap_or(COPIES_MAX).min(COPIES_MAX);
        let mut stores = self.stores.write();
        self.any.store(true, Ordering::Release);
        if let Some((kept, times)) = stores.iter_mut().find(|(kept, _)| kept.store == store) {
            kept.most.fetch_max(most, Ordering::Relaxed);
            *times += 1;
            return false;
        }
        let (copies, used, refused) = Default::default();
        stores.push((Arc::new(Kept { store, copies, most: most.into(), used, refused }), 1));
        true
    }

    /// Keeps no more copies of a store, if this is called as often as [`Self::keep`]: then it returns true.
    pub fn release(&self, store: StoreId) -> bool {
        let mut stores = self.stores.write();
        let Some(at) = stores.iter().position(|(kept, _)| kept.store == store) else { return false };
        stores[at].1 -= 1;
        let is_over = stores[at].1 == 0;
        if is_over {
            stores.swap_remove(at);
        }
        is_over
    }

    /// The copies of a store, if there are any. Cheap where nothing is kept.
    pub fn of(&self, store: StoreId) -> Option<Arc<Kept>> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        self.stores.read().iter().find(|(kept, _)| kept.store == store).map(|(kept, _)| Arc::clone(kept))
    }

    /// Reads a copy, as [`Kept::read`] does.
    pub fn read(&self, kept: &Kept, key: &[u8], record: &mut Vec<u8>) -> Option<bool> {
        kept.read(self.page.read().as_ref()?, key, record)
    }

    /// Returns true if a stamp is what it was.
    pub fn is_still(&self, place: u32, stamp: u64) -> bool {
        self.page.read().as_ref().is_some_and(|page| page.is_still(place, stamp))
    }

    /// The stores that are kept.
    pub fn kept(&self) -> Vec<StoreId> {
        self.stores.read().iter().map(|(kept, _)| kept.store).collect()
    }

    /// The number of copies that were used and that were out of date, by store.
    pub fn counts(&self) -> OfCopies {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let stores = self.stores.read();
        stores.iter().map(|(kept, _)| (kept.store.0, of(&kept.used), of(&kept.refused))).collect()
    }
}
