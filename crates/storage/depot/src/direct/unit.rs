//! A unit of work directly in a database: private changes here, locks in a transaction there.

use std::sync::Arc;
use std::time::Instant;

use records::{
    Answer, Batch, Decider, Decision, Direction, Error, Lifetime, Numbers, OfStore, Origin, Owner,
    PrivateChanges, Recovery, Resource, Result, Stamp, StoreId, UnitOfWork, Wait, change_bytes,
};
use tokio::time::sleep;

use super::asking::somebody_waits;
use super::calls::{Calls, Kind, Taken};
use super::known::Holds;
use super::limits::{KEY_MAX, LOCKS, LOOK, NUMBERS_MAX, READ_RECORDS, UNIT_BYTES};
use super::{doubt, statements, tables};
use crate::lane::Row;

/// The space of names among the locks, in which there is no record.
pub(super) const NAMES: StoreId = StoreId(u32::MAX);
/// A lock that is refused while others of this region are about to be free is asked for again so often.
const TRIES: usize = 10;

/// A lock that the transaction has.
struct Held {
    store: StoreId,
    key: Box<[u8]>,
    /// The transaction goes back to this mark to let go of it.
    mark: u64,
    /// Number of times that it was taken; 0: it was given back, and is free when those behind it are.
    times: u32,
    /// As others of this region see it.
    _shown: Holds,
}

/// A key and its record, as the database has them.
type Keyed = (Vec<u8>, Vec<u8>);

/// The answer to a request for a lock.
enum Asked {
    /// It is there, and the record with it.
    Granted(Option<Vec<u8>>),
    /// A unit of work in doubt has it; true if its task waits for the coordinator.
    InDoubt(bool),
    /// It was let go of just now.
    Again,
}

pub(super) struct DirectUnit {
    calls: Arc<Calls>,
    owner: Owner,
    changes: PrivateChanges,
    /// Bytes of changes that are taken without asking again.
    promised: usize,
    /// The session with its locks.
    taken: Option<Taken>,
    /// Its locks, in the order in which it has taken them.
    held: Vec<Held>,
    mark: u64,
    /// It is indoubt under this name.
    prepared: Option<Box<[u8]>>,
    /// It was backed out: what is asked of it is refused.
    over: bool,
}

