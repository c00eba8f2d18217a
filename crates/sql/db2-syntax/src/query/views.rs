//! Views whose rows are the rows of one table.

use crate::catalogue::{CheckOption, ViewQuery};
use crate::context::Context;
use crate::tree::{Condition, Expression, Join, Query, RowsOf, Source};
use crate::values_of::columns_of;

/// A view whose rows are those of a table that fulfil a condition.
pub(crate) struct Over {
    /// The full name of the table.
    pub(crate) table: String,
    /// The number of its first column in the statement.
    pub(crate) first: usize,
    /// The columns of the view: values of the table's columns.
    pub(crate) columns: Vec<(String, Expression)>,
    pub(crate) condition: Option<Condition>,
    kinds: Vec<db2_values::Type>,
}

/// The view as one over a table; its query if it is none.
pub(crate) fn over(context: &mut Context<'_>, view: &ViewQuery, query: Query) -> Result<Over, Box<Query>> {
    if !is_simple(&query) {
        return Err(Box::new(query));
    }
    let Query { mut from, outputs, condition: own, .. } = query;
    let Some(Source { rows: RowsOf::Table(table), first, kinds, on: below, .. }) = from.pop() else {
        return Err(Box::new(Query { from, condition: own, ..Query::of_values(outputs) }));
    };
    let condition = both(below, own.clone());
    let checked = match view.check {
        Some(CheckOption::Cascaded) => condition.clone(),
        Some(CheckOption::Local) => own,
        None => None,
    };
    if let Some(checked) = checked {
        context.view_checks.push((first, view.name.clone(), checked));
    }
    let columns = outputs.into_iter().map(|output| (output.name.unwrap_or_default(), output.value)).collect();
    Ok(Over { table, first, columns, condition, kinds })
}

/// Returns true if the rows of a query are those of a table, and its outputs can stand anywhere.
fn is_simple(query: &Query) -> bool {
    query.only_table().is_some()
        && query.from.iter().all(|source| source.join == Join::Inner)
        && query.order.is_empty()
        && query.first.is_none()
        && query.offset == 0
        && query.outputs.iter().all(|output| columns_of(&output.value, &mut Vec::new()).is_some())
}

/// Both conditions.
pub(crate) fn both(one: Option<Condition>, other: Option<Condition>) -> Option<Condition> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Condition::And(vec![one, other])),
        (one, other) => one.or(other),
    }
}

impl Over {
    /// The source of its rows: those of the table that fulfil its condition.
    pub(super) fn source(self) -> (Source, Vec<(String, Expression)>) {
        let Self { table, first, columns, condition, kinds } = self;
        (Source { rows: RowsOf::Table(table), first, kinds, join: Join::Inner, on: condition }, columns)
    }
}
