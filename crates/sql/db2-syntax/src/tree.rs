//! The typed tree. Each expression knows its type.
//!
//! Columns are numbers in the statement: the sources of rows get theirs one behind the other, as they are read, those of an outer
//! query before those of its subqueries. So the columns of a statement over one table have the numbers that they have in the table.

pub use db2_values::{Aggregate, Comparison, DateStyle, Function, Operator, Unit};

use db2_values::{Type, Value};

pub use crate::catalogue::{CreateIndex, CreateSequence, CreateTable};
use crate::catalogue::{Table, View};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// SELECT.
    Query(Query),
    /// DECLARE CURSOR.
    Cursor(Cursor),
    /// INSERT.
    Insert(Insert),
    /// UPDATE.
    Update(Update),
    /// DELETE.
    Delete(Delete),
    /// MERGE.
    Merge(Merge),
    /// CREATE TABLE.
    CreateTable(CreateTable),
    /// CREATE INDEX.
    CreateIndex(CreateIndex),
    /// CREATE VIEW, CREATE ALIAS.
    CreateView(View),
    /// CREATE SEQUENCE.
    CreateSequence(CreateSequence),
    /// ALTER TABLE: the table as it is to be, with new columns behind the others.
    AlterTable(Table),
}

/// A query: SELECT, VALUES, SET, and what UNION joins to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The sources of its rows, each joined to those before it. None: it has one row.
    pub from: Vec<Source>,
    /// The values of a row of results: one for each row of the sources, or one for each group where it is `grouped`.
    pub outputs: Vec<Output>,
    /// True if there is a row of results for each group: of all rows, if there are no `groups`.
    pub grouped: bool,
    /// Values that are the same in all rows of a group.
    pub groups: Vec<Expression>,
    /// Which groups.
    pub having: Option<Condition>,
    /// True if no two rows of results are alike.
    pub is_distinct: bool,
    /// Which rows.
    pub condition: Option<Condition>,
    /// Queries whose rows follow, each with outputs of the same types.
    pub further: Vec<Further>,
    /// In which order; none: any.
    pub order: Vec<Order>,
    /// The most rows of results.
    pub first: Option<u64>,
    /// Rows that are left out before the first.
    pub offset: u64,
    /// The columns that a cursor may change; `None`: it is not for changes. None named: all.
    pub updates: Option<Vec<usize>>,
    /// True if the text says that nothing is changed through it.
    pub is_read_only: bool,
    /// WITH UR and its like.
    pub isolation: Option<Isolation>,
    /// USE AND KEEP … LOCKS.
    pub locks: Option<Locks>,
    /// SKIP LOCKED DATA.
    pub skips_locked: bool,
    /// Variables that results go to, with their indicators.
    pub targets: Vec<HostTarget>,
}

/// A query behind UNION, EXCEPT or INTERSECT, which is between it and all before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Further {
    /// The query, without an order of its own.
    pub query: Query,
    /// The word between them.
    pub operator: SetOperator,
    /// True behind ALL: each row counts as often as it comes.
    pub keeps_all: bool,
    /// True if it names the common table expression that it is part of: it is run for each row of that, those among them that it
    /// makes itself.
    pub is_recursive: bool,
}

/// Words between queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// UNION: rows of both.
    Union,
    /// EXCEPT: rows of the first that are none of the second.
    Except,
    /// INTERSECT: rows that both have.
    Intersect,
}

/// A source of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Rows of what.
    pub rows: RowsOf,
    /// The number of its first column in the statement.
    pub first: usize,
    /// The types of its columns.
    pub kinds: Vec<Type>,
    /// The join to those before it.
    pub join: Join,
    /// The condition of the join.
    pub on: Option<Condition>,
}

/// Rows of a source.
#[derive(Clone, Debug, PartialEq)]
pub enum RowsOf {
    /// A table, by its name.
    Table(String),
    /// A query in FROM, a common table expression, a view.
    Query(Box<Query>),
    /// The common table expression around it: the row that it is run for.
    Itself,
    /// A table of SYSIBM: its rows are those of the catalogue that the statement was read with.
    System(Vec<Vec<Value>>),
    /// FINAL TABLE or OLD TABLE: the rows of a change. It is the only source of the statement's query.
    Changed(DataChange),
}

