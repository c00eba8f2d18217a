//! A unit of work of a region whose records are a server's.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use records::{
    Answer, Batch, Direction, Error, Lifetime, Numbers, OfStore, Origin, Owner, PrivateChanges, Recovery,
    Resource, Result, Stamp, StoreId, UnitOfWork, Wait, change_bytes,
};

use super::asking::caller_waits;
use super::calls::{Calls, Epoch};
use super::copies::Of;
use super::recent::Copy;
use super::{answer, done};
use crate::changes::to_send;
use crate::protocol::{Reply, Request, Waits, is_forward, of_bytes, recovery, to_bytes};

/// The longest key.
const LONGEST_KEY: usize = 1024;

pub(super) struct RemoteUnit {
    calls: Arc<Calls>,
    owner: Owner,
    changes: PrivateChanges,
    /// The number of its last change.
    edits: u64,
    /// Bytes of changes that are taken without asking again.
    promised: usize,
    /// The session in which its locks are.
    epoch: Option<Epoch>,
    /// It has asked for locks.
    locked: bool,
    /// The locks that it has, and how often it has taken each.
    held: HashMap<(StoreId, Box<[u8]>), u32>,
    /// Names that it has taken to its end, and not given back.
    names: usize,
    /// A commit sees to its locks.
    handed_over: bool,
    /// It is indoubt under this name.
    prepared: Option<Box<[u8]>>,
    /// It was backed out: what is asked of it is refused.
    over: bool,
}

impl RemoteUnit {
    pub fn new(calls: Arc<Calls>, owner: Owner) -> Self {
        let (changes, promised) = (PrivateChanges::default(), 0);
        // Names that were lost with a session are not to be trusted: what their task asks later is refused.
        let (epoch, prepared) = (calls.task_epoch(owner), None);
        Self {
            calls,
            owner,
            changes,
            edits: 0,
            promised,
            epoch,
            locked: false,
            held: HashMap::new(),
            names: 0,
            handed_over: false,
            prepared,
            over: false,
        }
    }

    /// One that asks in this session alone.
    pub fn in_session(calls: Arc<Calls>, owner: Owner, epoch: Epoch) -> Self {
        let mut unit = Self::new(calls, owner);
        unit.epoch = Some(epoch);
        unit
    }

    fn check_open(&self) -> Result<()> {
        match (&self.prepared, self.over) {
            (Some(_), _) => Err(Error::Prepared),
            (None, true) => Err(Error::Lost("the unit of work is backed out".into())),
            (None, false) => Ok(()),
        }
    }

    /// Refuses changes of so many bytes if the commit would be refused with them. `former`: bytes of what they replace.
    fn admit(&mut self, bytes: usize, former: usize) -> Result<()> {
        if let Some(left) = self.promised.checked_sub(bytes) {
            self.promised = left;
            return Ok(());
        }
        let fits = self.changes.bytes() - former + bytes <= self.calls.largest_unit();
        if fits { Ok(()) } else { Err(Error::Limit("segment_bytes")) }
    }

    async fn asks(&mut self, request: &Request<'_>) -> Result<Vec<u8>> {
        Ok(self.calls.ask(request, self.epoch).await?.0)
    }

    async fn locks(
        &mut self,
        store: StoreId,
        key: &[u8],
        wait: Wait,
        reads: bool,
    ) -> Result<Option<Vec<u8>>> {
        self.check_open()?;
        let waits = Waits::from(wait);
        let request = Request::Lock { owner: self.owner.0, store: store.0, key, waits, reads };
        caller_waits().await;
        self.locked = true;
        let awaits = self.calls.waits_for(self.owner, Resource::record(store, key));
        let (reply, epoch) = self.calls.ask(&request, self.epoch).await?;
        drop(awaits);
        let locked = answer(&reply, |reply| match reply {
            Reply::Done => Some(None),
            Reply::Record(record) => Some(record.map(<[u8]>::to_vec)),
            _ => None,
        });
        if locked.is_ok() {
            self.epoch = Some(epoch);
            *self.held.entry((store, key.into())).or_default() += 1;
        }
        locked
    }

