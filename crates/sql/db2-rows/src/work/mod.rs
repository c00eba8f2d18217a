//! The part of a task that uses tables: what its unit of work holds of them, and how its statements are put back.
//!
//! ```text
//! begin_statement ──► reads and changes ──► end_statement ──► the next statement, or the end of the unit of work
//!                            │                    │ a key is there twice
//!                            └──► undo_statement ◄┘
//! ```

mod change;
mod entries;
mod holds;
mod undo;
mod waits;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use foldhash::HashMap;
use records::{Lifetime, Owner, Resource, StoreId, UnitOfWork, Wait};
use smallvec::SmallVec;

use self::entries::Claims;
use self::undo::Undo;
use self::waits::Waits;
use crate::catalogue::{Catalogue, Definitions, Table};
use crate::failure::{Failure, Stop, Tried};
use crate::limits;
use crate::live::{Live, Mode, Rid, share_key};
use crate::numbers::Numbers;
use crate::tables::Tables;

pub use holds::LockMode;

pub(crate) use entries::{entry_key, key_in};
pub(crate) use holds::Held;
pub(crate) use waits::Awaited;

/// The lock of the one who changes definitions: held beyond the end of his unit of work, until all see what he has changed.
pub(crate) const DEFINING: &[u8] = b"db2 catalogue";

/// A place to which a unit of work can go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Savepoint(u64);

/// The part of a task that uses tables. The unit of work itself is another's, and each call gets it.
pub struct Work {
    pub(crate) tables: Arc<Tables>,
    pub(crate) owner: Owner,
    waits: Waits,
    undo: Undo,
    claims: Claims,
    modes: SmallVec<[(StoreId, Arc<Live>, Mode); 4]>,
    /// Rows that it shares, and how often.
    shares: HashMap<(StoreId, Rid), (u32, Arc<Live>)>,
    ranges: usize,
    /// The row that is being changed, as it was: its memory is used again.
    row: Vec<u8>,
    /// A key that is compared: its memory is used again.
    pub(crate) key: Vec<u8>,
    pub(crate) definitions: Option<Definitions>,
    /// It has the lock of definitions.
    pub(crate) defines: bool,
    /// Numbers that it got of sequences.
    pub(crate) numbers: Numbers,
}

impl Tables {
    /// The part of a task that uses tables, for its units of work, one after the other. `owner` is that of its locks.
    pub fn work(self: &Arc<Self>, owner: Owner) -> Work {
        Work::new(Arc::clone(self), owner)
    }
}

impl Work {
    fn new(tables: Arc<Tables>, owner: Owner) -> Self {
        Self {
            tables,
            owner,
            waits: Waits::default(),
            undo: Undo::default(),
            claims: Claims::default(),
            modes: SmallVec::new(),
            shares: HashMap::default(),
            ranges: 0,
            row: Vec::new(),
            key: Vec::new(),
            definitions: None,
            defines: false,
            numbers: Numbers::default(),
        }
    }

