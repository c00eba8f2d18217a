//! Rows of tables on the record engine (`db2-rows`).

mod bytes;
mod described;
mod rules;
mod views;

use std::sync::Arc;

use db2_rows::{Cursor, Failure, Isolation, Table, Work};
use db2_syntax::tree;
use records::{Direction, UnitOfWork};

use crate::rows::{NumberOf, Path, Range, Rid, Rows, Stop, Tried, Wish};

pub use described::{
    described, identity, index, is_sequence_named, key_index, name_of, sequence, sequence_kind, table,
};
pub use views::{view, view_bytes};

/// The rows of a table, in a unit of work, for a step of a statement. `Later` is waited for by [`Work::wait`].
pub struct OnTables<'w> {
    work: &'w mut Work,
    unit: &'w mut dyn UnitOfWork,
    tables: Of<'w>,
    /// Isolation of a statement that says none.
    isolation: Isolation,
}

/// The tables that a statement names.
enum Of<'w> {
    One(Arc<Table>),
    Several(&'w [Arc<Table>]),
}

/// A failure of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// An SQLCODE.
    Failed(Failure),
    /// The engine cannot go on: the unit of work must be backed out.
    Engine(records::Error),
}

impl<'w> OnTables<'w> {
    /// The rows of the table that a statement's plan names.
    pub fn new(
        work: &'w mut Work,
        unit: &'w mut dyn UnitOfWork,
        table: Arc<Table>,
        isolation: Isolation,
    ) -> Self {
        Self { work, unit, tables: Of::One(table), isolation }
    }

    /// The rows of the tables that a statement's plan names ([`crate::Plan::tables`]).
    pub fn of_several(
        work: &'w mut Work,
        unit: &'w mut dyn UnitOfWork,
        tables: &'w [Arc<Table>],
        isolation: Isolation,
    ) -> Self {
        Self { work, unit, tables: Of::Several(tables), isolation }
    }

    /// The table of a full name. One that is not there is found out by the rows: the plan is older than it.
    fn table(&self, name: &str) -> Tried<Arc<Table>, Trouble> {
        let found = match &self.tables {
            Of::One(table) => described::is_named(&table.name, name).then_some(table),
            Of::Several(tables) => tables.iter().find(|table| described::is_named(&table.name, name)),
        };
        found.cloned().ok_or_else(|| Stop::Failed(Trouble::Failed(Failure::new(-204, [name]))))
    }

    fn wish(&self, wish: Wish) -> db2_rows::Wish {
        let isolation = match wish.isolation {
            None => self.isolation,
            Some(tree::Isolation::Uncommitted) => Isolation::Uncommitted,
            Some(tree::Isolation::CursorStability) => Isolation::CursorStability,
            Some(tree::Isolation::ReadStability) => Isolation::ReadStability,
            Some(tree::Isolation::RepeatableRead) => Isolation::RepeatableRead,
        };
        db2_rows::Wish {
            for_update: wish.for_update,
            skips_locked: wish.skips_locked,
            ..db2_rows::Wish::reads(isolation)
        }
    }

    /// The way in the table as it lies. An index that is not there any more is found out by the rows: it has no number.
    fn path(table: &Table, path: Path) -> Option<db2_rows::Path> {
        let mut indexes = table.indexes.iter();
        let index = match path {
            Path::Scan => return Some(db2_rows::Path::Scan),
            Path::Key => indexes.find(|index| index.is_primary),
            Path::Index(at) => indexes.filter(|index| !index.is_primary).nth(at),
        };
        index.map(|index| db2_rows::Path::Index(index.id))
    }
}

fn tried<T>(answer: db2_rows::Tried<T>) -> Tried<T, Trouble> {
    answer.map_err(|stop| match stop {
        db2_rows::Stop::Later => Stop::Later,
        db2_rows::Stop::Failed(failure) => Stop::Failed(Trouble::Failed(failure)),
        db2_rows::Stop::Engine(error) => Stop::Failed(Trouble::Engine(error)),
    })
}

