//! Arithmetic with dates, times and durations.

use db2::package::Spot;
use db2_values::Type;

use crate::context::Context;
use crate::refusal::Refusal;
use crate::tree::{Expression, Function, Node, Operator, Unit};

/// Units of labelled durations, in the singular and the plural.
const UNITS: [(&str, &str, Unit); 7] = [
    ("YEAR", "YEARS", Unit::Years),
    ("MONTH", "MONTHS", Unit::Months),
    ("DAY", "DAYS", Unit::Days),
    ("HOUR", "HOURS", Unit::Hours),
    ("MINUTE", "MINUTES", Unit::Minutes),
    ("SECOND", "SECONDS", Unit::Seconds),
    ("MICROSECOND", "MICROSECONDS", Unit::Microseconds),
];

/// Takes the unit that makes a duration of a number.
pub(super) fn unit(context: &mut Context<'_>, number: &Expression) -> Result<Option<Unit>, Refusal> {
    let is_number = number.kind.is_number() || number.kind.is_text();
    let found = UNITS.iter().find(|(one, many, _)| context.reader.is(one) || context.reader.is(many));
    let Some((.., unit)) = found.filter(|_| is_number) else { return Ok(None) };
    if matches!(number.node, Node::Arithmetic(..)) && !context.reader.is_behind(")") {
        return Err(context.reader.unexpected("an operator").help("put the number of units in parentheses"));
    }
    context.reader.next();
    Ok(Some(*unit))
}

fn wrong(spot: Spot) -> Refusal {
    Refusal::code(-182, spot, "these are no operands of arithmetic with dates and times")
}

/// A date, time or timestamp, and a labelled duration.
pub(super) fn moved(
    operator: Operator,
    moment: Expression,
    number: Expression,
    unit: Unit,
    spot: Spot,
) -> Result<Expression, Refusal> {
    let is_of_days = matches!(unit, Unit::Years | Unit::Months | Unit::Days);
    let suits = match moment.kind {
        Type::Date => is_of_days,
        Type::Time => matches!(unit, Unit::Hours | Unit::Minutes | Unit::Seconds),
        Type::Timestamp(_) => true,
        _ => false,
    };
    let function = match operator {
        Operator::Add => Function::Later(unit),
        _ => Function::Earlier(unit),
    };
    if !suits {
        return Err(wrong(spot));
    }
    // The text of a number is one of 15 digits.
    let number = match number.kind.is_text() {
        true => {
            let is_nullable = number.is_nullable;
            let kind = Type::Decimal { precision: 15, scale: 0 };
            Expression { node: Node::Call(Function::Convert, vec![number]), kind, is_nullable }
        }
        false => number,
    };
    Ok(call(function, moment.kind, moment, number))
}

/// Two operands of which at least one is a date, a time or a timestamp.
pub(super) fn calculated(
    operator: Operator,
    left: Expression,
    right: Expression,
    spot: Spot,
) -> Result<Expression, Refusal> {
    let (a, b) = (left.kind, right.kind);
    match operator {
        Operator::Add if a.is_datetime() && is_duration(b, a) => Ok(call(Function::Forward, a, left, right)),
        Operator::Add if b.is_datetime() && is_duration(a, b) => Ok(call(Function::Forward, b, right, left)),
        Operator::Subtract if a.is_datetime() && is_duration(b, a) => {
            Ok(call(Function::Backward, a, left, right))
        }
        Operator::Subtract => {
            let kind = duration(a, b).ok_or_else(|| wrong(spot))?;
            Ok(call(Function::Apart, kind, left, right))
        }
        _ => Err(wrong(spot)),
    }
}

/// Returns true if digits of this type are a duration that moves a moment of that one.
fn is_duration(digits: Type, moment: Type) -> bool {
    let Type::Decimal { precision, scale } = digits else { return false };
    match moment {
        Type::Date => (precision, scale) == (8, 0),
        Type::Time => (precision, scale) == (6, 0),
        _ => matches!((precision, scale), (8 | 6, 0)) || precision == 14 + scale,
    }
}

/// The type of the time between two moments; one of them may be a text.
fn duration(a: Type, b: Type) -> Option<Type> {
    match (a, b) {
        (Type::Date, other) | (other, Type::Date) if other == Type::Date || other.is_text() => {
            Some(Type::Decimal { precision: 8, scale: 0 })
        }
        (Type::Time, other) | (other, Type::Time) if other == Type::Time || other.is_text() => {
            Some(Type::Decimal { precision: 6, scale: 0 })
        }
        (Type::Timestamp(a), Type::Timestamp(b)) => {
            Some(Type::Decimal { precision: 14 + a.max(b), scale: a.max(b) })
        }
        (Type::Timestamp(digits), other) | (other, Type::Timestamp(digits)) if other.is_text() => {
            Some(Type::Decimal { precision: 14 + digits, scale: digits })
        }
        _ => None,
    }
}

fn call(function: Function, kind: Type, moment: Expression, other: Expression) -> Expression {
    let is_nullable = moment.is_nullable || other.is_nullable;
    Expression { node: Node::Call(function, vec![moment, other]), kind, is_nullable }
}