    /// The tables.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// The catalogue as this unit of work sees it: with its own definitions.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        match &self.definitions {
            Some(own) => Arc::clone(&own.catalogue),
            None => self.tables.catalogue(),
        }
    }

    /// The greatest time for which [`Self::wait`] waits for a lock; for ever unless this is called.
    pub fn set_patience(&mut self, patience: Wait) {
        self.waits.patience = patience;
    }

    /// Begins a statement: what it changes can be put back from here on.
    pub fn begin_statement(&mut self) {
        self.undo.begin_statement();
    }

    /// Ends a statement.
    ///
    /// # Errors
    /// -803 if two rows have a key of a unique index; then the statement is to be put back.
    pub fn end_statement(&mut self, unit: &mut dyn UnitOfWork) -> Tried<()> {
        self.drop_ahead(unit);
        self.claims.refuse_doubles(&self.catalogue())?;
        self.undo.end_statement();
        Ok(())
    }

    /// Puts back what the statement has changed. Its locks stay.
    ///
    /// # Errors
    /// The engine's: the unit of work must be backed out.
    pub fn undo_statement(&mut self, unit: &mut dyn UnitOfWork) -> Tried<()> {
        self.drop_ahead(unit);
        self.claims.clear();
        let mark = self.undo.statement();
        self.go_back(unit, mark)?;
        self.undo.end_statement();
        Ok(())
    }

    /// A place to which the unit of work can go back.
    ///
    /// # Errors
    /// There are too many.
    pub fn savepoint(&mut self) -> Tried<Savepoint> {
        match self.undo.savepoints() < limits::SAVEPOINTS {
            true => Ok(Savepoint(self.undo.set())),
            false => Err(Failure::limit("savepoints").into()),
        }
    }

    /// Puts back what was changed since a savepoint, which stays. Those that were set after it are gone.
    ///
    /// # Errors
    /// -880 if it is not there; the engine's, after which the unit of work must be backed out.
    pub fn back_to(&mut self, unit: &mut dyn UnitOfWork, savepoint: Savepoint) -> Tried<()> {
        let gone = || Failure::new(-880, ["savepoint"]);
        let mark = self.undo.mark(savepoint.0).ok_or_else(gone)?;
        self.go_back(unit, mark)
    }

    /// Forgets a savepoint and those that were set after it.
    ///
    /// # Errors
    /// -882 if it is not there.
    pub fn release(&mut self, savepoint: Savepoint) -> Tried<()> {
        match self.undo.release(savepoint.0) {
            true => Ok(()),
            false => Err(Failure::new(-882, ["savepoint"]).into()),
        }
    }

    /// The unit of work has committed: what it has defined is seen by all. To be called before the task's next unit of work begins.
    pub fn committed(&mut self) {
        if let Some(own) = self.definitions.take() {
            self.tables.publish(Arc::clone(&own.catalogue), &own.created);
            own.changing.iter().for_each(|live| live.changing.store(0, Ordering::Release));
        }
        self.forget();
    }

    /// The unit of work was backed out. To be called before the task's next unit of work begins.
    pub fn backed_out(&mut self) {
        if let Some(own) = self.definitions.take() {
            self.tables.delete_stores(own.created.iter().copied());
            own.changing.iter().for_each(|live| live.changing.store(0, Ordering::Release));
        }
        self.forget();
    }

    /// The same task's part behind the end of a unit of work that has not committed, or whose end is not known: it has nothing of it but
    /// the numbers that it got of sequences.
    #[must_use]
    pub fn after(mut self) -> Self {
        let numbers = std::mem::take(&mut self.numbers);
        let mut next = Self::new(Arc::clone(&self.tables), self.owner);
        next.waits.patience = self.waits.patience;
        next.numbers = numbers;
        next
    }

    /// Forgets all that the unit of work held: the engine has let go of the locks.
    fn forget(&mut self) {
        for (_, live, _) in self.modes.drain(..) {
            live.hold(self.owner, None);
            if self.ranges > 0 {
                live.leave_ranges(self.owner);
            }
        }
        for ((_, rid), (_, live)) in self.shares.drain() {
            live.unshare(rid, self.owner);
        }
        self.ranges = 0;
        self.undo.clear();
        self.claims.clear();
        self.waits.clear();
        self.end_defining();
    }

    fn end_defining(&mut self) {
        if std::mem::take(&mut self.defines) {
            let locks = self.tables.engine.locks();
            locks.release(self.owner, &Resource::named(DEFINING), Lifetime::Task);
        }
    }

    /// Refuses a table that a definition has changed since it was looked up, and waits for one that is being changed.
    pub(crate) fn check(&mut self, table: &Table) -> Tried<()> {
        if let Some(own) = &self.definitions {
            let known = own.catalogue.table(&table.name);
            return match known {
                Some(known) if known.id == table.id && known.edition == table.edition => Ok(()),
                _ => Err(Failure::stale(&table.name.to_string()).into()),
            };
        }
        if table.live.changing.load(Ordering::Acquire) != 0 {
            return self.later(Awaited::Definitions);
        }
        match table.live.edition.load(Ordering::Acquire) == table.edition {
            true => Ok(()),
            false => Err(Failure::stale(&table.name.to_string()).into()),
        }
    }
}

impl Drop for Work {
    /// Its unit of work has ended, or goes on without a task: its definitions are then heard of when it is resolved, and the rows that it
    /// shares stay so.
    fn drop(&mut self) {
        if let Some(own) = self.definitions.take() {
            own.changing.iter().for_each(|live| live.changing.store(0, Ordering::Release));
        }
        let locks = self.tables.engine.locks();
        self.shares.retain(|(rows, rid), _| {
            let lock = Resource::record(*rows, &share_key(*rid, self.owner));
            locks.holder(&lock).is_none()
        });
        self.forget();
    }
}

/// The outcome of a change of a recoverable store, which is never waited for.
pub(crate) fn ready<T>(answer: records::Answer<'_, records::Result<T>>) -> records::Result<T> {
    let waits = records::Error::Unsupported("tables of an engine whose changes wait");
    answer.now().unwrap_or(Err(waits))
}

/// An error while something is put back.
pub(crate) fn not_put_back(error: records::Error) -> Stop {
    Stop::Engine(error)
}