/// A change over whose rows a query is. The columns of its table are the first of the statement.
#[derive(Clone, Debug, PartialEq)]
pub struct DataChange {
    /// INSERT, UPDATE or DELETE.
    pub statement: Box<Statement>,
    /// True if the rows are as they were before it.
    pub is_old: bool,
}

impl DataChange {
    /// The name of the table that changes.
    pub fn table(&self) -> &str {
        match self.statement.as_ref() {
            Statement::Insert(insert) => &insert.table,
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
            _ => "",
        }
    }
}

/// Joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Rows that have none to be joined to are left out.
    Inner,
    /// Rows before it stay, with NULL in its columns.
    Left,
}

impl Query {
    /// A query of one row of values.
    pub fn of_values(outputs: Vec<Output>) -> Self {
        Self {
            from: Vec::new(),
            outputs,
            grouped: false,
            groups: Vec::new(),
            having: None,
            is_distinct: false,
            condition: None,
            further: Vec::new(),
            order: Vec::new(),
            first: None,
            offset: 0,
            updates: None,
            is_read_only: false,
            isolation: None,
            locks: None,
            skips_locked: false,
            targets: Vec::new(),
        }
    }

    /// The table whose rows are those of its results, one for one; `None` if they are made of more, or of groups.
    pub fn only_table(&self) -> Option<&str> {
        match self.from.as_slice() {
            [Source { rows: RowsOf::Table(name), .. }] if self.has_rows_of_its_source() => Some(name),
            _ => None,
        }
    }

    fn has_rows_of_its_source(&self) -> bool {
        !self.grouped && !self.is_distinct && self.further.is_empty()
    }
}

/// A variable that a result goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostTarget {
    /// The variable.
    pub number: u32,
    /// True if it has an indicator.
    pub has_indicator: bool,
}

/// A value of a row of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The value.
    pub value: Expression,
}

/// A key of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The key.
    pub by: OrderBy,
    /// True if the greatest comes first.
    pub is_descending: bool,
}

/// A key that rows are sorted by.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderBy {
    /// An output, by its number from 0.
    Output(usize),
    /// A column.
    Column(usize),
    /// A value of the row, or of the group.
    Value(Expression),
}

/// Isolation of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// UR.
    Uncommitted,
    /// CS.
    CursorStability,
    /// RS.
    ReadStability,
    /// RR.
    RepeatableRead,
}

/// Locks that rows are read with, and kept to the end of the unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locks {
    /// SHARE.
    Share,
    /// UPDATE.
    Update,
    /// EXCLUSIVE.
    Exclusive,
}

/// A cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    /// Its name.
    pub name: String,
    /// True if it stays open over a commit.
    pub is_held: bool,
    /// Its query.
    pub query: Query,
}

/// INSERT.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The name of its table.
    pub table: String,
    /// The columns that are given, with their values.
    pub values: Vec<Assignment>,
    /// INSERT with a query: its outputs go to these columns, and there are no `values`.
    pub rows: Option<(Vec<usize>, Box<Query>)>,
    /// Conditions of a new row, with their names. Its columns are the first of the statement.
    pub checks: Vec<(String, Condition)>,
    /// Conditions that must be true of a new row, with the views whose CHECK OPTION wants them.
    pub of_views: Vec<(String, Condition)>,
}

/// UPDATE.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The name of its table.
    pub table: String,
    /// The columns that change, with their values.
    pub values: Vec<Assignment>,
    /// Which rows.
    pub which: Which,
    /// WITH RR and its like.
    pub isolation: Option<Isolation>,
    /// Conditions of a changed row, with their names.
    pub checks: Vec<(String, Condition)>,
    /// Conditions that must be true of a changed row, with the views whose CHECK OPTION wants them.
    pub of_views: Vec<(String, Condition)>,
}

/// DELETE.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// The name of its table.
    pub table: String,
    /// Which rows.
    pub which: Which,
    /// WITH RR and its like.
    pub isolation: Option<Isolation>,
}

