//! MERGE: a change of the rows that there are, and an INSERT of those that there are not. The words of table, source and condition are read
//! at each place that needs them.

use crate::change::{self, columns, new_row};
use crate::context::Context;
use crate::query::{both, condition, expression, source};
use crate::refusal::Refusal;
use crate::target::ChangedTable;
use crate::tree::{
    Assignment, Condition, Delete, Expression, Insert, Isolation, Join, Matched, Merge, Node, Output, Query,
    Source, Update, Which,
};
use db2_values::Type;

/// Places of the words that are read more than once.
#[derive(Clone, Copy)]
struct Places {
    target: usize,
    source: usize,
    on: usize,
    /// The condition behind WHEN … AND.
    and: Option<usize>,
}

/// Reads MERGE, behind that word.
pub(crate) fn merge(context: &mut Context<'_>) -> Result<Merge, Refusal> {
    context.reader.want("INTO")?;
    let mut places = Places { target: context.reader.mark(), source: 0, on: 0, and: None };
    let target = ChangedTable::read(context)?;
    target.open(context)?;
    context.reader.want("USING")?;
    places.source = context.reader.mark();
    context.open();
    rows(context)?;
    context.reader.want("ON")?;
    places.on = context.reader.mark();
    context.beside_each_other(condition)?;
    let mut merge = Merge { table: target.table.name.clone(), matched: None, insert: None };
    while context.reader.take("WHEN") {
        let is_missing = context.reader.take("NOT");
        context.reader.want("MATCHED")?;
        let is_there = if is_missing { merge.insert.is_some() } else { merge.matched.is_some() };
        if is_there {
            return Err(context.reader.not_built("two changes of the same rows in MERGE"));
        }
        let and = if context.reader.take("AND") {
            let mark = context.reader.mark();
            skip_to_then(context)?;
            Some(mark)
        } else {
            None
        };
        context.reader.want("THEN")?;
        let places = Places { and, ..places };
        match is_missing {
            true => merge.insert = Some(insert(context, places)?),
            false => merge.matched = Some(matched(context, places)?),
        }
    }
    context.reader.take_all(&["ELSE", "IGNORE"]);
    if context.reader.is("NOT") {
        return Err(context.reader.not_built("NOT ATOMIC of MERGE"));
    }
    if merge.matched.is_none() && merge.insert.is_none() {
        return Err(context.reader.unexpected("WHEN"));
    }
    Ok(merge)
}

/// Goes to the THEN of the clause that begins here: CASE has others.
fn skip_to_then(context: &mut Context<'_>) -> Result<(), Refusal> {
    let mut cases = 0_usize;
    while cases > 0 || !context.reader.is("THEN") {
        cases += usize::from(context.reader.is("CASE"));
        cases -= usize::from(context.reader.is("END") && cases > 0);
        if context.reader.next().is_none() {
            return Err(context.reader.unexpected("THEN"));
        }
    }
    Ok(())
}

/// Reads the source, whose columns may be named from now on.
fn rows(context: &mut Context<'_>) -> Result<Vec<Source>, Refusal> {
    let mut from = Vec::new();
    source(context, Join::Inner, &mut from)?;
    Ok(from)
}

/// The rows of the source that belong to the row of the table, with outputs that are read at a place. A row of the source stays as it is
/// until the statement ends: each value of it is read for itself.
fn belonging(
    context: &mut Context<'_>,
    places: Places,
    output: Option<usize>,
) -> Result<(Query, usize), Refusal> {
    context.open();
    context.reader.go(places.source);
    let from = rows(context)?;
    context.reader.go(places.on);
    let mut found = Some(context.beside_each_other(condition)?);
    if let Some(and) = places.and {
        context.reader.go(and);
        found = both(found, Some(context.beside_each_other(condition)?));
    }
    let value = match output {
        Some(mark) => {
            context.reader.go(mark);
            context.beside_each_other(expression)?
        }
        None => Expression { node: Node::Number("1".to_owned()), kind: Type::Integer, is_nullable: false },
    };
    context.close();
    let outputs = vec![Output { name: None, value }];
    let isolation = Some(Isolation::ReadStability);
    Ok((Query { from, condition: found, isolation, ..Query::of_values(outputs) }, context.reader.mark()))
}

