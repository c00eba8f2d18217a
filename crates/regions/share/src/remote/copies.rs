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
use tokio::time::Instant;

use super::recent::{Copy, Recent};
use crate::limits::{COPIES_MAX, LOOKED_AFTER_MAX};
use crate::protocol::OfCopies;
use crate::stamps::Looks;

/// The copies that a record belongs to.
pub(super) enum Of {
    /// Those of a data table.
    Table(Arc<KeptTable>),
    /// Those of the records that were read last.
    Recent,
}

/// Copies of one store's records.
pub(super) struct KeptTable {
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
    stores: RwLock<Vec<(Arc<KeptTable>, usize)>>,
    /// True as soon as a store was ever kept.
    any: AtomicBool,
    page: RwLock<Option<Looks>>,
    recent: Recent,
    /// The server is on another machine: this region cannot see its stamps.
    is_off: AtomicBool,
    looked: Looked,
}

/// The moment at which the link was last looked after.
struct Looked {
    since: Instant,
    millis: AtomicU64,
}

impl Default for Looked {
    fn default() -> Self {
        Self { since: Instant::now(), millis: AtomicU64::new(0) }
    }
}

impl Looked {
    fn now(&self) -> u64 {
        self.since.elapsed().as_millis() as u64
    }

    /// Returns true if it is not too long ago.
    fn is_lately(&self) -> bool {
        let ago = self.now().saturating_sub(self.millis.load(Ordering::Acquire));
        u128::from(ago) <= LOOKED_AFTER_MAX.as_millis()
    }
}

impl KeptTable {
    /// Reads a copy: true or false, as the record is there or not; `None` if there is no copy that is up to date.
    fn read(&self, page: &Looks, key: &[u8], record: &mut Vec<u8>) -> Option<bool> {
        let there = self.copies.read().get(key)?.read(page, record);
        let count = if there.is_some() { &self.used } else { &self.refused };
        count.fetch_add(1, Ordering::Relaxed);
        there
    }

    /// Takes a copy, if there is room for it.
    fn fill(&self, key: &[u8], copy: Copy) {
        let mut copies = self.copies.write();
        if copies.contains_key(key) || (copies.len() as u64) < self.most.load(Ordering::Relaxed) {
            copies.insert(key.into(), copy);
        }
    }
}

impl Copies {
    /// A server is there: its page of stamps; copies of what an earlier one has said are dropped.
    pub fn begin(&self, folder: Option<&Path>) {
        self.is_off.store(folder.is_none(), Ordering::Relaxed);
        let page = folder.and_then(|folder| Looks::open(folder).ok());
        let mut current = self.page.write();
        self.stores.read().iter().for_each(|(kept, _)| kept.copies.write().clear());
        self.recent.forget();
        self.is_looked_after();
        *current = page;
    }

    /// The link is there, and was looked after just now.
    pub fn is_looked_after(&self) {
        self.looked.millis.store(self.looked.now(), Ordering::Release);
    }

    /// Returns true if the link was looked after lately, or if no region wants to know.
    pub fn is_lately(&self) -> bool {
        self.is_off.load(Ordering::Relaxed) || self.looked.is_lately()
    }

    /// The server is gone, and its stamps are no longer raised: copies are of no use until one is there.
    pub fn end(&self) {
        *self.page.write() = None;
    }

    /// Copies of records that are read, of whichever store, may take so many bytes.
    pub fn takes(&self, bytes: usize) {
        self.recent.takes(bytes);
    }

    /// Keeps copies of a store from now on.
    pub fn keep(&self, store: StoreId, most: Option<u64>) {
        let most = most.unwrap_or(COPIES_MAX).min(COPIES_MAX);
        let mut stores = self.stores.write();
        self.any.store(true, Ordering::Release);
        if let Some((kept, times)) = stores.iter_mut().find(|(kept, _)| kept.store == store) {
            kept.most.fetch_max(most, Ordering::Relaxed);
            *times += 1;
            return;
        }
        let (copies, used, refused) = Default::default();
        stores.push((Arc::new(KeptTable { store, copies, most: most.into(), used, refused }), 1));
    }

