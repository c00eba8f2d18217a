//! Floating point of the intermediate form, and powers.

use std::cmp::Ordering;

use cobol_runtime::floating::{Hex, Width};
use cobol_runtime::natural::Natural;

use super::abend::ProgramFault;
use super::decimal::Decimal;
use super::machine::Machine;
use cobol_ir::program::{BytePlace, Number, Operator, Power, Real, RealFunction, Shape};

/// Decimals that a number of floating point has as a decimal, at most.
const DECIMALS_MAX: i32 = 30;
/// Digits up to which a power is exact, and those that are kept of a longer one.
const EXACT_MAX: usize = 1024;
const KEPT: usize = 60;
/// Digits in front of the decimal point that no result holds, and zeros behind it that leave nothing.
const TOO_GREAT: i64 = 400;
const TOO_SMALL: i64 = 400;

/// Digits that an intermediate result has at least.
const DIGITS_MIN: i32 = 30;

/// Fault of an overflow: a size error, as a divisor of zero is.
const SIZE: ProgramFault = ProgramFault::Divide;

/// Of an exponent of fixed point the lowest nine digits count.
const EXPONENT_END: i64 = 1_000_000_000;

impl Machine<'_> {
    /// The value of a number of floating point.
    pub(super) fn real(&mut self, real: &Real) -> Result<Hex, ProgramFault> {
        match real {
            Real::Field(place, _) => {
                let span = self.span(place)?;
                Ok(Hex::from_bytes(&self.read(&span)))
            }
            Real::Literal(value) => Ok(*value),
            Real::Fixed(number) => real_of(self.number(number)?),
            Real::Held(held) => Ok(self.frame.held[held.0 as usize].1),
            Real::Negative(inner) => Ok(self.real(inner)?.negated()),
            Real::Absolute(inner) => Ok(self.real(inner)?.absolute()),
            Real::Binary(operator, left, right) => {
                let (left, right) = (self.real(left)?, self.real(right)?);
                match operator {
                    Operator::Add => left.plus(right),
                    Operator::Subtract => left.minus(right),
                    Operator::Multiply => left.times(right),
                    Operator::Divide => left.over(right),
                }
                .ok_or(SIZE)
            }
            Real::Power { base, exponent, strict } => {
                let (base, exponent) = (self.real(base)?, self.real(exponent)?);
                real_power(base, exponent, *strict).ok_or(SIZE)
            }
            Real::Function(function, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.real(argument)?);
                }
                real_function(*function, &values)
            }
            Real::Random(place, seed) => self.random(place, seed.as_deref()),
            Real::Read(text) => self.read_real(text),
        }
    }

    /// The value of a number, as floating point.
    pub(super) fn as_real(&mut self, number: &Number) -> Result<Hex, ProgramFault> {
        match number {
            Number::Real(real) => self.real(real),
            other => real_of(self.number(other)?),
        }
    }

    /// The next number of a sequence that begins with a seed. Its state is a fullword, zero at the beginning.
    fn random(&mut self, place: &BytePlace, seed: Option<&Number>) -> Result<Hex, ProgramFault> {
        let seed = match seed {
            Some(seed) => Some(seed_of(self.integer(seed)?)?),
            None => None,
        };
        let range = self.stored_span(place)?;
        let state =
            <[u8; 4]>::try_from(&*self.task.look(range.clone())).map_err(|_| ProgramFault::Protection)?;
        let (next, value) = next_random(seed.unwrap_or(u32::from_be_bytes(state)));
        self.task.put(range, &next.to_be_bytes());
        Hex::from_f64(value).ok_or(SIZE)
    }

    pub(super) fn power(&mut self, power: &Power) -> Result<Decimal, ProgramFault> {
        let base = self.number(&power.base)?;
        let exponent = self.number(&power.exponent)?.integer() % EXPONENT_END;
        let Shape { integers, decimals } = power.shape;
        match (base.value, exponent) {
            (0, 0) if power.strict => return Err(SIZE),
            (0, ..0) => return Err(SIZE),
            _ => {}
        }
        let (mut magnitude, more) = whole_power(base, exponent.unsigned_abs(), decimals).ok_or(SIZE)?;
        // A binary item may hold more digits than its picture.
        let limit = 10_i128.pow((integers + decimals).clamp(DIGITS_MIN, 36) as u32);
        if power.strict && (more || magnitude.value.abs() >= limit) {
            return Err(SIZE);
        }
        magnitude.value %= limit;
        if exponent >= 0 {
            return Ok(magnitude);
        }
        Decimal::combined(Operator::Divide, Decimal::whole(1), magnitude, power.shape).ok_or(SIZE)
    }
}

