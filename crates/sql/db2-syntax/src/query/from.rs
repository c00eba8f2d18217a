//! FROM: tables, queries, and how they are joined.

use db2::Kind;
use db2_values::Type;

use super::{condition, lists, sets, views};
use crate::catalogue::{Meant, ViewQuery};
use crate::context::{Columns, Common, Context, Made, Named, QueryPlace, Recursive};
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::system;
use crate::tree::{Condition, Expression, Join, Node, Output, Query, RowsOf, SetOperator, Source};

/// Reads the sources of a query, behind FROM.
pub(super) fn from(context: &mut Context<'_>) -> Result<Vec<Source>, Refusal> {
    let mut sources = Vec::new();
    let mut mark = context.reader.mark();
    source(context, Join::Inner, &mut sources)?;
    // The sources that joins have put together since the last comma begin here.
    let mut group = 0;
    loop {
        if context.reader.take(",") {
            (group, mark) = (sources.len(), context.reader.mark());
            source(context, Join::Inner, &mut sources)?;
        } else if context.reader.take_all(&["FULL", "OUTER", "JOIN"])
            || context.reader.take_all(&["FULL", "JOIN"])
        {
            full(context, (group, mark), &mut sources)?;
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
            let is_changed = sources.iter().any(|source| matches!(source.rows, RowsOf::Changed(_)));
            return match is_changed && sources.len() > 1 {
                true => Err(context.reader.not_built("FINAL TABLE beside other tables")),
                false => Ok(sources),
            };
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
        last.on = views::both(last.on.take(), Some(on));
    }
}

/// FULL JOIN of two sources: LEFT JOIN, and then the rows of the second for which the first has none. So their words are read twice.
fn full(
    context: &mut Context<'_>,
    (group, first): (usize, usize),
    sources: &mut Vec<Source>,
) -> Result<(), Refusal> {
    let (spot, second) = (context.reader.spot(), context.reader.mark());
    if sources.len() != group + 1 {
        return Err(context.reader.not_built("FULL JOIN behind another join"));
    }
    sources.pop();
    let mut around = context.hide_sources();
    around.pop();
    let (mut joined, both, on) = left_part(context, first, second)?;
    let behind = context.reader.mark();
    let widths: usize = both.first().map_or(0, |(_, width)| *width);
    let nulls = joined.outputs[..widths].iter().map(|output| Output {
        name: None,
        value: Expression { node: Node::Null, kind: output.value.kind, is_nullable: true },
    });
    let nulls = nulls.collect();
    let rest = second_part(context, (first, second, on), nulls)?;
    context.reader.go(behind);
    sets::combine(&mut joined, rest, (SetOperator::Union, true), spot)?;
    context.show_sources(around);
    let kinds: Vec<Type> = joined.outputs.iter().map(|output| output.value.kind).collect();
    let begin = context.take_columns(kinds.len());
    let mut made: Vec<Made> = joined.outputs.iter().map(made_of).collect();
    let mut at = begin;
    for (name, width) in both {
        let rest = made.split_off(width.min(made.len()));
        let columns = Columns::Made(std::mem::replace(&mut made, rest));
        context.show(Named { name, first: at, columns, is_outer: true }, spot)?;
        at += width;
    }
    let rows = RowsOf::Query(Box::new(joined));
    sources.push(Source { rows, first: begin, kinds, join: Join::Inner, on: None });
    Ok(())
}

/// The column that an output becomes.
fn made_of(output: &Output) -> Made {
    Made {
        name: output.name.clone().unwrap_or_default(),
        kind: output.value.kind,
        is_nullable: output.value.is_nullable,
    }
}

/// Names of sources, with the number of columns of each.
type Widths = Vec<(String, usize)>;

/// The LEFT JOIN of FULL JOIN, the names of its sources with the number of columns of each, and the place of its condition.
fn left_part(
    context: &mut Context<'_>,
    first: usize,
    second: usize,
) -> Result<(Query, Widths, usize), Refusal> {
    let mut from = Vec::new();
    context.open();
    context.reader.go(first);
    source(context, Join::Inner, &mut from)?;
    context.reader.go(second);
    source(context, Join::Left, &mut from)?;
    context.reader.want("ON")?;
    let mark = context.reader.mark();
    let on = condition(context)?;
    add_condition(&mut from, on);
    let outputs = all_outputs(context)?;
    let named = context.hide_sources().into_iter().zip(&from);
    let named = named.map(|(named, source)| (named.name, source.kinds.len())).collect();
    context.close();
    Ok((Query { from, ..Query::of_values(outputs) }, named, mark))
}

/// Rows of the second source of FULL JOIN for which the first has none, with these outputs before them.
fn second_part(
    context: &mut Context<'_>,
    (first, second, on): (usize, usize, usize),
    mut outputs: Vec<Output>,
) -> Result<Query, Refusal> {
    let (mut from, mut others) = (Vec::new(), Vec::new());
    context.open();
    context.reader.go(second);
    source(context, Join::Inner, &mut from)?;
    outputs.extend(all_outputs(context)?);
    context.open();
    context.reader.go(first);
    source(context, Join::Inner, &mut others)?;
    context.reader.go(on);
    let condition = Some(condition(context)?);
    context.close();
    context.close();
    let one = Expression { node: Node::Number("1".to_owned()), kind: Type::Integer, is_nullable: false };
    let one = vec![Output { name: None, value: one }];
    let others = Query { from: others, condition, ..Query::of_values(one) };
    let condition = Some(Condition::Not(Box::new(Condition::Exists(Box::new(others)))));
    Ok(Query { from, condition, ..Query::of_values(outputs) })
}

fn all_outputs(context: &mut Context<'_>) -> Result<Vec<Output>, Refusal> {
    let columns = context.all_columns(None)?.into_iter();
    Ok(columns.map(|(name, value)| Output { name: Some(name), value }).collect())
}

/// The kind of a join whose words stand here.
fn join(context: &mut Context<'_>) -> Result<Option<Join>, Refusal> {
    if context.reader.take_all(&["LEFT", "OUTER", "JOIN"]) || context.reader.take_all(&["LEFT", "JOIN"]) {
        return Ok(Some(Join::Left));
    }
    let is_inner = context.reader.take_all(&["INNER", "JOIN"]) || context.reader.take("JOIN");
    Ok(is_inner.then_some(Join::Inner))
}

/// Reads a source, from whose name on its columns may be named.
pub(crate) fn source(
    context: &mut Context<'_>,
    join: Join,
    sources: &mut Vec<Source>,
) -> Result<(), Refusal> {
    let spot = context.reader.spot();
    let is_lateral = context.reader.is("TABLE") && context.reader.is_ahead(1, "(");
    if is_lateral {
        context.reader.want("TABLE")?;
    }
    let is_change = context.reader.is_any(&["FINAL", "NEW", "OLD"])
        && context.reader.is_ahead(1, "TABLE")
        && context.reader.is_ahead(2, "(");
    let found = match () {
        () if is_change => changed(context)?,
        () if is_lateral && !is_query(context) => return Err(context.reader.not_built("a table function")),
        () if context.reader.is("(") && context.reader.is_ahead(1, "VALUES") => {
            let hidden = context.hide_sources();
            let query = rows_of_values(context);
            context.show_sources(hidden);
            of_query(query?, Name { text: String::new(), spot })
        }
        () if context.reader.is("(") && !is_query(context) => {
            return Err(context.reader.not_built("a join in parentheses"));
        }
        () if context.reader.is("(") => {
            let hidden = if is_lateral { None } else { Some(context.hide_sources()) };
            let query = context.subquery();
            if let Some(hidden) = hidden {
                context.show_sources(hidden);
            }
            of_query(query?, Name { text: String::new(), spot })
        }
        () => named(context)?,
    };
    let Found { mut rows, mut columns, name, view } = found;
    let correlation = context.correlation()?;
    if name.text.is_empty() && correlation.is_none() {
        return Err(context.reader.unexpected("a name of the query"));
    }
    if context.reader.is("(") && correlation.is_some() {
        rename(&mut columns, &context.reader.names()?)?;
    }
    // On the side of an outer join that may be missing its values would not be those of the table's columns.
    if let (Some(view), Join::Inner, false, RowsOf::Query(_)) =
        (view, join, context.reader.is_any(&["RIGHT", "FULL"]), &rows)
        && let RowsOf::Query(query) = std::mem::replace(&mut rows, RowsOf::Itself)
    {
        match views::over(context, view, *query) {
            Ok(over) => return add_over(context, over, columns, correlation.unwrap_or(name), sources),
            Err(query) => rows = RowsOf::Query(query),
        }
    }
    let kinds = match &columns {
        Columns::Table(table) => table.columns.iter().map(|column| column.kind).collect(),
        Columns::Made(made) => made.iter().map(|made| made.kind).collect(),
        Columns::Over(values) => values.iter().map(|(_, value)| value.kind).collect(),
    };
    let first = context.add_source(correlation.unwrap_or(name), columns, join == Join::Left)?;
    sources.push(Source { rows, first, kinds, join, on: None });
    Ok(())
}

/// VALUES in parentheses: each a row, in parentheses where it has several columns.
fn rows_of_values(context: &mut Context<'_>) -> Result<Query, Refusal> {
    context.reader.want_all(&["(", "VALUES"])?;
    let mut all: Option<Query> = None;
    context.open();
    loop {
        let spot = context.reader.spot();
        let row = match context.reader.is("(") {
            true => lists::in_parentheses(context)?,
            false => vec![Output { name: None, value: lists::value_or_null(context)? }],
        };
        let row = Query::of_values(row);
        match &mut all {
            Some(all) => sets::combine(all, row, (SetOperator::Union, true), spot)?,
            None => all = Some(row),
        }
        if !context.reader.take(",") {
            break;
        }
    }
    context.close();
    context.reader.want(")")?;
    all.ok_or_else(|| context.reader.unexpected("a value"))
}

/// Adds a view over a table, whose columns have these names here.
fn add_over(
    context: &mut Context<'_>,
    over: views::Over,
    named: Columns<'_>,
    name: Name,
    sources: &mut Vec<Source>,
) -> Result<(), Refusal> {
    let (source, mut values) = over.source();
    if let Columns::Made(made) = named {
        for ((own, _), made) in values.iter_mut().zip(made) {
            *own = made.name;
        }
    }
    let first = source.first;
    context
        .show(Named { name: name.text, first, columns: Columns::Over(values), is_outer: false }, name.spot)?;
    sources.push(source);
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
    /// The view that it is.
    view: Option<&'s ViewQuery>,
}

fn of_query<'s>(query: Query, name: Name) -> Found<'s> {
    let made = query.outputs.iter().map(made_of);
    let columns = Columns::Made(made.collect());
    Found { rows: RowsOf::Query(Box::new(query)), columns, name, view: None }
}

/// The rows of a change, which was read before.
fn changed<'s>(context: &mut Context<'s>) -> Result<Found<'s>, Refusal> {
    let spot = context.reader.spot();
    let at = context.reader.mark();
    let Some(changed) = context.changed.take_if(|changed| changed.at == at) else {
        return Err(context.reader.not_built("FINAL TABLE or OLD TABLE in this place"));
    };
    context.reader.go(changed.behind);
    let name = Name { text: changed.change.table().to_owned(), spot };
    let Some(table) = context.catalogue().table(&name.text) else {
        return Err(Refusal::code(-204, spot, format!("there is no table {}", name.text)));
    };
    let name = Name { text: table.own_name().to_owned(), spot };
    Ok(Found { rows: RowsOf::Changed(changed.change), columns: Columns::Table(table), name, view: None })
}

