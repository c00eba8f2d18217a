//! INSERT, UPDATE, DELETE.

use db2::package::Spot;

use crate::catalogue::{Generated, Table};
use crate::context::{Columns as Of, Context, Made, Named};
use crate::query::{both, checks, condition, expression, of_change, query};
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::several;
use crate::target::ChangedTable;
use crate::tree::{Assignment, Condition, Delete, Expression, Insert, Node, OrderBy, Query, Update, Which};

/// Reads INSERT, behind its first word.
pub(crate) fn insert(context: &mut Context<'_>) -> Result<Insert, Refusal> {
    context.reader.want("INTO")?;
    let target = ChangedTable::read(context)?;
    let table = target.table;
    target.leave_columns(context);
    let checks = new_row(context, table)?;
    let columns = if context.reader.is("(") { columns(context, &target)? } else { target.all(context)? };
    let mut spot = context.reader.spot();
    let (mut assigned, mut rows) = (Vec::new(), None);
    if context.reader.is_any(&["SELECT", "WITH", "("]) {
        rows = Some(selected(context, table, &columns)?);
    } else {
        context.reader.want("VALUES")?;
        spot = context.reader.spot();
        context.open();
        assigned = values(context, table, &columns)?;
        if context.reader.take("FOR") {
            several::rows(context)?;
        }
    }
    refuse_missing(table, &columns, spot)?;
    Ok(Insert { table: table.name.clone(), values: assigned, rows, checks, of_views: target.checks })
}

/// -407 if a column gets no value and has no default.
pub(crate) fn refuse_missing(table: &Table, columns: &Columns, spot: Spot) -> Result<(), Refusal> {
    let is_given = |number: usize| columns.iter().any(|(column, _)| *column == number);
    let mut others = table.columns.iter().enumerate().filter(|(number, _)| !is_given(*number));
    match others.find(|(_, column)| column.default.is_none()) {
        Some((_, column)) => {
            let message = format!("{} must have a value: it has no default", column.name);
            Err(Refusal::code(-407, spot, message).named(&column.name))
        }
        None => Ok(()),
    }
}

/// The conditions of a new row, whose columns are the first of the statement, whatever stands before them.
pub(crate) fn new_row(context: &mut Context<'_>, table: &Table) -> Result<Vec<(String, Condition)>, Refusal> {
    let name = Name { text: table.own_name().to_owned(), spot: context.reader.spot() };
    let columns = table.columns.iter().map(|column| Made {
        name: column.name.clone(),
        kind: column.kind,
        is_nullable: column.is_nullable,
    });
    let columns = Of::Made(columns.collect());
    context.apart(|context| {
        context.open();
        context.show(Named { name: name.text, first: 0, columns, is_outer: false }, name.spot)?;
        let checks = checks(context, table);
        context.close();
        checks
    })
}

/// The query of INSERT: each output suits its column.
fn selected(
    context: &mut Context<'_>,
    table: &Table,
    columns: &Columns,
) -> Result<(Vec<usize>, Box<Query>), Refusal> {
    let spot = context.reader.spot();
    let found = query(context)?;
    suit(&found, table, columns, spot)?;
    if let Some((number, _)) =
        columns.iter().find(|(number, _)| table.columns[*number].generated == Some(Generated::Always))
    {
        let message = format!("{} gives its values itself", table.columns[*number].name);
        return Err(Refusal::code(-798, spot, message).named(&table.columns[*number].name));
    }
    Ok((columns.iter().map(|(number, _)| *number).collect(), Box::new(found)))
}

/// -117 or -408 unless the outputs of a query suit columns.
fn suit(query: &Query, table: &Table, columns: &Columns, spot: Spot) -> Result<(), Refusal> {
    if query.outputs.len() != columns.len() {
        let message = format!("there is not one value for each of {} columns", columns.len());
        return Err(Refusal::code(-117, spot, message));
    }
    for (output, (number, _)) in query.outputs.iter().zip(columns) {
        let column = &table.columns[*number];
        if output.value.node != Node::Null && !output.value.kind.is_assignable(column.kind) {
            let message = format!("{} does not take a value of this type", column.name);
            return Err(Refusal::code(-408, spot, message).named(&column.name));
        }
    }
    Ok(())
}

/// Columns that a change names, and where.
pub(crate) type Columns = Vec<(usize, Name)>;

