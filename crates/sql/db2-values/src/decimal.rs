//! Decimal numbers without floating point: whole numbers with a scale, and their texts.

use std::cmp::Ordering;

use crate::limits;
use crate::unfit::Unfit;

/// A number: `unscaled` divided by ten to the power of `scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// All digits.
    pub unscaled: i128,
    /// Number of digits behind the point.
    pub scale: u32,
}

impl Decimal {
    /// A whole number.
    pub fn whole(number: impl Into<i128>) -> Self {
        Self { unscaled: number.into(), scale: 0 }
    }

    /// Reads a text: sign, digits, a point or comma among them, an exponent; blanks around it. `None` where it is no number
    /// or has more digits than any.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = text.trim_ascii();
        let (mantissa, exponent) = match text.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e')) {
            Some(at) => (&text[..at], std::str::from_utf8(&text[at + 1..]).ok()?.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.split_first() {
            Some((b'-', rest)) => (true, rest),
            Some((b'+', rest)) => (false, rest),
            _ => (false, mantissa),
        };
        let (mut unscaled, mut scale, mut digits, mut behind_point) = (0i128, 0i32, 0, false);
        for &byte in mantissa {
            match byte {
                b'0'..=b'9' => {
                    unscaled = unscaled.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
                    digits += 1;
                    scale += i32::from(behind_point);
                }
                b'.' | b',' if !behind_point => behind_point = true,
                _ => return None,
            }
        }
        if digits == 0 {
            return None;
        }
        let scale = scale.checked_sub(exponent)?;
        let unscaled = if negative { -unscaled } else { unscaled };
        match u32::try_from(scale) {
            Ok(scale) => Some(Self { unscaled, scale }),
            Err(_) => Some(Self { unscaled: unscaled.checked_mul(power(scale.unsigned_abs())?)?, scale: 0 }),
        }
    }

    /// The digits with the point at another place; digits behind it are cut. `None` where there are too many.
    pub fn at_scale(self, scale: u32) -> Option<i128> {
        match scale.checked_sub(self.scale) {
            Some(more) => self.unscaled.checked_mul(power(more)?),
            None => Some(power(self.scale - scale).map_or(0, |power| self.unscaled / power)),
        }
    }

    /// As text, with a point where it has digits behind one.
    pub fn text(self) -> String {
        let sign = if self.unscaled < 0 { "-" } else { "" };
        let digits = self.unscaled.unsigned_abs().to_string();
        let scale = self.scale as usize;
        if scale == 0 {
            return format!("{sign}{digits}");
        }
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, behind) = digits.split_at(digits.len() - scale);
        format!("{sign}{whole}.{behind}")
    }

    /// Returns true if the number has at most that many digits.
    pub fn has_at_most(self, digits: u32) -> bool {
        digits > limits::DIGITS_MAX + 7
            || power(digits).is_none_or(|power| self.unscaled.unsigned_abs() < power as u128)
    }
}

/// Methods of calculations. Digits behind a result's scale are cut; a result has at most 31 digits, or -802.
impl Decimal {
    /// The number at another scale, digits behind it cut.
    pub fn scaled(self, scale: u32) -> Option<Self> {
        Some(Self { unscaled: self.at_scale(scale)?, scale })
    }

    /// The order of two.
    pub fn compare(self, other: Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        match (self.at_scale(scale), other.at_scale(scale)) {
            (Some(a), Some(b)) => a.cmp(&b),
            // Too many digits for one scale: the numbers before the point tell, since these digits are of the other.
            (a, _) => {
                let whole = self.at_scale(0).cmp(&other.at_scale(0));
                let (of_self, of_other) = (self.unscaled.signum(), other.unscaled.signum());
                whole.then(if a.is_none() { of_self.cmp(&0) } else { 0i128.cmp(&of_other) })
            }
        }
    }

    /// The sum of two, at a scale.
    pub fn add(self, other: Self, scale: u32) -> Result<Self, Unfit> {
        let sum = |a: i128, b: i128| a.checked_add(b);
        let at = self.scale.max(other.scale);
        let unscaled =
            sum(self.at_scale(at).ok_or(Unfit::OVERFLOW)?, other.at_scale(at).ok_or(Unfit::OVERFLOW)?);
        Self { unscaled: unscaled.ok_or(Unfit::OVERFLOW)?, scale: at }.within(scale)
    }

