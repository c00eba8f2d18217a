//! GROUP BY and HAVING, and what may stand beside functions of all rows.

use super::{condition, expression};
use crate::context::{Aggregates, Context};
use crate::refusal::Refusal;
use crate::tree::{Condition, Expression, Node, Query};

/// Reads GROUP BY and HAVING, and looks whether the outputs are the same for all rows of a group.
pub(super) fn group(context: &mut Context<'_>, query: &mut Query, has_totals: bool) -> Result<(), Refusal> {
    // Outputs come from before: what they say of columns is kept apart from what follows.
    let plain = context.block().map(|block| std::mem::take(&mut block.plain)).unwrap_or_default();
    if context.reader.take_all(&["GROUP", "BY"]) {
        loop {
            refuse_sets(context)?;
            query.groups.push(expression(context)?);
            if !context.reader.take(",") {
                break;
            }
        }
    }
    let has_having = context.reader.is("HAVING");
    query.grouped = has_totals || has_having || !query.groups.is_empty();
    let Some(block) = context.block() else { return Ok(()) };
    block.plain = plain;
    if !query.grouped {
        return Ok(());
    }
    for output in &query.outputs {
        check(context, &query.groups, &output.value)?;
    }
    check_subqueries(context, &query.groups)?;
    if context.reader.take("HAVING") {
        context.begin_outputs();
        let having = condition(context)?;
        context.set_aggregates(Aggregates::Forbidden);
        let mut values = Vec::new();
        values_of(&having, &mut values);
        values.into_iter().try_for_each(|value| check(context, &query.groups, value))?;
        check_subqueries(context, &query.groups)?;
        query.having = Some(having);
    }
    Ok(())
}

fn refuse_sets(context: &Context<'_>) -> Result<(), Refusal> {
    const SETS: [&str; 3] = ["ROLLUP", "CUBE", "GROUPING"];
    match SETS.iter().find(|word| context.reader.is(word) && !context.reader.is_ahead(1, ".")) {
        Some(word) if context.reader.is_ahead(1, "(") || context.reader.is_ahead(1, "SETS") => {
            Err(context.reader.not_built(word))
        }
        _ => Ok(()),
    }
}

/// -122 unless a value is the same for all rows of a group.
pub(super) fn check(
    context: &mut Context<'_>,
    groups: &[Expression],
    value: &Expression,
) -> Result<(), Refusal> {
    let Some(number) = odd_column(groups, value) else { return Ok(()) };
    let spot = context.block().and_then(|block| block.plain.iter().find(|(column, ..)| *column == number));
    let Some((_, spot, _)) = spot.copied() else {
        // A column of an outer query: it is the same for all rows.
        return Ok(());
    };
    let (message, help) = match groups {
        [] => (
            "this column stands beside a function of all rows",
            "take it out, or make a function of all rows of it",
        ),
        _ => (
            "this column is not the same for all rows of a group",
            "add it to GROUP BY, or make a function of all rows of it",
        ),
    };
    Err(Refusal::code(-122, spot, message).help(help))
}

/// The same for columns that subqueries name.
fn check_subqueries(context: &mut Context<'_>, groups: &[Expression]) -> Result<(), Refusal> {
    let is_group = |number| groups.iter().any(|group| group.node == Node::Column(number));
    let Some(block) = context.block() else { return Ok(()) };
    match block.plain.iter().find(|(number, _, is_inside)| *is_inside && !is_group(*number)) {
        Some((_, spot, _)) => {
            Err(Refusal::code(-122, *spot, "this column is not the same for all rows of a group"))
        }
        None => Ok(()),
    }
}

/// A column outside of functions of all rows that is no part of the groups.
fn odd_column(groups: &[Expression], value: &Expression) -> Option<usize> {
    if groups.contains(value) {
        return None;
    }
    let any = |values: &[Expression]| values.iter().find_map(|value| odd_column(groups, value));
    match &value.node {
        Node::Column(number) => Some(*number),
        Node::Negative(value) => odd_column(groups, value),
        Node::Arithmetic(_, values) | Node::Concatenation(values) => any(values.as_ref()),
        Node::Call(_, values) => any(values),
        Node::Case(branches, otherwise) => {
            let mut values = Vec::new();
            for (condition, value) in branches {
                values_of(condition, &mut values);
                values.push(value);
            }
            values.extend(otherwise.as_deref());
            values.into_iter().find_map(|value| odd_column(groups, value))
        }
        _ => None,
    }
}

/// The values that a condition is about, those of subqueries left out.
fn values_of<'c>(condition: &'c Condition, values: &mut Vec<&'c Expression>) {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| values_of(part, values)),
        Condition::Not(part) => values_of(part, values),
        Condition::Compare { values: both, .. } | Condition::Alike { values: both, .. } => {
            values.extend(both.iter());
        }
        Condition::In { value, list, .. } => {
            values.push(value);
            values.extend(list);
        }
        Condition::Like { value, pattern, escape } => {
            values.extend([value.as_ref(), pattern.as_ref()]);
            values.extend(escape.as_deref());
        }
        Condition::IsNull(value) | Condition::Quantified { value, .. } => values.push(value),
        Condition::Exists(_) => {}
    }
}
