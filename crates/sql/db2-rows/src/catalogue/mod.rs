//! The catalogue: tables, columns, indexes, sequences and views as one unit of work sees them.

mod stored;

use std::collections::BTreeMap;
use std::sync::Arc;

use records::StoreId;
use serde::{Deserialize, Serialize};

use crate::live::Live;

pub(crate) use stored::{
    FORM, StoredKind, key_of, sequence_from, sequence_record, table_from, table_record, view_from,
    view_record,
};

/// A name in its schema. Both are in upper case, or as they stand between quotes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Name {
    /// The schema.
    pub schema: String,
    /// The name in it.
    pub name: String,
}

impl Name {
    /// A name from its parts.
    pub fn new(schema: &str, name: &str) -> Self {
        Self { schema: schema.into(), name: name.into() }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.schema, self.name)
    }
}

/// The type of a column, in numbers of those who know types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnType {
    /// The number of the type.
    pub code: u8,
    /// Its length, precision or digits of a second.
    pub length: u32,
    /// Its scale.
    pub scale: u8,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: ColumnType,
    /// True if it can be NULL.
    pub is_nullable: bool,
    /// The value of a row that gives none, in the form of those who fill rows.
    pub default: Option<Vec<u8>>,
    /// The sequence that gives its values.
    pub identity: Option<SequenceId>,
}

/// A column of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyColumn {
    /// Its number in the table, from 0.
    pub column: usize,
    /// True if the greatest comes first.
    pub is_descending: bool,
}

/// The promise of an index about rows with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unique {
    /// There can be many.
    No,
    /// There is one at most; NULL is a value like others.
    Yes,
    /// There is one at most, and many with a NULL.
    WhereNotNull,
}

/// The number of a table: that of the store with its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub StoreId);

/// The number of an index: that of the store with its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(pub StoreId);

/// The number of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SequenceId(pub u32);

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its number.
    pub id: IndexId,
    /// Its name.
    pub name: Name,
    /// The columns of its key.
    pub key: Vec<KeyColumn>,
    /// Its promise.
    pub unique: Unique,
    /// True if it is that of the primary key.
    pub is_primary: bool,
}

/// A table as a definition has left it.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its number.
    pub id: TableId,
    /// Its name.
    pub name: Name,
    /// Its columns in their order.
    pub columns: Vec<Column>,
    /// Its indexes in the order in which they were made.
    pub indexes: Vec<Index>,
    /// Checks of its rows, in the form of those who run them.
    pub checks: Vec<u8>,
    /// The edition of the catalogue in which it became so.
    pub(crate) edition: u64,
    pub(crate) live: Arc<Live>,
}

impl Table {
    /// The index of this number.
    pub fn index(&self, id: IndexId) -> Option<&Index> {
        self.indexes.iter().find(|index| index.id == id)
    }

    /// The store with its rows.
    pub(crate) fn rows(&self) -> StoreId {
        self.id.0
    }
}

/// A sequence: numbers that are given out once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequence {
    /// Its number.
    pub id: SequenceId,
    /// Its name.
    pub name: Name,
    /// The first number.
    pub start: i64,
    /// From one number to the next; not zero.
    pub increment: i64,
    /// The least number.
    pub least: i64,
    /// The greatest one.
    pub greatest: i64,
    /// True if it begins again at its end.
    pub cycles: bool,
}

/// The number of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ViewId(pub u32);

/// A view, or another name of a table: it has the name of a table, and no rows of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Its number.
    pub id: ViewId,
    /// Its name, which no table has.
    pub name: Name,
    /// Its definition, in the form of those who read it.
    pub definition: Vec<u8>,
}

/// The tables, sequences and views that there are.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    pub(crate) edition: u64,
    pub(crate) tables: BTreeMap<Name, Arc<Table>>,
    pub(crate) sequences: BTreeMap<Name, Arc<Sequence>>,
    pub(crate) views: BTreeMap<Name, Arc<View>>,
}

impl Catalogue {
    /// A number that differs whenever anything differs.
    pub fn edition(&self) -> u64 {
        self.edition
    }

    /// The table of this name.
    pub fn table(&self, name: &Name) -> Option<&Arc<Table>> {
        self.tables.get(name)
    }

    /// All tables by their names.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }

    /// The sequence of this name.
    pub fn sequence(&self, name: &Name) -> Option<&Arc<Sequence>> {
        self.sequences.get(name)
    }

    /// All sequences by their names.
    pub fn sequences(&self) -> impl Iterator<Item = &Arc<Sequence>> {
        self.sequences.values()
    }

    /// The view of this name.
    pub fn view(&self, name: &Name) -> Option<&Arc<View>> {
        self.views.get(name)
    }

    /// All views by their names.
    pub fn views(&self) -> impl Iterator<Item = &Arc<View>> {
        self.views.values()
    }

    /// The table that has an index of this name.
    pub fn table_of_index(&self, index: &Name) -> Option<&Arc<Table>> {
        self.tables.values().find(|table| table.indexes.iter().any(|other| other.name == *index))
    }

    /// The stores that its tables use.
    pub(crate) fn stores(&self) -> impl Iterator<Item = StoreId> + '_ {
        self.tables.values().flat_map(|table| {
            std::iter::once(table.rows()).chain(table.indexes.iter().map(|index| index.id.0))
        })
    }
}

/// The definitions of a unit of work.
pub(crate) struct Definitions {
    /// The catalogue with it.
    pub(crate) catalogue: Arc<Catalogue>,
    /// Tables whose definition it changes.
    pub(crate) changing: Vec<Arc<Live>>,
    /// Stores that it has made.
    pub(crate) created: Vec<StoreId>,
}