impl Rows for OnTables<'_> {
    type Cursor = Cursor;
    type Failure = Trouble;

    fn open(&mut self, table: &str, path: Path, range: Range, wish: Wish) -> Tried<Cursor, Trouble> {
        // The plan is older than the table.
        let stale = || Stop::Failed(Trouble::Failed(Failure::new(-204, [table])));
        let table = self.table(table)?;
        let path = Self::path(&table, path).ok_or_else(stale)?;
        let direction = if range.is_backward { Direction::Backward } else { Direction::Forward };
        let range = db2_rows::Range { from: range.low, to: range.high, direction };
        tried(Cursor::open(&table, path, range, self.wish(wish)))
    }

    fn next(&mut self, cursor: &mut Cursor, row: &mut Vec<u8>) -> Tried<Option<Rid>, Trouble> {
        let Some(found) = tried(cursor.next(self.work, self.unit))? else { return Ok(None) };
        row.clear();
        row.extend_from_slice(found.bytes);
        Ok(Some(Rid(found.rid.0)))
    }

    fn refuse(&mut self, cursor: &mut Cursor) {
        cursor.refuse(self.work, self.unit);
    }

    fn close(&mut self, cursor: Cursor) {
        cursor.close(self.work, self.unit);
    }

    fn row(&mut self, table: &str, rid: Rid, wish: Wish, row: &mut Vec<u8>) -> Tried<bool, Trouble> {
        let (wish, table) = (self.wish(wish), self.table(table)?);
        tried(self.work.row(self.unit, &table, db2_rows::Rid(rid.0), wish, row))
    }

    fn insert(&mut self, table: &str, row: &[u8]) -> Tried<Rid, Trouble> {
        let table = self.table(table)?;
        tried(self.work.insert(self.unit, &table, row)).map(|rid| Rid(rid.0))
    }

    fn update(&mut self, table: &str, rid: Rid, row: &[u8]) -> Tried<bool, Trouble> {
        let table = self.table(table)?;
        tried(self.work.update(self.unit, &table, db2_rows::Rid(rid.0), row))
    }

    fn delete(&mut self, table: &str, rid: Rid) -> Tried<bool, Trouble> {
        let table = self.table(table)?;
        tried(self.work.delete(self.unit, &table, db2_rows::Rid(rid.0)))
    }

    fn number(&mut self, of: NumberOf<'_>) -> Tried<Option<i64>, Trouble> {
        let catalogue = self.work.catalogue();
        let unknown = |name: &str| Stop::Failed(Trouble::Failed(Failure::new(-204, [name])));
        let named = |name: &str| {
            let found = catalogue.sequences().find(|sequence| is_sequence_named(&sequence.name, name));
            found.ok_or_else(|| unknown(name))
        };
        match of {
            NumberOf::Next(name) => tried(self.work.next_value(self.unit, named(name)?)).map(Some),
            NumberOf::Previous(name) => {
                let previous = self.work.previous_value(named(name)?);
                previous.map(Some).ok_or_else(|| Stop::Failed(Trouble::Failed(Failure::new(-845, [name]))))
            }
            NumberOf::Identity(name, is_last) => {
                let table = self.table(name)?;
                let id = table.columns.iter().find_map(|column| column.identity);
                let sequence = catalogue.sequences().find(|sequence| Some(sequence.id) == id);
                let number = tried(self.work.next_value(self.unit, sequence.ok_or_else(|| unknown(name))?))?;
                if is_last {
                    self.work.note_identity(number);
                }
                Ok(Some(number))
            }
            NumberOf::LastIdentity => Ok(self.work.identity_value()),
        }
    }

    fn begin_statement(&mut self) {
        self.work.begin_statement();
    }

    fn end_statement(&mut self) -> Tried<(), Trouble> {
        tried(self.work.end_statement(self.unit))
    }

    fn undo_statement(&mut self) -> Tried<(), Trouble> {
        tried(self.work.undo_statement(self.unit))
    }
}
