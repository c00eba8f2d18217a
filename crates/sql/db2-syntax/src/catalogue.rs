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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Its name in upper case, or as it stands between quotes.
    pub name: String,
    /// Its columns in their order.
    pub columns: Vec<Column>,
    /// The columns of its primary key, by their numbers; empty for a table without one.
    pub key: Vec<usize>,
    /// Its indexes, that of the primary key not among them.
    pub indexes: Vec<Index>,
    /// Conditions that its rows fulfil.
    pub checks: Vec<Check>,
    /// Rows of other tables that its rows belong to.
    pub references: Vec<Reference>,
}

/// A condition that the rows of a table fulfil, unless it is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The condition, as it is written.
    pub text: String,
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its name.
    pub name: String,
    /// Columns by their numbers.
    pub columns: Vec<usize>,
    /// The table whose primary key they are; as many columns.
    pub parent: String,
    /// The rule for the deletion of the row of the parent.
    pub on_delete: OnDelete,
}

/// Rules of foreign keys for the deletion of a parent's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDelete {
    /// RESTRICT, NO ACTION: it is refused.
    Restrict,
    /// CASCADE: its rows go, too.
    Cascade,
    /// SET NULL: they belong to none.
    SetNull,
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

    /// The foreign keys to a table, with their tables, in the order of names.
    pub fn children<'c>(&'c self, parent: &'c str) -> Vec<(&'c Table, &'c Reference)> {
        let of = |table: &'c Table| {
            table
                .references
                .iter()
                .filter(move |reference| reference.parent == parent)
                .map(move |reference| (table, reference))
        };
        let mut children: Vec<_> = self.tables.values().flat_map(of).collect();
        children.sort_by(|(a, x), (b, y)| (&a.name, &x.name).cmp(&(&b.name, &y.name)));
        children
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