/// UPDATE or DELETE behind WHEN MATCHED.
fn matched(context: &mut Context<'_>, places: Places) -> Result<Matched, Refusal> {
    let is_delete = context.reader.take("DELETE");
    if !is_delete {
        context.reader.want_all(&["UPDATE", "SET"])?;
    }
    let begin = context.reader.mark();
    context.begin_numbers();
    context.reader.go(places.target);
    let mut target = ChangedTable::read(context)?;
    target.open(context)?;
    let (there, _) = belonging(context, places, None)?;
    let there = Condition::Exists(Box::new(there));
    let which = both(target.condition.take(), Some(there)).map_or(Which::All, Which::Searched);
    context.reader.go(begin);
    let table = target.table.name.clone();
    if is_delete {
        return Ok(Matched::Delete(Delete { table, which, isolation: None }));
    }
    let mut values: Vec<Assignment> = Vec::new();
    loop {
        if context.reader.is("(") {
            return Err(context.reader.not_built("columns in parentheses in MERGE"));
        }
        let (column, name) = target.column(context)?;
        if values.iter().any(|value| value.column == column) {
            return Err(Refusal::code(-121, name.spot, format!("{} is named twice", name.text)));
        }
        context.reader.want("=")?;
        if target.table.columns[column].generated.is_some() {
            return Err(Refusal::code(-151, name.spot, format!("{} gives its values itself", name.text)));
        }
        if context.reader.is("DEFAULT") || context.reader.is("NULL") {
            values.push(change::assignment(context, target.table, (column, false))?);
        } else {
            let mark = context.reader.mark();
            let (value, behind) = belonging(context, places, Some(mark))?;
            context.reader.go(behind);
            let kind = value.outputs.first().map_or(Type::Integer, |output| output.value.kind);
            if !kind.is_assignable(target.table.columns[column].kind) {
                let message = format!("{} does not take a value of this type", name.text);
                return Err(Refusal::code(-408, name.spot, message));
            }
            let value = Expression { node: Node::Subquery(Box::new(value)), kind, is_nullable: true };
            values.push(Assignment { column, value: Some(value) });
        }
        if !context.reader.take(",") {
            break;
        }
    }
    let behind = context.reader.mark();
    let checks = new_row(context, target.table)?;
    context.reader.go(behind);
    let of_views = target.checks;
    Ok(Matched::Update(Update { table, values, which, isolation: None, checks, of_views }))
}

/// INSERT behind WHEN NOT MATCHED.
fn insert(context: &mut Context<'_>, places: Places) -> Result<Insert, Refusal> {
    context.reader.want("INSERT")?;
    let begin = context.reader.mark();
    context.begin_numbers();
    context.reader.go(places.target);
    let target = ChangedTable::read(context)?;
    target.leave_columns(context);
    let checks = new_row(context, target.table)?;
    context.open();
    context.reader.go(places.source);
    let from = rows(context)?;
    context.open();
    context.reader.go(places.target);
    let others = rows(context)?;
    context.reader.go(places.on);
    let on = context.beside_each_other(condition)?;
    context.close();
    let one = Expression { node: Node::Number("1".to_owned()), kind: Type::Integer, is_nullable: false };
    let one = vec![Output { name: None, value: one }];
    let others = Query { from: others, condition: Some(on), ..Query::of_values(one) };
    let mut found = Some(Condition::Not(Box::new(Condition::Exists(Box::new(others)))));
    if let Some(and) = places.and {
        context.reader.go(and);
        found = both(found, Some(condition(context)?));
    }
    context.reader.go(begin);
    let named = if context.reader.is("(") { columns(context, &target)? } else { target.all(context)? };
    context.reader.want("VALUES")?;
    let spot = context.reader.spot();
    let assigned = change::values(context, target.table, &named)?;
    context.close();
    change::refuse_missing(target.table, &named, spot)?;
    let given = assigned.into_iter().filter_map(|given| Some((given.column, given.value?)));
    let (numbers, outputs): (Vec<_>, Vec<_>) =
        given.map(|(column, value)| (column, Output { name: None, value })).unzip();
    let query = Query { from, condition: found, ..Query::of_values(outputs) };
    let (table, of_views) = (target.table.name.clone(), target.checks);
    Ok(Insert { table, values: Vec::new(), rows: Some((numbers, Box::new(query))), checks, of_views })
}
