//! Tables, sequences and views as records of the catalogue.
//!
//! ```text
//! key    = 'T' store:4 | 'S' number:4 | 'V' number:4 | 'F'
//! record = format:1 description (postcard); of 'F' what tells the form of rows and keys from others
//! ```

use std::sync::Arc;

use records::StoreId;
use serde::{Deserialize, Serialize};

use super::{Column, Index, IndexId, KeyColumn, Name, Sequence, Table, TableId, Unique, View};
use crate::failure::{Tried, corrupt};
use crate::live::Live;

/// The format of a record.
const FORMAT: u8 = 1;

/// The key of the record that says in which form rows and keys are written.
pub(crate) const FORM: &[u8] = b"F";

/// Kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredKind {
    Table,
    Sequence,
    View,
}

impl StoredKind {
    fn letter(self) -> u8 {
        match self {
            Self::Table => b'T',
            Self::Sequence => b'S',
            Self::View => b'V',
        }
    }

    /// The kind of the record with this key; `None` if no record has such a key.
    pub(crate) fn of(key: &[u8]) -> Option<(Self, u32)> {
        let (letter, number) = key.split_first()?;
        let number = u32::from_be_bytes(number.try_into().ok()?);
        [Self::Table, Self::Sequence, Self::View]
            .into_iter()
            .find(|kind| kind.letter() == *letter)
            .map(|kind| (kind, number))
    }
}

/// The key of a record.
pub(crate) fn key_of(kind: StoredKind, number: u32) -> [u8; 5] {
    let mut key = [kind.letter(); 5];
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

#[derive(Serialize, Deserialize)]
struct StoredTable {
    name: Name,
    columns: Vec<Column>,
    indexes: Vec<StoredIndex>,
    checks: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct StoredIndex {
    store: u32,
    name: Name,
    key: Vec<KeyColumn>,
    unique: Unique,
    is_primary: bool,
}

/// The record of a table.
pub(crate) fn table_record(table: &Table) -> Tried<Vec<u8>> {
    let index = |index: &Index| StoredIndex {
        store: index.id.0.0,
        name: index.name.clone(),
        key: index.key.clone(),
        unique: index.unique,
        is_primary: index.is_primary,
    };
    written(&StoredTable {
        name: table.name.clone(),
        columns: table.columns.clone(),
        indexes: table.indexes.iter().map(index).collect(),
        checks: table.checks.clone(),
    })
}

/// The record of a sequence.
pub(crate) fn sequence_record(sequence: &Sequence) -> Tried<Vec<u8>> {
    written(sequence)
}

/// The table of a record.
pub(crate) fn table_from(store: u32, record: &[u8], edition: u64, live: Arc<Live>) -> Tried<Table> {
    let StoredTable { name, columns, indexes, checks } = read(record)?;
    let index = |index: StoredIndex| Index {
        id: IndexId(StoreId(index.store)),
        name: index.name,
        key: index.key,
        unique: index.unique,
        is_primary: index.is_primary,
    };
    let indexes: Vec<_> = indexes.into_iter().map(index).collect();
    if indexes.iter().flat_map(|index| &index.key).any(|key| key.column >= columns.len()) {
        return Err(corrupt("an index in the catalogue of tables"));
    }
    Ok(Table { id: TableId(StoreId(store)), name, columns, indexes, checks, edition, live })
}

/// The sequence of a record.
pub(crate) fn sequence_from(record: &[u8]) -> Tried<Sequence> {
    read(record)
}

/// The record of a view.
pub(crate) fn view_record(view: &View) -> Tried<Vec<u8>> {
    written(view)
}

/// The view of a record.
pub(crate) fn view_from(record: &[u8]) -> Tried<View> {
    read(record)
}

fn written(description: &impl Serialize) -> Tried<Vec<u8>> {
    postcard::to_extend(description, vec![FORMAT]).map_err(|_| corrupt("a description of a table"))
}

fn read<'r, T: Deserialize<'r>>(record: &'r [u8]) -> Tried<T> {
    match record.split_first() {
        Some((&FORMAT, rest)) => postcard::from_bytes(rest).map_err(|_| corrupt("the catalogue of tables")),
        Some((format, _)) => Err(crate::Stop::Engine(records::Error::Format(format.to_string()))),
        None => Err(corrupt("the catalogue of tables")),
    }
}
