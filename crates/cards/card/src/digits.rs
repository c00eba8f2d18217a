//! Decimal digits: strings of a fixed number of them, and their packed form.

use std::fmt;

/// Exactly `N` decimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digits<const N: usize>([u8; N]);

impl<const N: usize> Digits<N> {
    /// The digits of a text that consists of nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: [u8; N] = text.as_bytes().try_into().ok()?;
        digits.iter().all(u8::is_ascii_digit).then_some(Self(digits))
    }

    /// The last `N` digits of a number.
    pub fn of(number: u64) -> Self {
        let mut digits = [b'0'; N];
        let mut rest = number;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        Self(digits)
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        // Digits are ASCII by construction.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Display for Digits<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<const N: usize> fmt::Debug for Digits<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns true if a text is decimal digits only (an empty one is).
pub fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number that a text of up to 19 digits means; an empty one means 0.
pub fn number(text: &str) -> Option<u64> {
    if text.is_empty() {
        return Some(0);
    }
    if all_digits(text) { text.parse().ok() } else { None }
}

/// The last `length` digits of a number, zeros before them.
pub fn last_digits(number: u64, length: usize) -> String {
    let text = format!("{number:0length$}");
    text[text.len() - length..].to_owned()
}

/// 10 to the power of a number of digits; as many as fit for more than 19.
pub fn power_of_ten(digits: usize) -> u64 {
    u32::try_from(digits).ok().and_then(|digits| 10_u64.checked_pow(digits)).unwrap_or(u64::MAX)
}

/// Digits packed two to a byte at the right end of `N` bytes, zeros before them; digits that do not fit are dropped
/// from the left. Other characters count as 0.
pub fn packed<const N: usize>(digits: &str) -> [u8; N] {
    let mut bytes = [0; N];
    for (place, digit) in digits.bytes().rev().enumerate().take(2 * N) {
        let value = digit.wrapping_sub(b'0') % 10;
        bytes[N - 1 - place / 2] |= if place % 2 == 0 { value } else { value << 4 };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_fixed_length() {
        assert_eq!(Digits::<4>::parse("2712").map(|digits| digits.to_string()), Some("2712".to_owned()));
        for wrong in ["", "271", "27125", "27 2", "２712"] {
            assert_eq!(Digits::<4>::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Digits::<6>::of(42).as_str(), "000042");
        assert_eq!(Digits::<2>::of(1234).as_str(), "34");
    }

    #[test]
    fn the_end_of_a_number() {
        assert_eq!(last_digits(12_345, 3), "345");
        assert_eq!(last_digits(5, 3), "005");
        assert_eq!(last_digits(5, 0), "");
        assert_eq!((power_of_ten(0), power_of_ten(3), power_of_ten(20)), (1, 1000, u64::MAX));
    }

    #[test]
    fn packed_to_the_right() {
        assert_eq!(packed::<3>("12345"), [0x01, 0x23, 0x45]);
        assert_eq!(packed::<2>("12345"), [0x23, 0x45]);
        assert_eq!(packed::<2>(""), [0, 0]);
    }
}