/// A table, a view, a common table expression, or a table of SYSIBM.
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
        return Ok(Found { rows: RowsOf::Itself, columns: Columns::Made(made), name, view: None });
    }
    let known = context.common.iter().rposition(|common| common.name == name.text);
    if let (None, Some(at)) = (&qualifier, known) {
        let common = context.common[at].clone();
        return of_common(context, common, name);
    }
    let is_system =
        qualifier.as_deref() == Some("SYSIBM") || (qualifier.is_none() && name.text == "SYSDUMMY1");
    if is_system && let Some((columns, rows)) = system::of(&name.text, context.catalogue()) {
        context.weigh(rows.len() / 8)?;
        return Ok(Found { rows: RowsOf::System(rows), columns: Columns::Made(columns), name, view: None });
    }
    match context.meant(qualifier.as_deref(), &name)? {
        Meant::Table(table) => {
            let rows = RowsOf::Table(table.name.clone());
            Ok(Found { rows, columns: Columns::Table(table), name, view: None })
        }
        Meant::View(view) => {
            let found = of_query(of_view(context, view)?, name);
            Ok(Found { view: Some(view), ..found })
        }
    }
}

/// Reads the query of a view, as if it stood here.
pub(crate) fn of_view<'s>(context: &mut Context<'s>, view: &'s ViewQuery) -> Result<Query, Refusal> {
    let mut found = context.in_view(view, |context| context.query(QueryPlace::Inside))?;
    for (output, name) in found.outputs.iter_mut().zip(&view.columns) {
        output.name = Some(name.clone());
    }
    Ok(found)
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
        context.query(QueryPlace::Common)
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
        // It becomes one only behind this.
        Columns::Over(_) => Vec::new(),
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
