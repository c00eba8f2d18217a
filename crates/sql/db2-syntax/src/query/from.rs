//! FROM: tables, queries, and how they are joined.

use db2::Kind;

use super::select::{names, query};
use super::{condition, select};
use crate::context::{Columns, Common, Context, Made, Recursive};
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::tree::{Condition, Join, Query, RowsOf, Source};
use db2_values::Type;

/// Reads the sources of a query, behind FROM.
pub(super) fn from(context: &mut Context<'_>) -> Result<Vec<Source>, Refusal> {
    let mut sources = Vec::new();
    source(context, Join::Inner, &mut sources)?;
    // The sources that joins have put together since the last comma begin here.
    let mut group = 0;
    loop {
        if context.reader.take(",") {
            group = sources.len();
            source(context, Join::Inner, &mut sources)?;
        } else if context.reader.take_all(&["RIGHT", "OUTER", "JOIN"])
            || context.reader.take_all(&["RIGHT", "JOIN"])
        {
            right(context, group, &mut sources)?;
        } else if context.reader.take_all(&["CROSS", "JOIN"]) {
            source(context, Join::Inner, &mut sources)?;
        } else if let Some(join) = join(context)? {
            source(context, join, &mut sources)?;
            context.reader.want("ON")?;
            let on = condition(context)?;
            add_condition(&mut sources, on);
        } else {
            return Ok(sources);
        }
    }
}

/// RIGHT JOIN of two sources: LEFT JOIN the other way round. Their columns keep their numbers.
fn right(context: &mut Context<'_>, group: usize, sources: &mut Vec<Source>) -> Result<(), Refusal> {
    if sources.len() != group + 1 {
        return Err(context.reader.not_built("RIGHT JOIN behind another join"));
    }
    source(context, Join::Inner, sources)?;
    context.make_outer(group);
    context.reader.want("ON")?;
    let on = condition(context)?;
    sources.swap(group, group + 1);
    if let Some(last) = sources.last_mut() {
        (last.join, last.on) = (Join::Left, Some(on));
    }
    Ok(())
}

/// The condition of a join belongs to its last source.
fn add_condition(sources: &mut [Source], on: Condition) {
    if let Some(last) = sources.last_mut() {
        last.on = Some(on);
    }
}

/// The kind of a join whose words stand here.
fn join(context: &mut Context<'_>) -> Result<Option<Join>, Refusal> {
    if context.reader.is("FULL") {
        return Err(context.reader.not_built("FULL JOIN"));
    }
    if context.reader.take_all(&["LEFT", "OUTER", "JOIN"]) || context.reader.take_all(&["LEFT", "JOIN"]) {
        return Ok(Some(Join::Left));
    }
    let is_inner = context.reader.take_all(&["INNER", "JOIN"]) || context.reader.take("JOIN");
    Ok(is_inner.then_some(Join::Inner))
}

/// Reads a source, from whose name on its columns may be named.
fn source(context: &mut Context<'_>, join: Join, sources: &mut Vec<Source>) -> Result<(), Refusal> {
    let spot = context.reader.spot();
    if context.reader.is_any(&["FINAL", "OLD"]) && context.reader.is_ahead(1, "TABLE") {
        return Err(context.reader.not_built("FINAL TABLE or OLD TABLE"));
    }
    let is_lateral = context.reader.is("TABLE") && context.reader.is_ahead(1, "(");
    if is_lateral {
        context.reader.want("TABLE")?;
    }
    let found = match () {
        () if is_lateral && !is_query(context) => return Err(context.reader.not_built("a table function")),
        () if context.reader.is("(") && !is_query(context) => {
            return Err(context.reader.not_built("a join in parentheses"));
        }
        () if context.reader.is("(") => {
            let hidden = if is_lateral { None } else { Some(context.hide_sources()) };
            let query = select::subquery(context);
            if let Some(hidden) = hidden {
                context.show_sources(hidden);
            }
            of_query(query?, Name { text: String::new(), spot })
        }
        () => named(context)?,
    };
    let Found { rows, mut columns, name } = found;
    let correlation = context.correlation()?;
    if name.text.is_empty() && correlation.is_none() {
        return Err(context.reader.unexpected("a name of the query"));
    }
    if context.reader.is("(") && correlation.is_some() {
        rename(&mut columns, &names(context)?)?;
    }
    let kinds = match &columns {
        Columns::Table(table) => table.columns.iter().map(|column| column.kind).collect(),
        Columns::Made(made) => made.iter().map(|made| made.kind).collect(),
    };
    let first = context.add_source(correlation.unwrap_or(name), columns, join == Join::Left)?;
    sources.push(Source { rows, first, kinds, join, on: None });
    Ok(())
}

