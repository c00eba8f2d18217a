//! Stamps of records, raised before a change can be seen.
//!
//! All of it is on the server's thread. A change has its places *in change* from before it is begun until it can be seen; a
//! record at such a place is answered without a stamp, since nobody knows which of the two it is. So a record with a stamp is
//! what everybody sees until the stamp is raised.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;
use std::rc::Rc;

use link::Asked;
use records::{Error, Result, StoreId};

use super::Inner;
use super::session::{Session, failed};
use crate::limits::STAMPS;
use crate::protocol::{Reply, to_bytes};
use crate::stamps::Page;

/// The refusal of a change of which regions with copies cannot hear.
const NOT_RAISED: &str = "the stamps of copies";

/// The stamps of a server.
#[derive(Default)]
pub(super) struct Stamps {
    page: RefCell<Option<Page>>,
    hash: RandomState,
    /// Changes under way, by place.
    in_change: RefCell<HashMap<u32, usize>>,
    /// Changes under way that may be anywhere.
    everywhere: RefCell<usize>,
    /// Stores of which a session keeps copies, and the session.
    kept: RefCell<HashSet<(u32, u64)>>,
    /// Stores in which a session reads ahead, and the session.
    ahead: RefCell<HashSet<(u32, u64)>>,
}

/// Places in change; over when dropped.
pub(super) struct Changing {
    inner: Rc<Inner>,
    /// `None`: everywhere.
    places: Option<Vec<u32>>,
}

impl Drop for Changing {
    fn drop(&mut self) {
        let stamps = &self.inner.stamps;
        let Some(places) = &self.places else {
            *stamps.everywhere.borrow_mut() -= 1;
            return;
        };
        let mut in_change = stamps.in_change.borrow_mut();
        for place in places {
            match in_change.get_mut(place) {
                Some(1) | None => drop(in_change.remove(place)),
                Some(changes) => *changes -= 1,
            }
        }
    }
}

impl Stamps {
    /// The page is in this folder from now on.
    pub fn are_in(&self, folder: &Path) -> io::Result<()> {
        *self.page.borrow_mut() = Some(Page::open(folder)?);
        Ok(())
    }

    fn place(&self, store: u32, key: &[u8]) -> u32 {
        (self.hash.hash_one((store, key)) % u64::from(STAMPS)) as u32
    }

    /// The place of all records of a store together.
    fn place_of_all(&self, store: u32) -> u32 {
        (self.hash.hash_one(store) % u64::from(STAMPS)) as u32
    }

    fn is_read_ahead(&self, store: u32) -> bool {
        self.ahead.borrow().iter().any(|(ahead, _)| *ahead == store)
    }

    fn is_kept(&self, store: u32) -> bool {
        self.kept.borrow().iter().any(|(kept, _)| *kept == store)
    }

    /// The stamp of a record that is about to be read; `None` while it is in change.
    fn of(&self, store: u32, key: &[u8]) -> Option<(u32, u64)> {
        self.at(self.place(store, key))
    }

    /// The stamp of all records of a store together, for a session that reads ahead there; `None` while one of them is in change.
    fn of_all(&self, store: u32, session: u64) -> Option<(u32, u64)> {
        self.at(self.place_of_all(store)).filter(|_| self.ahead.borrow().contains(&(store, session)))
    }

    fn at(&self, place: u32) -> Option<(u32, u64)> {
        if *self.everywhere.borrow() > 0 || self.in_change.borrow().contains_key(&place) {
            return None;
        }
        Some((place, self.page.borrow().as_ref()?.stamp(place)?))
    }

    /// A session has ended: it may have copies, and changes are not stamped for it any more.
    pub fn end(&self, session: u64) {
        let ends = |stores: &RefCell<HashSet<(u32, u64)>>| {
            let mut stores = stores.borrow_mut();
            let before = stores.len();
            stores.retain(|(_, whose)| *whose != session);
            stores.len() < before
        };
        if ends(&self.kept) | ends(&self.ahead)
            && let Some(page) = &mut *self.page.borrow_mut()
            && let Err(error) = page.raise_all()
        {
            tracing::error!(target: "RS", "the stamps of copies cannot be raised: {error}");
        }
    }
}