    /// The product of two, at a scale.
    pub fn multiply(self, other: Self, scale: u32) -> Result<Self, Unfit> {
        let full = self.scale + other.scale;
        if let Some(unscaled) = self.unscaled.checked_mul(other.unscaled) {
            return Self { unscaled, scale: full }.within(scale);
        }
        let divisor = full.checked_sub(scale).and_then(power).ok_or(Unfit::OVERFLOW)?;
        let is_negative = (self.unscaled < 0) != (other.unscaled < 0);
        let size = wide(self.unscaled.unsigned_abs(), other.unscaled.unsigned_abs(), divisor.unsigned_abs());
        signed(size, is_negative, scale)
    }

    /// The quotient of two, at a scale.
    pub fn divide(self, other: Self, scale: u32) -> Result<Self, Unfit> {
        if other.unscaled == 0 {
            return Err(Unfit::ZERO);
        }
        let is_negative = (self.unscaled < 0) != (other.unscaled < 0);
        let (a, b) = (self.unscaled.unsigned_abs(), other.unscaled.unsigned_abs());
        let size = match (scale + other.scale).checked_sub(self.scale) {
            Some(more) => {
                let second = more.min(38);
                let first =
                    a.checked_mul(power(more - second).map_or(0, i128::unsigned_abs)).filter(|_| more < 77);
                first.and_then(|first| wide(first, power(second)?.unsigned_abs(), b))
            }
            None => {
                let fewer = power(self.scale - scale - other.scale).map(i128::unsigned_abs);
                Some(fewer.and_then(|fewer| b.checked_mul(fewer)).map_or(0, |b| a / b))
            }
        };
        signed(size, is_negative, scale)
    }

    /// The remainder of a division, with the sign of the first number.
    pub fn remainder(self, other: Self) -> Result<Self, Unfit> {
        let scale = self.scale.max(other.scale);
        let (Some(a), Some(b)) = (self.at_scale(scale), other.at_scale(scale)) else {
            return Err(Unfit::OVERFLOW);
        };
        let unscaled = a.checked_rem(b).ok_or(Unfit::ZERO)?;
        Ok(Self { unscaled, scale })
    }

    /// The number with so many digits behind the point, the last one rounded; a negative number of digits rounds before it.
    pub fn rounded(self, digits: i32) -> Option<Self> {
        self.to_unit(digits, |size, unit| size.checked_add(unit / 2).map(|size| size / unit))
    }

    /// The number with so many digits behind the point, the rest cut; a negative number of digits cuts before it.
    pub fn truncated(self, digits: i32) -> Option<Self> {
        self.to_unit(digits, |size, unit| Some(size / unit))
    }

    fn to_unit(self, digits: i32, units: impl Fn(u128, u128) -> Option<u128>) -> Option<Self> {
        let away = i64::from(self.scale) - i64::from(digits);
        let Some(away) = u32::try_from(away).ok().filter(|away| *away > 0) else { return Some(self) };
        let Some(unit) = power(away).map(i128::unsigned_abs) else {
            return Some(Self { unscaled: 0, ..self });
        };
        let size = units(self.unscaled.unsigned_abs(), unit)?.checked_mul(unit)?;
        let size = i128::try_from(size).ok()?;
        Some(Self { unscaled: if self.unscaled < 0 { -size } else { size }, ..self })
    }

    /// The nearest number of floating point.
    pub fn to_f64(self) -> f64 {
        self.text().parse().unwrap_or(f64::MAX)
    }

    /// The number that is read in one of floating point, digits behind any that a decimal number has cut.
    pub fn from_f64(number: f64) -> Option<Self> {
        let text = number.to_string();
        let longest = text.find('.').map_or(text.len(), |point| (point + 38).min(text.len()));
        Self::parse(&text.as_bytes()[..longest])
    }

