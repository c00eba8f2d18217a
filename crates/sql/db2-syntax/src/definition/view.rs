//! CREATE VIEW and CREATE ALIAS.

use db2::Kind;
use db2::package::Spot;

use crate::catalogue::{CheckOption, View, ViewQuery};
use crate::context::Context;
use crate::full_name::full_name;
use crate::query;
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::tree::{Condition, Query};

/// Reads CREATE ALIAS, behind that word. The table need not be there.
pub(super) fn alias(context: &mut Context<'_>) -> Result<View, Refusal> {
    let (schema, name) = context.reader.qualified("a name")?;
    let full = full_name(context.catalogue().schema_of_new(schema.as_deref()), &name.text);
    context.refuse_taken(&full, &name)?;
    context.reader.want("FOR")?;
    context.reader.take("TABLE");
    let (schema, table) = context.reader.qualified("a table")?;
    let catalogue = context.catalogue();
    let found =
        catalogue.schemas_of(schema.as_deref()).into_iter().map(|schema| full_name(schema, &table.text));
    let of = found.clone().find(|full| catalogue.has(full)).or_else(|| found.clone().next());
    Ok(View::Alias { name: full, of: of.unwrap_or(table.text) })
}

/// Reads CREATE VIEW, behind that word.
pub(super) fn view(context: &mut Context<'_>) -> Result<View, Refusal> {
    let (schema, name) = context.reader.qualified("a view")?;
    let full = full_name(context.catalogue().schema_of_new(schema.as_deref()), &name.text);
    context.refuse_taken(&full, &name)?;
    let columns = if context.reader.is("(") { context.reader.names()? } else { Vec::new() };
    context.reader.want("AS")?;
    let begin = context.reader.mark();
    context.take_uses();
    let found = query::query(context)?;
    let end = context.reader.mark();
    refuse_variables(context, begin, end)?;
    let columns = named(&found, &columns, &name)?;
    let spot = context.reader.spot();
    let check = check_option(context)?;
    let kinds = found.outputs.iter().map(|output| (output.value.kind, output.value.is_nullable));
    let view = ViewQuery {
        name: full,
        columns,
        kinds: kinds.collect(),
        text: context.text_without_stars(begin, end),
        schemas: context.schemas().to_vec(),
        check,
        uses: context.take_uses(),
    };
    if check.is_some() {
        refuse_unchecked(context, &view, found, spot)?;
    }
    Ok(View::Query(view))
}

fn refuse_variables(context: &Context<'_>, begin: usize, end: usize) -> Result<(), Refusal> {
    let is_variable = |token: &&db2::Token| matches!(token.kind, Kind::Host | Kind::Marker);
    match context.reader.between(begin, end).iter().find(is_variable) {
        Some(token) => Err(Refusal::code(-312, token.spot, format!("{} cannot stand in a view", token.text))),
        None => Ok(()),
    }
}

/// The names of its columns.
fn named(query: &Query, columns: &[Name], view: &Name) -> Result<Vec<String>, Refusal> {
    if !columns.is_empty() && columns.len() != query.outputs.len() {
        let message = format!("the query has {} columns", query.outputs.len());
        return Err(Refusal::code(-158, columns[0].spot, message));
    }
    let mut names: Vec<String> = Vec::new();
    for (at, output) in query.outputs.iter().enumerate() {
        let name = match columns.get(at) {
            Some(name) => name.text.clone(),
            None => output.name.clone().unwrap_or_default(),
        };
        if name.is_empty() || names.contains(&name) {
            let spot = columns.get(at).map_or(view.spot, |name| name.spot);
            let message = "each column of a view needs a name of its own";
            return Err(Refusal::code(-153, spot, message).help("put names in parentheses behind the view's"));
        }
        names.push(name);
    }
    Ok(names)
}

fn check_option(context: &mut Context<'_>) -> Result<Option<CheckOption>, Refusal> {
    if !context.reader.take("WITH") {
        return Ok(None);
    }
    let kind = if context.reader.take("LOCAL") { CheckOption::Local } else { CheckOption::Cascaded };
    context.reader.take("CASCADED");
    context.reader.want_all(&["CHECK", "OPTION"])?;
    Ok(Some(kind))
}

/// -160 for CHECK OPTION of a view through which no rows are changed, or whose condition is not one of a row alone.
fn refuse_unchecked(
    context: &mut Context<'_>,
    view: &ViewQuery,
    query: Query,
    spot: Spot,
) -> Result<(), Refusal> {
    let is_simple = query::over(context, view, query).is_ok();
    let are_plain = context.view_checks.iter().all(|(_, _, condition)| !has_query(condition));
    match is_simple && are_plain {
        true => Ok(()),
        false => Err(Refusal::code(
            -160,
            spot,
            "CHECK OPTION belongs to views of one table, with conditions of a row alone",
        )),
    }
}

/// Returns true if a condition asks another query.
fn has_query(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(has_query),
        Condition::Not(part) => has_query(part),
        Condition::Compare { values, .. } | Condition::Alike { values, .. } => {
            values.iter().any(is_no_value_of_a_row)
        }
        Condition::In { value, list, .. } => {
            is_no_value_of_a_row(value) || list.iter().any(is_no_value_of_a_row)
        }
        Condition::Like { value, pattern, escape } => {
            let mut values = [Some(value), Some(pattern), escape.as_ref()].into_iter().flatten();
            values.any(|value| is_no_value_of_a_row(value))
        }
        Condition::IsNull(value) => is_no_value_of_a_row(value),
        Condition::Exists(_) | Condition::Quantified { .. } => true,
    }
}

fn is_no_value_of_a_row(value: &crate::tree::Expression) -> bool {
    crate::values_of::columns_of(value, &mut Vec::new()).is_none()
}
