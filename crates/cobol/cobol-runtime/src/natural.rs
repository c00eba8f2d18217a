//! Natural numbers of any length: what powers and floating point need between two decimals.

use std::cmp::Ordering;

/// A natural number: limbs of 32 bits, the lowest first, none of them zero at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Natural(Vec<u32>);

/// Ten to the power of 9: the greatest power of ten that a limb holds.
const LIMB_TEN: u32 = 1_000_000_000;
const LIMB_DIGITS: u32 = 9;

impl From<u128> for Natural {
    fn from(value: u128) -> Self {
        Self((0..4).map(|limb| (value >> (32 * limb)) as u32).collect()).trimmed()
    }
}

impl Natural {
    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    /// Returns true if it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of its bits.
    pub fn bits(&self) -> usize {
        self.0.last().map_or(0, |last| 32 * self.0.len() - last.leading_zeros() as usize)
    }

    /// Decimal digits, at least: one less than there are, perhaps.
    pub fn digits_at_least(&self) -> usize {
        // The logarithm of two is 0.30102…
        self.bits().saturating_sub(1) * 30_102 / 100_000
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut limbs = vec![0_u32; self.0.len() + other.0.len()];
        for (i, x) in self.0.iter().enumerate() {
            let mut carry = 0_u64;
            for (j, y) in other.0.iter().enumerate() {
                let sum = u64::from(*x) * u64::from(*y) + u64::from(limbs[i + j]) + carry;
                limbs[i + j] = sum as u32;
                carry = sum >> 32;
            }
            limbs[i + other.0.len()] = carry as u32;
        }
        Self(limbs).trimmed()
    }

    fn times_limb(&mut self, factor: u32) {
        let mut carry = 0_u64;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn divided(&mut self, divisor: u32) -> u32 {
        let mut rest = 0_u64;
        for limb in self.0.iter_mut().rev() {
            let dividend = rest << 32 | u64::from(*limb);
            *limb = (dividend / u64::from(divisor)) as u32;
            rest = dividend % u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest as u32
    }

    /// Times ten to a power; below zero, decimals are cut off.
    #[must_use]
    pub fn scaled(mut self, power: i32) -> Self {
        let mut left = power.unsigned_abs();
        while left > 0 && !self.is_zero() {
            let step = left.min(LIMB_DIGITS);
            if power > 0 {
                self.times_limb(10_u32.pow(step));
            } else {
                self.divided(10_u32.pow(step));
            }
            left -= step;
        }
        self
    }

    /// Times two to a power; below zero, decimals are cut off.
    #[must_use]
    pub fn shifted(&self, power: i64) -> Self {
        let (limbs, bits) = ((power.unsigned_abs() / 32) as usize, power.unsigned_abs() % 32);
        let low = |at: usize| u64::from(self.0.get(at).copied().unwrap_or(0));
        if power >= 0 {
            let mut all = vec![0; limbs];
            let mut carry = 0;
            for limb in &self.0 {
                let wide = u64::from(*limb) << bits | carry;
                all.push(wide as u32);
                carry = wide >> 32;
            }
            all.push(carry as u32);
            return Self(all).trimmed();
        }
        let all = (limbs..self.0.len()).map(|at| ((low(at + 1) << 32 | low(at)) >> bits) as u32);
        Self(all.collect()).trimmed()
    }

    /// Returns true if a bit is set.
    pub fn bit(&self, at: usize) -> bool {
        self.0.get(at / 32).is_some_and(|limb| limb >> (at % 32) & 1 == 1)
    }

    /// One more.
    #[must_use]
    pub fn plus_one(mut self) -> Self {
        for limb in &mut self.0 {
            *limb = limb.wrapping_add(1);
            if *limb != 0 {
                return self;
            }
        }
        self.0.push(1);
        self
    }

    /// The lowest digits, 36 at most.
    pub fn low_digits(mut self, digits: u32) -> u128 {
        let (mut value, mut worth) = (0_u128, 1_u128);
        for _ in 0..4 {
            value += worth * u128::from(self.divided(LIMB_TEN));
            worth *= u128::from(LIMB_TEN);
        }
        value % 10_u128.pow(digits.min(36))
    }

    /// As 128 bits, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        (self.0.len() <= 4).then(|| self.0.iter().rev().fold(0, |sum, limb| sum << 32 | u128::from(*limb)))
    }

    /// Compares two of them.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_powers_of_ten() {
        let nines = Natural::from(10_u128.pow(36) - 1);
        let square = nines.times(&nines);
        assert_eq!(square.clone().low_digits(36), 1);
        assert_eq!(square.scaled(-36).to_u128(), Some(10_u128.pow(36) - 2));
        assert_eq!(Natural::from(7).scaled(60).scaled(-60).to_u128(), Some(7));
        assert_eq!(Natural::from(1).scaled(-1), Natural::default());
        assert!(nines.digits_at_least() >= 35);
    }

    #[test]
    fn shifts() {
        let value = Natural::from(0x1234_5678_9ABC_DEF0);
        for power in [0, 1, 31, 32, 33, 64, 100] {
            assert_eq!(value.shifted(power).shifted(-power), value, "{power}");
            assert_eq!(value.shifted(power).bits(), value.bits() + power as usize);
        }
        assert_eq!(value.shifted(-61), Natural::default());
        assert_eq!(value.shifted(-60).to_u128(), Some(1));
        assert!(value.bit(4) && !value.bit(3) && !value.bit(200));
        assert_eq!(Natural::from(u128::from(u32::MAX)).plus_one().to_u128(), Some(1 << 32));
    }
}
