//! Conditions of WHERE.

use db2_values::Type;

use crate::context::Context;
use crate::expression::expression;
use crate::refusal::Refusal;
use crate::tree::{Comparison, Condition, Expression};

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
    context.nested(negated)
}

fn negated(context: &mut Context<'_>) -> Result<Condition, Refusal> {
    if context.reader.take("NOT") {
        return Ok(Condition::Not(Box::new(one(context)?)));
    }
    if context.reader.is("EXISTS") {
        return Err(context.reader.not_built("EXISTS"));
    }
    if context.reader.is("(") && !context.reader.is_ahead(1, "SELECT") {
        // A condition in parentheses, or a value: a value is followed by more.
        let mark = context.reader.mark();
        let tried = in_parentheses(context);
        let is_value = context.reader.is_any(&COMPARED) || context.reader.is_any(&CALCULATED);
        match tried {
            Ok(condition) if !is_value => return Ok(condition),
            Err(refusal) if refusal.reason != crate::Reason::Code(-104) => return Err(refusal),
            _ => context.reader.go(mark),
        }
    }
    predicate(context)
}

/// Words and signs that follow a value in a predicate.
const COMPARED: [&str; 17] = [
    "=", "<>", "!=", "¬=", "^=", "~=", "<", ">", "<=", ">=", "¬<", "¬>", "^<", "^>", "IN", "BETWEEN", "LIKE",
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
    let value = expression(context)?;
    if context.reader.take("IS") {
        let negated = context.reader.take("NOT");
        if context.reader.is("DISTINCT") {
            return Err(context.reader.not_built("IS DISTINCT FROM"));
        }
        context.reader.want("NULL")?;
        return Ok(negate(negated, Condition::IsNull(Box::new(value))));
    }
    let negated = context.reader.take("NOT");
    match () {
        () if context.reader.take("BETWEEN") => between(context, value).map(|found| negate(negated, found)),
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
        return Err(context.reader.not_built("a comparison with a subquery"));
    }
    let right = expression(context)?;
    compare(comparison, left, right, spot)
}

fn compare(
    comparison: Comparison,
    left: Expression,
    right: Expression,
    spot: db2::package::Spot,
) -> Result<Condition, Refusal> {
    let kind = Context::comparable(&left, &right, spot)?;
    Ok(Condition::Compare { comparison, values: Box::new([left, right]), kind })
}

fn between(context: &mut Context<'_>, value: Expression) -> Result<Condition, Refusal> {
    let spot = context.reader.spot();
    let low = expression(context)?;
    context.reader.want("AND")?;
    let high = expression(context)?;
    let low = compare(Comparison::AtLeast, value.clone(), low, spot)?;
    let high = compare(Comparison::AtMost, value, high, spot)?;
    Ok(Condition::And(vec![low, high]))
}

fn list(context: &mut Context<'_>, value: Expression) -> Result<Condition, Refusal> {
    let spot = context.reader.spot();
    context.reader.want("(")?;
    if context.reader.is("SELECT") || context.reader.is("WITH") {
        return Err(context.reader.not_built("a subquery"));
    }
    let (mut list, mut kind) = (Vec::new(), value.kind);
    loop {
        let item = expression(context)?;
        Context::comparable(&value, &item, spot)?;
        kind = kind.common(item.kind).unwrap_or(kind);
        list.push(item);
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    Ok(Condition::In { value: Box::new(value), list, kind })
}

fn like(context: &mut Context<'_>, value: Expression) -> Result<Condition, Refusal> {
    let spot = context.reader.spot();
    let pattern = expression(context)?;
    let escape = if context.reader.take("ESCAPE") { Some(Box::new(expression(context)?)) } else { None };
    let others = escape.iter().map(|escape| escape.kind);
    if ![value.kind, pattern.kind].into_iter().chain(others).all(Type::is_text) {
        return Err(Refusal::code(-414, spot, "LIKE compares characters only"));
    }
    Ok(Condition::Like { value: Box::new(value), pattern: Box::new(pattern), escape })
}