    /// Keeps no more copies of a store, if this is called as often as [`Self::keep`].
    pub fn release(&self, store: StoreId) {
        let mut stores = self.stores.write();
        let Some(at) = stores.iter().position(|(kept, _)| kept.store == store) else { return };
        stores[at].1 -= 1;
        if stores[at].1 == 0 {
            let (kept, _) = stores.swap_remove(at);
            let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
            self.recent.counts_others(store, of(&kept.used), of(&kept.refused));
        }
    }

    fn table(&self, store: StoreId) -> Option<Arc<KeptTable>> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        self.stores.read().iter().find(|(kept, _)| kept.store == store).map(|(kept, _)| Arc::clone(kept))
    }

    /// The copies of a store, if there are any. Cheap where nothing is kept. `is_of_all`: all regions may use the store.
    pub fn of(&self, store: StoreId, is_of_all: impl FnOnce() -> bool) -> Option<Of> {
        if self.is_off.load(Ordering::Relaxed) {
            return None;
        }
        if let Some(kept) = self.table(store) {
            return Some(Of::Table(kept));
        }
        (self.recent.is_on() && is_of_all()).then_some(Of::Recent)
    }

    /// Reads a copy: true or false, as the record is there or not; `None` if there is no copy that is up to date.
    pub fn read(&self, of: &Of, store: StoreId, key: &[u8], record: &mut Vec<u8>) -> Option<bool> {
        let page = self.page.read();
        let page = page.as_ref().filter(|_| self.looked.is_lately())?;
        match of {
            Of::Table(kept) => kept.read(page, key, record),
            Of::Recent => self.recent.read(page, store, key, record),
        }
    }

    /// Returns true if a copy is to be made of a record that is about to be read.
    pub fn is_wanted(&self, of: &Of, store: StoreId, key: &[u8]) -> bool {
        match of {
            Of::Table(_) => true,
            Of::Recent => self.recent.was_read(store, key),
        }
    }

    /// Takes a copy.
    pub fn fill(&self, of: &Of, store: StoreId, key: &[u8], copy: Copy) {
        match of {
            Of::Table(kept) => kept.fill(key, copy),
            Of::Recent => self.recent.fill(store, key, copy),
        }
    }

    /// Returns true if there are stamps: without them nothing is kept, and nothing read ahead.
    pub fn are_possible(&self) -> bool {
        !self.is_off.load(Ordering::Relaxed)
    }

    /// Returns true if a stamp is what it was.
    pub fn is_still(&self, place: u32, stamp: u64) -> bool {
        self.looked.is_lately() && self.page.read().as_ref().is_some_and(|page| page.is_still(place, stamp))
    }

    /// The number of copies that were used and that were out of date, by store.
    pub fn counts(&self) -> OfCopies {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut counts = self.recent.counts();
        for (kept, _) in self.stores.read().iter() {
            let (used, refused) = (of(&kept.used), of(&kept.refused));
            match counts.iter_mut().find(|(store, ..)| *store == kept.store.0) {
                Some(counted) => *counted = (counted.0, counted.1 + used, counted.2 + refused),
                None => counts.push((kept.store.0, used, refused)),
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamps::Page;

    #[tokio::test(start_paused = true)]
    async fn copies_are_read_only_while_their_link_is_looked_after() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut page = Page::open(folder.path()).expect("a page");
        let copies = Copies::default();
        copies.begin(Some(folder.path()));
        let (store, stamp) = (StoreId(1), page.give(7).expect("a stamp"));
        copies.keep(store, None);
        let of = copies.of(store, || true).expect("copies");
        copies.fill(&of, store, b"key", Copy::new(Some(b"record"), (7, stamp)));
        let read = || copies.read(&of, store, b"key", &mut Vec::new());
        assert_eq!(read(), Some(true));
        // The process was stopped, and who knows for what time.
        tokio::time::advance(2 * LOOKED_AFTER_MAX).await;
        assert_eq!(read(), None);
        assert!(!copies.is_still(7, stamp) && !copies.is_lately());
        copies.is_looked_after();
        assert_eq!(read(), Some(true));
        copies.end();
        assert_eq!(read(), None);
        copies.begin(None);
        assert!(copies.of(store, || true).is_none(), "without stamps none is read or asked for");
    }
}
