//! Decimal numbers: exact products and quotients, cut to the digits that a result keeps.

use std::cmp::Ordering;

use cobol_ir::program::{Operator, Shape};

/// Ten to the power of 18: the greatest power of ten by which limbs are divided.
const LIMB_TEN: u64 = 1_000_000_000_000_000_000;
const LIMB_DIGITS: u32 = 18;

/// `value` × 10 to the power −`scale`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    /// Its digits, with its sign.
    pub value: i128,
    /// Number of decimals among them.
    pub scale: i32,
}

/// A magnitude of 256 bits, lowest limb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide([u64; 4]);

/// Digits that an intermediate result has at least. Only one that would have more is cut off at its high end: a binary item
/// may hold more digits than its picture.
const DIGITS_MIN: i32 = 30;

fn kept_digits(shape: Shape) -> u32 {
    shape.digits().max(DIGITS_MIN) as u32
}

/// Ten to a power.
pub(crate) fn ten(power: u32) -> u128 {
    TENS[power.min(POWER_MAX) as usize]
}

/// The greatest power of ten that 128 bits hold.
const POWER_MAX: u32 = 38;
/// Ten to each power.
const TENS: [u128; POWER_MAX as usize + 1] = {
    let mut tens = [1; POWER_MAX as usize + 1];
    let mut power = 1;
    while power < tens.len() {
        tens[power] = tens[power - 1] * 10;
        power += 1;
    }
    tens
};

impl Wide {
    fn from(value: u128) -> Self {
        Self([value as u64, (value >> 64) as u64, 0, 0])
    }

    fn product(left: u128, right: u128) -> Self {
        let (a, b) = ([left as u64, (left >> 64) as u64], [right as u64, (right >> 64) as u64]);
        let mut limbs = [0_u64; 4];
        for (i, x) in a.into_iter().enumerate() {
            let mut carry = 0_u128;
            for (j, y) in b.into_iter().enumerate() {
                let sum = u128::from(x) * u128::from(y) + u128::from(limbs[i + j]) + carry;
                limbs[i + j] = sum as u64;
                carry = sum >> 64;
            }
            limbs[i + 2] = carry as u64;
        }
        Self(limbs)
    }

    fn times(&mut self, factor: u64) {
        let mut carry = 0_u128;
        for limb in &mut self.0 {
            let product = u128::from(*limb) * u128::from(factor) + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
    }

    fn divided(&mut self, divisor: u64) -> u64 {
        let mut rest = 0_u128;
        for limb in self.0.iter_mut().rev() {
            let dividend = rest << 64 | u128::from(*limb);
            *limb = (dividend / u128::from(divisor)) as u64;
            rest = dividend % u128::from(divisor);
        }
        rest as u64
    }

    /// Times ten to a power; below zero, what is behind the point is cut off.
    fn scaled(mut self, power: i32) -> Self {
        let mut left = power.unsigned_abs();
        while left > 0 {
            let step = left.min(LIMB_DIGITS);
            if power > 0 {
                self.times(10_u64.pow(step));
            } else {
                self.divided(10_u64.pow(step));
            }
            left -= step;
        }
        self
    }

    fn plus(self, other: Self) -> Self {
        let mut carry = false;
        let limbs = std::array::from_fn(|i| {
            let (sum, first) = self.0[i].overflowing_add(other.0[i]);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first | second;
            sum
        });
        Self(limbs)
    }

    fn minus(self, other: Self) -> Self {
        let mut borrow = false;
        let limbs = std::array::from_fn(|i| {
            let (rest, first) = self.0[i].overflowing_sub(other.0[i]);
            let (rest, second) = rest.overflowing_sub(u64::from(borrow));
            borrow = first | second;
            rest
        });
        Self(limbs)
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }

    /// The lowest digits, 36 at most.
    fn low_digits(mut self, digits: u32) -> u128 {
        let low = self.divided(LIMB_TEN);
        let high = self.divided(LIMB_TEN);
        (u128::from(high) * u128::from(LIMB_TEN) + u128::from(low)) % ten(digits.min(36))
    }
}

/// A magnitude times ten to a power, as far as 128 bits hold it; below zero, what is behind the point is cut off.
fn shifted(magnitude: u128, power: i32) -> Option<u128> {
    let by = power.unsigned_abs();
    match power {
        0 => Some(magnitude),
        1.. if by > POWER_MAX => (magnitude == 0).then_some(0),
        1.. => magnitude.checked_mul(ten(by)),
        _ if by > POWER_MAX => Some(0),
        _ => Some(divided(magnitude, ten(by))),
    }
}

/// A quotient. Most numbers have 64 bits, and a division of 128 is worth the comparison.
fn divided(dividend: u128, divisor: u128) -> u128 {
    match (u64::try_from(dividend), u64::try_from(divisor)) {
        (Ok(dividend), Ok(divisor)) => (dividend / divisor).into(),
        _ => dividend / divisor,
    }
}

impl Decimal {
    /// A whole number.
    pub fn whole(value: i64) -> Self {
        Self { value: value.into(), scale: 0 }
    }

