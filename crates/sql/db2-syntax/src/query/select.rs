//! Queries: SELECT, with what stands before it (WITH) and behind it (UNION, ORDER BY).

use db2::Kind;

use super::from::from;
use super::lists::targets;
use super::{condition, expression, group, order, sets, tail};
use crate::context::{Aggregates, Common, Context, Made, QueryPlace};
use crate::refusal::Refusal;
use crate::tree::{Expression, Node, Output, Query, SetOperator};

/// Reads a query.
pub(super) fn query(context: &mut Context<'_>, place: QueryPlace) -> Result<Query, Refusal> {
    context.nested(|context| {
        let known = context.common.len();
        if context.reader.take("WITH") {
            common(context)?;
        }
        let found = union(context, place);
        context.common.truncate(known);
        found
    })
}

/// Reads common table expressions, behind WITH. Each is read where it is named; here only its end is looked for.
fn common(context: &mut Context<'_>) -> Result<(), Refusal> {
    loop {
        let name = context.reader.name("a name of a query")?;
        let columns = if context.reader.is("(") { context.reader.names()? } else { Vec::new() };
        context.reader.want("AS")?;
        let (mark, before) = (context.reader.mark(), context.common.len());
        context.reader.over_parentheses()?;
        context.common.push(Common { name: name.text, columns, mark, before });
        if !context.reader.take(",") {
            return Ok(());
        }
    }
}

/// Queries with UNION, EXCEPT and INTERSECT between them, their order and their last clauses.
fn union(context: &mut Context<'_>, place: QueryPlace) -> Result<Query, Refusal> {
    context.open();
    let mut query = term(context, place)?;
    let is_alone = sets::operator(context).is_none();
    if !is_alone {
        query = sets::apart(context, query);
        context.close();
        context.open();
    }
    let is_common = place == QueryPlace::Common;
    while let Some((operator, keeps_all)) = sets::take_operator(context) {
        if is_common {
            know_columns(context, &query);
        }
        let spot = context.reader.spot();
        let before = uses(context);
        let other = operand(context, operator)?;
        match is_common && uses(context) > before {
            true if !keeps_all || operator != SetOperator::Union => {
                return Err(Refusal::code(-342, spot, "recursion needs UNION ALL"));
            }
            true => sets::recur(&mut query, other, spot)?,
            false if query.further.iter().any(|further| further.is_recursive) => {
                return Err(context.reader.not_built("a query behind a recursive one"));
            }
            false => sets::combine(&mut query, other, (operator, keeps_all), spot)?,
        }
    }
    order::order(context, &mut query, is_alone)?;
    tail::of_query(context, &mut query)?;
    context.close();
    Ok(query)
}

/// The query behind an operator, with those that INTERSECT joins to it more closely.
fn operand(context: &mut Context<'_>, operator: SetOperator) -> Result<Query, Refusal> {
    let mut query = apart_term(context)?;
    if operator == SetOperator::Intersect {
        return Ok(query);
    }
    while sets::operator(context) == Some(SetOperator::Intersect) {
        let Some(joined) = sets::take_operator(context) else { break };
        let spot = context.reader.spot();
        let other = apart_term(context)?;
        sets::combine(&mut query, other, joined, spot)?;
    }
    Ok(sets::apart(context, query))
}

fn apart_term(context: &mut Context<'_>) -> Result<Query, Refusal> {
    context.open();
    let query = term(context, QueryPlace::Inside)?;
    context.close();
    Ok(sets::apart(context, query))
}

/// Number of times that the innermost common table expression was named in itself.
fn uses(context: &Context<'_>) -> usize {
    context.recursive.last().map_or(0, |recursive| recursive.uses)
}

/// From here on a common table expression may name itself: its columns are known.
fn know_columns(context: &mut Context<'_>, query: &Query) {
    let Some(recursive) = context.recursive.last_mut() else { return };
    let named = |(at, output): (usize, &Output)| Made {
        name: match recursive.names.get(at) {
            Some(name) => name.text.clone(),
            None => output.name.clone().unwrap_or_default(),
        },
        kind: output.value.kind,
        is_nullable: true,
    };
    recursive.columns = Some(query.outputs.iter().enumerate().map(named).collect());
}

