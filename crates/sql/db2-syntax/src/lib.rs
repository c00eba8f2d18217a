//! Db2's SQL to a typed tree: names resolved against a catalogue, each expression with its type.
//!
//! Reads queries, cursors, changes, and definitions of tables and indexes. What is wrong with a statement comes back as a [`Refusal`] with its SQLCODE and its place, before anything runs; what is not built is refused by name.
//!
//! Out of scope: the text's tokens (`db2`), values (`db2-values`), storage, and how a statement is carried out.

#![doc = include_str!("../README.md")]

mod catalogue;
mod change;
mod context;
mod definition;
mod final_table;
mod full_name;
mod kind;
mod limits;
mod markers;
mod merge;
mod query;
mod reader;
mod refusal;
mod setting;
mod several;
mod system;
mod target;
pub mod tree;
mod values_of;

use db2::Letters;

pub use catalogue::{
    Catalogue, Check, CheckOption, Column, DefaultValue, Generated, Index, Meant, Numbers, OnDelete,
    Reference, Table, View, ViewQuery,
};
pub use db2_values::Type;
pub use full_name::{full_name, parts};
pub use refusal::{Reason, Refusal};
pub use setting::{Setting, Variable};

use context::Context;
use tree::Statement;

/// Reads a statement.
///
/// # Errors
/// It is wrong, it names what is not there, or it is not built.
pub fn read(letters: &Letters, setting: &Setting<'_>) -> Result<Statement, Refusal> {
    let mut context = Context::new(letters, setting, query::GRAMMAR)?;
    final_table::first(&mut context)?;
    let statement = statement(&mut context)?;
    context.reader.take(";");
    context.reader.end()?;
    Ok(statement)
}

/// A statement that a program prepares at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The statement. A marker is a variable: its number is that of the marker in the text, from 0.
    pub statement: Statement,
    /// The types of its markers.
    pub markers: Vec<Type>,
}

/// Reads a statement that has parameter markers instead of host variables, and whose query is for a cursor.
///
/// # Errors
/// As those of [`read`].
pub fn prepare(letters: &Letters, setting: &Setting<'_>) -> Result<Prepared, Refusal> {
    let tokens = db2::lex(letters)?;
    let mut kinds = vec![None; tokens.iter().filter(|token| token.kind == db2::Kind::Marker).count()];
    loop {
        let mut context = Context::new(letters, setting, query::GRAMMAR)?;
        context.markers = Some(kinds);
        final_table::first(&mut context)?;
        let statement = statement(&mut context)?;
        context.reader.take(";");
        context.reader.end()?;
        kinds = context.markers.take().unwrap_or_default();
        if kinds.iter().all(Option::is_some) {
            return Ok(Prepared { statement, markers: kinds.into_iter().flatten().collect() });
        }
        // Read once more: values around a marker depend on its type.
        kinds = kinds.into_iter().map(|kind| kind.or(Some(markers::TEXT))).collect();
    }
}

/// A statement, whose NEXT VALUE has a row of its own.
fn statement(context: &mut Context<'_>) -> Result<Statement, Refusal> {
    let statement = any(context)?;
    let query = match &statement {
        Statement::Query(query) | Statement::Cursor(tree::Cursor { query, .. }) => Some(query),
        Statement::Insert(tree::Insert { rows: Some((_, query)), .. }) => Some(query.as_ref()),
        _ => None,
    };
    match (context.next_value, query) {
        (Some(spot), Some(query)) if query.is_distinct || query.grouped || !query.further.is_empty() => {
            Err(Refusal::code(-348, spot, "NEXT VALUE stands where it has no row of its own"))
        }
        _ => Ok(statement),
    }
}

fn any(context: &mut Context<'_>) -> Result<Statement, Refusal> {
    let reader = &mut context.reader;
    if context.markers.is_some() && reader.is_any(&["SELECT", "WITH", "("]) {
        return query::of_cursor(context).map(Statement::Query);
    }
    if reader.is_any(&["SELECT", "WITH", "VALUES", "SET", "("]) {
        return query::statement(context).map(Statement::Query);
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
    if reader.take("MERGE") {
        return merge::merge(context).map(Statement::Merge);
    }
    if reader.take("CREATE") {
        return definition::create(context);
    }
    if reader.take_all(&["ALTER", "TABLE"]) {
        return definition::alter(context).map(Statement::AlterTable);
    }
    Err(reader.unknown_statement())
}
