//! Db2's SQL to a typed tree: names resolved against a catalogue, each expression with its type.
//!
//! Reads statements over one table (queries, cursors, changes) and definitions of tables and indexes. What is wrong with a statement
//! comes back as a [`Refusal`] with its SQLCODE and its place, before anything runs; what is not built is refused by name.
//!
//! Out of scope: the text's tokens (`db2`), values (`db2-values`), storage, and how a statement is carried out.

#![doc = include_str!("../README.md")]

mod catalogue;
mod change;
mod condition;
mod context;
mod definition;
mod expression;
mod functions;
mod limits;
mod query;
mod reader;
mod refusal;
mod tail;
pub mod tree;

use db2::{Arithmetic, Letters, Token};

pub use catalogue::{Catalogue, Column, DefaultValue, Index, Table};
pub use db2_values::Type;
pub use refusal::{Reason, Refusal};

use context::Context;
use tree::Statement;

/// A host variable as its program describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its number, of the caller's choice.
    pub number: u32,
    /// The type of its values.
    pub kind: Type,
}

/// The surroundings that a statement is read in.
pub struct Setting<'s> {
    /// The tables that there are.
    pub catalogue: &'s Catalogue,
    /// The rules of its decimal numbers.
    pub arithmetic: Arithmetic,
    /// The variable of this name; `None` where the program has none.
    pub variables: &'s dyn Fn(&Token) -> Option<Variable>,
}

/// Reads a statement.
///
/// # Errors
/// It is wrong, it names what is not there, or it is not built.
pub fn read(letters: &Letters, setting: &Setting<'_>) -> Result<Statement, Refusal> {
    let mut context = Context::new(letters, setting)?;
    let statement = statement(&mut context)?;
    context.reader.take(";");
    context.reader.end()?;
    Ok(statement)
}

fn statement(context: &mut Context<'_>) -> Result<Statement, Refusal> {
    let reader = &mut context.reader;
    if reader.is("SELECT") {
        return query::select(context).map(Statement::Query);
    }
    if reader.take_all(&["DECLARE", "GLOBAL"]) {
        return Err(reader.not_built("DECLARE GLOBAL TEMPORARY TABLE"));
    }
    if reader.take("DECLARE") {
        return query::cursor(context).map(Statement::Cursor);
    }
    if reader.take("INSERT") {
        return change::insert(context).map(Statement::Insert);
    }
    if reader.take("UPDATE") {
        return change::update(context).map(Statement::Update);
    }
    if reader.take("DELETE") {
        return change::delete(context).map(Statement::Delete);
    }
    if reader.take("CREATE") {
        return definition::create(context);
    }
    Err(reader.unknown_statement())
}
