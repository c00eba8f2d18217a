//! A unit of work directly in a database: private changes here, locks in a transaction there.

use std::sync::Arc;

use records::{
    Answer, Batch, Decider, Decision, Direction, Error, Lifetime, Numbers, OfStore, Origin, Owner,
    PrivateChanges, Recovery, Result, Stamp, StoreId, UnitOfWork, Wait, change_bytes,
};

use super::asking::caller_waits;
use super::calls::{Calls, Kind};
use super::limits::{KEY_MAX, NUMBERS_MAX, READ_RECORDS, UNIT_BYTES};
use super::names::Names;
use super::row_locks::{NAMES, RowLocks};
use super::{doubt, statements, tables};
use crate::lane::Row;

/// A key and its record, as the database has them.
type Keyed = (Vec<u8>, Vec<u8>);

pub(super) struct DirectUnit {
    calls: Arc<Calls>,
    owner: Owner,
    changes: PrivateChanges,
    /// Bytes of changes that are taken without asking again.
    promised: usize,
    rows: RowLocks,
    /// The names of its task.
    names: Arc<Names>,
    /// It is indoubt under this name.
    prepared: Option<Box<[u8]>>,
    /// It was backed out: what is asked of it is refused.
    over: bool,
}

impl DirectUnit {
    pub fn new(calls: Arc<Calls>, names: Arc<Names>, owner: Owner) -> Self {
        let (changes, rows) = (PrivateChanges::default(), RowLocks::new(Arc::clone(&calls), owner));
        Self { calls, owner, changes, promised: 0, rows, names, prepared: None, over: false }
    }

    fn check_open(&self) -> Result<()> {
        match (&self.prepared, self.over) {
            (Some(_), _) => Err(Error::Prepared),
            (None, true) => Err(Error::Lost("the unit of work is backed out".into())),
            (None, false) => self.calls.known.check(),
        }
    }

    /// Refuses changes of so many bytes if the commit would be refused with them. `former`: bytes of what they replace.
    fn admit(&mut self, bytes: usize, former: usize) -> Result<()> {
        if let Some(left) = self.promised.checked_sub(bytes) {
            self.promised = left;
            return Ok(());
        }
        let fits = self.changes.bytes() - former + bytes <= UNIT_BYTES;
        if fits { Ok(()) } else { Err(Error::Limit("bytes of a unit of work")) }
    }

    /// Takes a lock, and reads its record; another time, only the record.
    async fn locks(&mut self, store: StoreId, key: &[u8], wait: Wait) -> Result<Option<Vec<u8>>> {
        self.check_open()?;
        match self.rows.takes_again(store, key) {
            true if store == NAMES => Ok(None),
            true => self.reads(store, key).await,
            false => self.rows.take(store, key, wait).await,
        }
    }

    async fn reads(&self, store: StoreId, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.check_open()?;
        caller_waits().await;
        let rows = self.calls.read(statements::get(store, key)).await?;
        if rows.is_empty() {
            self.calls.known.recovery(store)?;
        }
        rows.first().map_or(Ok(None), |row| Ok(tables::checked(row, 0)?.1))
    }

    fn take(&mut self, store: StoreId, key: &[u8], record: Option<&[u8]>) -> Result<()> {
        let bytes = change_bytes(key, record);
        self.admit(bytes, self.changes.bytes_at(store, key))?;
        self.changes.set(store, key, record);
        Ok(())
    }

