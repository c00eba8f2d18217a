//! Cursors: rows of a table in the order of an index or of their numbers, one at a time.
//!
//! A cursor keeps the key behind which it goes on, and what it has read ahead as long as the engine says that another read would show
//! the same. So it stays where it is over commits, and over changes of others and of its own unit of work.

use std::sync::Arc;

use records::{Batch, StoreId, UnitOfWork};

use crate::catalogue::{IndexId, Table, Unique};
use crate::failure::{Failure, Tried, corrupt};
use crate::limits;
use crate::live::Rid;
use crate::range::{Beginning, Key, Range};
use crate::wish::{Isolation, Wish};
use crate::work::{Awaited, Held, Work};

/// The order in which a cursor reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Of the rows' numbers.
    Scan,
    /// Of an index.
    Index(IndexId),
}

/// A row that a cursor gives out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// Its number.
    pub rid: Rid,
    /// The row.
    pub bytes: &'a [u8],
    /// Its key in the index, with the number of the row behind it where many may have the same; in a scan its number.
    pub key: &'a [u8],
}

/// A cursor. It borrows nothing, and serves whatever unit of work it is used in.
pub struct Cursor {
    table: Arc<Table>,
    store: StoreId,
    is_scan: bool,
    range: Range,
    wish: Wish,
    /// The unit of work has what the cursor needs of the table.
    has_entered: bool,
    /// The only key that can lie in the range of a unique index, if it is a whole one; `None` where it turned out to be a part.
    only: Option<Key>,
    /// Its row was given: no other has its key.
    is_over: bool,
    /// The key behind which it goes on.
    position: Option<Key>,
    batch: Batch,
    /// The next entry of the batch.
    at: usize,
    /// Entries to be read ahead next time.
    ahead: usize,
    /// A row that is held for the next answer already.
    taken: Option<(Rid, Held)>,
    /// The row on which it stands, and what it holds of it.
    current: Option<(Rid, Held)>,
    row: Vec<u8>,
}