/// A decimal as floating point.
pub(super) fn real_of(decimal: Decimal) -> Result<Hex, ProgramFault> {
    Hex::from_decimal(decimal.value, decimal.scale).ok_or(SIZE)
}

/// Floating point as a decimal, of as many decimals as there is room for.
pub(super) fn decimal_of(real: Hex) -> Result<Decimal, ProgramFault> {
    let mut scale = DECIMALS_MAX;
    loop {
        match real.to_decimal(scale, false) {
            (value, false) => return Ok(Decimal { value, scale }),
            _ if scale == 0 => return Err(SIZE),
            _ => scale -= 6,
        }
    }
}

fn real_power(base: Hex, exponent: Hex, strict: bool) -> Option<Hex> {
    let one = Hex::from_decimal(1, 0)?;
    if base.is_zero() && exponent.is_zero() {
        return (!strict).then_some(one);
    }
    let has_decimals = Hex::from_decimal(exponent.to_decimal(0, false).0, 0) != Some(exponent);
    let base = if has_decimals && !strict { base.absolute() } else { base };
    base.power(exponent)
}

/// The lowest 36 digits of a power with these decimals, and true if there are more; `None` if there are far too many.
fn whole_power(base: Decimal, exponent: u64, decimals: i32) -> Option<(Decimal, bool)> {
    let (mut product, mut square) = (Long::one(), Long::from(base));
    let mut left = exponent;
    while left > 0 {
        if left & 1 == 1 {
            product = product.times(&square)?;
        }
        left >>= 1;
        if left > 0 {
            square = square.times(&square)?;
        }
    }
    let power = i32::try_from(i64::from(decimals) - product.scale).ok()?;
    let all = product.digits.scaled(power);
    let more = all.digits_at_least() >= 36;
    let value = all.low_digits(36) as i128;
    let negative = base.value < 0 && exponent % 2 == 1;
    Some((Decimal { value: if negative { -value } else { value }, scale: decimals }, more))
}

/// A magnitude of many digits.
#[derive(Clone)]
struct Long {
    digits: Natural,
    scale: i64,
}

impl Long {
    fn one() -> Self {
        Self { digits: Natural::from(1), scale: 0 }
    }

    fn from(decimal: Decimal) -> Self {
        Self { digits: Natural::from(decimal.value.unsigned_abs()), scale: decimal.scale.into() }
    }

    /// The product; `None` if it is too great for anything, zero if it is too small.
    fn times(&self, other: &Self) -> Option<Self> {
        let mut digits = self.digits.times(&other.digits);
        let mut scale = self.scale + other.scale;
        let count = digits.digits_at_least();
        if digits.is_zero() || scale - count as i64 > TOO_SMALL {
            return Some(Self { digits: Natural::default(), scale: 0 });
        }
        if count as i64 - scale > TOO_GREAT {
            return None;
        }
        if count > EXACT_MAX {
            let cut = (count - KEPT) as i32;
            digits = digits.scaled(-cut);
            scale -= i64::from(cut);
        }
        Some(Self { digits, scale })
    }
}

/// Seeds from zero up to this one give sequences of their own; greater ones begin again.
const SEED_MAX: i64 = 2_147_483_645;

/// The state that a seed is, which may be any whole number from zero on.
fn seed_of(seed: i64) -> Result<u32, ProgramFault> {
    u32::try_from(seed.checked_rem_euclid(SEED_MAX + 1).filter(|_| seed >= 0).ok_or(ProgramFault::Argument)?)
        .map_err(|_| ProgramFault::Argument)
}

/// The state behind a state, and the number from 0 to 1 that it gives.
fn next_random(state: u32) -> (u32, f64) {
    let next = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    let mut mixed = u64::from(next).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^= mixed >> 29;
    mixed = mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^= mixed >> 32;
    (next, (mixed >> 12) as f64 / (1_u64 << 52) as f64)
}

fn real_function(function: RealFunction, values: &[Hex]) -> Result<Hex, ProgramFault> {
    let first = values.first().ok_or(ProgramFault::Argument)?;
    let one = first.to_f64();
    let when = |fits: bool, value: f64| if fits { Ok(value) } else { Err(ProgramFault::Argument) };
    let value = match function {
        RealFunction::ArcCosine => when(one.abs() <= 1.0, one.acos()),
        RealFunction::ArcSine => when(one.abs() <= 1.0, one.asin()),
        RealFunction::ArcTangent => Ok(one.atan()),
        RealFunction::Cosine => Ok(one.cos()),
        RealFunction::Sine => Ok(one.sin()),
        RealFunction::Tangent => Ok(one.tan()),
        RealFunction::Exponential => Ok(one.exp()),
        RealFunction::PowerOfTen => {
            return Hex::from_decimal(10, 0).and_then(|ten| ten.power(*first)).ok_or(SIZE);
        }
        RealFunction::Logarithm => when(one > 0.0, one.ln()),
        RealFunction::DecimalLogarithm => when(one > 0.0, one.log10()),
        RealFunction::SquareRoot => when(one >= 0.0, one.sqrt()),
        RealFunction::Annuity => annuity(one, values.get(1).map_or(0.0, |periods| periods.to_f64())),
        RealFunction::PresentValue => return present_value(*first, values.get(1..).unwrap_or_default()),
        RealFunction::Variance => return variance(values),
        RealFunction::StandardDeviation => Ok(variance(values)?.to_f64().sqrt()),
        RealFunction::Greatest => return extreme(values, Ordering::Greater),
        RealFunction::Least => return extreme(values, Ordering::Less),
        RealFunction::Mean => return mean(values),
        RealFunction::Median => return median(values),
    }?;
    Hex::from_f64(value).ok_or(SIZE)
}

