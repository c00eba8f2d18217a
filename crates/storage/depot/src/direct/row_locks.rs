//! Locks in the database: rows that the transaction of a unit of work, or of a task with names of its own, has inserted.

use std::sync::Arc;
use std::time::Instant;

use records::{Error, Owner, Resource, Result, StoreId, Wait};
use tokio::time::sleep;

use super::asking::caller_waits;
use super::calls::{Calls, Kind, Taken};
use super::known::Holds;
use super::limits::{KEY_MAX, LOCKS, LOOK};
use super::{statements, tables};

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

/// The answer to a request for a lock.
enum Asked {
    /// It is there, and the record with it.
    Granted(Option<Vec<u8>>),
    /// A unit of work in doubt has it; true if its task waits for the coordinator.
    InDoubt(bool),
    /// It was let go of just now.
    Again,
}

/// The locks of one.
pub(super) struct RowLocks {
    calls: Arc<Calls>,
    owner: Owner,
    /// The session with its locks.
    taken: Option<Taken>,
    /// Its locks, in the order in which it has taken them.
    held: Vec<Held>,
    mark: u64,
}

impl RowLocks {
    pub fn new(calls: Arc<Calls>, owner: Owner) -> Self {
        Self { calls, owner, taken: None, held: Vec::new(), mark: 0 }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// All of them, by store and key.
    pub fn all(&self) -> impl Iterator<Item = (StoreId, &[u8])> {
        self.held.iter().map(|held| (held.store, &*held.key))
    }

    /// Returns true if a lock is there that was not given back.
    pub fn has(&self, store: StoreId, key: &[u8]) -> bool {
        self.held.iter().any(|held| held.store == store && *held.key == *key && held.times > 0)
    }

    /// Takes a lock once more. Returns false if it is not there.
    pub fn takes_again(&mut self, store: StoreId, key: &[u8]) -> bool {
        self.held(store, key).map(|held| held.times += 1).is_some()
    }

    /// The session, which begins with the first use.
    ///
    /// # Errors
    /// There is none any more.
    pub fn session(&mut self) -> Result<&Taken> {
        Ok(match &mut self.taken {
            Some(taken) => taken,
            none => none.insert(self.calls.take()?),
        })
    }

    /// The session for the last step of the unit of work.
    ///
    /// # Errors
    /// There is none any more.
    pub fn end(&mut self) -> Result<Taken> {
        self.taken.take().map_or_else(|| self.calls.take(), Ok)
    }

    /// The locks are another's: they are retained by a unit of work in doubt.
    pub fn forget(&mut self) {
        self.taken = None;
        self.held.clear();
    }

    /// A mark that the transaction has not had.
    pub fn next_mark(&mut self) -> u64 {
        self.mark += 1;
        self.mark
    }

    /// Lets go of a lock that was taken once; it is free when those behind it are.
    pub fn let_go(&mut self, store: StoreId, key: &[u8]) {
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

    fn held(&mut self, store: StoreId, key: &[u8]) -> Option<&mut Held> {
        self.held.iter_mut().rev().find(|held| held.store == store && *held.key == *key)
    }

    /// Takes a lock that is not there, and reads its record.
    pub async fn take(&mut self, store: StoreId, key: &[u8], wait: Wait) -> Result<Option<Vec<u8>>> {
        if key.len() > KEY_MAX {
            return Err(Error::Limit("key length"));
        }
        if self.held.len() >= LOCKS {
            return Err(Error::Limit("locks_per_owner"));
        }
        caller_waits().await;
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
            let mark = self.next_mark();
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
        let rows = self.session()?.ask(kind, statements::lock(store, key)).await?;
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

    /// Takes a name.
    pub async fn takes_name(&mut self, name: &[u8], wait: Wait) -> Result<()> {
        self.calls.known.check()?;
        if self.takes_again(NAMES, name) {
            return Ok(());
        }
        self.take(NAMES, name, wait).await.map(drop)
    }

    /// Takes a name once more. Returns false if it is not there.
    pub fn takes_name_again(&mut self, name: &[u8]) -> bool {
        let held = self.held(NAMES, name).filter(|held| held.times > 0);
        held.map(|held| held.times += 1).is_some()
    }

    /// Lets go of a name. Returns false if it was not there.
    pub fn lets_go_of_name(&mut self, name: &[u8]) -> bool {
        let had = self.has(NAMES, name);
        self.let_go(NAMES, name);
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
    pub fn releases(&mut self) {
        self.held.clear();
        if let Some(taken) = self.taken.take() {
            taken.end(self.calls.known.releasing());
        }
    }
}

impl Drop for RowLocks {
    fn drop(&mut self) {
        self.releases();
    }
}