    async fn locks_name(&mut self, name: &[u8], lifetime: Lifetime, wait: Wait) -> Result<()> {
        self.check_open()?;
        let to_the_end = lifetime == Lifetime::Task;
        let request = Request::LockName { owner: self.owner.0, name, to_the_end, waits: Waits::from(wait) };
        caller_waits().await;
        match to_the_end {
            true => self.calls.task_begins(self.owner),
            false => self.locked = true,
        }
        let awaits = self.calls.waits_for(self.owner, Resource::named(name));
        let (reply, epoch) = self.calls.ask(&request, self.epoch).await?;
        drop(awaits);
        answer(&reply, done)?;
        self.epoch = Some(epoch);
        match to_the_end {
            true => self.calls.task_is_in(self.owner, epoch),
            false => self.names += 1,
        }
        Ok(())
    }

    /// Reads a record of which a copy is made.
    async fn reads_for_copy(&self, of: Of, store: StoreId, key: &[u8], record: &mut Vec<u8>) -> Result<bool> {
        let is_of_table = matches!(of, Of::Table(_));
        let request = Request::Copy { store: store.0, key, is_of_table };
        let (reply, _) = self.calls.ask(&request, self.epoch).await?;
        answer(&reply, |reply| match reply {
            Reply::Stamped(found, stamp) => {
                if let Some(stamp) = stamp {
                    self.calls.copies.fill(&of, store, key, Copy::new(found, stamp));
                }
                record.extend_from_slice(found.unwrap_or_default());
                Some(found.is_some())
            }
            _ => None,
        })
    }

    /// The promise of a store; the server is asked where the directory does not have it.
    async fn promise_of(&mut self, store: StoreId) -> Result<Recovery> {
        if let Some(known) = self.calls.directory.recovery(store) {
            return Ok(known);
        }
        let reply = self.asks(&Request::Describe { store: store.0 }).await?;
        let known = answer(&reply, |reply| match reply {
            Reply::Store(known) => Some(known.map(|known| recovery(known.recoverable))),
            _ => None,
        })?;
        known.ok_or(Error::NoStore(store))
    }

    fn take(&mut self, store: StoreId, key: &[u8], record: Option<&[u8]>) -> Result<()> {
        let bytes = change_bytes(key, record);
        self.admit(bytes, self.changes.bytes_at(store, key))?;
        self.changes.set(store, key, record);
        self.edits = self.calls.edit();
        Ok(())
    }

