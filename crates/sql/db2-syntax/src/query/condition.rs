//! Conditions of WHERE.

use db2_values::Type;

use super::expression;
use crate::context::Context;
use crate::markers::TEXT;
use crate::refusal::{Reason, Refusal};
use crate::tree::{Comparison, Condition, Expression, Query};

/// Reads a condition.
pub(crate) fn condition(context: &mut Context<'_>) -> Result<Condition, Refusal> {
    let mut parts = vec![all_of(context)?];
    while context.reader.take("OR") {
        parts.push(all_of(context)?);
    }
    Ok(joined(parts, Condition::Or))
}

fn all_of(context: &mut Context<'_>) -> Result<Condition, Refusal> {
    let mut parts = vec![one(context)?];
    while context.reader.take("AND") {
        parts.push(one(context)?);
    }
    Ok(joined(parts, Condition::And))
}

fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

fn one(context: &mut Context<'_>) -> Result<Condition, Refusal> {
    let before = context.next_value;
    let found = context.nested(negated)?;
    match context.next_value.filter(|_| before.is_none()) {
        Some(spot) => Err(Refusal::code(-348, spot, "NEXT VALUE stands in a condition")),
        None => Ok(found),
    }
}

fn negated(context: &mut Context<'_>) -> Result<Condition, Refusal> {
    if context.reader.take("NOT") {
        return Ok(Condition::Not(Box::new(one(context)?)));
    }
    if context.reader.is("EXISTS") && context.reader.is_ahead(1, "(") {
        context.reader.want("EXISTS")?;
        return context.subquery().map(|query| Condition::Exists(Box::new(query)));
    }
    if context.reader.is("(") && !context.reader.is_ahead(1, "SELECT") && !context.reader.is_ahead(1, "WITH")
    {
        // A condition in parentheses, or a value: a value is followed by more.
        let mark = context.reader.mark();
        let tried = in_parentheses(context);
        let is_value = context.reader.is_any(&COMPARED) || context.reader.is_any(&CALCULATED);
        match tried {
            Ok(condition) if !is_value => return Ok(condition),
            Err(refusal) if refusal.reason != Reason::Code(-104) => return Err(refusal),
            _ => context.reader.go(mark),
        }
    }
    predicate(context)
}

/// Words and signs that follow a value in a predicate.
const COMPARED: [&str; 19] = [
    "=", "<>", "!=", "¬=", "^=", "~=", "<", ">", "<=", ">=", "¬<", "¬>", "^<", "^>", "IN", "BETWEEN", "LIKE",
    "IS", "NOT",
];
/// Signs that follow a value in a longer one.
const CALCULATED: [&str; 7] = ["+", "-", "*", "/", "||", "!!", "CONCAT"];

fn in_parentheses(context: &mut Context<'_>) -> Result<Condition, Refusal> {
    context.reader.want("(")?;
    let inner = condition(context)?;
    context.reader.want(")")?;
    Ok(inner)
}

fn predicate(context: &mut Context<'_>) -> Result<Condition, Refusal> {
    let before = context.weight();
    let value = expression(context)?;
    let weight = context.weight() - before;
    if context.reader.take("IS") {
        let negated = context.reader.take("NOT");
        if context.reader.take_all(&["DISTINCT", "FROM"]) {
            let spot = context.reader.spot();
            let (mut value, mut other) = (value, expression(context)?);
            context.compares(&mut value, &mut other, spot)?;
            let kind = Context::comparable(value.kind, other.kind, spot)?;
            let alike = Condition::Alike { values: Box::new([value, other]), kind };
            return Ok(negate(!negated, alike));
        }
        context.reader.want("NULL")?;
        return Ok(negate(negated, Condition::IsNull(Box::new(value))));
    }
    let negated = context.reader.take("NOT");
    match () {
        () if context.reader.is("BETWEEN") => {
            // The value stands on both sides.
            context.weigh(weight)?;
            context.reader.next();
            between(context, value).map(|found| negate(negated, found))
        }
        () if context.reader.take("IN") => list(context, value).map(|found| negate(negated, found)),
        () if context.reader.take("LIKE") => like(context, value).map(|found| negate(negated, found)),
        () if negated => Err(context.reader.unexpected("BETWEEN, IN or LIKE")),
        () => compared(context, value),
    }
}

fn negate(negated: bool, condition: Condition) -> Condition {
    if negated { Condition::Not(Box::new(condition)) } else { condition }
}

