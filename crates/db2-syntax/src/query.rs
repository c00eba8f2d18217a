//! SELECT over one table, and cursors.

use db2::Kind;

use crate::condition::condition;
use crate::context::{Aggregates, Context};
use crate::expression::expression;
use crate::refusal::Refusal;
use crate::tail;
use crate::tree::{Cursor, Expression, Node, Order, OrderBy, Output, Query, Target};

/// Reads SELECT.
pub(crate) fn select(context: &mut Context<'_>) -> Result<Query, Refusal> {
    context.reader.want("SELECT")?;
    let is_distinct = context.reader.take("DISTINCT");
    if !is_distinct {
        context.reader.take("ALL");
    }
    // The table comes first: it says what the names before it mean.
    let list = context.reader.mark();
    to_from(context)?;
    let table = from(context)?;
    let behind = context.reader.mark();
    context.reader.go(list);
    let outputs = outputs(context)?;
    let grouped = grouped(context)?;
    let targets = targets(context)?;
    context.reader.want("FROM")?;
    context.reader.go(behind);
    let condition = if context.reader.take("WHERE") { Some(condition(context)?) } else { None };
    refuse_further(context)?;
    let order = order(context, &outputs)?;
    let tail = tail::of_query(context, table)?;
    refuse_further(context)?;
    if grouped && !order.iter().all(|key| matches!(key.by, OrderBy::Output(_))) {
        return Err(Refusal::code(-122, context.reader.spot(), "one row has no order by a column"));
    }
    Ok(Query {
        table: table.name.clone(),
        outputs,
        grouped,
        is_distinct,
        condition,
        order,
        first: tail.first,
        updates: tail.updates,
        is_read_only: tail.is_read_only,
        isolation: tail.isolation,
        targets,
    })
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
        if context.reader.next().is_none() {
            return Err(context.reader.unexpected("FROM"));
        }
    }
    Ok(())
}

fn from<'s>(context: &mut Context<'s>) -> Result<&'s crate::Table, Refusal> {
    context.reader.want("FROM")?;
    if context.reader.is("(") || (context.reader.is("TABLE") && context.reader.is_ahead(1, "(")) {
        return Err(context.reader.not_built("a query in FROM"));
    }
    if context.reader.is_any(&["FINAL", "OLD"]) && context.reader.is_ahead(1, "TABLE") {
        return Err(context.reader.not_built("FINAL TABLE or OLD TABLE"));
    }
    let table = context.open_table()?;
    if context.reader.is_any(&[",", "INNER", "LEFT", "RIGHT", "FULL", "JOIN", "CROSS"]) {
        return Err(context.reader.not_built("a join"));
    }
    Ok(table)
}

fn refuse_further(context: &Context<'_>) -> Result<(), Refusal> {
    const CLAUSES: [&str; 6] = ["GROUP", "HAVING", "UNION", "EXCEPT", "INTERSECT", "LIMIT"];
    match CLAUSES.iter().find(|clause| context.reader.is(clause)) {
        Some(clause) => Err(context.reader.not_built(clause)),
        None => Ok(()),
    }
}

