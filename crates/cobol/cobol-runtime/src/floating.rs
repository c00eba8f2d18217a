//! Hexadecimal floating point: a sign, an exponent of sixteen, and fourteen hexadecimal digits after the point.
//!
//! Sums, products and quotients are cut off after their last digit, as the machine's instructions cut them. Functions that
//! no decimal holds are computed in binary floating point of 53 bits, and then have up to three bits less.

use std::cmp::Ordering;

use crate::natural::Natural;
use serde::{Deserialize, Serialize};

/// Bits of a fraction of eight bytes.
const BITS: u32 = 56;
/// The greatest exponent; the least is −64.
const EXPONENT_MAX: i32 = 63;
const EXPONENT_MIN: i32 = -64;

/// A number of hexadecimal floating point: `fraction` × 16 to the power `exponent` − 14.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hex {
    negative: bool,
    /// Zero, or with a first digit that is not.
    fraction: u64,
    exponent: i32,
}

/// The length of a number in storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Width {
    /// COMP-1: four bytes.
    Short,
    /// COMP-2: eight bytes.
    Long,
}

impl Width {
    /// Bytes.
    pub fn length(self) -> usize {
        match self {
            Self::Short => 4,
            Self::Long => 8,
        }
    }
}

impl Hex {
    /// Zero.
    pub const ZERO: Self = Self { negative: false, fraction: 0, exponent: 0 };

    /// Shifts the first digit into its place; `None` if the number is too great, zero if it is too small.
    fn normal(negative: bool, mut fraction: u64, mut exponent: i32) -> Option<Self> {
        if fraction == 0 {
            return Some(Self::ZERO);
        }
        if fraction >> BITS != 0 {
            fraction >>= 4;
            exponent += 1;
        }
        while fraction >> (BITS - 4) == 0 {
            fraction <<= 4;
            exponent -= 1;
        }
        match exponent {
            ..EXPONENT_MIN => Some(Self::ZERO),
            EXPONENT_MIN..=EXPONENT_MAX => Some(Self { negative, fraction, exponent }),
            _ => None,
        }
    }