impl DirectUnit {
    pub fn new(calls: Arc<Calls>, owner: Owner) -> Self {
        let (changes, promised, taken, held) = (PrivateChanges::default(), 0, None, Vec::new());
        Self { calls, owner, changes, promised, taken, held, mark: 0, prepared: None, over: false }
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

    fn held(&mut self, store: StoreId, key: &[u8]) -> Option<&mut Held> {
        self.held.iter_mut().rev().find(|held| held.store == store && *held.key == *key)
    }

    /// Takes a lock, and reads its record; another time, only the record.
    async fn locks(&mut self, store: StoreId, key: &[u8], wait: Wait) -> Result<Option<Vec<u8>>> {
        self.check_open()?;
        if key.len() > KEY_MAX {
            return Err(Error::Limit("key length"));
        }
        if let Some(held) = self.held(store, key) {
            held.times += 1;
            return if store == NAMES { Ok(None) } else { self.reads(store, key).await };
        }
        if self.held.len() >= LOCKS {
            return Err(Error::Limit("locks_per_owner"));
        }
        somebody_waits().await;
        let resource = if store == NAMES { Resource::named(key) } else { Resource::record(store, key) };
        let _awaits = self.calls.known.waits_for(self.owner, resource.clone());
        let begun = Instant::now();
        let mut tries = TRIES;
        loop {
            let is_releasing = self.calls.known.is_releasing();
            let left = match wait {
                Wait::No => 1,
                Wait::Forever => 0,
                Wait::AtMost(most) => {
                    let left = most.saturating_sub(begun.elapsed()).as_millis();
                    u64::try_from(left).unwrap_or(u64::MAX).clamp(1, i32::MAX as u64)
                }
            };
            self.mark += 1;
            let mark = self.mark;
            let asked = self.asks_for(store, key, Kind::Marked(mark, left)).await;
            match (asked, wait) {
                (Ok(Asked::Granted(record)), _) => {
                    let _shown = self.calls.known.holds(self.owner, resource);
                    self.held.push(Held { store, key: key.into(), mark, times: 1, _shown });
                    return Ok(record);
                }
                (Err(Error::Locked), Wait::No) if is_releasing && tries > 0 => {
                    tries -= 1;
                    self.calls.known.next_release().await;
                    continue;
                }
                (Err(Error::Locked), Wait::AtMost(_)) => return Err(Error::TimedOut),
                (Err(error), _) => return Err(error),
                (Ok(Asked::Again), _) => {}
                (Ok(Asked::InDoubt(false)), _) => {
                    self.goes_back(mark);
                    return Err(Error::Retained);
                }
                (Ok(Asked::InDoubt(true)), Wait::No) => {
                    self.goes_back(mark);
                    return Err(Error::Locked);
                }
                (Ok(Asked::InDoubt(true)), _) => sleep(LOOK).await,
            }
            // Nothing stands behind this mark.
            self.goes_back(mark);
            if let Wait::AtMost(most) = wait
                && begun.elapsed() >= most
            {
                return Err(Error::TimedOut);
            }
        }
    }

    fn goes_back(&self, mark: u64) {
        if let Some(taken) = &self.taken {
            taken.back_to(mark, self.calls.known.releasing());
        }
    }

    async fn asks_for(&mut self, store: StoreId, key: &[u8], kind: Kind) -> Result<Asked> {
        let taken = match &mut self.taken {
            Some(taken) => taken,
            none => none.insert(self.calls.take()?),
        };
        let rows = taken.ask(kind, statements::lock(store, key)).await?;
        let mut asked = Asked::Again;
        let mut record = None;
        for row in &rows {
            match tables::value(row, 0)? {
                b"L" => asked = Asked::Granted(None),
                b"D" => asked = Asked::InDoubt(row.get(1).and_then(Option::as_deref) == Some(b"t")),
                _ => record = tables::checked(row, 1)?.1,
            }
        }
        Ok(if let Asked::Granted(_) = asked { Asked::Granted(record) } else { asked })
    }

    async fn reads(&self, store: StoreId, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.check_open()?;
        somebody_waits().await;
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
                somebody_waits().await;
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
        somebody_waits().await;
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

    /// Takes a name.
    pub async fn takes_name(&mut self, name: &[u8], wait: Wait) -> Result<()> {
        self.locks(NAMES, name, wait).await.map(drop)
    }

    /// Takes a name once more. Returns false if it is not there.
    pub fn takes_name_again(&mut self, name: &[u8]) -> bool {
        let held = self.held(NAMES, name).filter(|held| held.times > 0);
        held.map(|held| held.times += 1).is_some()
    }

    /// Lets go of a name. Returns false if it was not there.
    pub fn lets_go_of_name(&mut self, name: &[u8]) -> bool {
        let had = self.has_lock(NAMES, name);
        self.unlock(NAMES, name);
        had
    }

    /// Gives its session back if it has no locks: true.
    pub fn ends_without_locks(&mut self) -> bool {
        let is_idle = self.held.is_empty();
        if is_idle {
            self.releases();
        }
        is_idle
    }

    /// Returns an error if its session was lost, and its locks with it.
    pub async fn checks_session(&self) -> Result<()> {
        match &self.taken {
            Some(taken) => taken.ask(Kind::Part, "SELECT 1".to_owned()).await.map(drop),
            None => Ok(()),
        }
    }

    /// Its locks are given back, if there are any.
    fn releases(&mut self) {
        self.held.clear();
        if let Some(taken) = self.taken.take() {
            taken.end(self.calls.known.releasing());
        }
    }

    async fn commits(mut self: Box<Self>, forced: bool) -> Result<()> {
        self.check_open()?;
        somebody_waits().await;
        self.calls.names.check(self.owner).await?;
        if !self.changes.of_stores().is_empty() {
            self.calls.refill_numbers().await?;
        }
        let touched = self.changes.changed_stores();
        let is_seen = !self.changes.of_stores().is_empty() || self.calls.known.is_watched(touched);
        let mut text = statements::changes(&self.calls.known.applid, &self.changes);
        let locks = self.held.iter().map(|held| (held.store, &*held.key));
        statements::push_unlock(&mut text, locks);
        if is_seen {
            text.push_str(statements::SEEN);
        }
        text.push_str("SELECT 1");
        let taken = match self.taken.take() {
            Some(taken) => taken,
            None => self.calls.take()?,
        };
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
        somebody_waits().await;
        self.calls.names.check(self.owner).await?;
        let full = doubt::full_name(&self.calls.known.applid, name);
        let taken = match &mut self.taken {
            Some(taken) => taken,
            none => none.insert(self.calls.take()?),
        };
        self.mark += 1;
        taken.ask(Kind::Marked(self.mark, 0), doubt::begin(&self.calls, &full)).await?;
        let mut text = doubt::changes(&full, &self.changes);
        let locks = self.held.iter().map(|held| (held.store, &*held.key));
        statements::push_retain(&mut text, &full, locks);
        text.push_str("SELECT 1");
        self.calls.known.is_attended(name);
        self.over = true;
        let prepared = taken.ask(Kind::Commit(true), text).await;
        self.taken = None;
        self.held.clear();
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
        somebody_waits().await;
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
        somebody_waits().await;
        let from = match numbers {
            Numbers::Addresses => 0,
            Numbers::From(from) => from,
        };
        let rows = self.calls.order(statements::next_numbers(store, from, count)).await?;
        if let Some(row) = rows.first() {
            return tables::number(row, 0);
        }
        // Nobody has taken any since the store began.
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
        if let Some(held) = self.held(store, key) {
            held.times += 1;
            return Answer::ready(self.check_open());
        }
        Answer::later(async move { self.locks(store, key, wait).await.map(drop) })
    }

    fn has_lock(&self, store: StoreId, key: &[u8]) -> bool {
        self.held.iter().any(|held| held.store == store && *held.key == *key && held.times > 0)
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
                self.calls.names.take(&self.calls, self.owner, name, wait).await
            }),
            _ if !has && self.calls.names.takes_again(self.owner, name) => Answer::ready(self.check_open()),
            _ => Answer::later(async move { self.locks(NAMES, name, wait).await.map(drop) }),
        }
    }

    fn unlock_name(&mut self, name: &[u8], lifetime: Lifetime) {
        if lifetime != Lifetime::Task && self.has_lock(NAMES, name) {
            return self.unlock(NAMES, name);
        }
        self.calls.names.let_go(self.owner, name);
    }

    fn has_locks_elsewhere(&self) -> bool {
        !self.held.is_empty()
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
        let Some(held) = self.held(store, key) else { return };
        held.times = held.times.saturating_sub(1);
        let mut lowest = None;
        while let Some(last) = self.held.pop_if(|last| last.times == 0) {
            lowest = Some(last.mark);
        }
        if let Some(mark) = lowest {
            self.goes_back(mark);
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
        Answer::later(somebody_waits())
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
            self.releases();
            return Answer::ready(Ok(()));
        }
        Answer::later(self.commits(true))
    }

    fn commit_unforced(mut self: Box<Self>) -> Answer<'static, Result<()>> {
        if self.prepared.is_some() {
            return Answer::later(self.finishes(Decision::Commit, false));
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
            return Answer::later(self.finishes(Decision::Backout, true));
        }
        self.releases();
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
        self.releases();
    }
}
