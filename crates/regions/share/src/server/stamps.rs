//! Stamps of records, raised before a change can be seen.
//!
//! All of it is on the server's thread. A change has its places *in change* from before it is begun until it can be seen; a
//! record at such a place is answered without a stamp, since it may be either of the two. So a record with a stamp is
//! what everybody sees until the stamp is raised.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
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
    open: RefCell<Option<Open>>,
    hash: RandomState,
    /// Stores in which a session reads ahead, and the session.
    ahead: RefCell<HashSet<(u32, u64)>>,
    /// Another server may take the records while this one is stopped, and raise no stamp here.
    may_be_succeeded: Cell<bool>,
}

struct Open {
    page: Page,
    /// Changes under way, by place, and those that may be anywhere.
    in_change: Vec<u32>,
    everywhere: usize,
}

/// Places in change; over when dropped.
pub(super) struct Changing {
    inner: Rc<Inner>,
    /// `None`: everywhere.
    places: Option<Vec<u32>>,
}

impl Drop for Changing {
    fn drop(&mut self) {
        let mut open = self.inner.stamps.open.borrow_mut();
        let Some(open) = &mut *open else { return };
        match &self.places {
            None => open.everywhere -= 1,
            Some(places) => places.iter().for_each(|place| open.in_change[*place as usize] -= 1),
        }
    }
}

impl Open {
    /// The stamp of a place; `None` while it is in change.
    fn give(&mut self, place: u32) -> Option<(u32, u64)> {
        if self.everywhere > 0 || self.in_change[place as usize] > 0 {
            return None;
        }
        Some((place, self.page.give(place)?))
    }
}

impl Stamps {
    /// The page is in this folder from now on.
    pub fn are_in(&self, folder: &Path) -> io::Result<()> {
        let page = Page::open(folder)?;
        let in_change = vec![0; STAMPS as usize];
        *self.open.borrow_mut() = Some(Open { page, in_change, everywhere: 0 });
        Ok(())
    }

    /// Another server may take the records from now on.
    pub fn may_be_succeeded(&self) {
        self.may_be_succeeded.set(true);
    }

    fn place(&self, store: u32, key: &[u8]) -> u32 {
        (self.hash.hash_one((store, key)) % u64::from(STAMPS)) as u32
    }

    /// The place of all records of a store together.
    fn place_of_all(&self, store: u32) -> u32 {
        (self.hash.hash_one(store) % u64::from(STAMPS)) as u32
    }

    /// The stamp of a record that is about to be read; `None` while it is in change.
    fn of(&self, store: u32, key: &[u8], is_of_table: bool) -> Option<(u32, u64)> {
        if self.may_be_succeeded.get() && !is_of_table {
            return None;
        }
        self.open.borrow_mut().as_mut()?.give(self.place(store, key))
    }

    /// The stamp of all records of a store together, for a session that reads ahead there; `None` while one of them is in change.
    fn of_all(&self, store: u32, session: u64) -> Option<(u32, u64)> {
        if !self.ahead.borrow().contains(&(store, session)) {
            return None;
        }
        self.open.borrow_mut().as_mut()?.give(self.place_of_all(store))
    }

    /// A session has ended, and reads ahead no more. Stamps that it has are raised as all others.
    pub fn end(&self, session: u64) {
        self.ahead.borrow_mut().retain(|(_, whose)| *whose != session);
    }
}

impl Inner {
    /// The places of records, and of the stores that they are in.
    pub(super) fn places_of<'a>(&self, records: impl Iterator<Item = (StoreId, &'a [u8])>) -> Vec<u32> {
        let stamps = &self.stamps;
        let (mut places, mut stores) = (Vec::new(), Vec::new());
        if stamps.open.borrow().is_none() {
            return places;
        }
        for (StoreId(store), key) in records {
            if !stores.contains(&store) {
                stores.push(store);
                places.push(stamps.place_of_all(store));
            }
            places.push(stamps.place(store, key));
        }
        places
    }

    /// Records are about to be changed: their stamps are raised if regions may have them.
    ///
    /// # Errors
    /// A stamp cannot be raised, and the change must not be made.
    pub(super) fn begin_change<'a>(
        self: &Rc<Self>,
        records: impl Iterator<Item = (StoreId, &'a [u8])>,
    ) -> Result<Changing> {
        self.begin_change_at(self.places_of(records))
    }

    /// The same for records at these places.
    ///
    /// # Errors
    /// As for [`Self::begin_change`].
    pub(super) fn begin_change_at(self: &Rc<Self>, places: Vec<u32>) -> Result<Changing> {
        let mut raised = Ok(());
        if let Some(open) = &mut *self.stamps.open.borrow_mut() {
            for place in &places {
                open.in_change[*place as usize] += 1;
                raised = raised.and(open.page.raise(*place));
            }
        }
        let changing = Changing { inner: Rc::clone(self), places: Some(places) };
        raised.map(|()| changing).map_err(|error| not_raised(&error))
    }

    /// Begins a change of unknown records.
    ///
    /// # Errors
    /// As for [`Self::begin_change`].
    pub(super) fn begin_change_anywhere(self: &Rc<Self>) -> Result<Changing> {
        let mut raised = Ok(());
        if let Some(open) = &mut *self.stamps.open.borrow_mut() {
            open.everywhere += 1;
            raised = open.page.raise_all();
        }
        let changing = Changing { inner: Rc::clone(self), places: None };
        raised.map(|()| changing).map_err(|error| not_raised(&error))
    }
}

fn not_raised(error: &io::Error) -> Error {
    tracing::error!(target: "RS", "the stamps of copies cannot be raised, and a change is refused: {error}");
    Error::NoSpace(NOT_RAISED)
}

impl Session {
    /// The region reads ahead in a store from now on.
    pub(super) fn reads_ahead(&self, asked: Asked, store: u32) {
        let stamps = &self.inner.stamps;
        let may = self.sees_stamps() && stamps.open.borrow().is_some();
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
    pub(super) fn copy(&self, asked: Asked, store: u32, key: &[u8], is_of_table: bool) {
        let stamp = if self.sees_stamps() { self.inner.stamps.of(store, key, is_of_table) } else { None };
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