    /// Decodes four or eight bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let Some((first, digits)) = bytes.split_first() else { return Self::ZERO };
        let fraction = digits.iter().take(7).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let fraction = fraction << (8 * (7 - digits.len().min(7)));
        let exponent = i32::from(first & 0x7F) + EXPONENT_MIN;
        Self::normal(first & 0x80 != 0, fraction, exponent).unwrap_or_default()
    }

    /// Returns its bytes; a short one is rounded. `None` if it is then too great.
    pub fn to_bytes(self, width: Width) -> Option<Vec<u8>> {
        let number = match width {
            Width::Long => self,
            Width::Short => {
                let rounded = (self.fraction + (1 << 31)) >> 32 << 32;
                Self::normal(self.negative, rounded, self.exponent)?
            }
        };
        let first = if number.fraction == 0 { 0 } else { (number.exponent - EXPONENT_MIN) as u64 };
        let all = u64::from(number.negative) << 63 | first << 56 | number.fraction;
        Some(all.to_be_bytes()[..width.length()].to_vec())
    }

    /// Returns `value` × 10 to the power −`scale`, rounded; `None` if it is too great.
    pub fn from_decimal(value: i128, scale: i32) -> Option<Self> {
        if value == 0 {
            return Some(Self::ZERO);
        }
        // Far beyond what there is, on either side.
        if scale < -120 {
            return None;
        }
        if scale > 160 {
            return Some(Self::ZERO);
        }
        let mut number = Natural::from(value.unsigned_abs());
        // So many bits in front that a quotient keeps all that count.
        let mut exponent = 0_i64;
        if scale > 0 {
            exponent = -(i64::from(scale) * 4 + 64);
            number = number.shifted(-exponent).scaled(-scale);
        } else {
            number = number.scaled(-scale);
        }
        // Digits of 16 after the last that counts, and one bit more to be rounded by.
        let digits = number.bits().div_ceil(4) as i64;
        let excess = 4 * digits - i64::from(BITS);
        exponent += excess;
        let (kept, up) = match usize::try_from(excess) {
            Ok(excess) if excess > 0 => (number.shifted(-(excess as i64)), number.bit(excess - 1)),
            _ => (number.shifted(-excess), false),
        };
        let fraction = kept.to_u128()? as u64 + u64::from(up);
        // Four bits are a digit: all exponents above are multiples of four.
        Self::normal(value < 0, fraction, ((exponent + i64::from(BITS)) / 4) as i32)
    }

    /// Its digits at a scale, rounded half away from zero or cut off: the lowest 36 of them, and whether there are more.
    pub fn to_decimal(self, scale: i32, rounded: bool) -> (i128, bool) {
        let power = 4 * (i64::from(self.exponent) - 14);
        let number = Natural::from(u128::from(self.fraction));
        let whole = if scale < 0 {
            let all = number.shifted(power);
            let whole = all.clone().scaled(scale);
            let up = rounded && all.scaled(scale + 1).low_digits(1) >= 5;
            if up { whole.plus_one() } else { whole }
        } else {
            let all = number.scaled(scale);
            let up = rounded && usize::try_from(-power - 1).is_ok_and(|last| all.bit(last));
            let whole = all.shifted(power);
            if up { whole.plus_one() } else { whole }
        };
        let more = whole.digits_at_least() >= 36 && whole.clone().scaled(-36) != Natural::default();
        let low = whole.low_digits(36) as i128;
        (if self.negative { -low } else { low }, more)
    }

    /// Without decimals, cut to 64 bits.
    pub fn integer(self) -> i64 {
        match self.to_decimal(0, false) {
            (value, false) => value.clamp(i64::MIN.into(), i64::MAX.into()) as i64,
            (value, true) if value < 0 => i64::MIN,
            _ => i64::MAX,
        }
    }

    /// In binary floating point.
    pub fn to_f64(self) -> f64 {
        let magnitude = self.fraction as f64 * 16_f64.powi(self.exponent - 14);
        if self.negative { -magnitude } else { magnitude }
    }

    /// Converts from binary floating point; `None` if it is too great, or no number.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.abs().to_bits();
        let (exponent, mantissa) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
        if exponent == 0 {
            return Some(Self::ZERO);
        }
        // mantissa × 2 to the power −52, of a number from 1 to 2.
        let (mantissa, power) = (mantissa | 1 << 52, exponent - 1023 - 52);
        let up = power.rem_euclid(4);
        Self::normal(value < 0.0, mantissa << up, (power - up) / 4 + 14)
    }

    /// With the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { negative: !self.negative && self.fraction != 0, ..self }
    }

    /// Without its sign.
    #[must_use]
    pub fn absolute(self) -> Self {
        Self { negative: false, ..self }
    }

    /// Returns true if it is zero.
    pub fn is_zero(self) -> bool {
        self.fraction == 0
    }

    /// Returns true if it is below zero.
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// Returns the sum; `None` if it is too great.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (great, small) = match (self.is_zero(), other.is_zero()) {
            (true, _) => return Some(other),
            (_, true) => return Some(self),
            _ if self.exponent >= other.exponent => (self, other),
            _ => (other, self),
        };
        // One more digit than is kept: the guard digit.
        let left = (great.fraction << 4) as i64;
        let apart = 4 * (great.exponent - small.exponent) as u32;
        let right = if apart >= 64 { 0 } else { ((small.fraction << 4) >> apart) as i64 };
        let signed = |number: Self, value: i64| if number.negative { -value } else { value };
        let sum = signed(great, left) + signed(small, right);
        let (mut fraction, mut exponent) = (sum.unsigned_abs(), great.exponent);
        if fraction == 0 {
            return Some(Self::ZERO);
        }
        if fraction >> (BITS + 4) != 0 {
            fraction >>= 4;
            exponent += 1;
        }
        while fraction >> BITS == 0 {
            fraction <<= 4;
            exponent -= 1;
        }
        Self::normal(sum < 0, fraction >> 4, exponent)
    }

    /// Returns the difference; `None` if it is too great.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negated())
    }

    /// Returns the product; `None` if it is too great.
    pub fn times(self, other: Self) -> Option<Self> {
        let product = u128::from(self.fraction) * u128::from(other.fraction);
        let (product, exponent) = match product >> (2 * BITS - 4) {
            0 => (product << 4, self.exponent + other.exponent - 1),
            _ => (product, self.exponent + other.exponent),
        };
        Self::normal(self.negative != other.negative, (product >> BITS) as u64, exponent)
    }

    /// Returns the quotient; `None` if it is too great, or the divisor is zero.
    pub fn over(self, divisor: Self) -> Option<Self> {
        if divisor.is_zero() {
            return None;
        }
        let (bits, exponent) = match self.fraction < divisor.fraction {
            true => (BITS, self.exponent - divisor.exponent),
            false => (BITS - 4, self.exponent - divisor.exponent + 1),
        };
        let quotient = (u128::from(self.fraction) << bits) / u128::from(divisor.fraction);
        Self::normal(self.negative != divisor.negative, quotient as u64, exponent)
    }

    /// Returns a power; `None` if it is too great, or has no value.
    pub fn power(self, exponent: Self) -> Option<Self> {
        if self.is_zero() {
            return (!exponent.is_zero() && !exponent.negative).then_some(Self::ZERO);
        }
        let (count, more) = exponent.absolute().to_decimal(0, false);
        let whole = !more && Self::from_decimal(count, 0) == Some(exponent.absolute());
        if !whole {
            return Self::from_f64(self.to_f64().powf(exponent.to_f64()));
        }
        // The inverse of what is too great is too small to be anything.
        let too_great = exponent.negative.then_some(Self::ZERO);
        let (mut product, mut square, mut left) = (Self::from_decimal(1, 0)?, self, count as u128);
        while left > 0 {
            if left & 1 == 1 {
                let Some(next) = product.times(square) else { return too_great };
                product = next;
            }
            left >>= 1;
            if left > 0 {
                let Some(next) = square.times(square) else { return too_great };
                square = next;
            }
        }
        if exponent.negative { Self::from_decimal(1, 0)?.over(product) } else { Some(product) }
    }

    /// Compares two of them.
    pub fn compare(self, other: Self) -> Ordering {
        let magnitude = |number: Self| (!number.is_zero(), number.exponent, number.fraction);
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => magnitude(self).cmp(&magnitude(other)),
            (true, true) => magnitude(other).cmp(&magnitude(self)),
        }
    }

    /// As DISPLAY shows it: a sign or a space, so many digits after the point, and the power of ten.
    pub fn shown(self, width: Width) -> String {
        let digits: u32 = match width {
            Width::Short => 8,
            Width::Long => 17,
        };
        let limit = 10_i128.pow(digits);
        let size = self.absolute();
        let sign = if self.negative { '-' } else { ' ' };
        if size.is_zero() {
            return format!("{sign}.{:0width$}E 00", 0, width = digits as usize);
        }
        // An estimate of the power, which the digits put right.
        let mut power = (f64::from(size.exponent) * 16_f64.log10()).floor() as i32 - 1;
        let mut value = size.to_decimal(digits as i32 - power, true).0;
        while value >= limit {
            power += 1;
            value = size.to_decimal(digits as i32 - power, true).0;
        }
        let power_sign = if power < 0 { '-' } else { ' ' };
        format!("{sign}.{value:0width$}E{power_sign}{:02}", power.abs(), width = digits as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: i128, scale: i32) -> Hex {
        Hex::from_decimal(value, scale).unwrap()
    }

    #[track_caller]
    fn lies(number: Hex, expected: u64) {
        assert_eq!(number.to_bytes(Width::Long).unwrap(), expected.to_be_bytes(), "{number:?}");
        assert_eq!(Hex::from_bytes(&expected.to_be_bytes()), number);
    }

    #[test]
    fn bytes() {
        lies(of(15, 1), 0x4118_0000_0000_0000);
        lies(of(-1, 0), 0xC110_0000_0000_0000);
        lies(of(1, 1), 0x4019_9999_9999_999A);
        lies(of(-11875, 2), 0xC276_C000_0000_0000);
        lies(of(0, 5), 0);
        lies(of(16, 0), 0x4210_0000_0000_0000);
        assert_eq!(of(15, 1).to_bytes(Width::Short).unwrap(), [0x41, 0x18, 0, 0]);
        assert_eq!(of(1, 1).to_bytes(Width::Short).unwrap(), [0x40, 0x19, 0x99, 0x9A]);
        assert_eq!(Hex::from_bytes(&[0x42, 0x01, 0x80, 0]), of(15, 1), "its first digit may be zero");
        assert_eq!(of(7, -75).to_bytes(Width::Long).unwrap()[0], 0x7F);
        assert_eq!(Hex::from_decimal(8, -75), None, "7.2E75 is the greatest");
        assert_eq!(
            Hex::from_decimal(1, 80),
            Some(Hex::ZERO),
            "5.4E-79 is the least, and this is too small by little"
        );
    }

    #[test]
    fn decimals() {
        let check = |value, scale| {
            assert_eq!(of(value, scale).to_decimal(scale, true), (value, false), "{value} {scale}");
        };
        for value in [1, -1, 26, 29, 2899, 123_456_789_012_345, -999_999_999_999_999] {
            for scale in [0, 1, 2, 9, 18] {
                check(value, scale);
            }
        }
        assert_eq!(of(29, 2).times(of(100, 0)).unwrap().to_decimal(2, true), (2900, false));
        assert_eq!(of(25, 1).to_decimal(0, true), (3, false));
        assert_eq!(of(-25, 1).to_decimal(0, true), (-3, false));
        assert_eq!(of(25, 1).to_decimal(0, false), (2, false));
        assert!(of(1, -70).to_decimal(0, true).1, "more than 36 digits");
        assert_eq!(of(1234, 0).to_decimal(-2, false), (12, false));
    }

    #[test]
    fn arithmetic() {
        assert_eq!(of(15, 1).plus(of(225, 2)), Some(of(375, 2)));
        assert_eq!(of(15, 1).minus(of(15, 1)), Some(Hex::ZERO));
        assert_eq!(of(-15, 1).times(of(4, 0)), Some(of(-6, 0)));
        assert_eq!(of(6, 0).over(of(-4, 0)), Some(of(-15, 1)));
        assert_eq!(of(6, 0).over(Hex::ZERO), None);
        lies(of(1, 0).over(of(3, 0)).unwrap(), 0x4055_5555_5555_5555);
        lies(of(1, 0).plus(of(1, 20)).unwrap(), 0x4110_0000_0000_0000);
        assert_eq!(of(1, -60).times(of(1, -60)), None);
        assert_eq!(of(1, 60).times(of(1, 60)), Some(Hex::ZERO));
        assert_eq!(of(2, 0).power(of(10, 0)), Some(of(1024, 0)));
        assert_eq!(of(2, 0).power(of(-1, 0)), Some(of(5, 1)));
        assert_eq!(of(10, 0).power(of(999_999_999_999_999, 0)), None);
        assert_eq!(of(10, 0).power(of(-999_999_999, 0)), Some(Hex::ZERO));
        assert_eq!(of(0, 0).power(of(0, 0)), None);
        assert_eq!(of(4, 0).power(of(5, 1)), Some(of(2, 0)));
        assert_eq!(of(-4, 0).power(of(5, 1)), None);
    }

    #[test]
    fn binary_floating_point() {
        for value in [1.0, -1.5, 0.1, 3.0e70, 1.0e-70, 123_456.789] {
            let back = Hex::from_f64(value).unwrap().to_f64();
            assert!((back - value).abs() <= value.abs() * f64::EPSILON, "{value} {back}");
        }
        assert_eq!(Hex::from_f64(f64::NAN), None);
        assert_eq!(Hex::from_f64(1e80), None);
    }

    #[test]
    fn shown() {
        assert_eq!(of(-225, 2).shown(Width::Short), "-.22500000E 01");
        assert_eq!(of(15, 1).shown(Width::Long), " .15000000000000000E 01");
        assert_eq!(of(1, 3).shown(Width::Short), " .10000000E-02");
        assert_eq!(Hex::ZERO.shown(Width::Short), " .00000000E 00");
        assert_eq!(of(99_999_999_999, 0).shown(Width::Short), " .10000000E 12");
        assert_eq!(of(1, -70).shown(Width::Short), " .10000000E 71");
    }

    #[test]
    fn order() {
        assert!(of(1, 0).compare(of(-2, 0)).is_gt());
        assert!(of(-1, 0).compare(of(-2, 0)).is_gt());
        assert!(of(1, 5).compare(Hex::ZERO).is_gt());
        assert!(of(-1, 5).compare(Hex::ZERO).is_lt());
        assert!(of(100, 0).compare(of(99, 0)).is_gt());
        assert!(of(10, 1).compare(of(1, 0)).is_eq());
    }
}
