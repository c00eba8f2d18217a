//! CASE and CAST.

use db2_values::Type;

use crate::context::Context;
use crate::kind;
use crate::refusal::Refusal;
use crate::tree::{Comparison, Condition, Expression, Function, Node};

/// Reads CASE … END.
pub(super) fn case(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    let spot = context.reader.spot();
    context.reader.want("CASE")?;
    let before = context.weight();
    let subject = if context.reader.is("WHEN") { None } else { Some(context.expression()?) };
    let weight = context.weight() - before;
    let mut branches = Vec::new();
    while context.reader.take("WHEN") {
        context.weigh(weight)?;
        let when = when(context, subject.as_ref())?;
        context.reader.want("THEN")?;
        branches.push((when, result(context)?));
    }
    let otherwise = if context.reader.take("ELSE") { Some(result(context)?) } else { None };
    context.reader.want("END")?;
    let has_else = otherwise.is_some();
    let results = branches.iter_mut().map(|(_, result)| result);
    let mut otherwise = otherwise;
    let mut results: Vec<&mut Expression> = results.chain(&mut otherwise).collect();
    context.alike(&mut results);
    let mut kinds = results.iter().filter(|result| result.node != Node::Null).map(|result| result.kind);
    let first = kinds.next().ok_or_else(|| Refusal::code(-580, spot, "all results of CASE are NULL"))?;
    let kind = kinds.try_fold(first, |kind, next| {
        let are_alike = kind.is_text() == next.is_text();
        kind.common(next).filter(|_| are_alike)
    });
    let kind = kind.ok_or_else(|| Refusal::code(-581, spot, "the results of CASE have no common type"))?;
    for result in &mut results {
        if result.node == Node::Null {
            result.kind = kind;
        }
    }
    let is_nullable = !has_else || results.iter().any(|result| result.is_nullable);
    Ok(Expression { node: Node::Case(branches, otherwise.map(Box::new)), kind, is_nullable })
}

/// A condition; behind CASE and a value another one that is equal to it.
fn when(context: &mut Context<'_>, subject: Option<&Expression>) -> Result<Condition, Refusal> {
    let Some(subject) = subject else { return context.condition() };
    let spot = context.reader.spot();
    let mut other = context.expression()?;
    context.give(&mut other, subject.kind);
    let kind = Context::comparable(subject.kind, other.kind, spot)?;
    let values = Box::new([subject.clone(), other]);
    Ok(Condition::Compare { comparison: Comparison::Equal, values, kind })
}

fn result(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    if context.reader.take("NULL") {
        return Ok(Expression { node: Node::Null, kind: Type::VarChar(1), is_nullable: true });
    }
    context.expression()
}

/// Reads CAST (value AS type).
pub(super) fn cast(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    context.reader.want_all(&["CAST", "("])?;
    let spot = context.reader.spot();
    let mut value = result(context)?;
    context.reader.want("AS")?;
    let kind = kind::kind(context)?;
    context.give(&mut value, kind);
    context.reader.want(")")?;
    if value.node == Node::Null {
        return Ok(Expression { kind, ..value });
    }
    if !is_castable(value.kind, kind) {
        return Err(Refusal::code(-461, spot, "a value of this type cannot become one of that type"));
    }
    let is_nullable = value.is_nullable;
    Ok(Expression { node: Node::Call(Function::Convert, vec![value]), kind, is_nullable })
}

/// Returns true if CAST makes a value of one type one of another.
fn is_castable(from: Type, to: Type) -> bool {
    match (from, to) {
        _ if from.is_number() => to.is_number() || (to.is_text() && !to.is_bits()),
        (Type::Date, Type::Time) => false,
        (Type::Time, Type::Date | Type::Timestamp(_)) => false,
        _ if from.is_datetime() => to.is_datetime() || (to.is_text() && !to.is_bits()),
        _ if from.is_bits() => to.is_text(),
        _ => true,
    }
}