/// SELECT, or a query in parentheses.
fn term(context: &mut Context<'_>, place: QueryPlace) -> Result<Query, Refusal> {
    if context.reader.is("(") {
        return context.subquery();
    }
    block(context, place)
}

/// SELECT … FROM … WHERE … GROUP BY … HAVING.
fn block(context: &mut Context<'_>, place: QueryPlace) -> Result<Query, Refusal> {
    context.reader.want("SELECT")?;
    let is_distinct = context.reader.take("DISTINCT");
    if !is_distinct {
        context.reader.take("ALL");
    }
    // The tables come first: they say what the names before them mean.
    let list = context.reader.mark();
    to_from(context)?;
    let from = from(context)?;
    let behind = context.reader.mark();
    context.reader.go(list);
    let outputs = outputs(context)?;
    let has_totals = context.aggregates() == Aggregates::Allowed(true);
    context.set_aggregates(Aggregates::Forbidden);
    let targets = match context.reader.is("INTO") {
        true if place == QueryPlace::Statement => {
            context.reader.want("INTO")?;
            targets(context)?
        }
        true if place == QueryPlace::Cursor => {
            return Err(Refusal::code(-104, context.reader.spot(), "a cursor's query has no INTO")
                .help("FETCH has it"));
        }
        _ => Vec::new(),
    };
    context.reader.want("FROM")?;
    context.reader.go(behind);
    let condition = if context.reader.take("WHERE") { Some(condition(context)?) } else { None };
    let mut query = Query { from, condition, targets, is_distinct, ..Query::of_values(outputs) };
    group::group(context, &mut query, has_totals)?;
    Ok(query)
}

/// Goes to the FROM of the query that begins here.
fn to_from(context: &mut Context<'_>) -> Result<(), Refusal> {
    let mut depth = 0_usize;
    while depth > 0 || !context.reader.is("FROM") {
        if context.reader.is("(") {
            depth += 1;
        } else if context.reader.is(")") {
            depth = depth.checked_sub(1).ok_or_else(|| context.reader.unexpected("FROM"))?;
        }
        // IS DISTINCT FROM.
        context.reader.take_all(&["DISTINCT", "FROM"]);
        if context.reader.next().is_none() {
            return Err(context.reader.unexpected("FROM"));
        }
    }
    context.reader.want("FROM")
}

fn outputs(context: &mut Context<'_>) -> Result<Vec<Output>, Refusal> {
    context.begin_outputs();
    let mut outputs = Vec::new();
    loop {
        let mark = context.reader.mark();
        if context.reader.take("*") {
            context.note_star(mark, None);
            add_columns(&mut outputs, context.all_columns(None)?);
        } else if context.reader.is_ahead(1, ".") && context.reader.is_ahead(2, "*") {
            let table = context.reader.name("a table")?;
            context.reader.want_all(&[".", "*"])?;
            context.note_star(mark, Some(&table));
            add_columns(&mut outputs, context.all_columns(Some(&table))?);
        } else {
            outputs.push(output(context)?);
        }
        if !context.reader.take(",") {
            return Ok(outputs);
        }
    }
}

fn add_columns(outputs: &mut Vec<Output>, columns: Vec<(String, Expression)>) {
    outputs.extend(columns.into_iter().map(|(name, value)| Output { name: Some(name), value }));
}

fn output(context: &mut Context<'_>) -> Result<Output, Refusal> {
    let last = context.reader.mark();
    let value = expression(context)?;
    let mut name = None;
    // The words of a column, read once more for its name; one of a view may be a value of others.
    let behind = context.reader.mark();
    context.reader.go(last);
    let words = context.reader.qualified("a column").ok().map(|(_, name)| name.text);
    let is_name = context.reader.mark() == behind && context.has_views();
    if matches!(value.node, Node::Column(_)) || is_name {
        name = words;
    }
    context.reader.go(behind);
    let is_name =
        context.reader.peek(0).is_some_and(|next| matches!(next.kind, Kind::Word | Kind::Delimited));
    if context.reader.take("AS") || (is_name && !context.reader.is_any(&["INTO", "FROM"])) {
        name = Some(context.reader.name("a name")?.text);
    }
    Ok(Output { name, value })
}