fn is_query(context: &Context<'_>) -> bool {
    let mut ahead = 0;
    while context.reader.is_ahead(ahead, "(") {
        ahead += 1;
    }
    context.reader.is_ahead(ahead, "SELECT") || context.reader.is_ahead(ahead, "WITH")
}

/// A source before it gets its name.
struct Found<'s> {
    rows: RowsOf,
    columns: Columns<'s>,
    name: Name,
}

fn of_query<'s>(query: Query, name: Name) -> Found<'s> {
    let made = query.outputs.iter().map(|output| Made {
        name: output.name.clone().unwrap_or_default(),
        kind: output.value.kind,
        is_nullable: output.value.is_nullable,
    });
    let columns = Columns::Made(made.collect());
    Found { rows: RowsOf::Query(Box::new(query)), columns, name }
}

/// A table, a common table expression, or SYSIBM.SYSDUMMY1.
fn named<'s>(context: &mut Context<'s>) -> Result<Found<'s>, Refusal> {
    let is_name =
        context.reader.peek(0).is_some_and(|token| matches!(token.kind, Kind::Word | Kind::Delimited));
    if !is_name {
        return Err(context.reader.unexpected("a table"));
    }
    let (qualifier, name) = context.reader.qualified("a table")?;
    if let (None, Some(recursive)) = (&qualifier, context.recursive.last_mut())
        && recursive.name == name.text
    {
        let Some(made) = recursive.columns.clone() else {
            let message = format!("{} names itself before its columns are known", name.text);
            return Err(
                Refusal::code(-345, name.spot, message).help("begin with a query that does not name it")
            );
        };
        recursive.uses += 1;
        return Ok(Found { rows: RowsOf::Itself, columns: Columns::Made(made), name });
    }
    let known = context.common.iter().rposition(|common| common.name == name.text);
    if let (None, Some(at)) = (&qualifier, known) {
        let common = context.common[at].clone();
        return of_common(context, common, name);
    }
    let is_system = qualifier.as_deref().is_none_or(|qualifier| qualifier == "SYSIBM");
    if is_system && name.text == "SYSDUMMY1" {
        let made = Made { name: "IBMREQD".to_owned(), kind: Type::Char(1), is_nullable: false };
        return Ok(Found { rows: RowsOf::One, columns: Columns::Made(vec![made]), name });
    }
    let table = context.table_of(&name)?;
    Ok(Found { rows: RowsOf::Table(table.name.clone()), columns: Columns::Table(table), name })
}

/// Reads the query of a common table expression, as if it stood here.
fn of_common<'s>(context: &mut Context<'s>, common: Common, name: Name) -> Result<Found<'s>, Refusal> {
    let behind = context.reader.mark();
    let hidden = context.common.split_off(common.before);
    context.reader.go(common.mark);
    let recursive =
        Recursive { name: common.name.clone(), names: common.columns.clone(), columns: None, uses: 0 };
    context.recursive.push(recursive);
    // It is closed to the queries around it.
    let query = context.apart(|context| {
        context.reader.want("(")?;
        query(context, select::QueryPlace::Common)
    })?;
    context.recursive.pop();
    context.reader.go(behind);
    context.common.extend(hidden);
    let mut found = of_query(query, name);
    if !common.columns.is_empty() {
        rename(&mut found.columns, &common.columns)?;
    }
    Ok(found)
}

/// Gives columns other names.
fn rename(columns: &mut Columns<'_>, names: &[Name]) -> Result<(), Refusal> {
    let mut made = match columns {
        Columns::Made(made) => std::mem::take(made),
        Columns::Table(table) => table
            .columns
            .iter()
            .map(|column| Made { name: String::new(), kind: column.kind, is_nullable: column.is_nullable })
            .collect(),
    };
    if made.len() != names.len() {
        let spot = names.first().map(|name| name.spot).unwrap_or_default();
        return Err(Refusal::code(-158, spot, format!("the query has {} columns", made.len())));
    }
    for (made, name) in made.iter_mut().zip(names) {
        made.name.clone_from(&name.text);
    }
    *columns = Columns::Made(made);
    Ok(())
}
