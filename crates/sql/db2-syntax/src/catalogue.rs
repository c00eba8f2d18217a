//! The tables that statements name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use db2_values::Type;

use crate::full_name::{full_name, parts};

/// The tables and views that there are, by their full names. A clone shares them.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    tables: Arc<HashMap<String, Table>>,
    views: Arc<BTreeMap<String, View>>,
    /// The schemas in which names without one are looked for; none: what stands before a name is not looked at.
    schemas: Arc<[String]>,
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
    /// The full name of its table.
    pub table: String,
    /// The schema of its name; empty in a catalogue without schemas.
    pub schema: String,
    /// The index.
    pub index: Index,
}

/// A view, or another name of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// CREATE VIEW.
    Query(ViewQuery),
    /// CREATE ALIAS.
    Alias {
        /// Its full name.
        name: String,
        /// The full name of the table or view that is meant, which need not be there.
        of: String,
    },
}

/// A view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewQuery {
    /// Its full name.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its query, as it is written.
    pub text: String,
    /// The schemas in which names without one are looked for in it.
    pub schemas: Vec<String>,
    /// WITH CHECK OPTION.
    pub check: Option<CheckOption>,
    /// The full names of all tables and views below it.
    pub uses: Vec<String>,
}

/// Kinds of WITH CHECK OPTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOption {
    /// New rows fulfil the view's own condition.
    Local,
    /// They fulfil those of the views below it, too.
    Cascaded,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub enum Meant<'c> {
    /// A table.
    Table(&'c Table),
    /// A view.
    View(&'c ViewQuery),
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Its full name ([`full_name`]).
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
    /// The full name of the table whose primary key they are; as many columns.
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
    /// Its name without its schema.
    pub fn own_name(&self) -> &str {
        parts(&self.name).1
    }

    /// The number of the column of this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

impl Catalogue {
    /// One without tables, whose names without a schema are looked for in these schemas, the first of which gets what is made.
    pub fn of_schemas(schemas: impl IntoIterator<Item = String>) -> Self {
        Self { schemas: schemas.into_iter().collect(), ..Self::default() }
    }

    /// The same tables, looked for in other schemas.
    #[must_use]
    pub fn in_schemas(&self, schemas: impl IntoIterator<Item = String>) -> Self {
        Self { schemas: schemas.into_iter().collect(), ..self.clone() }
    }

    /// The schemas in which names without one are looked for.
    pub fn schemas(&self) -> &[String] {
        &self.schemas
    }

    /// The table of this full name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    /// The view of this full name.
    pub fn view(&self, name: &str) -> Option<&View> {
        self.views.get(name)
    }

    /// All views by their names.
    pub fn views(&self) -> impl Iterator<Item = &View> {
        self.views.values()
    }

    /// All tables by their names.
    pub fn sorted(&self) -> Vec<&Table> {
        let mut tables: Vec<_> = self.tables.values().collect();
        tables.sort_by(|one, other| one.name.cmp(&other.name));
        tables
    }

    /// Returns true if a table or a view has this full name.
    pub fn has(&self, name: &str) -> bool {
        self.tables.contains_key(name) || self.views.contains_key(name)
    }

    /// The table that a statement means by a name, perhaps with a schema before it.
    pub fn find(&self, schema: Option<&str>, name: &str) -> Option<&Table> {
        match self.meant(&self.schemas, schema, name)? {
            Meant::Table(table) => Some(table),
            Meant::View(_) => None,
        }
    }

    /// The table or the view that a name means where names without a schema are looked for in these.
    pub fn meant(&self, schemas: &[String], schema: Option<&str>, name: &str) -> Option<Meant<'_>> {
        looked_in(schemas, schema).into_iter().find_map(|schema| self.of_full(&full_name(schema, name)))
    }

    fn of_full(&self, full: &str) -> Option<Meant<'_>> {
        let other = match self.views.get(full) {
            None => return self.tables.get(full).map(Meant::Table),
            Some(View::Query(view)) => return Some(Meant::View(view)),
            Some(View::Alias { of, .. }) => of,
        };
        match self.views.get(other) {
            Some(View::Query(view)) => Some(Meant::View(view)),
            // An alias of an alias is none.
            Some(View::Alias { .. }) => None,
            None => self.tables.get(other).map(Meant::Table),
        }
    }

    /// The schemas in which a name is looked for, which may have one before it.
    pub fn schemas_of<'c>(&'c self, schema: Option<&'c str>) -> Vec<&'c str> {
        looked_in(&self.schemas, schema)
    }

    /// The schema of what is made under a name, which may have one before it.
    pub fn schema_of_new<'c>(&'c self, schema: Option<&'c str>) -> &'c str {
        match self.schemas.first() {
            None => "",
            Some(first) => schema.map_or(first.as_str(), |schema| schema),
        }
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

    /// Takes a table or a view out, with the views over it.
    pub fn forget(&mut self, name: &str) {
        Arc::make_mut(&mut self.tables).remove(name);
        Arc::make_mut(&mut self.views).retain(|own, view| {
            let is_over = matches!(view, View::Query(view) if view.uses.iter().any(|used| used == name));
            own != name && !is_over
        });
    }

    /// Adds a view. Returns false if there is one of this name, or a table.
    pub fn create_view(&mut self, view: View) -> bool {
        let (View::Query(ViewQuery { name, .. }) | View::Alias { name, .. }) = &view;
        let is_new = !self.has(name);
        if is_new {
            Arc::make_mut(&mut self.views).insert(name.clone(), view);
        }
        is_new
    }

    /// Adds a table that CREATE TABLE has described. Returns false if there is one of this name.
    pub fn create_table(&mut self, create: CreateTable) -> bool {
        let CreateTable { table } = create;
        let is_new = !self.has(&table.name);
        if is_new {
            Arc::make_mut(&mut self.tables).insert(table.name.clone(), table);
        }
        is_new
    }

    /// Adds an index that CREATE INDEX has described. Returns false if its table has one of this name, or is gone.
    pub fn create_index(&mut self, create: CreateIndex) -> bool {
        let CreateIndex { table, index, .. } = create;
        match Arc::make_mut(&mut self.tables).get_mut(&table) {
            Some(table) if table.indexes.iter().all(|other| other.name != index.name) => {
                table.indexes.push(index);
                true
            }
            _ => false,
        }
    }
}

/// The schemas in which a name is looked for, with this one before it or none. Without any, what stands before it is not looked at.
fn looked_in<'c>(schemas: &'c [String], schema: Option<&'c str>) -> Vec<&'c str> {
    match (schemas, schema) {
        ([], _) => vec![""],
        (_, Some(schema)) => vec![schema],
        (_, None) => schemas.iter().map(String::as_str).collect(),
    }
}