    fn change<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        record: Option<&'a [u8]>,
    ) -> Answer<'a, Result<()>> {
        if key.len() > LONGEST_KEY {
            return Answer::ready(Err(Error::Limit("key length")));
        }
        if let Err(error) = self.check_open() {
            return Answer::ready(Err(error));
        }
        let reserves = record.is_some() && self.calls.has_bound(store);
        if self.calls.directory.recovery(store) == Some(Recovery::Recoverable) && !reserves {
            return Answer::ready(self.take(store, key, record));
        }
        Answer::later(async move {
            if self.promise_of(store).await? == Recovery::Recoverable {
                // Its own record has its place already.
                if reserves && !matches!(self.changes.get(store, key), Some(Some(_))) {
                    let request = Request::Reserve { owner: self.owner.0, store: store.0, key };
                    answer(&self.asks(&request).await?, done)?;
                }
                return self.take(store, key, record);
            }
            let bytes = change_bytes(key, record);
            if bytes > self.calls.largest_unit() {
                return Err(Error::Limit("segment_bytes"));
            }
            let reply = self.asks(&Request::Change { store: store.0, key, record }).await?;
            answer(&reply, done)
        })
    }

    async fn reads_range(
        &mut self,
        store: StoreId,
        origin: Origin<'_>,
        direction: Direction,
        limit: usize,
        batch: &mut Batch,
    ) -> Result<()> {
        self.check_open()?;
        batch.clear();
        batch.stamp = Stamp::default();
        let mut beyond: Option<Vec<u8>> = None;
        let mut stamps: Option<Option<(u32, u64)>> = None;
        while batch.len() < limit {
            let origin = beyond.as_deref().map_or(origin, Origin::Beyond);
            let wanted = u32::try_from(limit - batch.len()).unwrap_or(u32::MAX);
            let (from, forward) = (origin.into(), is_forward(direction));
            let request = Request::Range { store: store.0, origin: from, forward, limit: wanted };
            let reply = self.asks(&request).await?;
            let (records, more, stamp) = match of_bytes::<Reply<'_>>(&reply) {
                Some(Reply::Records { records, more, stamp }) => (records, more, stamp),
                _ => return answer(&reply, |_| None::<()>),
            };
            // Pieces of several moments are current if nothing was changed between them.
            let stamp = stamp.filter(|_| stamps.is_none_or(|former| former == stamp));
            stamps = Some(stamp);
            batch.stamp = self.stamped(stamp);
            let more = more || records.len() >= wanted as usize;
            self.changes.merge(store, (origin, direction), (&records, more), (limit, batch));
            match records.last() {
                Some((key, _)) if more => beyond = Some(key.to_vec()),
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// The stamp of a batch, which [`UnitOfWork::is_current`] reads; 0 in `engine` is none.
    fn stamped(&self, stamp: Option<(u32, u64)>) -> Stamp {
        let (engine, committed) = stamp.map_or((0, 0), |(place, stamp)| (u64::from(place) + 1, stamp));
        Stamp { committed, engine, own: self.edits }
    }

    /// Its locks are given back, if there are any.
    fn releases(&mut self) {
        if self.locked && !std::mem::replace(&mut self.handed_over, true) {
            self.calls.tell(&Request::Release { owner: self.owner.0 }, self.epoch.or(self.calls.epoch()));
        }
    }

    async fn commits(mut self: Box<Self>, forced: bool) -> Result<()> {
        self.check_open()?;
        caller_waits().await;
        let placed = self.calls.place()?;
        let changes = to_send(&self.changes);
        let body = to_bytes(&Request::Commit { owner: self.owner.0, place: placed.place, forced, changes });
        self.handed_over = true;
        let told = self.calls.ask_to_commit(body, self.epoch, placed).await;
        let committed = told.and_then(|(reply, _)| answer(&reply, done));
        // One that the server has not heard of has its locks still.
        self.handed_over = committed.is_ok();
        committed
    }

    async fn prepares(&mut self, name: &[u8]) -> Result<()> {
        self.check_open()?;
        caller_waits().await;
        let changes = to_send(&self.changes);
        let request = Request::Prepare { owner: self.owner.0, name, changes };
        self.calls.hears.is_attended(name);
        let reply = self.calls.ask(&request, self.epoch).await;
        let prepared = reply.and_then(|(reply, _)| answer(&reply, done));
        match prepared {
            Ok(()) => (self.handed_over, self.prepared) = (true, Some(name.into())),
            Err(_) => {
                self.calls.hears.is_heard(name);
                self.over = true;
            }
        }
        prepared
    }

    /// Ends a prepared unit of work, in this session with the server or a later one.
    async fn finishes(mut self: Box<Self>, commits: bool, forced: bool) -> Result<()> {
        let Some(name) = self.prepared.clone() else { return Err(Error::NotIndoubt) };
        let request = Request::Finish { owner: self.owner.0, name: &name, commits, forced };
        let mut again = false;
        loop {
            let ended = match self.calls.ask(&request, None).await {
                Ok((reply, _)) => answer(&reply, done),
                Err(error) => Err(error),
            };
            match ended {
                // The one that was lost has ended it.
                Err(Error::NotIndoubt) if again => break,
                Err(Error::Lost(_)) if !again && self.calls.is_there().await.is_ok() => again = true,
                Err(error) => return Err(error),
                Ok(()) => break,
            }
        }
        self.prepared = None;
        self.calls.hears.is_heard(&name);
        Ok(())
    }
}

impl UnitOfWork for RemoteUnit {
    fn owner(&self) -> Owner {
        self.owner
    }

    fn create_store(&mut self, name: &str, recovery: Recovery) -> Result<StoreId> {
        self.check_open()?;
        if name.starts_with('\0') || self.calls.directory.find(name).is_some() || self.changes.creates(name) {
            return Err(Error::StoreExists(name.to_owned()));
        }
        let (store, few) = self.calls.directory.number().ok_or(Error::Limit("numbers of stores"))?;
        if few {
            self.calls.wants_numbers();
        }
        self.epoch = self.epoch.or(self.calls.epoch());
        self.changes.set_store(store, OfStore::Create(name.to_owned(), recovery));
        Ok(store)
    }

    fn delete_store(&mut self, store: StoreId) -> Result<()> {
        self.check_open()?;
        self.changes.set_store(store, OfStore::Delete);
        self.edits = self.calls.edit();
        Ok(())
    }

    fn empty_store(&mut self, store: StoreId) -> Result<()> {
        self.check_open()?;
        self.changes.set_store(store, OfStore::Empty);
        self.edits = self.calls.edit();
        Ok(())
    }

    fn set_recovery(&mut self, store: StoreId, recovery: Recovery) -> Result<()> {
        self.check_open()?;
        self.changes.set_store(store, OfStore::Promise(recovery));
        Ok(())
    }

    fn lock<'a>(&'a mut self, store: StoreId, key: &'a [u8], wait: Wait) -> Answer<'a, Result<()>> {
        Answer::later(async move { self.locks(store, key, wait, false).await.map(drop) })
    }

    fn has_lock(&self, store: StoreId, key: &[u8]) -> bool {
        self.held.contains_key(&(store, Box::from(key)))
    }

    fn lock_name<'a>(&'a mut self, name: &'a [u8], lifetime: Lifetime, wait: Wait) -> Answer<'a, Result<()>> {
        Answer::later(self.locks_name(name, lifetime, wait))
    }

    fn unlock_name(&mut self, name: &[u8], lifetime: Lifetime) {
        let to_the_end = lifetime == Lifetime::Task;
        if if to_the_end { self.calls.is_task(self.owner) } else { self.locked } {
            if !to_the_end {
                self.names = self.names.saturating_sub(1);
            }
            let request = Request::UnlockName { owner: self.owner.0, name, to_the_end };
            self.calls.tell(&request, self.epoch.or(self.calls.epoch()));
        }
    }

    fn has_locks_elsewhere(&self) -> bool {
        self.names > 0 || !self.held.is_empty()
    }

    fn take_numbers<'a>(
        &'a mut self,
        store: StoreId,
        numbers: Numbers,
        count: u64,
    ) -> Answer<'a, Result<u64>> {
        let (addresses, from) = match numbers {
            Numbers::Addresses => (true, 0),
            Numbers::From(from) => (false, from),
        };
        Answer::later(async move {
            self.check_open()?;
            let request = Request::Numbers { store: store.0, addresses, from, count };
            caller_waits().await;
            let (reply, epoch) = self.calls.ask(&request, self.epoch).await?;
            // A server that begins again knows nothing of a number that was given to this unit of work.
            self.epoch = Some(epoch);
            answer(&reply, |reply| if let Reply::Number(first) = reply { Some(first) } else { None })
        })
    }

    fn unlock(&mut self, store: StoreId, key: &[u8]) {
        let is_changed = self.changes.get(store, key).is_some();
        if self.locked && !is_changed {
            if let Entry::Occupied(mut held) = self.held.entry((store, key.into())) {
                *held.get_mut() -= 1;
                if *held.get() == 0 {
                    held.remove();
                }
            }
            let request = Request::Unlock { owner: self.owner.0, store: store.0, key };
            self.calls.tell(&request, self.epoch.or(self.calls.epoch()));
        }
    }

    fn lock_and_get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        wait: Wait,
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        Answer::later(async move {
            record.clear();
            let own = self.changes.get(store, key).map(|own| own.map(<[u8]>::to_vec));
            let theirs = self.locks(store, key, wait, own.is_none()).await?;
            let found = own.unwrap_or(theirs);
            record.extend_from_slice(found.as_deref().unwrap_or_default());
            Ok(found.is_some())
        })
    }

    fn get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        record.clear();
        if let Some(own) = self.changes.get(store, key) {
            record.extend_from_slice(own.unwrap_or_default());
            return Answer::ready(Ok(own.is_some()));
        }
        if let Err(error) = self.check_open() {
            return Answer::ready(Err(error));
        }
        let of_all = || self.calls.directory.is_of_all(store);
        if let Some(of) = self.calls.copies.of(store, of_all) {
            if let Some(there) = self.calls.copies.read(&of, store, key, record) {
                return Answer::ready(Ok(there));
            }
            if self.calls.copies.is_wanted(&of, store, key) {
                return Answer::later(self.reads_for_copy(of, store, key, record));
            }
        }
        Answer::later(async move {
            let reply = self.asks(&Request::Get { store: store.0, key }).await?;
            answer(&reply, |reply| match reply {
                Reply::Record(found) => {
                    record.extend_from_slice(found.unwrap_or_default());
                    Some(found.is_some())
                }
                _ => None,
            })
        })
    }

    fn begins_several(&mut self) -> Answer<'_, ()> {
        Answer::later(caller_waits())
    }

    fn make_room(&mut self, changes: usize, bytes: usize) -> Result<()> {
        let bytes = bytes + changes * change_bytes(&[], None);
        self.promised = 0;
        self.admit(bytes, 0)?;
        self.promised = bytes;
        Ok(())
    }

    fn put<'a>(&'a mut self, store: StoreId, key: &'a [u8], record: &'a [u8]) -> Answer<'a, Result<()>> {
        self.change(store, key, Some(record))
    }

    fn delete<'a>(&'a mut self, store: StoreId, key: &'a [u8]) -> Answer<'a, Result<()>> {
        self.change(store, key, None)
    }

    fn range<'a>(
        &'a mut self,
        store: StoreId,
        origin: Origin<'a>,
        direction: Direction,
        limit: usize,
        batch: &'a mut Batch,
    ) -> Answer<'a, Result<()>> {
        Answer::later(self.reads_range(store, origin, direction, limit, batch))
    }

    fn is_current(&self, store: StoreId, stamp: Stamp) -> bool {
        let Some(place) = stamp.engine.checked_sub(1).and_then(|place| u32::try_from(place).ok()) else {
            // The next batch has a stamp, if the server can give it one.
            self.calls.reads_ahead(store);
            return false;
        };
        stamp.own == self.edits
            && self.check_open().is_ok()
            && self.calls.copies.is_still(place, stamp.committed)
    }

    fn is_clean(&self) -> bool {
        self.changes.is_empty() && self.prepared.is_none()
    }

    fn commit(mut self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return Answer::later(self.finishes(true, true));
        }
        if self.changes.is_empty() {
            self.releases();
            return Answer::ready(Ok(()));
        }
        Answer::later(self.commits(true))
    }

    fn commit_unforced(mut self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return Answer::later(self.finishes(true, false));
        }
        if self.changes.is_empty() {
            self.releases();
            return Answer::ready(Ok(()));
        }
        Answer::later(self.commits(false))
    }

    fn prepare<'a>(&'a mut self, name: &'a [u8]) -> Answer<'a, Result<()>> {
        if let Err(error) = self.check_open() {
            return Answer::ready(Err(error));
        }
        if self.changes.is_empty() {
            return Answer::ready(Ok(()));
        }
        Answer::later(self.prepares(name))
    }

    fn backout(mut self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return Answer::later(self.finishes(false, true));
        }
        self.releases();
        Answer::ready(Ok(()))
    }
}

impl Drop for RemoteUnit {
    fn drop(&mut self) {
        if let Some(name) = &self.prepared {
            self.calls.hears.is_left(name);
            // It is shunted.
            self.calls.tell(&Request::Release { owner: self.owner.0 }, self.calls.epoch());
        }
        self.releases();
    }
}
