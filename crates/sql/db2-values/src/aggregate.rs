//! Functions of rows: one value of many.

use std::cmp::Ordering;

use crate::calculate::{exact, float_of};
use crate::compare::compare;
use crate::convert::is_within;
use crate::decimal::Decimal;
use crate::limits;
use crate::order::Order;
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

/// Functions of all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// COUNT.
    Count,
    /// SUM.
    Sum,
    /// AVG.
    Average,
    /// MIN.
    Minimum,
    /// MAX.
    Maximum,
}

/// A function of rows on its way: values are added, and in the end there is a result.
///
/// NULLs are left out. Of no value at all a count is 0 and everything else NULL.
#[derive(Clone, Debug)]
pub struct Total {
    function: Aggregate,
    /// The type of the values.
    of: Type,
    /// The type of the result.
    result: Type,
    count: i64,
    sum: Sum,
    extreme: Value,
}

#[derive(Clone, Copy, Debug)]
enum Sum {
    Exact(Decimal),
    Float(f64),
}

impl Total {
    /// A function of values of a type, with the type of its result.
    pub fn new(function: Aggregate, of: Type, result: Type) -> Self {
        let scale = of.digits().map_or(0, |(_, scale)| scale.into());
        let sum = if of.is_float() { Sum::Float(0.0) } else { Sum::Exact(Decimal { unscaled: 0, scale }) };
        Self { function, of, result, count: 0, sum, extreme: Value::Null }
    }

    /// Counts a row, whatever its values: COUNT(*).
    pub fn add_row(&mut self) {
        self.count += 1;
    }

    /// Adds the value of a row.
    ///
    /// # Errors
    /// -802: a sum has more digits than any number.
    pub fn add(&mut self, value: &Value, order: Order) -> Result<(), Unfit> {
        if value.is_null() {
            return Ok(());
        }
        self.count += 1;
        let wanted = match self.function {
            Aggregate::Count => return Ok(()),
            Aggregate::Sum | Aggregate::Average => return self.sum.add(value),
            Aggregate::Minimum => Ordering::Less,
            Aggregate::Maximum => Ordering::Greater,
        };
        if compare(value, &self.extreme, self.of, order).is_none_or(|found| found == wanted) {
            self.extreme = value.clone();
        }
        Ok(())
    }

    /// The result.
    ///
    /// # Errors
    /// -802: it is out of its type's range.
    pub fn end(self) -> Result<Value, Unfit> {
        match self.function {
            Aggregate::Count if is_within(self.count, self.result) => Ok(Value::Whole(self.count)),
            Aggregate::Count => Err(Unfit::OVERFLOW),
            Aggregate::Minimum | Aggregate::Maximum => Ok(self.extreme),
            Aggregate::Sum | Aggregate::Average if self.count == 0 => Ok(Value::Null),
            Aggregate::Sum => self.sum.value(1, self.result),
            Aggregate::Average => self.sum.value(self.count, self.result),
        }
    }
}

impl Sum {
    fn add(&mut self, value: &Value) -> Result<(), Unfit> {
        match self {
            Self::Exact(sum) => {
                let value = exact(value)?;
                let unscaled = value.at_scale(sum.scale).and_then(|value| sum.unscaled.checked_add(value));
                sum.unscaled = unscaled.ok_or(Unfit::OVERFLOW)?;
                if sum.has_at_most(limits::DIGITS_MAX) { Ok(()) } else { Err(Unfit::OVERFLOW) }
            }
            Self::Float(sum) => {
                *sum += float_of(value)?;
                if sum.is_finite() { Ok(()) } else { Err(Unfit::OVERFLOW) }
            }
        }
    }

    /// The sum divided by a count, in a type.
    fn value(self, count: i64, result: Type) -> Result<Value, Unfit> {
        match (self, result) {
            (Self::Float(sum), _) => Ok(Value::Double(sum / count as f64)),
            (Self::Exact(sum), Type::Decimal { precision, scale }) => {
                let mean = sum.divide(Decimal::whole(count), scale.into())?;
                let fits = mean.has_at_most(precision.into());
                if fits { Ok(Value::Decimal(mean)) } else { Err(Unfit::OVERFLOW) }
            }
            (Self::Exact(sum), _) => {
                let mean = i64::try_from(sum.unscaled / i128::from(count)).ok();
                mean.filter(|mean| is_within(*mean, result)).map(Value::Whole).ok_or(Unfit::OVERFLOW)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(function: Aggregate, kind: Type, result: Type, values: &[Value]) -> Result<Value, i32> {
        let mut total = Total::new(function, kind, result);
        for value in values {
            total.add(value, Order::default()).map_err(|unfit| unfit.code)?;
        }
        total.end().map_err(|unfit| unfit.code)
    }

    fn decimal(text: &str) -> Value {
        Value::Decimal(Decimal::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn nulls_are_left_out_and_nothing_is_null() {
        use Aggregate::{Average, Count, Maximum, Minimum, Sum};
        let values = [Value::Whole(1), Value::Null, Value::Whole(4)];
        let kind = Type::Integer;
        let all = [Count, Sum, Average, Minimum, Maximum];
        let found = all.map(|function| of(function, kind, kind, &values));
        assert_eq!(found, [2, 5, 2, 1, 4].map(|number| Ok(Value::Whole(number))));
        let none = all.map(|function| of(function, kind, kind, &[Value::Null]));
        assert_eq!(none[0], Ok(Value::Whole(0)));
        assert!(none[1..].iter().all(|value| *value == Ok(Value::Null)));
    }

    #[test]
    fn sums_know_their_digits() {
        let amount = Type::Decimal { precision: 3, scale: 2 };
        let values = ["9.99", "0.01", "-1.00"].map(decimal);
        let result = Type::Decimal { precision: 15, scale: 14 };
        assert_eq!(of(Aggregate::Average, amount, result, &values), Ok(decimal("3.00000000000000")));
        let tight = Type::Decimal { precision: 2, scale: 2 };
        assert_eq!(of(Aggregate::Sum, amount, tight, &values), Err(-802));
        let large = [i64::from(i32::MAX), 1].map(Value::Whole);
        assert_eq!(of(Aggregate::Sum, Type::Integer, Type::Integer, &large), Err(-802));
        assert_eq!(of(Aggregate::Average, Type::Integer, Type::Integer, &large), Ok(Value::Whole(1 << 30)));
    }

    #[test]
    fn the_least_text_is_that_of_the_order() {
        let values = [Value::text("1"), Value::text("A")];
        assert_eq!(of(Aggregate::Minimum, Type::Char(1), Type::Char(1), &values), Ok(Value::text("1")));
        let mut total = Total::new(Aggregate::Minimum, Type::Char(1), Type::Char(1));
        let host = Order::of(ebcdic::CodePage::Ibm037);
        values.iter().for_each(|value| total.add(value, host).unwrap());
        assert_eq!(total.end(), Ok(Value::text("A")));
    }
}