/// MERGE: two statements, each with numbers of columns of its own. The rows to add are found before any is changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// The full name of its table.
    pub table: String,
    /// WHEN MATCHED: its condition is that there is a row of the source.
    pub matched: Option<Matched>,
    /// WHEN NOT MATCHED: its query is about rows of the source for which the table has none.
    pub insert: Option<Insert>,
}

/// The change of MERGE for rows that there are.
#[derive(Clone, Debug, PartialEq)]
pub enum Matched {
    /// Each new value is that of the only row of the source.
    Update(Update),
    /// They are deleted.
    Delete(Delete),
}

/// The rows that a change means.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// All.
    All,
    /// Those for which a condition is true.
    Searched(Condition),
    /// The row on which a cursor of this name is.
    Current(String),
}

/// A column and what it gets; `None`: its default.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The column's number.
    pub column: usize,
    /// The value, of a type that the column takes.
    pub value: Option<Expression>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Its kind, with its parts.
    pub node: Node,
    /// The type of its value.
    pub kind: Type,
    /// True if it can be NULL.
    pub is_nullable: bool,
}

/// Kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// NULL; its type is that of the column which it is for.
    Null,
    /// A number, as it is written.
    Number(String),
    /// Characters.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A host variable by its number.
    Variable(u32),
    /// A column by its number in the statement.
    Column(usize),
    /// CURRENT DATE, CURRENT TIME, CURRENT TIMESTAMP, by the type.
    Now,
    /// A number that a sequence has given, or gives; by the sequence's name, where it has one.
    Numbered(Number, String),
    /// - x.
    Negative(Box<Expression>),
    /// Two numbers.
    Arithmetic(Operator, Box<[Expression; 2]>),
    /// Two texts, one behind the other.
    Concatenation(Box<[Expression; 2]>),
    /// A function of values.
    Call(Function, Vec<Expression>),
    /// CASE: the value behind the first condition that is true, in the type of all.
    Case(Vec<(Condition, Expression)>, Option<Box<Expression>>),
    /// The value of a query's only row; NULL if it has none.
    Subquery(Box<Query>),
    /// A function of all rows; without a value it counts them.
    Aggregate {
        /// The function.
        function: Aggregate,
        /// True if each value counts once.
        is_distinct: bool,
        /// The value of a row.
        value: Option<Box<Expression>>,
    },
}

/// Numbers of sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// NEXT VALUE.
    Next,
    /// PREVIOUS VALUE: the last that the task has got.
    Previous,
    /// IDENTITY_VAL_LOCAL: the last that an identity column of the task's INSERT has got.
    Identity,
}

/// A condition: true, false or unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All of them.
    And(Vec<Condition>),
    /// One of them.
    Or(Vec<Condition>),
    /// Not.
    Not(Box<Condition>),
    /// Two values, compared in a type.
    Compare {
        /// The comparison.
        comparison: Comparison,
        /// Which.
        values: Box<[Expression; 2]>,
        /// The type that both get for it.
        kind: Type,
    },
    /// IS NOT DISTINCT FROM: NULL is like NULL.
    Alike {
        /// Which.
        values: Box<[Expression; 2]>,
        /// The type that both get for it.
        kind: Type,
    },
    /// One of a list, compared in a type.
    In {
        /// The value.
        value: Box<Expression>,
        /// The list.
        list: Vec<Expression>,
        /// The type that all get for it.
        kind: Type,
    },
    /// LIKE.
    Like {
        /// The value.
        value: Box<Expression>,
        /// The pattern.
        pattern: Box<Expression>,
        /// The character that takes the meaning from the next one of the pattern.
        escape: Option<Box<Expression>>,
    },
    /// IS NULL.
    IsNull(Box<Expression>),
    /// EXISTS.
    Exists(Box<Query>),
    /// A value beside those that a query gives: IN is `= ANY`.
    Quantified {
        /// The comparison.
        comparison: Comparison,
        /// True if it must hold for all; else for one.
        is_all: bool,
        /// The value.
        value: Box<Expression>,
        /// The others.
        query: Box<Query>,
        /// The type that all get for it.
        kind: Type,
    },
}
