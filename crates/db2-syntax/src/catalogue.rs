//! The tables that statements name.

use std::collections::HashMap;

use db2_values::Type;

/// The tables that there are, by their names without a schema.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    tables: HashMap<String, Table>,
}

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTable {
    /// The table.
    pub table: Table,
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateIndex {
    /// The name of its table.
    pub table: String,
    /// The index.
    pub index: Index,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name in upper case, or as it stands between quotes.
    pub name: String,
    /// Its columns in their order.
    pub columns: Vec<Column>,
    /// The columns of its primary key, by their numbers; empty for a table without one.
    pub key: Vec<usize>,
    /// Its indexes, that of the primary key not among them.
    pub indexes: Vec<Index>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: Type,
    /// True if it can be NULL.
    pub is_nullable: bool,
    /// The value of a row that gives none; `None`: each row must give one.
    pub default: Option<DefaultValue>,
}

/// The value of a column for which a row gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// NULL.
    Null,
    /// The type's own: zero, blanks, no characters, the time of the statement.
    OfType,
    /// A constant, as it is written.
    Constant(String),
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its columns by their numbers; true: descending.
    pub columns: Vec<(usize, bool)>,
    /// True if no two rows have the same values.
    pub is_unique: bool,
}

impl Table {
    /// The number of the column of this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

impl Catalogue {
    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    /// Adds a table that CREATE TABLE has described. Returns false if there is one of this name.
    pub fn create_table(&mut self, create: CreateTable) -> bool {
        let CreateTable { table } = create;
        let is_new = !self.tables.contains_key(&table.name);
        if is_new {
            self.tables.insert(table.name.clone(), table);
        }
        is_new
    }

    /// Adds an index that CREATE INDEX has described. Returns false if its table has one of this name, or is gone.
    pub fn create_index(&mut self, create: CreateIndex) -> bool {
        let CreateIndex { table, index } = create;
        match self.tables.get_mut(&table) {
            Some(table) if table.indexes.iter().all(|other| other.name != index.name) => {
                table.indexes.push(index);
                true
            }
            _ => false,
        }
    }
}