fn compared(context: &mut Context<'_>, left: Expression) -> Result<Condition, Refusal> {
    let spot = context.reader.spot();
    let comparison = match context.reader.next().map(|token| token.text) {
        Some(sign) => match sign.as_str() {
            "=" => Comparison::Equal,
            "<>" | "!=" | "¬=" | "^=" | "~=" => Comparison::Different,
            "<" => Comparison::Less,
            ">" => Comparison::Greater,
            "<=" | "¬>" | "^>" | "!>" => Comparison::AtMost,
            ">=" | "¬<" | "^<" | "!<" => Comparison::AtLeast,
            other => {
                return Err(Refusal::code(-104, spot, format!("{other} stands where a comparison belongs")));
            }
        },
        None => return Err(context.reader.unexpected("a comparison")),
    };
    if context.reader.is_any(&["ALL", "ANY", "SOME"]) && context.reader.is_ahead(1, "(") {
        let is_all = context.reader.is("ALL");
        context.reader.next();
        let query = context.subquery()?;
        return quantified(context, (comparison, is_all), left, query, spot);
    }
    let (mut left, mut right) = (left, expression(context)?);
    context.compares(&mut left, &mut right, spot)?;
    compare(comparison, left, right, spot)
}

/// A value beside those of a query.
fn quantified(
    context: &mut Context<'_>,
    (comparison, is_all): (Comparison, bool),
    mut value: Expression,
    query: Query,
    spot: db2::package::Spot,
) -> Result<Condition, Refusal> {
    let [other] = query.outputs.as_slice() else {
        return Err(Refusal::code(-412, spot, "this subquery has more than one column"));
    };
    context.give(&mut value, other.value.kind);
    let kind = Context::comparable(value.kind, other.value.kind, spot)?;
    Ok(Condition::Quantified { comparison, is_all, value: Box::new(value), query: Box::new(query), kind })
}

fn compare(
    comparison: Comparison,
    left: Expression,
    right: Expression,
    spot: db2::package::Spot,
) -> Result<Condition, Refusal> {
    let kind = Context::comparable(left.kind, right.kind, spot)?;
    Ok(Condition::Compare { comparison, values: Box::new([left, right]), kind })
}

fn between(context: &mut Context<'_>, mut value: Expression) -> Result<Condition, Refusal> {
    let spot = context.reader.spot();
    let mut low = expression(context)?;
    context.reader.want("AND")?;
    let mut high = expression(context)?;
    context.alike(&mut [&mut value, &mut low, &mut high]);
    let low = compare(Comparison::AtLeast, value.clone(), low, spot)?;
    let high = compare(Comparison::AtMost, value, high, spot)?;
    Ok(Condition::And(vec![low, high]))
}

fn list(context: &mut Context<'_>, mut value: Expression) -> Result<Condition, Refusal> {
    let spot = context.reader.spot();
    if context.reader.is("(") && (context.reader.is_ahead(1, "SELECT") || context.reader.is_ahead(1, "WITH"))
    {
        let query = context.subquery()?;
        return quantified(context, (Comparison::Equal, false), value, query, spot);
    }
    if !context.reader.is("(") {
        let mut only = expression(context)?;
        context.compares(&mut value, &mut only, spot)?;
        return compare(Comparison::Equal, value, only, spot);
    }
    context.reader.want("(")?;
    let (mut list, mut kind) = (Vec::new(), value.kind);
    loop {
        let mut item = expression(context)?;
        context.alike(&mut [&mut value, &mut item]);
        Context::comparable(value.kind, item.kind, spot)?;
        kind = kind.common(item.kind).unwrap_or(kind);
        list.push(item);
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    Ok(Condition::In { value: Box::new(value), list, kind })
}

fn like(context: &mut Context<'_>, mut value: Expression) -> Result<Condition, Refusal> {
    let spot = context.reader.spot();
    let mut pattern = expression(context)?;
    let mut escape = if context.reader.take("ESCAPE") { Some(Box::new(expression(context)?)) } else { None };
    for text in [&mut value, &mut pattern].into_iter().chain(escape.as_deref_mut()) {
        context.give(text, TEXT);
    }
    let others = escape.iter().map(|escape| escape.kind);
    if ![value.kind, pattern.kind].into_iter().chain(others).all(Type::is_text) {
        return Err(Refusal::code(-414, spot, "LIKE compares characters only"));
    }
    Ok(Condition::Like { value: Box::new(value), pattern: Box::new(pattern), escape })
}
