//! Rows in memory, by the border of `db2_run::rows`. An index is made when it is read: it is slow, and right by its looks.

use std::collections::BTreeMap;
use std::ops::Bound;

use db2_run::rows::{NumberOf, Path, Range, Rid, Rows, Stop, Tried, Wish};
use db2_syntax::{Catalogue, Table, Type};
use db2_values::{Order, Value, key, row};

#[derive(Default)]
pub struct Memory {
    pub catalogue: Catalogue,
    tables: BTreeMap<String, BTreeMap<u64, Vec<u8>>>,
    before: Option<BTreeMap<String, BTreeMap<u64, Vec<u8>>>>,
    last: u64,
    numbers: BTreeMap<String, i64>,
    pub order: Order,
    /// Half of the calls say "later", by these numbers; `None`: none does.
    pub later: Option<fastrand::Rng>,
    pub open_cursors: i32,
    /// Rows that cursors went to.
    pub looked: u64,
}

/// A place behind a key and a row's number.
pub struct Cursor {
    table: String,
    path: Path,
    range: Range,
    behind: Option<(Vec<u8>, u64)>,
}

impl Memory {
    fn later(&mut self) -> Tried<(), i32> {
        if self.later.as_mut().is_some_and(fastrand::Rng::bool) { Err(Stop::Later) } else { Ok(()) }
    }

    fn table(&self, name: &str) -> &Table {
        self.catalogue.table(name).expect("the table")
    }

    fn key(&self, table: &Table, columns: &[(usize, bool)], bytes: &[u8]) -> Vec<u8> {
        let kinds: Vec<Type> = table.columns.iter().map(|column| column.kind).collect();
        let mut values: Vec<Value> = Vec::new();
        row::decode(bytes, &kinds, &mut values).expect("a row");
        let mut made = Vec::new();
        for (column, is_descending) in columns {
            key::append(&mut made, &values[*column], kinds[*column], *is_descending, self.order);
        }
        made
    }

    fn by_index(&self, cursor: &Cursor) -> Option<(Vec<u8>, u64)> {
        let table = self.table(&cursor.table);
        let columns = match cursor.path {
            Path::Index(at) => table.indexes[at].columns.clone(),
            _ => table.key.iter().map(|column| (*column, false)).collect(),
        };
        let rows = self.tables.get(&cursor.table)?;
        let keys = rows.iter().map(|(rid, bytes)| (self.key(table, &columns, bytes), *rid));
        let within = keys.filter(|(key, _)| {
            let is_above = match &cursor.range.low {
                Bound::Unbounded => true,
                Bound::Included(low) => key.starts_with(low) || key > low,
                Bound::Excluded(low) => !key.starts_with(low) && key > low,
            };
            let is_below = match &cursor.range.high {
                Bound::Unbounded => true,
                Bound::Included(high) => key.starts_with(high) || key < high,
                Bound::Excluded(high) => !key.starts_with(high) && key < high,
            };
            is_above && is_below
        });
        let behind = cursor.behind.as_ref();
        if cursor.range.is_backward {
            within.filter(|at| behind.is_none_or(|behind| at < behind)).max()
        } else {
            within.filter(|at| behind.is_none_or(|behind| at > behind)).min()
        }
    }
}

impl Rows for Memory {
    type Cursor = Cursor;
    type Failure = i32;

    fn open(&mut self, table: &str, path: Path, range: Range, _: Wish) -> Tried<Cursor, i32> {
        self.later()?;
        self.open_cursors += 1;
        Ok(Cursor { table: table.to_owned(), path, range, behind: None })
    }

    fn next(&mut self, cursor: &mut Cursor, row: &mut Vec<u8>) -> Tried<Option<Rid>, i32> {
        self.later()?;
        let found = match cursor.path {
            Path::Scan => {
                let behind = cursor.behind.as_ref().map_or(0, |(_, rid)| *rid);
                let rows = self.tables.get(&cursor.table);
                let mut rows = rows.into_iter().flat_map(|rows| rows.range(behind + 1..));
                rows.next().map(|(rid, _)| (Vec::new(), *rid))
            }
            _ => self.by_index(cursor),
        };
        let Some((key, rid)) = found else { return Ok(None) };
        self.looked += 1;
        cursor.behind = Some((key, rid));
        row.clone_from(&self.tables[&cursor.table][&rid]);
        Ok(Some(Rid(rid)))
    }

    fn refuse(&mut self, _: &mut Cursor) {}

    fn close(&mut self, _: Cursor) {
        self.open_cursors -= 1;
    }

    fn row(&mut self, table: &str, rid: Rid, _: Wish, row: &mut Vec<u8>) -> Tried<bool, i32> {
        self.later()?;
        let found = self.tables.get(table).and_then(|rows| rows.get(&rid.0));
        if let Some(found) = found {
            row.clone_from(found);
        }
        Ok(found.is_some())
    }

    fn insert(&mut self, table: &str, row: &[u8]) -> Tried<Rid, i32> {
        self.later()?;
        self.last += 1;
        self.tables.entry(table.to_owned()).or_default().insert(self.last, row.to_vec());
        Ok(Rid(self.last))
    }

    fn update(&mut self, table: &str, rid: Rid, row: &[u8]) -> Tried<bool, i32> {
        self.later()?;
        let found = self.tables.get_mut(table).and_then(|rows| rows.get_mut(&rid.0));
        Ok(found.map(|found| *found = row.to_vec()).is_some())
    }

    fn delete(&mut self, table: &str, rid: Rid) -> Tried<bool, i32> {
        self.later()?;
        Ok(self.tables.get_mut(table).is_some_and(|rows| rows.remove(&rid.0).is_some()))
    }

    fn number(&mut self, of: NumberOf<'_>) -> Tried<Option<i64>, i32> {
        self.later()?;
        let numbers = &mut self.numbers;
        Ok(match of {
            NumberOf::Next(name) | NumberOf::Identity(name, _) => {
                let number = numbers.entry(name.to_owned()).or_default();
                *number += 1;
                Some(*number)
            }
            NumberOf::Previous(name) => {
                let number = numbers.get(name).copied();
                return number.map(Some).ok_or(Stop::Failed(-845));
            }
            NumberOf::LastIdentity => None,
        })
    }

    fn begin_statement(&mut self) {
        self.before = Some(self.tables.clone());
    }

    fn end_statement(&mut self) -> Tried<(), i32> {
        self.later()?;
        for (name, rows) in &self.tables {
            let table = self.table(name);
            let of_key =
                (!table.key.is_empty()).then(|| table.key.iter().map(|column| (*column, false)).collect());
            let unique =
                table.indexes.iter().filter(|index| index.is_unique).map(|index| index.columns.clone());
            for columns in unique.chain(of_key) {
                let mut keys: Vec<_> = rows.values().map(|row| self.key(table, &columns, row)).collect();
                keys.sort();
                if keys.windows(2).any(|pair| pair[0] == pair[1]) {
                    return Err(Stop::Failed(-803));
                }
            }
        }
        self.before = None;
        Ok(())
    }

    fn undo_statement(&mut self) -> Tried<(), i32> {
        self.later()?;
        self.tables = self.before.take().expect("a statement that changes");
        Ok(())
    }
}
