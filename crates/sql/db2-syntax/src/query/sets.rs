//! UNION, EXCEPT and INTERSECT between queries, and what they make of them.

use db2::package::Spot;
use db2_values::Type;

use crate::context::Context;
use crate::refusal::Refusal;
use crate::tree::{Expression, Function, Further, Join, Node, Output, Query, RowsOf, SetOperator, Source};

const OPERATORS: [(&str, SetOperator); 3] =
    [("UNION", SetOperator::Union), ("EXCEPT", SetOperator::Except), ("INTERSECT", SetOperator::Intersect)];

/// The operator that stands here.
pub(super) fn operator(context: &Context<'_>) -> Option<SetOperator> {
    OPERATORS.iter().find(|(word, _)| context.reader.is(word)).map(|(_, operator)| *operator)
}

/// Takes an operator. True: ALL stands behind it.
pub(super) fn take_operator(context: &mut Context<'_>) -> Option<(SetOperator, bool)> {
    let operator = operator(context)?;
    context.reader.next();
    let keeps_all = context.reader.take("ALL");
    if !keeps_all {
        context.reader.take("DISTINCT");
    }
    Some((operator, keeps_all))
}

/// A query beside an operator: one with an order, a limit or operators of its own becomes a source of another one.
pub(super) fn apart(context: &mut Context<'_>, mut query: Query) -> Query {
    if query.first.is_none() && query.offset == 0 && query.order.is_empty() && query.further.is_empty() {
        return query;
    }
    let kinds: Vec<_> = query.outputs.iter().map(|output| output.value.kind).collect();
    let first = context.take_columns(kinds.len());
    let output = |(at, output): (usize, &Output)| Output {
        name: output.name.clone(),
        value: Expression { node: Node::Column(first + at), ..output.value.clone() },
    };
    let outputs = query.outputs.iter().enumerate().map(output).collect();
    let targets = std::mem::take(&mut query.targets);
    let source = Source { rows: RowsOf::Query(Box::new(query)), first, kinds, join: Join::Inner, on: None };
    Query { from: vec![source], targets, ..Query::of_values(outputs) }
}

/// Adds a query that names the whole: its outputs get the types that are known.
pub(super) fn recur(query: &mut Query, mut other: Query, spot: Spot) -> Result<(), Refusal> {
    if query.outputs.len() != other.outputs.len() {
        return Err(Refusal::code(-421, spot, "these queries have not as many columns"));
    }
    for (known, output) in query.outputs.iter_mut().zip(&mut other.outputs) {
        let kind = known.value.kind;
        if !output.value.kind.is_assignable(kind) || output.value.kind.is_text() != kind.is_text() {
            return Err(Refusal::code(-344, spot, "the recursive query has columns of other types"));
        }
        let is_nullable = known.value.is_nullable || output.value.is_nullable;
        convert(output, kind, is_nullable);
        known.value.is_nullable = is_nullable;
    }
    let operator = SetOperator::Union;
    query.further.push(Further { query: other, operator, keeps_all: true, is_recursive: true });
    Ok(())
}

/// Adds a query to others: the outputs of all get the types that they have in common.
pub(super) fn combine(
    query: &mut Query,
    mut other: Query,
    (operator, keeps_all): (SetOperator, bool),
    spot: Spot,
) -> Result<(), Refusal> {
    if query.outputs.len() != other.outputs.len() {
        return Err(Refusal::code(-421, spot, "these queries have not as many columns"));
    }
    for at in 0..query.outputs.len() {
        let (kind, next) = (query.outputs[at].value.kind, other.outputs[at].value.kind);
        let common = kind.common(next).filter(|_| kind.is_text() == next.is_text()).ok_or_else(|| {
            Refusal::code(-415, spot, format!("the columns {} of these queries have no common type", at + 1))
        })?;
        let is_nullable = query.outputs[at].value.is_nullable || other.outputs[at].value.is_nullable;
        let others = query.further.iter_mut().map(|further| &mut further.query);
        convert(&mut other.outputs[at], common, is_nullable);
        for query in others {
            convert(&mut query.outputs[at], common, is_nullable);
        }
        convert(&mut query.outputs[at], common, is_nullable);
    }
    query.further.push(Further { query: other, operator, keeps_all, is_recursive: false });
    Ok(())
}

fn convert(output: &mut Output, kind: Type, is_nullable: bool) {
    if output.value.kind != kind {
        let none = Expression { node: Node::Null, kind, is_nullable };
        let value = std::mem::replace(&mut output.value, none);
        output.value = match value.node {
            Node::Null => Expression { kind, ..value },
            _ => Expression { node: Node::Call(Function::Convert, vec![value]), kind, is_nullable },
        };
    }
    output.value.is_nullable = is_nullable;
}