fn outputs(context: &mut Context<'_>) -> Result<Vec<Output>, Refusal> {
    context.begin_outputs();
    let mut outputs = Vec::new();
    loop {
        if context.reader.take("*") {
            add_columns(&mut outputs, context.all_columns(None)?);
        } else if context.reader.is_ahead(1, ".") && context.reader.is_ahead(2, "*") {
            let table = context.reader.name("a table")?;
            context.reader.want_all(&[".", "*"])?;
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
    if matches!(value.node, Node::Column(_)) {
        // The words of a column, read once more for its name.
        let behind = context.reader.mark();
        context.reader.go(last);
        name = context.reader.qualified("a column").ok().map(|(_, name)| name.text);
        context.reader.go(behind);
    }
    let is_name =
        context.reader.peek(0).is_some_and(|next| matches!(next.kind, Kind::Word | Kind::Delimited));
    if context.reader.take("AS") || (is_name && !context.reader.is_any(&["INTO", "FROM"])) {
        name = Some(context.reader.name("a name")?.text);
    }
    Ok(Output { name, value })
}

/// Returns true if functions of all rows stand among the outputs: then no column stands beside them.
fn grouped(context: &mut Context<'_>) -> Result<bool, Refusal> {
    let grouped = context.aggregates == Aggregates::Allowed(true);
    context.aggregates = Aggregates::Forbidden;
    match context.plain_column {
        Some(spot) if grouped => {
            Err(Refusal::code(-122, spot, "this column stands beside a function of all rows")
                .help("take it out, or make a function of all rows of it"))
        }
        _ => Ok(grouped),
    }
}

fn targets(context: &mut Context<'_>) -> Result<Vec<Target>, Refusal> {
    let mut targets = Vec::new();
    if !context.reader.take("INTO") {
        return Ok(targets);
    }
    loop {
        let Some(token) = context.reader.peek(0).filter(|token| token.kind == Kind::Host).cloned() else {
            return Err(context.reader.unexpected("a host variable"));
        };
        context.reader.next();
        targets.push(context.target(&token)?);
        if !context.reader.take(",") {
            return Ok(targets);
        }
    }
}

fn order(context: &mut Context<'_>, outputs: &[Output]) -> Result<Vec<Order>, Refusal> {
    let mut order = Vec::new();
    if !context.reader.take_all(&["ORDER", "BY"]) {
        return Ok(order);
    }
    loop {
        let by = order_by(context, outputs)?;
        let is_descending = context.reader.take("DESC");
        if !is_descending {
            context.reader.take("ASC");
        }
        order.push(Order { by, is_descending });
        if !context.reader.take(",") {
            return Ok(order);
        }
    }
}

/// A number of an output, its name, or a column.
fn order_by(context: &mut Context<'_>, outputs: &[Output]) -> Result<OrderBy, Refusal> {
    let spot = context.reader.spot();
    if context.reader.peek(0).is_some_and(|token| token.kind == Kind::Number) {
        let number = context.reader.unsigned("a number of an output")?;
        let output = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        return match output.filter(|output| *output < outputs.len()) {
            Some(output) => Ok(OrderBy::Output(output)),
            None => Err(Refusal::code(-125, spot, format!("there is no output {number}"))),
        };
    }
    let (qualifier, name) = context.reader.qualified("what rows are sorted by")?;
    if context.reader.is_any(&["(", "+", "-", "*", "/", "||", "CONCAT"]) {
        return Err(Refusal::not_built(spot, "an order by an expression"));
    }
    let named = |output: &Output| qualifier.is_none() && output.name.as_ref() == Some(&name.text);
    if let Some(output) = outputs.iter().position(named) {
        return Ok(OrderBy::Output(output));
    }
    match context.column(qualifier.as_deref(), &name)?.node {
        Node::Column(column) => Ok(OrderBy::Column(column)),
        _ => Err(context.reader.unexpected("a column")),
    }
}

/// Reads DECLARE CURSOR, behind DECLARE.
pub(crate) fn cursor(context: &mut Context<'_>) -> Result<Cursor, Refusal> {
    let is_variable = context.reader.peek(0).is_some_and(|token| token.kind == Kind::Host);
    if is_variable || ["TABLE", "STATEMENT", ".", ","].iter().any(|word| context.reader.is_ahead(1, word)) {
        return Err(context.reader.not_built("DECLARE of anything but a cursor"));
    }
    let name = context.reader.hyphened("a cursor")?.text;
    for word in ["SENSITIVE", "INSENSITIVE", "ASENSITIVE", "SCROLL"] {
        if context.reader.is(word) {
            return Err(context.reader.not_built("a SCROLL cursor"));
        }
    }
    context.reader.take_all(&["NO", "SCROLL"]);
    context.reader.want("CURSOR")?;
    let mut is_held = false;
    while !context.reader.take("FOR") {
        if context.reader.take_all(&["WITH", "HOLD"]) {
            is_held = true;
        } else if context.reader.take_all(&["WITHOUT", "HOLD"]) {
            is_held = false;
        } else if context.reader.is("WITH") {
            return Err(context.reader.not_built("a cursor with rowsets, or for a result set"));
        } else {
            return Err(context.reader.unexpected("FOR"));
        }
    }
    if context.reader.is("WITH") {
        return Err(context.reader.not_built("WITH"));
    }
    if !context.reader.is("SELECT") {
        return Err(context.reader.not_built("a cursor for a prepared statement"));
    }
    let query = select(context)?;
    if !query.targets.is_empty() {
        return Err(
            Refusal::code(-104, context.reader.spot(), "a cursor's query has no INTO").help("FETCH has it")
        );
    }
    let cannot_change = query.grouped || query.is_distinct || !query.order.is_empty();
    if query.updates.is_some() && cannot_change {
        let message = "rows cannot be changed through a sorted or summed query";
        return Err(Refusal::code(-510, context.reader.spot(), message));
    }
    Ok(Cursor { name, is_held, query })
}
