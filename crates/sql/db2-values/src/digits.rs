//! Types of the results of arithmetic, as published: precision and scale follow from those of the operands.

use db2::Arithmetic;

use crate::types::Type;

/// Operators of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// +.
    Add,
    /// -.
    Subtract,
    /// *.
    Multiply,
    /// /.
    Divide,
}

/// A division whose result would have fewer than no digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NegativeScale;

/// The type of what two numbers make.
///
/// # Errors
/// A division has no digits left behind the point (-419).
pub fn result(operator: Operator, a: Type, b: Type, rules: Arithmetic) -> Result<Type, NegativeScale> {
    let (Some(first), Some(second)) = (a.digits(), b.digits()) else { return Ok(Type::Double) };
    if a.is_whole() && b.is_whole() {
        let long = a == Type::BigInt || b == Type::BigInt;
        return Ok(if long { Type::BigInt } else { Type::Integer });
    }
    let most = most(first, second, rules);
    Ok(match operator {
        Operator::Add | Operator::Subtract => sum(first, second, most),
        Operator::Multiply => product(first, second, most),
        Operator::Divide => quotient(first, second, most, rules)?,
    })
}

/// Digits and scale.
pub(crate) type Digits = (u8, u8);

/// The most digits of a result.
fn most(a: Digits, b: Digits, rules: Arithmetic) -> u8 {
    if rules.is_long || a.0 > 15 || b.0 > 15 { 31 } else { 15 }
}

fn sum((p, s): Digits, (q, t): Digits, most: u8) -> Type {
    let scale = s.max(t);
    Type::Decimal { precision: most.min((p - s).max(q - t) + scale + 1), scale }
}

fn product(mut a: Digits, mut b: Digits, most: u8) -> Type {
    if a.0 > 15 && b.0 > 15 {
        if b.0 <= a.0 { b = copy(b) } else { a = copy(a) }
    }
    Type::Decimal { precision: most.min(a.0 + b.0), scale: most.min(a.1 + b.1) }
}

/// An operand of more than 15 digits, as multiplication and division copy it.
pub(crate) fn copy((precision, scale): Digits) -> Digits {
    if precision > 15 { (15, scale.saturating_sub(precision - 15)) } else { (precision, scale) }
}

fn quotient((p, s): Digits, (q, t): Digits, most: u8, rules: Arithmetic) -> Result<Type, NegativeScale> {
    let [whole, q_digits, t_digits] = [p - s, q, t].map(i32::from);
    let scale = match () {
        () if most == 15 => 15 - (whole + t_digits),
        () if q <= 15 => 29 + q_digits % 2 - q_digits - (whole + t_digits),
        () => 15 - (whole + i32::from(copy((q, t)).1)),
    };
    let scale = if rules.least_scale > 0 { scale.max(rules.least_scale.into()) } else { scale };
    let scale = u8::try_from(scale).map_err(|_| NegativeScale)?;
    Ok(Type::Decimal { precision: most, scale })
}

/// The type of a sum over rows.
pub fn total(kind: Type, rules: Arithmetic) -> Type {
    match kind {
        Type::SmallInt => Type::Integer,
        Type::Real => Type::Double,
        Type::Decimal { precision, scale } if rules.is_long || precision > 15 => {
            Type::Decimal { precision: (precision + 10).min(31), scale }
        }
        Type::Decimal { scale, .. } => Type::Decimal { precision: 15, scale },
        kind => kind,
    }
}

/// The type of an average over rows.
pub fn average(kind: Type, rules: Arithmetic) -> Type {
    match kind {
        Type::SmallInt => Type::Integer,
        Type::Real => Type::Double,
        Type::Decimal { precision, scale } if rules.is_long || precision > 15 => {
            Type::Decimal { precision: 31, scale: (28 + scale).saturating_sub(precision) }
        }
        Type::Decimal { precision, scale } => Type::Decimal { precision: 15, scale: 15 - precision + scale },
        kind => kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(precision: u8, scale: u8) -> Type {
        Type::Decimal { precision, scale }
    }

    #[test]
    fn results_of_two_numbers() {
        use Operator::{Add, Divide, Multiply};
        let short = Arithmetic::default();
        let long = Arithmetic { is_long: true, least_scale: 0 };
        for (operator, a, b, rules, wanted) in [
            (Add, decimal(11, 2), decimal(3, 1), short, Ok(decimal(12, 2))),
            (Add, decimal(15, 2), decimal(3, 2), short, Ok(decimal(15, 2))),
            (Add, decimal(15, 2), decimal(3, 2), long, Ok(decimal(16, 2))),
            (Add, Type::Integer, Type::SmallInt, short, Ok(Type::Integer)),
            (Multiply, decimal(11, 2), decimal(3, 2), short, Ok(decimal(14, 4))),
            (Multiply, decimal(11, 2), decimal(9, 2), short, Ok(decimal(15, 4))),
            (Divide, decimal(11, 2), Type::Integer, short, Ok(decimal(15, 6))),
            (Divide, decimal(15, 0), decimal(5, 1), short, Err(NegativeScale)),
            (Divide, decimal(7, 2), decimal(5, 2), long, Ok(decimal(31, 18))),
            (Divide, decimal(11, 2), Type::Double, short, Ok(Type::Double)),
        ] {
            assert_eq!(result(operator, a, b, rules), wanted, "{operator:?} of {a:?} and {b:?}");
        }
    }

    #[test]
    fn sums_and_averages_over_rows() {
        let rules = Arithmetic::default();
        assert_eq!(total(decimal(11, 2), rules), decimal(15, 2));
        assert_eq!(total(decimal(20, 2), rules), decimal(30, 2));
        assert_eq!(average(decimal(11, 2), rules), decimal(15, 6));
        assert_eq!(total(Type::SmallInt, rules), Type::Integer);
    }
}
