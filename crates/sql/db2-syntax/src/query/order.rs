//! ORDER BY.

use db2::Kind;

use super::{expression, group};
use crate::context::{Aggregates, Context};
use crate::refusal::Refusal;
use crate::tree::{Node, Order, OrderBy, Query, RowsOf, Source, Statement};

/// Reads ORDER BY, if it stands here. Behind UNION rows are sorted by outputs alone.
pub(super) fn order(context: &mut Context<'_>, query: &mut Query, is_alone: bool) -> Result<(), Refusal> {
    if !context.reader.take_all(&["ORDER", "BY"]) {
        return Ok(());
    }
    if context.reader.take_all(&["INPUT", "SEQUENCE"]) {
        // The rows of an INSERT come in the order in which they were added.
        let is_of_insert = matches!(
            query.from.as_slice(),
            [Source { rows: RowsOf::Changed(change), .. }] if matches!(*change.statement, Statement::Insert(_))
        );
        return match is_of_insert && !query.grouped && !query.is_distinct {
            true => Ok(()),
            false => {
                Err(context.reader.not_built("ORDER BY INPUT SEQUENCE of other rows than those of an INSERT"))
            }
        };
    }
    // An order is one of all rows together.
    query.order.clear();
    loop {
        let by = order_by(context, query, is_alone)?;
        let is_descending = context.reader.take("DESC");
        if !is_descending {
            context.reader.take("ASC");
        }
        query.order.push(Order { by, is_descending });
        if !context.reader.take(",") {
            return Ok(());
        }
    }
}

/// A number of an output, its name, a column or an expression.
fn order_by(context: &mut Context<'_>, query: &Query, is_alone: bool) -> Result<OrderBy, Refusal> {
    let spot = context.reader.spot();
    let is_number = context.reader.peek(0).is_some_and(|token| token.kind == Kind::Number);
    if is_number && ends_behind(context, 1) {
        let number = context.reader.unsigned("a number of an output")?;
        let output = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        return match output.filter(|output| *output < query.outputs.len()) {
            Some(output) => Ok(OrderBy::Output(output)),
            None => Err(Refusal::code(-125, spot, format!("there is no output {number}"))),
        };
    }
    if let Some(output) = named_output(context, query) {
        return Ok(OrderBy::Output(output));
    }
    if !is_alone {
        return Err(Refusal::code(-214, spot, "the rows of a UNION are sorted by their columns alone"));
    }
    context.begin_outputs();
    let value = expression(context)?;
    context.set_aggregates(Aggregates::Forbidden);
    if query.grouped {
        group::check(context, &query.groups, &value)?;
    }
    if let Some(output) = query.outputs.iter().position(|output| output.value == value) {
        return Ok(OrderBy::Output(output));
    }
    if query.is_distinct {
        return Err(Refusal::code(-214, spot, "DISTINCT sorts by its outputs alone"));
    }
    Ok(match value.node {
        Node::Column(column) => OrderBy::Column(column),
        _ => OrderBy::Value(value),
    })
}

/// Returns true if a key of an order ends behind so many tokens.
fn ends_behind(context: &Context<'_>, ahead: usize) -> bool {
    const SIGNS: [&str; 9] = ["(", "+", "-", "*", "/", "||", "!!", "CONCAT", "."];
    !SIGNS.iter().any(|sign| context.reader.is_ahead(ahead, sign))
}

/// The output whose name stands here, and nothing more.
fn named_output(context: &mut Context<'_>, query: &Query) -> Option<usize> {
    let mark = context.reader.mark();
    let name = context.reader.name("a name").ok()?;
    let output = query.outputs.iter().position(|output| output.name.as_ref() == Some(&name.text));
    let found = output
        .filter(|_| ends_behind(context, 0) && !context.reader.peek(0).is_some_and(db2::is_duration_unit));
    if found.is_none() {
        context.reader.go(mark);
    }
    found
}
