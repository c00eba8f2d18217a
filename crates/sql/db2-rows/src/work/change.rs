//! Changes of rows.

use records::{UnitOfWork, change_bytes};

use super::Work;
use super::entries::EntryChanges;
use crate::catalogue::Table;
use crate::failure::{Failure, Tried, corrupt};
use crate::limits;
use crate::live::{Mode, Rid};

/// A key that lies behind those of all rows.
const LAST: [u8; 8] = [u8::MAX; 8];

impl Work {
    /// Adds a row.
    ///
    /// # Errors
    /// -407 for a NULL, -904 and -913; -803 comes from [`Self::end_statement`].
    pub fn insert(&mut self, unit: &mut dyn UnitOfWork, table: &Table, row: &[u8]) -> Tried<Rid> {
        self.prepare_change(unit, table)?;
        self.check_row(table, row)?;
        self.pass_ranges(unit, table, (table.rows(), &LAST))?;
        let changes = self.entry_changes(unit, table, None, Some(row))?;
        make_room(unit, row.len(), &changes)?;
        let rid = table.live.new_rid();
        self.take(unit, table.rows(), &rid.key())?;
        self.change(unit, (table.rows(), &rid.key()), Some(row), None)?;
        self.change_entries(unit, table, rid, &changes)?;
        Ok(rid)
    }

    /// Replaces a row. Returns false if it is not there any more.
    ///
    /// # Errors
    /// As [`Self::insert`].
    pub fn update(&mut self, unit: &mut dyn UnitOfWork, table: &Table, rid: Rid, row: &[u8]) -> Tried<bool> {
        self.prepare_change(unit, table)?;
        self.check_row(table, row)?;
        self.replace(unit, table, rid, Some(row))
    }

    /// Deletes a row. Returns false if it is not there any more.
    ///
    /// # Errors
    /// As [`Self::insert`].
    pub fn delete(&mut self, unit: &mut dyn UnitOfWork, table: &Table, rid: Rid) -> Tried<bool> {
        self.prepare_change(unit, table)?;
        self.replace(unit, table, rid, None)
    }

    fn prepare_change(&mut self, unit: &mut dyn UnitOfWork, table: &Table) -> Tried<()> {
        self.hold_table(unit, table, Mode::ChangesRows)?;
        self.check(table)
    }

    fn check_row(&self, table: &Table, row: &[u8]) -> Tried<()> {
        if row.len() > limits::ROW_BYTES {
            return Err(Failure::limit("row_bytes").into());
        }
        let malformed = |_| corrupt(&format!("a row for table {}", table.name));
        match self.tables.form.refused_null(&table.columns, row).map_err(malformed)? {
            None => Ok(()),
            Some(column) => {
                let name = table.columns.get(column).map(|column| column.name.clone());
                Err(Failure::new(-407, name).into())
            }
        }
    }

    /// Replaces or deletes a row. All that may be waited for comes before the first change.
    fn replace(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        rid: Rid,
        new: Option<&[u8]>,
    ) -> Tried<bool> {
        let (rows, key) = (table.rows(), rid.key());
        if !unit.has_lock(rows, &key) || self.waits.is_ahead(rows, &key) || self.is_shared(table, rid) {
            self.take_row(unit, table, rid)?;
        }
        let mut old = std::mem::take(&mut self.row);
        let replaced = self.replace_locked(unit, table, rid, &mut old, new);
        self.row = old;
        replaced
    }

    fn is_shared(&self, table: &Table, rid: Rid) -> bool {
        !self.sharers(table, rid).is_empty()
    }

    fn replace_locked(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        rid: Rid,
        old: &mut Vec<u8>,
        new: Option<&[u8]>,
    ) -> Tried<bool> {
        let (rows, key) = (table.rows(), rid.key());
        if !self.read(unit, rows, &key, old)? {
            return Ok(false);
        }
        let changes = self.entry_changes(unit, table, Some(old), new)?;
        make_room(unit, new.map_or(0, <[u8]>::len), &changes)?;
        self.change(unit, (rows, &key), new, Some(old))?;
        self.change_entries(unit, table, rid, &changes)?;
        Ok(true)
    }
}

/// Asks for room for a row and its entries, so that none of the changes is refused after another one was made.
fn make_room(unit: &mut dyn UnitOfWork, row: usize, changes: &EntryChanges) -> Tried<()> {
    let bytes: usize = changes.iter().map(|change| change_bytes(change.key(), None) + 16).sum();
    Ok(unit.make_room(1 + changes.len(), row + bytes)?)
}
