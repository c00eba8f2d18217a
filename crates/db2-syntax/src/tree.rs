//! The typed tree. Columns are numbers in their table, and each expression knows its type.

pub use db2_values::{Aggregate, Comparison, Function, Operator};

use db2_values::Type;

use crate::catalogue::{Index, Table};

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
    /// CREATE TABLE.
    CreateTable(CreateTable),
    /// CREATE INDEX.
    CreateIndex(CreateIndex),
}

/// A query over one table.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The name of its table.
    pub table: String,
    /// The values of a row of results: one for each row of the table, or one for all where it is `grouped`.
    pub outputs: Vec<Output>,
    /// True if aggregates stand among the outputs: there is one row of results.
    pub grouped: bool,
    /// True if no two rows of results are alike.
    pub is_distinct: bool,
    /// Which rows.
    pub condition: Option<Condition>,
    /// In which order; none: any.
    pub order: Vec<Order>,
    /// The most rows of results.
    pub first: Option<u64>,
    /// The columns that a cursor may change; `None`: it is not for changes. None named: all.
    pub updates: Option<Vec<usize>>,
    /// True if the text says that nothing is changed through it.
    pub is_read_only: bool,
    /// WITH UR and its like.
    pub isolation: Option<Isolation>,
    /// Variables that results go to, with their indicators.
    pub targets: Vec<Target>,
}

/// A variable that a result goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
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

/// INSERT … VALUES.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The name of its table.
    pub table: String,
    /// The columns that are given, with their values.
    pub values: Vec<Assignment>,
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
    /// A column by its number.
    Column(usize),
    /// CURRENT DATE, CURRENT TIME, CURRENT TIMESTAMP, by the type.
    Now,
    /// - x.
    Negative(Box<Expression>),
    /// Two numbers.
    Arithmetic(Operator, Box<[Expression; 2]>),
    /// Two texts, one behind the other.
    Concatenation(Box<[Expression; 2]>),
    /// A function of values.
    Call(Function, Vec<Expression>),
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
