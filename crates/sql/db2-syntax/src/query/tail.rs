//! The last clauses of a statement.

use crate::context::Context;
use crate::refusal::Refusal;
use crate::tree::{Isolation, Locks, Node, Query};

/// Reads the last clauses of a query, in any order.
pub(super) fn of_query(context: &mut Context<'_>, query: &mut Query) -> Result<(), Refusal> {
    loop {
        if context.reader.take_all(&["FETCH", "FIRST"]) || context.reader.take_all(&["FETCH", "NEXT"]) {
            query.first = Some(first_rows(context)?);
        } else if context.reader.take("LIMIT") {
            query.first = Some(context.reader.unsigned("a number of rows")?);
        } else if context.reader.take("OFFSET") {
            query.offset = context.reader.unsigned("a number of rows")?;
            if !context.reader.take("ROW") {
                context.reader.take("ROWS");
            }
        } else if context.reader.take_all(&["FOR", "UPDATE"]) {
            query.updates = Some(updated(context, query)?);
        } else if context.reader.take_all(&["FOR", "FETCH", "ONLY"])
            || context.reader.take_all(&["FOR", "READ", "ONLY"])
        {
            query.is_read_only = true;
        } else if context.reader.take_all(&["OPTIMIZE", "FOR"]) {
            context.reader.unsigned("a number of rows")?;
            rows(context)?;
        } else if context.reader.take_all(&["SKIP", "LOCKED", "DATA"]) {
            query.skips_locked = true;
        } else if !common(context, &mut query.isolation)? {
            return Ok(());
        }
        if context.reader.is_behind("RS") || context.reader.is_behind("RR") {
            query.locks = locks(context)?.or(query.locks);
        }
    }
}

/// Reads those of a change.
pub(crate) fn of_change(context: &mut Context<'_>) -> Result<Option<Isolation>, Refusal> {
    let mut isolation = None;
    while common(context, &mut isolation)? {}
    Ok(isolation)
}

/// A clause that all statements have; false if none stands here.
fn common(context: &mut Context<'_>, isolation: &mut Option<Isolation>) -> Result<bool, Refusal> {
    const LEVELS: [(&str, Isolation); 4] = [
        ("UR", Isolation::Uncommitted),
        ("CS", Isolation::CursorStability),
        ("RS", Isolation::ReadStability),
        ("RR", Isolation::RepeatableRead),
    ];
    if context.reader.take("QUERYNO") {
        context.reader.unsigned("a number")?;
        return Ok(true);
    }
    if context.reader.is("SKIP") {
        return Err(context.reader.not_built("SKIP LOCKED DATA of a change"));
    }
    for (word, level) in LEVELS {
        if context.reader.take_all(&["WITH", word]) {
            *isolation = Some(level);
            return Ok(true);
        }
    }
    Ok(false)
}

/// USE AND KEEP … LOCKS, behind WITH RS or WITH RR.
fn locks(context: &mut Context<'_>) -> Result<Option<Locks>, Refusal> {
    const KINDS: [(&str, Locks); 3] =
        [("SHARE", Locks::Share), ("UPDATE", Locks::Update), ("EXCLUSIVE", Locks::Exclusive)];
    if !context.reader.take_all(&["USE", "AND", "KEEP"]) {
        return Ok(None);
    }
    let kind = KINDS.iter().find(|(word, _)| context.reader.take(word));
    let (_, locks) = kind.ok_or_else(|| context.reader.unexpected("SHARE, UPDATE or EXCLUSIVE"))?;
    context.reader.want("LOCKS")?;
    Ok(Some(*locks))
}

/// FETCH FIRST n ROWS ONLY, behind FIRST.
fn first_rows(context: &mut Context<'_>) -> Result<u64, Refusal> {
    let count = if context.reader.is_any(&["ROW", "ROWS"]) {
        1
    } else {
        context.reader.unsigned("a number of rows")?
    };
    rows(context)?;
    context.reader.want("ONLY")?;
    Ok(count)
}

fn rows(context: &mut Context<'_>) -> Result<(), Refusal> {
    if context.reader.take("ROW") { Ok(()) } else { context.reader.want("ROWS") }
}

/// FOR UPDATE, perhaps with OF and columns.
fn updated(context: &mut Context<'_>, query: &Query) -> Result<Vec<usize>, Refusal> {
    let mut columns = Vec::new();
    let spot = context.reader.spot();
    let Some(table) = query.only_table() else {
        let message = "rows cannot be changed through a query that joins or sums them";
        return Err(Refusal::code(-510, spot, message));
    };
    let Some(table) = context.catalogue().table(table) else {
        return Err(Refusal::code(-204, spot, format!("there is no table {table}")));
    };
    if context.reader.take("OF") {
        loop {
            columns.push(if context.has_views() {
                of_view(context)?
            } else {
                context.changed_column(table)?.0
            });
            if !context.reader.take(",") {
                break;
            }
        }
    }
    Ok(columns)
}

/// The column of the table below a view that a name means.
fn of_view(context: &mut Context<'_>) -> Result<usize, Refusal> {
    let (_, name) = context.reader.qualified("a column")?;
    match context.column(None, &name)?.node {
        // The view's table is the only source, so its columns are the first of the statement.
        Node::Column(number) => Ok(number),
        _ => {
            Err(Refusal::code(-151, name.spot, format!("{} is calculated, and cannot be changed", name.text)))
        }
    }
}
