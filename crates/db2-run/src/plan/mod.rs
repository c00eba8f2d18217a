//! Plans of statements.

mod access;
mod build;
mod words;

use db2_syntax::tree::{self, Statement};
use db2_syntax::{Catalogue, Table};
use db2_values::{Aggregate, Type};

pub(crate) use access::{Access, Found};

use crate::condition::Test;
use crate::formula::Formula;
use crate::rows::Wish;

/// A plan: which way a statement goes to its rows, and what it does with each. It is made once, and run as often as needed.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) table: Table,
    /// The types of the table's columns.
    pub(crate) kinds: Vec<Type>,
    /// The host variables that it needs, in the order in which they are given, with their types.
    pub(crate) variables: Vec<(u32, Type)>,
    pub(crate) action: Action,
}

/// A statement that has no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unplanned {
    /// Its table is not there any more (-204).
    NoTable(String),
    /// A number in it is none of its type (-405).
    Number(String),
    /// It defines something: it has no rows.
    Definition,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Query(Box<Query>),
    Insert(Vec<Formula>),
    Change(Change),
}

#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) source: Source,
    pub(crate) outputs: Vec<Formula>,
    /// Functions of all rows; there are some if the query is grouped.
    pub(crate) totals: Vec<TotalOf>,
    pub(crate) is_grouped: bool,
    pub(crate) is_distinct: bool,
    /// Keys to sort by; empty if the rows come in their order.
    pub(crate) sort: Vec<SortKey>,
    pub(crate) first: Option<u64>,
}

/// Rows that are looked at, and which of them are meant.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) access: Access,
    pub(crate) test: Option<Test>,
    pub(crate) wish: Wish,
}

#[derive(Clone, Debug)]
pub(crate) struct SortKey {
    pub(crate) by: Formula,
    pub(crate) is_descending: bool,
}

/// A function of all rows.
#[derive(Clone, Debug)]
pub(crate) struct TotalOf {
    pub(crate) function: Aggregate,
    pub(crate) is_distinct: bool,
    /// The value of a row; none: rows are counted.
    pub(crate) value: Option<Formula>,
    pub(crate) result: Type,
}

#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) which: Which,
    /// Columns and what they get; none: the row is deleted.
    pub(crate) sets: Option<Vec<(usize, Formula)>>,
    pub(crate) wish: Wish,
}

#[derive(Clone, Debug)]
pub(crate) enum Which {
    Searched(Box<Source>),
    Current(String),
}

impl Plan {
    /// The plan of a statement over a table of a catalogue.
    ///
    /// # Errors
    /// The statement has none.
    pub fn of(statement: &Statement, catalogue: &Catalogue) -> Result<Self, Unplanned> {
        let name = match statement {
            Statement::Query(query) | Statement::Cursor(tree::Cursor { query, .. }) => &query.table,
            Statement::Insert(insert) => &insert.table,
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
            Statement::CreateTable(_) | Statement::CreateIndex(_) => return Err(Unplanned::Definition),
        };
        let table = catalogue.table(name).ok_or_else(|| Unplanned::NoTable(name.clone()))?;
        build::plan(statement, table)
    }

    /// The host variables that it needs, by their numbers and types, in the order in which a run gets their values.
    pub fn variables(&self) -> &[(u32, Type)] {
        &self.variables
    }

    /// The types of the values of a row of results; none for a change.
    pub fn outputs(&self) -> Vec<Type> {
        match &self.action {
            Action::Query(query) => query.outputs.iter().map(|output| output.kind).collect(),
            Action::Insert(_) | Action::Change(_) => Vec::new(),
        }
    }

    /// The name of its table.
    pub fn table(&self) -> &str {
        &self.table.name
    }

    /// The cursor on whose row a positioned change works.
    pub fn cursor(&self) -> Option<&str> {
        match &self.action {
            Action::Change(Change { which: Which::Current(cursor), .. }) => Some(cursor),
            _ => None,
        }
    }

    /// Returns true if the catalogue still has the table as it was when the plan was made.
    pub fn is_current(&self, catalogue: &Catalogue) -> bool {
        catalogue.table(&self.table.name) == Some(&self.table)
    }

    /// The plan in words, as EXPLAIN shows it.
    pub fn in_words(&self) -> String {
        words::of(self)
    }
}
