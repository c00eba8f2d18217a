//! Queries and everything in them: expressions, conditions, functions, sources of rows.
//!
//! They stand inside of each other, and their modules do not. From the lowest: `dates`, `sequences`, `functions` and `case`;
//! `expression`; `condition` and `lists`; `from`, `group` and `order`; `select`. A module calls those below it. What is read above it,
//! it reads through the context, which has [`GRAMMAR`]: an argument of a function is [`Context::expression`], a query in parentheses
//! [`Context::subquery`].

mod case;
mod condition;
mod dates;
mod expression;
mod from;
mod functions;
mod group;
mod lists;
mod order;
mod select;
mod sequences;
mod sets;
mod tail;
mod views;

use db2::Kind;

pub(crate) use condition::condition;
pub(crate) use expression::expression;
pub(crate) use from::{of_view, source};
pub(crate) use tail::of_change;
pub(crate) use views::{Over, both, over};

use crate::catalogue::{Check, Table};
use crate::context::{Context, Grammar, QueryPlace};
use crate::refusal::Refusal;
use crate::tree::{Condition, Cursor, Query};
use lists::{in_parentheses, nameless, target, targets, value_or_null};

/// The readers of what may stand inside of its like.
pub(crate) const GRAMMAR: Grammar = Grammar { expression, condition, query: select::query };

/// Reads a query as a statement: SELECT, WITH, VALUES … INTO, SET.
pub(crate) fn statement(context: &mut Context<'_>) -> Result<Query, Refusal> {
    if context.reader.take("VALUES") {
        return values(context);
    }
    if context.reader.is("SET") {
        return set(context);
    }
    select::query(context, QueryPlace::Statement)
}

/// Reads a query within a statement.
pub(crate) fn query(context: &mut Context<'_>) -> Result<Query, Refusal> {
    select::query(context, QueryPlace::Inside)
}

/// The conditions that rows of a table fulfil, with their names, where its columns may be named.
pub(crate) fn checks(context: &mut Context<'_>, table: &Table) -> Result<Vec<(String, Condition)>, Refusal> {
    let check = |check: &Check| Ok((check.name.clone(), context.of_text(&check.text, condition)?));
    table.checks.iter().map(check).collect()
}

/// VALUES … INTO.
fn values(context: &mut Context<'_>) -> Result<Query, Refusal> {
    context.open();
    let is_list = context.reader.is("(") && !context.reader.is_ahead(1, "SELECT");
    let outputs = if is_list { in_parentheses(context)? } else { vec![nameless(expression(context)?)] };
    context.reader.want("INTO")?;
    let targets = targets(context)?;
    context.close();
    Ok(Query { targets, ..Query::of_values(outputs) })
}

/// SET of host variables: `:A = value, …`, `(:A, :B) = (…)`.
fn set(context: &mut Context<'_>) -> Result<Query, Refusal> {
    let is_variable = |context: &Context<'_>, ahead| {
        context.reader.peek(ahead).is_some_and(|token| token.kind == Kind::Host)
    };
    let has_list = context.reader.is_ahead(1, "(") && is_variable(context, 2);
    if !has_list && !is_variable(context, 1) {
        return Err(context.reader.not_built("SET"));
    }
    context.reader.want("SET")?;
    context.open();
    let query = if has_list { set_list(context) } else { set_each(context) };
    context.close();
    query
}

fn set_each(context: &mut Context<'_>) -> Result<Query, Refusal> {
    let (mut given, mut outputs) = (Vec::new(), Vec::new());
    loop {
        given.push(target(context)?);
        context.reader.want("=")?;
        outputs.push(nameless(value_or_null(context)?));
        if !context.reader.take(",") {
            break;
        }
    }
    Ok(Query { targets: given, ..Query::of_values(outputs) })
}

fn set_list(context: &mut Context<'_>) -> Result<Query, Refusal> {
    context.reader.want("(")?;
    let given = targets(context)?;
    context.reader.want_all(&[")", "="])?;
    let spot = context.reader.spot();
    let query = if context.reader.is("(") && context.reader.is_ahead(1, "SELECT") {
        context.subquery()?
    } else {
        Query::of_values(in_parentheses(context)?)
    };
    if query.outputs.len() != given.len() {
        return Err(Refusal::code(
            -216,
            spot,
            format!("there is not one value for each of {} variables", given.len()),
        ));
    }
    Ok(Query { targets: given, ..query })
}

/// Reads DECLARE CURSOR, behind DECLARE.
pub(crate) fn cursor(context: &mut Context<'_>) -> Result<Cursor, Refusal> {
    let is_variable = context.reader.peek(0).is_some_and(|token| token.kind == Kind::Host);
    if is_variable || ["TABLE", "STATEMENT", ".", ","].iter().any(|word| context.reader.is_ahead(1, word)) {
        return Err(context.reader.not_built("DECLARE of anything but a cursor"));
    }
    let name = context.reader.hyphened("a cursor")?.text;
    for word in ["SENSITIVE", "INSENSITIVE", "ASENSITIVE", "SCROLL"] {
        if context.reader.is(word) {
            return Err(context.reader.not_built("a SCROLL cursor"));
        }
    }
    context.reader.take_all(&["NO", "SCROLL"]);
    context.reader.want("CURSOR")?;
    let is_held = is_held(context)?;
    if !context.reader.is_any(&["SELECT", "WITH", "("]) {
        return Err(context.reader.not_built("a cursor for a prepared statement"));
    }
    let query = of_cursor(context)?;
    Ok(Cursor { name, is_held, query })
}

/// Reads the query of a cursor, which a prepared statement may be.
pub(crate) fn of_cursor(context: &mut Context<'_>) -> Result<Query, Refusal> {
    let query = select::query(context, QueryPlace::Cursor)?;
    if query.updates.is_some() && (query.only_table().is_none() || !query.order.is_empty()) {
        let message = "rows cannot be changed through a query that sorts, joins or sums them";
        return Err(Refusal::code(-510, context.reader.spot(), message));
    }
    Ok(query)
}

/// Reads WITH HOLD and its like, and FOR.
fn is_held(context: &mut Context<'_>) -> Result<bool, Refusal> {
    let mut is_held = false;
    while !context.reader.take("FOR") {
        if context.reader.take_all(&["WITH", "HOLD"]) {
            is_held = true;
        } else if context.reader.take_all(&["WITHOUT", "HOLD"]) {
            is_held = false;
        } else if context.reader.is("WITH") {
            return Err(context.reader.not_built("a cursor with rowsets, or for a result set"));
        } else {
            return Err(context.reader.unexpected("FOR"));
        }
    }
    Ok(is_held)
}
