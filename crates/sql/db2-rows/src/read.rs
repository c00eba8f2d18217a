//! Reading a row that is known by its number or by the key of a unique index: the quick ways.

use records::UnitOfWork;

use crate::catalogue::{Index, IndexId, Table, Unique};
use crate::failure::{Failure, Tried, corrupt};
use crate::live::{Mode, Rid};
use crate::range::Range;
use crate::wish::{Isolation, Wish};
use crate::work::{Held, Work, key_in};

impl Work {
    /// Reads the row with this key of a unique index into `row`; `None` if there is none, or if it is passed over.
    ///
    /// # Errors
    /// -913 and -904 for locks, -204 where the definition has changed.
    pub fn row_by_key(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        (index, key): (IndexId, &[u8]),
        wish: Wish,
        row: &mut Vec<u8>,
    ) -> Tried<Option<Rid>> {
        let is_unique = |index: &&Index| index.unique != Unique::No;
        let stale = || Failure::stale(&table.name.to_string());
        let index = table.index(index).filter(is_unique).ok_or_else(stale)?;
        self.enter(unit, table, wish)?;
        if wish.isolation == Isolation::RepeatableRead {
            self.keep_range(unit, table, (index.id.0, &Range::of(key)))?;
        }
        loop {
            if !self.read(unit, index.id.0, key, row)? {
                return Ok(None);
            }
            let rid = Rid::from_key(row).ok_or_else(|| corrupt("an entry of an index"))?;
            let Some(held) = self.hold_row(unit, table, rid, wish)? else { return Ok(None) };
            match self.row_with_key(unit, table, (index, key, rid), row) {
                Ok(true) => {
                    if !wish.keeps() && !wish.for_update {
                        self.let_go(unit, table.rows(), rid, held);
                    }
                    return Ok(Some(rid));
                }
                // It was deleted, or has got another key, between the two reads.
                Ok(false) => self.let_go(unit, table.rows(), rid, held),
                Err(stop) => {
                    self.let_go(unit, table.rows(), rid, held);
                    return Err(stop);
                }
            }
        }
    }

    /// Reads the row of this number into `row`. Returns false if there is none, or if it is passed over.
    ///
    /// # Errors
    /// As [`Self::row_by_key`].
    pub fn row(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        rid: Rid,
        wish: Wish,
        row: &mut Vec<u8>,
    ) -> Tried<bool> {
        self.enter(unit, table, wish)?;
        let Some(held) = self.hold_row(unit, table, rid, wish)? else { return Ok(false) };
        let read = self.read(unit, table.rows(), &rid.key(), row);
        if read != Ok(true) || !(wish.keeps() || wish.for_update) {
            self.let_go(unit, table.rows(), rid, held);
        }
        read
    }

    /// Reads a row and sees that it still has the key by which it was found.
    pub(crate) fn row_with_key(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        (index, key, rid): (&Index, &[u8], Rid),
        row: &mut Vec<u8>,
    ) -> Tried<bool> {
        if !self.read(unit, table.rows(), &rid.key(), row)? {
            return Ok(false);
        }
        let mut own = std::mem::take(&mut self.key);
        let read = key_in(&*self.tables.form, table, index, row, &mut own);
        let is_same = own == key;
        self.key = own;
        read.map(|_| is_same)
    }

    /// Takes what a reader needs of a table before its first row.
    pub(crate) fn enter(&mut self, unit: &mut dyn UnitOfWork, table: &Table, wish: Wish) -> Tried<()> {
        if wish.for_update {
            self.hold_table(unit, table, Mode::ChangesRows)?;
        } else if wish.holds() {
            self.hold_table(unit, table, Mode::ReadsRows)?;
        } else if wish.isolation != Isolation::Uncommitted {
            self.pass_table(unit, table)?;
        }
        self.check(table)
    }

    /// Takes what a reader needs of a row; `None` if it is passed over.
    pub(crate) fn hold_row(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        rid: Rid,
        wish: Wish,
    ) -> Tried<Option<Held>> {
        let (rows, key) = (table.rows(), rid.key());
        if wish.for_update {
            let taken = match wish.skips_locked {
                true => self.try_take_row(unit, table, rid)?,
                false => self.take_row(unit, table, rid).map(|()| true)?,
            };
            return Ok(taken.then_some(Held::Exclusive));
        }
        if wish.isolation == Isolation::Uncommitted {
            return Ok(Some(Held::Nothing));
        }
        if wish.skips_locked && self.is_another(rows, &key) {
            return Ok(None);
        }
        match wish.holds() {
            true => self.share_row(unit, table, rid).map(Some),
            false => self.pass(unit, rows, &key).map(|()| Some(Held::Nothing)),
        }
    }
}
