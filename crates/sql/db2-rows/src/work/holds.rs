//! Holds of a unit of work: tables in their modes, rows for itself or with others, ranges.

use std::sync::Arc;

use records::{Owner, StoreId, UnitOfWork};
use smallvec::SmallVec;

use super::Work;
use crate::catalogue::Table;
use crate::failure::{Failure, Tried};
use crate::limits;
use crate::live::{Mode, Rid, share_key};
use crate::range::Range;

/// The key of the lock through which a table is taken. No row has it.
const GATE: &[u8] = b"";

/// Ways in which LOCK TABLE takes a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// No other unit of work changes it.
    Share,
    /// No other unit of work uses it, but for uncommitted reads.
    Exclusive,
}

/// Ways to hold a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// Nothing.
    Nothing,
    /// A share.
    Share,
    /// All of it.
    Exclusive,
}

/// The key of the lock of one who holds a table.
fn holder_key(owner: Owner) -> [u8; 9] {
    let mut key = [b'T'; 9];
    key[1..].copy_from_slice(&owner.0.to_be_bytes());
    key
}

impl Work {
    /// LOCK TABLE: takes a table to the end of the unit of work.
    ///
    /// # Errors
    /// Others have it, or its definition has changed.
    pub fn lock_table(&mut self, unit: &mut dyn UnitOfWork, table: &Table, mode: LockMode) -> Tried<()> {
        let mode = match mode {
            LockMode::Share => Mode::Share,
            LockMode::Exclusive => Mode::Exclusive,
        };
        self.hold_table(unit, table, mode)?;
        self.check(table)
    }

    /// The mode in which the unit of work has a table.
    fn mode(&self, table: &Table) -> Option<Mode> {
        self.modes.iter().find(|(rows, ..)| *rows == table.rows()).map(|(_, _, mode)| *mode)
    }

    /// Takes a table in a mode, to the end of the unit of work.
    pub(crate) fn hold_table(&mut self, unit: &mut dyn UnitOfWork, table: &Table, mode: Mode) -> Tried<()> {
        let held = self.mode(table);
        let wanted = held.map_or(mode, |held| held.with(mode));
        if held == Some(wanted) {
            return Ok(());
        }
        let rows = table.rows();
        self.take(unit, rows, GATE)?;
        let passed = self.pass_holders(unit, table, wanted, held.is_none());
        let passed = passed.and_then(|()| self.refuse_doubtful(table, wanted));
        if let Err(stop) = passed {
            return Err(self.stops_with(unit, (rows, GATE), stop));
        }
        self.note_mode(table, wanted);
        // Who has the table for itself keeps the gate: a lock of the engine outlives the note, where the unit of work is in doubt.
        if wanted != Mode::Exclusive {
            unit.unlock(rows, GATE);
        }
        Ok(())
    }

    /// -904 for the whole table, or a range of it, where rows are in doubt: after a restart they have no holder who is waited for.
    fn refuse_doubtful(&self, table: &Table, mode: Mode) -> Tried<()> {
        let is_whole = matches!(mode, Mode::Share | Mode::Exclusive);
        match is_whole && !self.tables.engine.doubtful(table.rows())?.is_empty() {
            true => Err(Failure::new(-904, ["rows in doubt"]).into()),
            false => Ok(()),
        }
    }

    fn pass_holders(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        mode: Mode,
        is_new: bool,
    ) -> Tried<()> {
        let rows = table.rows();
        for other in table.live.against(self.owner, mode) {
            self.take(unit, rows, &holder_key(other))?;
            unit.unlock(rows, &holder_key(other));
            // Its unit of work is over.
            table.live.hold(other, None);
        }
        match is_new {
            true => self.take(unit, rows, &holder_key(self.owner)),
            false => Ok(()),
        }
    }

    fn note_mode(&mut self, table: &Table, mode: Mode) {
        table.live.hold(self.owner, Some(mode));
        match self.modes.iter_mut().find(|(rows, ..)| *rows == table.rows()) {
            Some((.., held)) => *held = mode,
            None => self.modes.push((table.rows(), Arc::clone(&table.live), mode)),
        }
    }

    /// Waits until no other unit of work has the table for itself.
    pub(crate) fn pass_table(&mut self, unit: &mut dyn UnitOfWork, table: &Table) -> Tried<()> {
        let holder = Owner(table.live.exclusive.load(std::sync::atomic::Ordering::Acquire));
        match holder {
            Owner(0) => Ok(()),
            holder if holder == self.owner => Ok(()),
            holder => self.pass(unit, table.rows(), &holder_key(holder)),
        }
    }

