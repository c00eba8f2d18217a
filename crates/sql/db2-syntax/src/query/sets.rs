//! UNION, EXCEPT and INTERSECT between queries.

use crate::context::Context;
use crate::tree::{Expression, Join, Node, Output, Query, RowsOf, SetOperator, Source};

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