    /// Its integer part, as far as 64 bits hold it.
    pub fn integer(self) -> i64 {
        let value = match self.scale {
            0 => self.value,
            scale if scale > 0 => self.value / ten(scale as u32) as i128,
            scale => self.value.saturating_mul(ten(scale.unsigned_abs()) as i128),
        };
        value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// The same with other digits: what is beyond is cut off at both ends.
    pub fn kept(self, shape: Shape) -> Self {
        let (magnitude, power) = (self.value.unsigned_abs(), shape.decimals - self.scale);
        match shifted(magnitude, power) {
            Some(magnitude) => Self::of_short(self.value < 0, magnitude, shape),
            None => Self::of(self.value < 0, Wide::from(magnitude).scaled(power), shape),
        }
    }

    fn of_short(negative: bool, magnitude: u128, shape: Shape) -> Self {
        let magnitude = remainder(magnitude, kept_digits(shape).min(KEPT)) as i128;
        Self { value: if negative { -magnitude } else { magnitude }, scale: shape.decimals }
    }

    fn of(negative: bool, magnitude: Wide, shape: Shape) -> Self {
        let magnitude = magnitude.low_digits(kept_digits(shape)) as i128;
        Self { value: if negative { -magnitude } else { magnitude }, scale: shape.decimals }
    }

    /// Two numbers to one; none for a divisor of zero.
    pub fn combined(operator: Operator, left: Self, right: Self, shape: Shape) -> Option<Self> {
        match operator {
            Operator::Add => Some(left.sum(right, shape)),
            Operator::Subtract => Some(left.sum(Self { value: -right.value, ..right }, shape)),
            Operator::Multiply => {
                let negative = (left.value < 0) != (right.value < 0);
                let power = shape.decimals - left.scale - right.scale;
                let (one, other) = (left.value.unsigned_abs(), right.value.unsigned_abs());
                let short = one.checked_mul(other).and_then(|product| shifted(product, power));
                Some(match short {
                    Some(magnitude) => Self::of_short(negative, magnitude, shape),
                    None => Self::of(negative, Wide::product(one, other).scaled(power), shape),
                })
            }
            Operator::Divide => left.quotient(right, shape),
        }
    }

    fn sum(self, other: Self, shape: Shape) -> Self {
        let scale = self.scale.max(other.scale);
        if let Some(sum) = self.short_sum(other, scale)
            && let Some(magnitude) = shifted(sum.unsigned_abs(), shape.decimals - scale)
        {
            return Self::of_short(sum < 0, magnitude, shape);
        }
        let left = Wide::from(self.value.unsigned_abs()).scaled(scale - self.scale);
        let right = Wide::from(other.value.unsigned_abs()).scaled(scale - other.scale);
        let (negative, magnitude) = match ((self.value < 0) == (other.value < 0), left.compare(&right)) {
            (true, _) => (self.value < 0, left.plus(right)),
            (false, Ordering::Less) => (other.value < 0, right.minus(left)),
            (false, _) => (self.value < 0, left.minus(right)),
        };
        Self::of(negative, magnitude.scaled(shape.decimals - scale), shape)
    }

    /// The digits of a sum at a scale that loses none, as far as 128 bits hold all of it.
    fn short_sum(self, other: Self, scale: i32) -> Option<i128> {
        let digits = |own: Self| {
            let magnitude = shifted(own.value.unsigned_abs(), scale - own.scale)?;
            let magnitude = i128::try_from(magnitude).ok()?;
            Some(if own.value < 0 { -magnitude } else { magnitude })
        };
        digits(self)?.checked_add(digits(other)?)
    }

    fn quotient(self, divisor: Self, shape: Shape) -> Option<Self> {
        let (dividend, by) = (self.value.unsigned_abs(), divisor.value.unsigned_abs());
        if by == 0 {
            return None;
        }
        let more = shape.decimals + divisor.scale - self.scale;
        let modulus = ten(kept_digits(shape));
        let quotient = match shifted(dividend, more) {
            Some(dividend) => divided(dividend, by),
            None => long_quotient(dividend, by, more, modulus),
        };
        let quotient = if quotient < modulus { quotient } else { quotient % modulus } as i128;
        let negative = (self.value < 0) != (divisor.value < 0);
        Some(Self { value: if negative { -quotient } else { quotient }, scale: shape.decimals })
    }

    /// Order of two numbers.
    pub fn compare(self, other: Self) -> Ordering {
        match (self.value.signum(), other.value.signum()) {
            (left, right) if left != right => left.cmp(&right),
            (sign, _) => {
                let scale = self.scale.max(other.scale);
                let [left, right] =
                    [self, other].map(|own| shifted(own.value.unsigned_abs(), scale - own.scale));
                if let (Some(left), Some(right)) = (left, right) {
                    return if sign < 0 { right.cmp(&left) } else { left.cmp(&right) };
                }
                let left = Wide::from(self.value.unsigned_abs()).scaled(scale - self.scale);
                let right = Wide::from(other.value.unsigned_abs()).scaled(scale - other.scale);
                if sign < 0 { right.compare(&left) } else { left.compare(&right) }
            }
        }
    }

    /// Its digits at a scale, rounded half away from zero or cut off, and whether they are more than `digits`.
    pub fn aligned(self, scale: i32, rounded: bool, digits: u32) -> (i128, bool) {
        if let Some(short) = self.aligned_short(scale, rounded) {
            let low = remainder(short, KEPT) as i128;
            return (if self.value < 0 { -low } else { low }, short >= ten(digits));
        }
        let magnitude = Wide::from(self.value.unsigned_abs());
        let mut wide = magnitude.scaled(scale - self.scale);
        if rounded && scale < self.scale {
            let more = magnitude.scaled(scale + 1 - self.scale);
            if more.low_digits(1) >= 5 {
                wide = wide.plus(Wide::from(1));
            }
        }
        let over = wide.compare(&Wide::from(ten(digits))).is_ge();
        // Binary fields hold more than digits: what 36 digits lose, no field holds.
        let low = wide.low_digits(KEPT) as i128;
        (if self.value < 0 { -low } else { low }, over)
    }

    /// The same without the sign for most numbers: 64 bits, moved by few digits.
    fn aligned_short(self, scale: i32, rounded: bool) -> Option<u128> {
        let magnitude = u64::try_from(self.value.unsigned_abs()).ok()?;
        let by = scale.checked_sub(self.scale).filter(|by| by.unsigned_abs() <= SHORT_SHIFT_MAX)?;
        if by >= 0 {
            return Some(u128::from(magnitude) * ten(by.unsigned_abs()));
        }
        let divisor = ten(by.unsigned_abs()) as u64;
        let up = rounded && magnitude / (divisor / 10) % 10 >= 5;
        Some(u128::from(magnitude / divisor + u64::from(up)))
    }
}

/// A quotient with more digits by hand, digit by digit: a dividend with all of them would not fit. High digits are cut off.
fn long_quotient(dividend: u128, by: u128, more: i32, modulus: u128) -> u128 {
    let (mut quotient, mut rest) = (dividend / by % modulus, dividend % by);
    for _ in 0..more {
        rest *= 10;
        quotient = (quotient * 10 + rest / by) % modulus;
        rest %= by;
    }
    quotient
}

/// The low digits of a number. Most numbers have no more: a division of 128 bits is worth a comparison.
pub(crate) fn remainder(number: u128, digits: u32) -> u128 {
    let bound = ten(digits);
    if number < bound { number } else { number % bound }
}

/// The digits of a number, the last one first; behind the first one there are zeros.
pub(crate) struct LowDigits {
    low: u64,
    high: u128,
    left: u32,
}

impl LowDigits {
    pub(crate) fn of(number: u128) -> Self {
        Self { low: 0, high: number, left: 0 }
    }