    fn within(self, scale: u32) -> Result<Self, Unfit> {
        self.scaled(scale).filter(|number| number.has_at_most(limits::DIGITS_MAX)).ok_or(Unfit::OVERFLOW)
    }
}

fn signed(size: Option<u128>, is_negative: bool, scale: u32) -> Result<Decimal, Unfit> {
    let size = size.and_then(|size| i128::try_from(size).ok()).ok_or(Unfit::OVERFLOW)?;
    Decimal { unscaled: if is_negative { -size } else { size }, scale }.within(scale)
}

/// The quotient of a product, whose digits may be twice as many; `None`: it has too many itself.
fn wide(a: u128, b: u128, divisor: u128) -> Option<u128> {
    if let Some(product) = a.checked_mul(b) {
        return product.checked_div(divisor);
    }
    const HALF: u32 = 64;
    let low = |number: u128| number & u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> HALF, low(a), b >> HALF, low(b));
    let inner = a0 * b0;
    let cross = a1 * b0 + (inner >> HALF);
    let middle = low(cross) + a0 * b1;
    let mut high = a1 * b1 + (cross >> HALF) + (middle >> HALF);
    let mut rest = middle << HALF | low(inner);
    if high >= divisor {
        return None;
    }
    // A digit of the quotient at a time, from the first. The divisor is below 2^127, so no digit gets lost.
    let mut quotient = 0;
    for _ in 0..u128::BITS {
        high = high << 1 | rest >> (u128::BITS - 1);
        rest <<= 1;
        quotient <<= 1;
        if high >= divisor {
            high -= divisor;
            quotient |= 1;
        }
    }
    Some(quotient)
}

/// Ten to a power; `None` beyond what any number here has.
pub(crate) fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn texts_are_read_and_written() {
        for text in [
            "0",
            "1",
            "-1",
            "0.05",
            "-12.340",
            "9999999999999999999999999999999",
            "-0.0000000000000000000000000000001",
        ] {
            assert_eq!(decimal(text).text(), text);
        }
        assert_eq!(decimal(" +1,50 ").text(), "1.50");
        assert_eq!(decimal("1.5E3").text(), "1500");
        assert_eq!(decimal("15e-3").text(), "0.015");
        for text in ["", " ", "-", ".", "1.2.3", "1 2", "1e", "12345678901234567890123456789012345678901"] {
            assert_eq!(Decimal::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn digits_behind_the_point_are_cut() {
        assert_eq!(decimal("-12.39").at_scale(1), Some(-123));
        assert_eq!(decimal("12").at_scale(2), Some(1200));
    }

    #[test]
    fn numbers_of_any_scale_are_compared() {
        assert_eq!(decimal("1.50").compare(decimal("1.5")), Ordering::Equal);
        assert_eq!(decimal("-2").compare(decimal("0.0000000000000000000000000000001")), Ordering::Less);
        let long = decimal("9999999999999999999999999999999");
        assert_eq!(long.compare(decimal("0.9999999999999999999999999999999")), Ordering::Greater);
        assert_eq!(long.compare(Decimal { scale: 10, ..long }), Ordering::Greater);
    }

    #[test]
    fn products_and_quotients_have_more_digits_on_their_way_than_in_the_end() {
        let long = decimal("1234567890123456789012345.678901");
        let product = long.multiply(decimal("1.00000000000000"), 6).map(Decimal::text);
        assert_eq!(product, Ok("1234567890123456789012345.678901".to_owned()));
        let quotient = long.divide(decimal("-3"), 6).map(Decimal::text);
        assert_eq!(quotient, Ok("-411522630041152263004115.226300".to_owned()));
        let small = decimal("0.0000000000000000000000000000003");
        assert_eq!(
            decimal("1").divide(small, 0).map(Decimal::text),
            Ok("3333333333333333333333333333333".to_owned())
        );
        assert_eq!(decimal("1").divide(decimal("0.00"), 2), Err(Unfit::ZERO));
        assert_eq!(long.multiply(long, 0), Err(Unfit::OVERFLOW));
    }

    #[test]
    fn digits_are_counted() {
        assert!(decimal("999").has_at_most(3));
        assert!(!decimal("-1000").has_at_most(3));
    }
}