impl Cursor {
    /// A cursor before the first row of a range.
    ///
    /// # Errors
    /// The table has no such index.
    pub fn open(table: &Arc<Table>, path: Path, range: Range, wish: Wish) -> Tried<Self> {
        let (store, is_unique) = match path {
            Path::Scan => (table.rows(), false),
            Path::Index(index) => {
                let index = table.index(index).ok_or_else(|| Failure::stale(&table.name.to_string()))?;
                (index.id.0, index.unique != Unique::No)
            }
        };
        let only = range.only().filter(|_| is_unique).map(Key::from_slice);
        Ok(Self {
            table: Arc::clone(table),
            store,
            is_scan: path == Path::Scan,
            range,
            wish,
            has_entered: false,
            only,
            is_over: false,
            position: None,
            batch: Batch::default(),
            at: 0,
            ahead: 2,
            taken: None,
            current: None,
            row: Vec::new(),
        })
    }

    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// Goes on to the next row; `None` at the end, where the cursor stays.
    ///
    /// # Errors
    /// -913 and -904 for locks, -204 where the definition has changed; then it stays where it was.
    pub fn next(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) -> Tried<Option<Row<'_>>> {
        self.leave(work, unit);
        if !self.has_entered {
            self.enter(work, unit)?;
        }
        if self.is_over {
            return Ok(None);
        }
        if let Some(key) = &self.only {
            let key = key.clone();
            if let Some(found) = self.only_row(work, unit, &key)? {
                return Ok(found.map(|rid| Row {
                    rid,
                    bytes: &self.row,
                    key: self.only.as_deref().unwrap_or_default(),
                }));
            }
            self.only = None;
        }
        loop {
            let Some(rid) = self.peek(work, unit)? else {
                self.drop_taken(work, unit);
                return Ok(None);
            };
            if !self.hold(work, unit, rid)? {
                self.step();
                continue;
            }
            // What was read ahead may have changed before the row was taken, or read.
            if !self.fetch(work, unit, rid)? || !unit.is_current(self.store, self.batch.stamp) {
                self.batch.clear();
                continue;
            }
            self.current = self.taken.take();
            self.step();
            return Ok(self.shown(rid));
        }
    }

    fn enter(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) -> Tried<()> {
        work.enter(unit, &self.table, self.wish)?;
        if self.wish.isolation == Isolation::RepeatableRead {
            work.keep_range(unit, &self.table, (self.store, &self.range))?;
        }
        self.has_entered = true;
        Ok(())
    }

    /// The row that has the only key: within, `None` if it is passed over. `None` outside: no entry has just this key, which may be a part of one.
    fn only_row(
        &mut self,
        work: &mut Work,
        unit: &mut dyn UnitOfWork,
        key: &[u8],
    ) -> Tried<Option<Option<Rid>>> {
        loop {
            if !work.read(unit, self.store, key, &mut self.row)? {
                self.drop_taken(work, unit);
                return Ok(None);
            }
            let rid = Rid::from_key(&self.row).ok_or_else(|| corrupt("an entry of an index"))?;
            if !self.hold(work, unit, rid)? {
                self.is_over = true;
                return Ok(Some(None));
            }
            let index = self.table.indexes.iter().find(|index| index.id.0 == self.store);
            let index = index.ok_or_else(|| Failure::stale(&self.table.name.to_string()))?;
            if work.row_with_key(unit, &self.table, (index, key, rid), &mut self.row)? {
                (self.current, self.is_over) = (self.taken.take(), true);
                return Ok(Some(Some(rid)));
            }
            // It was deleted, or has got another key, between the two reads.
            self.drop_taken(work, unit);
        }
    }

    /// The row of the next entry; `None` at the end of the range.
    fn peek(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) -> Tried<Option<Rid>> {
        if self.at >= self.batch.len() || !unit.is_current(self.store, self.batch.stamp) {
            self.read_ahead(work, unit)?;
        }
        let Some((key, entry)) = self.batch.get(self.at) else { return Ok(None) };
        if self.range.ends_before(key) {
            return Ok(None);
        }
        let number = if self.is_scan { key } else { entry };
        Rid::from_key(number).map(Some).ok_or_else(|| corrupt("an entry of an index"))
    }

    fn read_ahead(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) -> Tried<()> {
        let beginning = match &self.position {
            Some(key) => Beginning::Beyond(key.clone()),
            None => self.range.beginning(),
        };
        self.at = 0;
        self.batch.clear();
        let Some(origin) = beginning.origin() else { return Ok(()) };
        let (direction, limit) = (self.range.direction, self.ahead);
        let read = unit.range(self.store, origin, direction, limit, &mut self.batch).now().ok();
        let Some(read) = read else {
            self.batch.clear();
            return work.later(Awaited::Range(self.store, beginning, direction, limit));
        };
        read?;
        self.ahead = (self.ahead * 2).min(limits::AHEAD);
        Ok(())
    }

    /// Takes what the wish asks of a row. Returns false if it is passed over.
    fn hold(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork, rid: Rid) -> Tried<bool> {
        match self.taken {
            Some((taken, _)) if taken == rid => return Ok(true),
            Some(_) => self.drop_taken(work, unit),
            None => {}
        }
        let held = work.hold_row(unit, &self.table, rid, self.wish)?;
        self.taken = held.map(|held| (rid, held));
        Ok(held.is_some())
    }

    /// Reads a row where that is not done yet. Returns false if it is gone.
    fn fetch(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork, rid: Rid) -> Tried<bool> {
        match self.is_scan {
            true => Ok(true),
            false => work.read(unit, self.table.rows(), &rid.key(), &mut self.row),
        }
    }

    /// Goes behind the entry that it has looked at.
    fn step(&mut self) {
        if let Some((key, _)) = self.batch.get(self.at) {
            self.position = Some(Key::from_slice(key));
            self.at += 1;
        }
    }

    /// The entry that it has just gone behind.
    fn shown(&self, rid: Rid) -> Option<Row<'_>> {
        let (key, entry) = self.batch.get(self.at.checked_sub(1)?)?;
        Some(Row { rid, bytes: if self.is_scan { entry } else { &self.row }, key })
    }

    fn drop_taken(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) {
        if let Some((rid, held)) = self.taken.take() {
            work.let_go(unit, self.table.rows(), rid, held);
        }
    }

    /// Leaves the row on which it stands: with cursor stability it is let go of.
    fn leave(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) {
        if let Some((rid, held)) = self.current.take()
            && !self.wish.keeps()
        {
            work.let_go(unit, self.table.rows(), rid, held);
        }
    }

    /// Lets go of the row on which it stands, because the reader does not want it. With repeatable reads it stays held.
    pub fn refuse(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) {
        if self.wish.isolation != Isolation::RepeatableRead
            && let Some((rid, held)) = self.current.take()
        {
            work.let_go(unit, self.table.rows(), rid, held);
        }
    }

    /// Ends the cursor.
    pub fn close(mut self, work: &mut Work, unit: &mut dyn UnitOfWork) {
        self.drop_taken(work, unit);
        self.leave(work, unit);
    }

    /// The unit of work has ended, and the cursor goes on in the next one (WITH HOLD): behind its key, without a lock.
    pub fn over_commit(&mut self) {
        (self.taken, self.current, self.has_entered) = (None, None, false);
        self.batch.clear();
    }
}