    fn change<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        record: Option<&'a [u8]>,
    ) -> Answer<'a, Result<()>> {
        if key.len() > KEY_MAX {
            return Answer::ready(Err(Error::Limit("key length")));
        }
        match self.check_open().and_then(|()| self.calls.known.recovery(store)) {
            Err(error) => Answer::ready(Err(error)),
            Ok(Recovery::Recoverable) => Answer::ready(self.take(store, key, record)),
            Ok(Recovery::NonRecoverable) => Answer::later(async move {
                caller_waits().await;
                self.calls.change(statements::one_change(store, key, record)).await.map(drop)
            }),
        }
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
        caller_waits().await;
        batch.clear();
        batch.stamp = Stamp::default();
        let mut beyond: Option<Vec<u8>> = None;
        while batch.len() < limit {
            let origin = beyond.as_deref().map_or(origin, Origin::Beyond);
            let wanted = (limit - batch.len()).min(READ_RECORDS);
            let rows = self.calls.read(statements::range(store, origin, direction, wanted)).await?;
            if rows.is_empty() {
                self.calls.known.recovery(store)?;
            }
            let keyed = |row: &Row| -> Result<Keyed> {
                let (key, record) = tables::checked(row, 0)?;
                Ok((key, record.unwrap_or_default()))
            };
            let theirs = rows.iter().map(keyed).collect::<Result<Vec<_>>>()?;
            let more = theirs.len() >= wanted;
            self.changes.merge(store, (origin, direction), (&theirs, more), (limit, batch));
            match theirs.last() {
                Some((key, _)) if more => beyond = Some(key.clone()),
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    async fn commits(mut self: Box<Self>, forced: bool) -> Result<()> {
        self.check_open()?;
        caller_waits().await;
        self.names.check(self.owner).await?;
        if !self.changes.of_stores().is_empty() {
            self.calls.refill_numbers().await?;
        }
        let touched = self.changes.changed_stores();
        let is_seen = !self.changes.of_stores().is_empty() || self.calls.known.is_watched(touched);
        let mut text = statements::changes(&self.calls.known.applid, &self.changes);
        statements::push_unlock(&mut text, self.rows.all());
        if is_seen {
            text.push_str(statements::SEEN);
        }
        text.push_str("SELECT 1");
        let taken = self.rows.end()?;
        self.over = true;
        let committed = taken.ask(Kind::Commit(forced), text).await;
        if let Err(Error::StoreExists(_)) = &committed {
            // The one who was refused finds the store of the other one.
            self.calls.read("SELECT 1".to_owned()).await?;
        }
        committed.map(drop).map_err(|error| self.named(error))
    }

    /// A store that another region has made under the same name.
    fn named(&self, error: Error) -> Error {
        let created = self.changes.of_stores().iter().find_map(|(_, change)| match change {
            OfStore::Create(name, _) => Some(name.clone()),
            _ => None,
        });
        match (error, created) {
            (Error::StoreExists(_), Some(name)) => Error::StoreExists(name),
            (error, _) => error,
        }
    }

    async fn prepares(&mut self, name: &[u8]) -> Result<()> {
        self.check_open()?;
        if name.is_empty() || name.len() > KEY_MAX - doubt::PREFIX {
            return Err(Error::Limit("length of a unit of work's name"));
        }
        if !self.changes.of_stores().is_empty() {
            return Err(Error::Unsupported(
                "two-phase commit of a unit of work that makes or deletes stores",
            ));
        }
        caller_waits().await;
        self.names.check(self.owner).await?;
        let full = doubt::full_name(&self.calls.known.applid, name);
        let mark = self.rows.next_mark();
        self.rows.session()?.ask(Kind::Marked(mark, 0), doubt::begin(&self.calls, &full)).await?;
        let mut text = doubt::changes(&full, &self.changes);
        statements::push_retain(&mut text, &full, self.rows.all());
        text.push_str("SELECT 1");
        self.calls.known.is_attended(name);
        self.over = true;
        let prepared = self.rows.session()?.ask(Kind::Commit(true), text).await;
        self.rows.forget();
        match prepared {
            Ok(_) => {
                self.prepared = Some(name.into());
                self.changes = PrivateChanges::default();
                Ok(())
            }
            Err(error) => {
                self.calls.known.is_heard(name);
                Err(error)
            }
        }
    }

    /// Ends a prepared unit of work. If that fails it is dropped, and so shunted.
    async fn finishes(mut self: Box<Self>, decision: Decision, forced: bool) -> Result<()> {
        let Some(name) = self.prepared.clone() else { return Err(Error::NotIndoubt) };
        caller_waits().await;
        let resolution = doubt::Resolution { name: &name, decision, by: Decider::Coordinator, forced };
        doubt::resolve(&self.calls, resolution, false).await?;
        self.prepared = None;
        self.calls.known.is_heard(&name);
        Ok(())
    }

    async fn numbers(&mut self, store: StoreId, numbers: Numbers, count: u64) -> Result<u64> {
        self.check_open()?;
        if count > NUMBERS_MAX {
            return Err(Error::Limit("numbers of stores"));
        }
        caller_waits().await;
        let from = match numbers {
            Numbers::Addresses => 0,
            Numbers::From(from) => from,
        };
        let rows = self.calls.order(statements::next_numbers(store, from, count)).await?;
        if let Some(row) = rows.first() {
            return tables::number(row, 0);
        }
        // No number has been taken since the store began.
        let first = self.first_number(store, numbers).await?;
        let rows = self.calls.order(statements::first_numbers(store, first.max(from), count)).await?;
        rows.first().map_or(Err(Error::NoStore(store)), |row| tables::number(row, 0))
    }

    /// The first number that no unit of work has taken, as the store shows it.
    async fn first_number(&self, store: StoreId, numbers: Numbers) -> Result<u64> {
        let doubtful = doubt::of_store(self.calls.read(doubt::in_store(store)).await?)?;
        let number = |key: &[u8]| key.last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
        if numbers != Numbers::Addresses {
            let taken = doubtful.iter().map(|(key, _)| number(key).saturating_add(1));
            return Ok(taken.max().unwrap_or_default());
        }
        let last = self.calls.read(statements::range(store, Origin::Start, Direction::Backward, 1)).await?;
        let last = last.iter().map(|row| tables::checked(row, 0)).collect::<Result<Vec<_>>>()?;
        let behind = |(key, record): &(Vec<u8>, Option<Vec<u8>>)| {
            number(key).saturating_add(record.as_deref().unwrap_or_default().len() as u64)
        };
        Ok(last.iter().chain(&doubtful).map(behind).max().unwrap_or_default())
    }
}

impl UnitOfWork for DirectUnit {
    fn owner(&self) -> Owner {
        self.owner
    }

    fn create_store(&mut self, name: &str, recovery: Recovery) -> Result<StoreId> {
        self.check_open()?;
        if name.starts_with('\0') || self.calls.known.find(name).is_some() || self.changes.creates(name) {
            return Err(Error::StoreExists(name.to_owned()));
        }
        let store = self.calls.known.number()?;
        self.changes.set_store(store, OfStore::Create(name.to_owned(), recovery));
        Ok(store)
    }

    fn delete_store(&mut self, store: StoreId) -> Result<()> {
        self.check_open()?;
        self.calls.known.recovery(store)?;
        self.changes.set_store(store, OfStore::Delete);
        Ok(())
    }

    fn empty_store(&mut self, store: StoreId) -> Result<()> {
        self.check_open()?;
        self.calls.known.recovery(store)?;
        self.changes.set_store(store, OfStore::Empty);
        Ok(())
    }

    fn set_recovery(&mut self, store: StoreId, recovery: Recovery) -> Result<()> {
        self.check_open()?;
        self.calls.known.recovery(store)?;
        self.changes.set_store(store, OfStore::Promise(recovery));
        Ok(())
    }

    fn lock<'a>(&'a mut self, store: StoreId, key: &'a [u8], wait: Wait) -> Answer<'a, Result<()>> {
        if self.rows.takes_again(store, key) {
            return Answer::ready(self.check_open());
        }
        Answer::later(async move { self.locks(store, key, wait).await.map(drop) })
    }

    fn has_lock(&self, store: StoreId, key: &[u8]) -> bool {
        self.rows.has(store, key)
    }

    fn lock_name<'a>(&'a mut self, name: &'a [u8], lifetime: Lifetime, wait: Wait) -> Answer<'a, Result<()>> {
        let has = self.has_lock(NAMES, name);
        match lifetime {
            Lifetime::Task if has => {
                // Its session would wait for that of the unit of work.
                let what = "a name to the end of a task (ENQ with MAXLIFETIME(TASK) and a scope) that its unit of work has already, in a database";
                Answer::ready(Err(Error::Unsupported(what)))
            }
            Lifetime::Task => Answer::later(async move {
                self.check_open()?;
                self.names.take(&self.calls, self.owner, name, wait).await
            }),
            _ if !has && self.names.takes_again(self.owner, name) => Answer::ready(self.check_open()),
            _ => Answer::later(async move { self.locks(NAMES, name, wait).await.map(drop) }),
        }
    }

    fn unlock_name(&mut self, name: &[u8], lifetime: Lifetime) {
        if lifetime != Lifetime::Task && self.has_lock(NAMES, name) {
            return self.unlock(NAMES, name);
        }
        self.names.let_go(self.owner, name);
    }

    fn has_locks_elsewhere(&self) -> bool {
        !self.rows.is_empty()
    }

    fn take_numbers<'a>(
        &'a mut self,
        store: StoreId,
        numbers: Numbers,
        count: u64,
    ) -> Answer<'a, Result<u64>> {
        Answer::later(self.numbers(store, numbers, count))
    }

    fn unlock(&mut self, store: StoreId, key: &[u8]) {
        if self.changes.get(store, key).is_some() {
            return;
        }
        self.rows.let_go(store, key);
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
            let theirs = self.locks(store, key, wait).await?;
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
        Answer::later(async move {
            let found = self.reads(store, key).await?;
            record.extend_from_slice(found.as_deref().unwrap_or_default());
            Ok(found.is_some())
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

    fn is_current(&self, _: StoreId, _: Stamp) -> bool {
        // Others change records without a word to this process.
        false
    }

    fn is_clean(&self) -> bool {
        self.changes.is_empty() && self.prepared.is_none()
    }

    fn commit(mut self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return Answer::later(self.finishes(Decision::Commit, true));
        }
        if self.changes.is_empty() {
            self.rows.releases();
            return Answer::ready(Ok(()));
        }
        Answer::later(self.commits(true))
    }

    fn commit_unforced(mut self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return Answer::later(self.finishes(Decision::Commit, false));
        }
        if self.changes.is_empty() {
            self.rows.releases();
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
            return Answer::later(self.finishes(Decision::Backout, true));
        }
        self.rows.releases();
        Answer::ready(Ok(()))
    }
}

impl Drop for DirectUnit {
    fn drop(&mut self) {
        if let Some(name) = &self.prepared {
            self.calls.known.is_left(name);
            // It is shunted.
            let full = doubt::full_name(&self.calls.known.applid, name);
            self.calls.order_unwaited(doubt::shunt(&full));
        }
    }
}
