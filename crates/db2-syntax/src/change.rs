//! INSERT, UPDATE, DELETE.

use crate::catalogue::Table;
use crate::condition::condition;
use crate::context::Context;
use crate::expression::expression;
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::tail;
use crate::tree::{Assignment, Delete, Expression, Insert, Node, Update, Which};

/// Reads INSERT, behind its first word.
pub(crate) fn insert(context: &mut Context<'_>) -> Result<Insert, Refusal> {
    context.reader.want("INTO")?;
    let table = context.table()?;
    let columns = if context.reader.is("(") { columns(context, table)? } else { all(table) };
    if context.reader.is_any(&["SELECT", "WITH", "("]) {
        return Err(context.reader.not_built("INSERT with a query"));
    }
    context.reader.want("VALUES")?;
    let spot = context.reader.spot();
    let values = values(context, table, &columns)?;
    if context.reader.is("FOR") {
        return Err(context.reader.not_built("INSERT of several rows"));
    }
    let is_given = |number: usize| columns.iter().any(|(column, _)| *column == number);
    let mut others = table.columns.iter().enumerate().filter(|(number, _)| !is_given(*number));
    if let Some((_, column)) = others.find(|(_, column)| column.default.is_none()) {
        let message = format!("{} must have a value: it has no default", column.name);
        return Err(Refusal::code(-407, spot, message));
    }
    Ok(Insert { table: table.name.clone(), values })
}

/// Columns that a change names, and where.
type Columns = Vec<(usize, Name)>;

fn all(table: &Table) -> Columns {
    let name = |text: &str| Name { text: text.to_owned(), spot: db2::package::Spot::default() };
    table.columns.iter().enumerate().map(|(number, column)| (number, name(&column.name))).collect()
}

/// Columns in parentheses, each once.
fn columns(context: &mut Context<'_>, table: &Table) -> Result<Columns, Refusal> {
    let mut columns = Columns::new();
    context.reader.want("(")?;
    loop {
        let (number, name) = context.changed_column(table)?;
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
fn values(context: &mut Context<'_>, table: &Table, columns: &Columns) -> Result<Vec<Assignment>, Refusal> {
    let spot = context.reader.spot();
    let wrong =
        || Refusal::code(-117, spot, format!("there is not one value for each of {} columns", columns.len()));
    let mut values = Vec::new();
    context.reader.want("(")?;
    loop {
        let (number, _) = columns.get(values.len()).ok_or_else(wrong)?;
        values.push(assignment(context, table, *number)?);
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    if values.len() == columns.len() { Ok(values) } else { Err(wrong()) }
}

/// Reads a value for a column, of a type that it takes, NULL or DEFAULT.
fn assignment(context: &mut Context<'_>, table: &Table, number: usize) -> Result<Assignment, Refusal> {
    let column = &table.columns[number];
    let spot = context.reader.spot();
    let no_null = || Refusal::code(-407, spot, format!("{} cannot be NULL", column.name));
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
    let value = expression(context)?;
    if !value.kind.is_assignable(column.kind) {
        let message = format!("{} does not take a value of this type", column.name);
        return Err(Refusal::code(-408, spot, message));
    }
    Ok(Assignment { column: number, value: Some(value) })
}

/// Reads UPDATE, behind its first word.
pub(crate) fn update(context: &mut Context<'_>) -> Result<Update, Refusal> {
    let table = context.open_table()?;
    context.reader.want("SET")?;
    let (mut named, mut values) = (Columns::new(), Vec::new());
    loop {
        values.extend(set(context, table, &mut named)?);
        if !context.reader.take(",") {
            break;
        }
    }
    let which = which(context)?;
    let isolation = tail::of_change(context)?;
    Ok(Update { table: table.name.clone(), values, which, isolation })
}

/// `C = value`, or `(C, D) = (value, value)`.
fn set(context: &mut Context<'_>, table: &Table, named: &mut Columns) -> Result<Vec<Assignment>, Refusal> {
    if !context.reader.is("(") {
        let (number, name) = context.changed_column(table)?;
        add_once(named, number, name)?;
        context.reader.want("=")?;
        return Ok(vec![assignment(context, table, number)?]);
    }
    let columns = columns(context, table)?;
    for (number, name) in &columns {
        add_once(named, *number, name.clone())?;
    }
    context.reader.want("=")?;
    if context.reader.is("(") && context.reader.is_ahead(1, "SELECT") {
        return Err(context.reader.not_built("a subquery"));
    }
    values(context, table, &columns)
}

/// Reads DELETE, behind its first word.
pub(crate) fn delete(context: &mut Context<'_>) -> Result<Delete, Refusal> {
    context.reader.want("FROM")?;
    let table = context.open_table()?;
    let which = which(context)?;
    let isolation = tail::of_change(context)?;
    Ok(Delete { table: table.name.clone(), which, isolation })
}

fn which(context: &mut Context<'_>) -> Result<Which, Refusal> {
    if !context.reader.take("WHERE") {
        return Ok(Which::All);
    }
    if !context.reader.take_all(&["CURRENT", "OF"]) {
        return condition(context).map(Which::Searched);
    }
    let cursor = context.reader.hyphened("a cursor")?.text;
    if context.reader.is("FOR") {
        return Err(context.reader.not_built("a row of a rowset"));
    }
    Ok(Which::Current(cursor))
}