    pub(crate) fn take(&mut self) -> u8 {
        if self.left == 0 {
            // A division of 128 bits for each digit would take most of the time.
            let low = remainder(self.high, LIMB_DIGITS);
            self.high = if low == self.high { 0 } else { self.high / u128::from(LIMB_TEN) };
            (self.low, self.left) = (low as u64, LIMB_DIGITS);
        }
        self.left -= 1;
        let digit = (self.low % 10) as u8;
        self.low /= 10;
        digit
    }
}

/// Digits that [`Decimal::aligned`] keeps.
const KEPT: u32 = 36;
/// Digits by which a number of 64 bits is moved at once: 64 bits hold ten to this power.
const SHORT_SHIFT_MAX: u32 = 18;

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of 64 bits and of more go different ways, and come to the same.
    #[test]
    fn short_numbers_are_aligned_as_long_ones_are() {
        let mut seed = 7_u64;
        for step in 0..20_000_i64 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step as u64);
            let value = i128::from((seed >> (seed % 64)) as i64) * if step % 2 == 0 { 1 } else { -1 };
            let (from, to) = ((seed >> 8) as i32 % 19, (seed >> 40) as i32 % 19);
            let (rounded, digits) = (step % 3 == 0, 1 + (seed >> 20) as u32 % 31);
            let number = of(value, from.abs());
            let Some(short) = number.aligned_short(to.abs(), rounded) else { continue };
            let wide = Wide::from(value.unsigned_abs());
            let mut expected = wide.scaled(to.abs() - from.abs());
            if rounded && to.abs() < from.abs() {
                let more = wide.scaled(to.abs() + 1 - from.abs());
                expected = if more.low_digits(1) >= 5 { expected.plus(Wide::from(1)) } else { expected };
            }
            assert!(expected.compare(&Wide::from(short)).is_eq(), "{value} {from} {to} {rounded}");
            let over = expected.compare(&Wide::from(ten(digits))).is_ge();
            assert_eq!(number.aligned(to.abs(), rounded, digits).1, over, "{value} {from} {to} {digits}");
        }
    }

    /// Sums, products, quotients and comparisons of numbers that fit into 128 bits, and by the way that all numbers can go.
    #[test]
    fn short_numbers_are_computed_as_long_ones_are() {
        let mut seed = 11_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 20
        };
        for _ in 0..20_000 {
            let mut number = || {
                let digits = 1 + next() as u32 % 31;
                let value = (u128::from(next()) << 60 | u128::from(next())) % ten(digits);
                of(if next() % 2 == 0 { value as i128 } else { -(value as i128) }, next() as i32 % 13)
            };
            let (a, b) = (number(), number());
            let shape = shape(next() as i32 % 20, next() as i32 % 12);
            let negative = (a.value < 0) != (b.value < 0);
            let (one, two) = (a.value.unsigned_abs(), b.value.unsigned_abs());
            let power = shape.decimals - a.scale - b.scale;
            let product = Decimal::of(negative, Wide::product(one, two).scaled(power), shape);
            assert_eq!(Decimal::combined(Operator::Multiply, a, b, shape), Some(product), "{a:?} * {b:?}");

            let scale = a.scale.max(b.scale);
            let aligned = [a, b].map(|own| Wide::from(own.value.unsigned_abs()).scaled(scale - own.scale));
            let order = aligned[0].compare(&aligned[1]);
            if a.value > 0 && b.value > 0 {
                assert_eq!(a.compare(b), order, "{a:?} {b:?}");
                assert_eq!(of(-a.value, a.scale).compare(of(-b.value, b.scale)), order.reverse());
                let sum = aligned[0].plus(aligned[1]).scaled(shape.decimals - scale);
                assert_eq!(a.sum(b, shape), Decimal::of(false, sum, shape), "{a:?} + {b:?}");
            }
            let kept = Wide::from(one).scaled(shape.decimals - a.scale);
            assert_eq!(a.kept(shape), Decimal::of(a.value < 0, kept, shape), "{a:?}");

            let more = shape.decimals + b.scale - a.scale;
            if two > 0 && more >= 0 {
                let quotient = long_quotient(one, two, more, ten(kept_digits(shape))) as i128;
                let quotient = of(if negative { -quotient } else { quotient }, shape.decimals);
                assert_eq!(a.quotient(b, shape), Some(quotient), "{a:?} / {b:?}");
            }
        }
    }

    /// The last digit first, however many there are.
    #[test]
    fn digits_of_numbers() {
        for number in [0, 7, 10_u128.pow(18) - 1, 10_u128.pow(18), 123 * 10_u128.pow(34) + 45, u128::MAX] {
            let mut digits = LowDigits::of(number);
            let mut found: Vec<u8> = (0..40).map(|_| b'0' + digits.take()).collect();
            found.reverse();
            assert_eq!(String::from_utf8(found).expect("digits"), format!("{number:040}"));
        }
    }

    fn of(value: i128, scale: i32) -> Decimal {
        Decimal { value, scale }
    }

    fn shape(integers: i32, decimals: i32) -> Shape {
        Shape { integers, decimals }
    }

    #[test]
    fn products_are_exact_before_they_are_cut() {
        let nines = 10_i128.pow(31) - 1;
        let product = Decimal::combined(Operator::Multiply, of(nines, 0), of(-nines, 31), shape(31, 0));
        assert_eq!(product, Some(of(-(nines - 1), 0)), "99…98.00…01");
        let product = Decimal::combined(Operator::Multiply, of(12, 1), of(15, 1), shape(2, 1));
        assert_eq!(product, Some(of(18, 1)));
    }

    #[test]
    fn sums_align() {
        let sum = Decimal::combined(Operator::Add, of(5, 0), of(-525, 2), shape(3, 2));
        assert_eq!(sum, Some(of(-25, 2)));
        let wide = Decimal::combined(Operator::Add, of(10_i128.pow(30), 0), of(1, 30), shape(0, 30));
        assert_eq!(wide, Some(of(1, 30)), "high digits are cut off");
    }

    #[test]
    fn quotients() {
        let check = |left, right, shape, expected| {
            assert_eq!(Decimal::combined(Operator::Divide, left, right, shape), expected);
        };
        check(of(10, 0), of(3, 0), shape(2, 3), Some(of(3333, 3)));
        check(of(-1, 2), of(4, 0), shape(2, 4), Some(of(-25, 4)));
        check(of(10_i128.pow(30), 0), of(1, 30), shape(1, 30), Some(of(0, 30)));
        check(of(1, 0), of(0, 2), shape(1, 1), None);
    }

    #[test]
    fn alignment() {
        assert_eq!(of(125, 2).aligned(1, false, 9), (12, false));
        assert_eq!(of(125, 2).aligned(1, true, 9), (13, false));
        assert_eq!(of(-125, 2).aligned(1, true, 9), (-13, false));
        assert_eq!(of(12345, 0).aligned(2, false, 5), (1_234_500, true));
        assert_eq!(of(1200, 0).aligned(-2, false, 3), (12, false));
        assert_eq!(of(994, 2).aligned(1, false, 2), (99, false));
    }

    #[test]
    fn comparisons() {
        assert!(of(10, 1).compare(of(1, 0)).is_eq());
        assert!(of(-2, 0).compare(of(-1, 0)).is_lt());
        assert!(of(10_i128.pow(30), 0).compare(of(10_i128.pow(30), 30)).is_gt());
    }
}