/// Payment at the end of each period for one unit lent at the beginning.
fn annuity(rate: f64, periods: f64) -> Result<f64, ProgramFault> {
    if rate < 0.0 || periods < 1.0 {
        return Err(ProgramFault::Argument);
    }
    Ok(if rate == 0.0 { 1.0 / periods } else { rate / -(-periods * rate.ln_1p()).exp_m1() })
}

fn present_value(rate: Hex, amounts: &[Hex]) -> Result<Hex, ProgramFault> {
    let one = Hex::from_decimal(1, 0).ok_or(SIZE)?;
    let growth = one.plus(rate).filter(|growth| !growth.is_zero() && !growth.is_negative());
    let growth = growth.ok_or(ProgramFault::Argument)?;
    let (mut sum, mut factor) = (Hex::ZERO, one);
    for amount in amounts {
        factor = factor.times(growth).ok_or(SIZE)?;
        sum = amount.over(factor).and_then(|present| sum.plus(present)).ok_or(SIZE)?;
    }
    Ok(sum)
}

fn mean(values: &[Hex]) -> Result<Hex, ProgramFault> {
    let sum = values.iter().try_fold(Hex::ZERO, |sum, value| sum.plus(*value));
    let count = Hex::from_decimal(values.len() as i128, 0);
    sum.zip(count).and_then(|(sum, count)| sum.over(count)).ok_or(SIZE)
}

/// The mean of the squares of what lies between each value and the mean.
fn variance(values: &[Hex]) -> Result<Hex, ProgramFault> {
    let middle = mean(values)?;
    let mut squares = Vec::with_capacity(values.len());
    for value in values {
        let apart = value.minus(middle).ok_or(SIZE)?;
        squares.push(apart.times(apart).ok_or(SIZE)?);
    }
    mean(&squares)
}

fn median(values: &[Hex]) -> Result<Hex, ProgramFault> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|left, right| left.compare(*right));
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { Ok(sorted[middle]) } else { mean(&sorted[middle - 1..=middle]) }
}

fn extreme(values: &[Hex], beyond: Ordering) -> Result<Hex, ProgramFault> {
    let mut list = values.iter().copied();
    let first = list.next().ok_or(ProgramFault::Argument)?;
    Ok(list.fold(first, |best, value| if value.compare(best) == beyond { value } else { best }))
}

/// The bytes of floating point in storage.
pub(super) fn lying(real: Hex, width: Width) -> Result<Vec<u8>, ProgramFault> {
    real.to_bytes(width).ok_or(SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: i128, scale: i32) -> Decimal {
        Decimal { value, scale }
    }

    #[test]
    fn powers() {
        let check = |base, exponent, decimals, expected| {
            assert_eq!(whole_power(base, exponent, decimals), Some((expected, false)));
        };
        check(of(2, 0), 100, 0, of(1 << 100, 0));
        check(of(-105, 2), 3, 6, of(-1_157_625, 6));
        check(of(1005, 3), 360, 10, of(60_225_752_122, 10));
        check(of(7, 0), 0, 2, of(100, 2));
        assert_eq!(whole_power(of(2, 0), 128, 0).map(|(_, more)| more), Some(true));
        assert_eq!(whole_power(of(1_000_001, 6), 999_999_999_999_999, 2), None);
        check(of(999_999, 6), 999_999_999_999_999, 9, of(0, 9));
        check(of(1, 0), u64::MAX, 0, of(1, 0));
    }

    #[test]
    fn random_numbers_lie_from_zero_to_one() {
        let (mut state, mut sum) = (0, 0.0);
        for _ in 0..1000 {
            let (next, value) = next_random(state);
            assert!((0.0..1.0).contains(&value));
            (state, sum) = (next, sum + value);
        }
        assert!((450.0..550.0).contains(&sum), "{sum}");
    }
}