    /// Other units of work that share a row. One in doubt may have had the number that this owner has now.
    pub(super) fn sharers(&self, table: &Table, rid: Rid) -> SmallVec<[Owner; 2]> {
        let is_shared = self.shares.contains_key(&(table.rows(), rid));
        table.live.sharers(rid, is_shared.then_some(self.owner))
    }

    /// Takes a row for this unit of work alone.
    pub(crate) fn take_row(&mut self, unit: &mut dyn UnitOfWork, table: &Table, rid: Rid) -> Tried<()> {
        let (rows, key) = (table.rows(), rid.key());
        self.take(unit, rows, &key)?;
        for other in self.sharers(table, rid) {
            if let Err(stop) = self.take(unit, rows, &share_key(rid, other)) {
                return Err(self.stops_with(unit, (rows, &key), stop));
            }
            unit.unlock(rows, &share_key(rid, other));
            // Its unit of work is over, or has let go of the row.
            table.live.unshare(rid, other);
        }
        Ok(())
    }

    /// Takes a row for this unit of work alone, unless others have it: then false.
    pub(crate) fn try_take_row(&mut self, unit: &mut dyn UnitOfWork, table: &Table, rid: Rid) -> Tried<bool> {
        let others = self.sharers(table, rid);
        let shared = others.iter().any(|other| self.is_another(table.rows(), &share_key(rid, *other)));
        if shared || self.is_another(table.rows(), &rid.key()) {
            return Ok(false);
        }
        self.take_row(unit, table, rid).map(|()| true)
    }

    /// Shares a row with others who read it. A row that the unit of work holds exclusively stays so.
    pub(crate) fn share_row(&mut self, unit: &mut dyn UnitOfWork, table: &Table, rid: Rid) -> Tried<Held> {
        let (rows, key) = (table.rows(), rid.key());
        if let Some((count, _)) = self.shares.get_mut(&(rows, rid)) {
            *count += 1;
            return Ok(Held::Share);
        }
        let is_own = !self.waits.is_ahead(rows, &key) && unit.has_lock(rows, &key);
        self.take(unit, rows, &key)?;
        if is_own {
            return Ok(Held::Exclusive);
        }
        if let Err(stop) = self.take(unit, rows, &share_key(rid, self.owner)) {
            return Err(self.stops_with(unit, (rows, &key), stop));
        }
        table.live.share(rid, self.owner);
        self.shares.insert((rows, rid), (1, Arc::clone(&table.live)));
        unit.unlock(rows, &key);
        Ok(Held::Share)
    }

    /// Lets go of a row once. One that the unit of work has changed stays its own.
    pub(crate) fn let_go(&mut self, unit: &mut dyn UnitOfWork, rows: StoreId, rid: Rid, held: Held) {
        match held {
            Held::Nothing => {}
            Held::Exclusive => unit.unlock(rows, &rid.key()),
            Held::Share => {
                let Some((count, live)) = self.shares.get_mut(&(rows, rid)) else { return };
                *count -= 1;
                if *count == 0 {
                    live.unshare(rid, self.owner);
                    self.shares.remove(&(rows, rid));
                    unit.unlock(rows, &share_key(rid, self.owner));
                }
            }
        }
    }

    /// Keeps a range of a store to the end of the unit of work: no other one adds to it or takes from it.
    ///
    /// Those who change the table by now are waited for, since what they have added cannot be seen.
    pub(crate) fn keep_range(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        (store, range): (StoreId, &Range),
    ) -> Tried<()> {
        if table.live.keeps(self.owner, store, range) {
            return Ok(());
        }
        if self.ranges >= limits::RANGES {
            return Err(Failure::limit("ranges").into());
        }
        let before = self.mode(table);
        self.hold_table(unit, table, Mode::Share)?;
        table.live.keep(self.owner, store, range);
        self.ranges += 1;
        if before != Some(Mode::Exclusive) && self.mode(table) == Some(Mode::Exclusive) {
            unit.unlock(table.rows(), GATE);
        }
        self.note_mode(table, before.map_or(Mode::ReadsRows, |before| before.with(Mode::ReadsRows)));
        Ok(())
    }

    /// Waits until no other unit of work keeps a range in which a key lies.
    pub(crate) fn pass_ranges(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        (store, key): (StoreId, &[u8]),
    ) -> Tried<()> {
        for other in table.live.keepers(store, key, self.owner) {
            self.take(unit, table.rows(), &holder_key(other))?;
            unit.unlock(table.rows(), &holder_key(other));
            table.live.leave_ranges(other);
        }
        Ok(())
    }
}