impl Inner {
    /// Records are about to be changed: their stamps are raised if regions may have copies.
    ///
    /// # Errors
    /// A stamp cannot be raised, and the change must not be made.
    pub(super) fn begin_change<'a>(
        self: &Rc<Self>,
        records: impl Iterator<Item = (StoreId, &'a [u8])>,
    ) -> Result<Changing> {
        let stamps = &self.stamps;
        let mut changing = Changing { inner: Rc::clone(self), places: None };
        let mut places = Vec::new();
        let mut raised = Ok(());
        {
            let (mut in_change, mut page) = (stamps.in_change.borrow_mut(), stamps.page.borrow_mut());
            let mut stores = Vec::new();
            for (StoreId(store), key) in records {
                if !stores.contains(&store) {
                    stores.push(store);
                    let place = stamps.place_of_all(store);
                    *in_change.entry(place).or_default() += 1;
                    places.push(place);
                    if stamps.is_read_ahead(store)
                        && let Some(page) = &mut *page
                    {
                        raised = raised.and(page.raise(place));
                    }
                }
                let place = stamps.place(store, key);
                *in_change.entry(place).or_default() += 1;
                places.push(place);
                if stamps.is_kept(store)
                    && let Some(page) = &mut *page
                {
                    raised = raised.and(page.raise(place));
                }
            }
        }
        changing.places = Some(places);
        raised.map(|()| changing).map_err(|error| not_raised(&error))
    }

    /// Something is about to be changed, and nobody knows what.
    ///
    /// # Errors
    /// As for [`Self::begin_change`].
    pub(super) fn begin_change_anywhere(self: &Rc<Self>) -> Result<Changing> {
        *self.stamps.everywhere.borrow_mut() += 1;
        let changing = Changing { inner: Rc::clone(self), places: None };
        let is_kept = !self.stamps.kept.borrow().is_empty() || !self.stamps.ahead.borrow().is_empty();
        match &mut *self.stamps.page.borrow_mut() {
            Some(page) if is_kept => page.raise_all().map(|()| changing).map_err(|error| not_raised(&error)),
            _ => Ok(changing),
        }
    }
}

fn not_raised(error: &io::Error) -> Error {
    tracing::error!(target: "RS", "the stamps of copies cannot be raised, and a change is refused: {error}");
    Error::NoSpace(NOT_RAISED)
}

impl Session {
    /// The region keeps copies of a store from now on, or no more. The reply is no if there are no stamps.
    pub(super) fn keep(&self, asked: Asked, store: u32, keeps: bool) {
        let stamps = &self.inner.stamps;
        let may = stamps.page.borrow().is_some();
        match keeps {
            true if may => drop(stamps.kept.borrow_mut().insert((store, self.id))),
            true => {}
            false => drop(stamps.kept.borrow_mut().remove(&(store, self.id))),
        }
        asked.reply(&to_bytes(&Reply::Is(may)));
    }

    /// The region reads ahead in a store from now on.
    pub(super) fn reads_ahead(&self, asked: Asked, store: u32) {
        let stamps = &self.inner.stamps;
        let may = stamps.page.borrow().is_some();
        if may {
            stamps.ahead.borrow_mut().insert((store, self.id));
        }
        asked.reply(&to_bytes(&Reply::Is(may)));
    }

    /// The stamp of a store's records, which are about to be read.
    pub(super) fn stamp_of_all(&self, store: u32) -> Option<(u32, u64)> {
        self.inner.stamps.of_all(store, self.id)
    }

    /// Reads a record for a copy of it.
    pub(super) fn copy(&self, asked: Asked, store: u32, key: &[u8]) {
        let stamps = &self.inner.stamps;
        // Stamps are raised only for those who have said that they keep copies.
        let is_kept = stamps.kept.borrow().contains(&(store, self.id));
        let stamp = if is_kept { stamps.of(store, key) } else { None };
        let (mut unit, mut record) = (self.unit(), Vec::new());
        let reply = |read: Result<bool>, record: &[u8], stamp| match read {
            Ok(there) => to_bytes(&Reply::Stamped(there.then_some(record), stamp)),
            Err(error) => failed(&error),
        };
        // What is not there at once is asked for again, by a future that may wait.
        let at_once = unit.get(StoreId(store), key, &mut record).now().ok();
        if let Some(read) = at_once {
            return asked.reply(&reply(read, &record, stamp));
        }
        let key = key.to_vec();
        tokio::task::spawn_local(async move {
            let mut record = Vec::new();
            let read = unit.get(StoreId(store), &key, &mut record).await;
            // A change may have come meanwhile.
            asked.reply(&reply(read, &record, None));
        });
    }
}
