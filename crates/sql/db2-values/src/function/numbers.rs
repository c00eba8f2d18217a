//! Functions of numbers.

use super::{Call, Function};
use crate::calculate::{exact, float_of};
use crate::decimal::Decimal;
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

/// Digits behind the point that ROUND and TRUNCATE may be asked for; more mean nothing.
const DIGITS: i64 = 40;

impl Call<'_> {
    pub(super) fn of_numbers(&self) -> Result<Value, Unfit> {
        use Function as F;
        match self.function {
            F::BitNot => self.bits(0).map(|bits| Value::Whole(!bits)),
            F::BitAnd => Ok(Value::Whole(self.bits(0)? & self.bits(1)?)),
            F::BitAndNot => Ok(Value::Whole(self.bits(0)? & !self.bits(1)?)),
            F::BitOr => Ok(Value::Whole(self.bits(0)? | self.bits(1)?)),
            F::BitXor => Ok(Value::Whole(self.bits(0)? ^ self.bits(1)?)),
            F::MultiplyAlternative => {
                let scale = self.types.result.digits().map_or(0, |(_, scale)| scale.into());
                exact(self.value_at(0)?)?.multiply(exact(self.value_at(1)?)?, scale).map(Value::Decimal)
            }
            F::Modulo => self.modulo(),
            _ => match self.number_at(0)? {
                Value::Double(number) => self.of_float(number),
                value => self.of_exact(exact(&value)?),
            },
        }
    }

    /// A number; the text of one counts.
    fn number_at(&self, at: usize) -> Result<Value, Unfit> {
        match self.value_at(at)? {
            Value::Text(text) => Decimal::parse(text).map(Value::Decimal).ok_or(Unfit::CAST),
            value @ (Value::Whole(_) | Value::Decimal(_) | Value::Double(_)) => Ok(value.clone()),
            _ => Err(Unfit::ARGUMENT),
        }
    }

    /// The bits of a whole number, in two's complement.
    fn bits(&self, at: usize) -> Result<i64, Unfit> {
        let whole = exact(&self.number_at(at)?)?.at_scale(0);
        whole.and_then(|whole| i64::try_from(whole).ok()).ok_or(Unfit::ARGUMENT)
    }

    fn modulo(&self) -> Result<Value, Unfit> {
        let (a, b) = (self.number_at(0)?, self.number_at(1)?);
        if !matches!((&a, &b), (Value::Double(_), _) | (_, Value::Double(_))) {
            return exact(&a)?.remainder(exact(&b)?).map(|rest| self.exact_value(rest));
        }
        let (a, b) = (float_of(&a)?, float_of(&b)?);
        if b == 0.0 { Err(Unfit::ZERO) } else { Ok(Value::Double(a % b)) }
    }

    fn of_exact(&self, number: Decimal) -> Result<Value, Unfit> {
        let whole = Decimal { unscaled: number.at_scale(0).ok_or(Unfit::OVERFLOW)?, scale: 0 };
        let has_more = whole.compare(number).is_ne();
        let next = |by: i128| Decimal { unscaled: whole.unscaled + by, scale: 0 };
        let made = match self.function {
            Function::Absolute => Decimal { unscaled: number.unscaled.abs(), ..number },
            Function::Sign => Decimal::whole(number.unscaled.signum()),
            Function::Ceiling if has_more && number.unscaled > 0 => next(1),
            Function::Floor if has_more && number.unscaled < 0 => next(-1),
            Function::Ceiling | Function::Floor => whole,
            Function::Round => number.rounded(self.places()?).ok_or(Unfit::OVERFLOW)?,
            _ => number.truncated(self.places()?).ok_or(Unfit::OVERFLOW)?,
        };
        Ok(self.exact_value(made))
    }

    /// A number as the result has it, where that is a whole one.
    fn exact_value(&self, number: Decimal) -> Value {
        match number.at_scale(0).and_then(|whole| i64::try_from(whole).ok()) {
            Some(whole) if self.types.result.is_whole() => Value::Whole(whole),
            _ => Value::Decimal(number),
        }
    }

    fn of_float(&self, number: f64) -> Result<Value, Unfit> {
        let unit = 10f64.powi(self.places().unwrap_or(0));
        let made = match self.function {
            Function::Absolute => number.abs(),
            Function::Sign if number == 0.0 => 0.0,
            Function::Sign => number.signum(),
            Function::Ceiling => number.ceil(),
            Function::Floor => number.floor(),
            Function::Round => (number * unit).round() / unit,
            _ => (number * unit).trunc() / unit,
        };
        // Where the unit has no room, nothing is behind it.
        let made = if made.is_finite() { made } else { number };
        if matches!(self.types.result, Type::Real | Type::Double) {
            Ok(Value::Double(made))
        } else {
            self.of_exact_text(made)
        }
    }

    fn of_exact_text(&self, number: f64) -> Result<Value, Unfit> {
        Decimal::from_f64(number).map(|number| self.exact_value(number)).ok_or(Unfit::OVERFLOW)
    }

    /// Digits behind the point.
    fn places(&self) -> Result<i32, Unfit> {
        let places = if self.values.len() > 1 { self.whole_at(1)? } else { 0 };
        Ok(places.clamp(-DIGITS, DIGITS) as i32)
    }
}