/// Columns in parentheses, each once.
pub(crate) fn columns(context: &mut Context<'_>, target: &ChangedTable<'_>) -> Result<Columns, Refusal> {
    let mut columns = Columns::new();
    context.reader.want("(")?;
    loop {
        let (number, name) = target.column(context)?;
        add_once(&mut columns, number, name)?;
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    Ok(columns)
}

fn add_once(columns: &mut Columns, number: usize, name: Name) -> Result<(), Refusal> {
    if columns.iter().any(|(column, _)| *column == number) {
        return Err(Refusal::code(-121, name.spot, format!("{} is named twice", name.text)));
    }
    columns.push((number, name));
    Ok(())
}

/// Values in parentheses, one for each of these columns.
pub(crate) fn values(
    context: &mut Context<'_>,
    table: &Table,
    columns: &Columns,
) -> Result<Vec<Assignment>, Refusal> {
    let spot = context.reader.spot();
    let wrong =
        || Refusal::code(-117, spot, format!("there is not one value for each of {} columns", columns.len()));
    let mut values = Vec::new();
    context.reader.want("(")?;
    loop {
        let (number, _) = columns.get(values.len()).ok_or_else(wrong)?;
        values.push(assignment(context, table, (*number, true))?);
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    if values.len() == columns.len() { Ok(values) } else { Err(wrong()) }
}

/// Reads a value for a column, of a type that it takes, NULL or DEFAULT.
pub(crate) fn assignment(
    context: &mut Context<'_>,
    table: &Table,
    (number, is_new): (usize, bool),
) -> Result<Assignment, Refusal> {
    let column = &table.columns[number];
    let spot = context.reader.spot();
    if column.generated == Some(Generated::Always) && !context.reader.is("DEFAULT") {
        let code = if is_new { -798 } else { -151 };
        return Err(
            Refusal::code(code, spot, format!("{} gives its values itself", column.name)).named(&column.name)
        );
    }
    if column.generated.is_some() && !is_new && context.reader.is("DEFAULT") {
        return Err(context.reader.not_built("SET of an identity column to DEFAULT"));
    }
    let no_null = || Refusal::code(-407, spot, format!("{} cannot be NULL", column.name)).named(&column.name);
    if context.reader.take("DEFAULT") {
        return match column.default {
            Some(_) => Ok(Assignment { column: number, value: None }),
            None => Err(no_null()),
        };
    }
    if context.reader.take("NULL") {
        if !column.is_nullable {
            return Err(no_null());
        }
        let value = Expression { node: Node::Null, kind: column.kind, is_nullable: true };
        return Ok(Assignment { column: number, value: Some(value) });
    }
    let mut value = expression(context)?;
    context.give(&mut value, column.kind);
    if !value.kind.is_assignable(column.kind) {
        let message = format!("{} does not take a value of this type", column.name);
        return Err(Refusal::code(-408, spot, message).named(&column.name));
    }
    Ok(Assignment { column: number, value: Some(value) })
}

/// Reads UPDATE, behind its first word.
pub(crate) fn update(context: &mut Context<'_>) -> Result<Update, Refusal> {
    let mut target = ChangedTable::read(context)?;
    let table = target.table;
    target.open(context)?;
    context.reader.want("SET")?;
    let (mut named, mut values) = (Columns::new(), Vec::new());
    loop {
        values.extend(set(context, &target, &mut named)?);
        if !context.reader.take(",") {
            break;
        }
    }
    let which = which(context, &mut target)?;
    let isolation = of_change(context)?;
    let checks = new_row(context, table)?;
    Ok(Update { table: table.name.clone(), values, which, isolation, checks, of_views: target.checks })
}

/// `C = value`, or `(C, D) = (value, value)`.
fn set(
    context: &mut Context<'_>,
    target: &ChangedTable<'_>,
    named: &mut Columns,
) -> Result<Vec<Assignment>, Refusal> {
    let table = target.table;
    if !context.reader.is("(") {
        let (number, name) = target.column(context)?;
        add_once(named, number, name)?;
        context.reader.want("=")?;
        return Ok(vec![assignment(context, table, (number, false))?]);
    }
    let columns = columns(context, target)?;
    for (number, name) in &columns {
        add_once(named, *number, name.clone())?;
    }
    context.reader.want("=")?;
    if context.reader.is("(") && context.reader.is_ahead(1, "SELECT") {
        return row(context, table, &columns);
    }
    if let Some((number, name)) =
        columns.iter().find(|(number, _)| table.columns[*number].generated.is_some())
    {
        let message = format!("{} gives its values itself", table.columns[*number].name);
        return Err(Refusal::code(-151, name.spot, message));
    }
    values(context, table, &columns)
}

/// Values of one row of a query for these columns: of each column a query of its own.
fn row(context: &mut Context<'_>, table: &Table, columns: &Columns) -> Result<Vec<Assignment>, Refusal> {
    let spot = context.reader.spot();
    let mark = context.reader.mark();
    let mut values = Vec::new();
    for (at, (number, _)) in columns.iter().enumerate() {
        context.reader.go(mark);
        let mut query = context.subquery()?;
        suit(&query, table, columns, spot)?;
        if query.is_distinct || !query.further.is_empty() {
            return Err(context.reader.not_built("DISTINCT or UNION in a row of values"));
        }
        let output = query.outputs.swap_remove(at);
        let kind = output.value.kind;
        query.outputs = vec![output];
        if query.order.iter().any(|order| matches!(order.by, OrderBy::Output(_))) {
            return Err(context.reader.not_built("ORDER BY in a row of values"));
        }
        let value = Expression { node: Node::Subquery(Box::new(query)), kind, is_nullable: true };
        values.push(Assignment { column: *number, value: Some(value) });
    }
    Ok(values)
}

/// Reads DELETE, behind its first word.
pub(crate) fn delete(context: &mut Context<'_>) -> Result<Delete, Refusal> {
    context.reader.want("FROM")?;
    let mut target = ChangedTable::read(context)?;
    target.open(context)?;
    let which = which(context, &mut target)?;
    let isolation = of_change(context)?;
    Ok(Delete { table: target.table.name.clone(), which, isolation })
}

fn which(context: &mut Context<'_>, target: &mut ChangedTable<'_>) -> Result<Which, Refusal> {
    let of_view = target.condition.take();
    if !context.reader.take("WHERE") {
        return Ok(of_view.map_or(Which::All, Which::Searched));
    }
    if !context.reader.take_all(&["CURRENT", "OF"]) {
        let own = condition(context)?;
        return Ok(both(of_view, Some(own)).map_or(Which::All, Which::Searched));
    }
    let cursor = context.reader.hyphened("a cursor")?.text;
    if context.reader.take("FOR") {
        several::row_of_rowset(context)?;
    }
    Ok(Which::Current(cursor))
}
