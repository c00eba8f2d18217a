//! Arithmetic of numbers.

use crate::convert::is_within;
use crate::decimal::Decimal;
use crate::digits::{self, Operator};
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

/// The result of two numbers of these types, in the type of the result ([`digits::result`]). NULL makes NULL.
///
/// # Errors
/// -802: it is out of range, or the divisor is zero. -401: a value is no number.
pub fn calculate(
    operator: Operator,
    values: [&Value; 2],
    kinds: [Type; 2],
    result: Type,
) -> Result<Value, Unfit> {
    let [a, b] = values;
    if a.is_null() || b.is_null() {
        return Ok(Value::Null);
    }
    match (result, a, b) {
        (Type::Decimal { precision, scale }, ..) => {
            let [a, b] = operands(operator, [exact(a)?, exact(b)?], kinds)?;
            let scale = scale.into();
            let number = match operator {
                Operator::Add => a.add(b, scale),
                Operator::Subtract => a.add(Decimal { unscaled: -b.unscaled, ..b }, scale),
                Operator::Multiply => a.multiply(b, scale),
                Operator::Divide => a.divide(b, scale),
            }?;
            if number.has_at_most(precision.into()) {
                Ok(Value::Decimal(number))
            } else {
                Err(Unfit::OVERFLOW)
            }
        }
        (_, Value::Whole(a), Value::Whole(b)) if result.is_whole() => whole(operator, *a, *b, result),
        _ => float(operator, float_of(a)?, float_of(b)?),
    }
}

/// - x, in the type of the result.
///
/// # Errors
/// -802: it is out of range. -401: it is no number.
pub fn negative(value: &Value, result: Type) -> Result<Value, Unfit> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Whole(number) => whole(Operator::Subtract, 0, *number, result),
        Value::Decimal(number) => Ok(Value::Decimal(Decimal { unscaled: -number.unscaled, ..*number })),
        Value::Double(number) => Ok(Value::Double(0.0 - number)),
        _ => Err(Unfit::TYPES),
    }
}

/// Operands as multiplication and division take them: of more than 15 digits, some are copied to 15.
fn operands(operator: Operator, numbers: [Decimal; 2], kinds: [Type; 2]) -> Result<[Decimal; 2], Unfit> {
    let [a, b] = numbers;
    let (Some(first), Some(second)) = (kinds[0].digits(), kinds[1].digits()) else { return Ok(numbers) };
    let copied = |number: Decimal, of: digits::Digits| {
        let (precision, scale) = digits::copy(of);
        let copied = number.scaled(scale.into()).filter(|copied| copied.has_at_most(precision.into()));
        copied.ok_or(Unfit::OVERFLOW)
    };
    let are_long = first.0 > 15 && second.0 > 15;
    Ok(match operator {
        Operator::Multiply if are_long && second.0 <= first.0 => [a, copied(b, second)?],
        Operator::Multiply if are_long => [copied(a, first)?, b],
        Operator::Divide if second.0 > 15 => [a, copied(b, second)?],
        _ => numbers,
    })
}

fn whole(operator: Operator, a: i64, b: i64, result: Type) -> Result<Value, Unfit> {
    let number = match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide if b == 0 => return Err(Unfit::ZERO),
        Operator::Divide => a.checked_div(b),
    };
    number.filter(|number| is_within(*number, result)).map(Value::Whole).ok_or(Unfit::OVERFLOW)
}

fn float(operator: Operator, a: f64, b: f64) -> Result<Value, Unfit> {
    let number = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide if b == 0.0 => return Err(Unfit::ZERO),
        Operator::Divide => a / b,
    };
    if number.is_finite() { Ok(Value::Double(number)) } else { Err(Unfit::OVERFLOW) }
}

/// A number without floating point; -401 of what is none.
pub(crate) fn exact(value: &Value) -> Result<Decimal, Unfit> {
    match value {
        Value::Whole(number) => Ok(Decimal::whole(*number)),
        Value::Decimal(number) => Ok(*number),
        Value::Double(number) => Decimal::from_f64(*number).ok_or(Unfit::OVERFLOW),
        _ => Err(Unfit::TYPES),
    }
}

/// A number in floating point; -401 of what is none.
pub(crate) fn float_of(value: &Value) -> Result<f64, Unfit> {
    match value {
        Value::Whole(number) => Ok(*number as f64),
        Value::Decimal(number) => Ok(number.to_f64()),
        Value::Double(number) => Ok(*number),
        _ => Err(Unfit::TYPES),
    }
}
