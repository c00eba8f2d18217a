//! Card numbers (primary account numbers): their digits, their check digit, their mask.

use std::fmt;
use std::ops::RangeInclusive;

use crate::digits::{all_digits, packed};

/// The number of digits of a card number.
pub const LENGTHS: RangeInclusive<usize> = 12..=19;
/// The number of digits that choose the issuer's portfolio: the BIN of six and the sub-BIN of two.
pub const BIN_LENGTH: usize = 8;
/// The digits that a mask leaves at either end.
const SHOWN_FIRST: usize = 6;
const SHOWN_LAST: usize = 4;

/// A card number. It prints masked; [`Pan::digits`] gives it away.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pan(String);

/// The reason why a text is not a card number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PanError {
    /// A character that is not a digit.
    #[error("a card number has digits only")]
    NotDigits,
    /// Too few or too many digits.
    #[error("a card number has 12 to 19 digits, not {0}")]
    Length(usize),
}

impl Pan {
    /// A card number of these digits. The check digit is not looked at: test keys are published with numbers that
    /// break it.
    pub fn new(digits: &str) -> Result<Self, PanError> {
        if !all_digits(digits) {
            return Err(PanError::NotDigits);
        }
        if !LENGTHS.contains(&digits.len()) {
            return Err(PanError::Length(digits.len()));
        }
        Ok(Self(digits.to_owned()))
    }

    /// A card number of these digits and their check digit.
    pub fn with_check_digit(payload: &str) -> Result<Self, PanError> {
        if !all_digits(payload) {
            return Err(PanError::NotDigits);
        }
        Self::new(&format!("{payload}{}", check_digit(payload)))
    }

    /// All digits in clear.
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// BIN and sub-BIN: the first eight digits.
    pub fn bin(&self) -> &str {
        &self.0[..BIN_LENGTH]
    }

    /// Returns true if the last digit is the check digit of those before it.
    pub fn check_digit_is_right(&self) -> bool {
        let (payload, last) = self.0.split_at(self.0.len() - 1);
        last == check_digit(payload).to_string()
    }

    /// The number as it may be shown and logged: the first six and the last four digits, stars between.
    pub fn masked(&self) -> String {
        let hidden = self.0.len() - SHOWN_FIRST - SHOWN_LAST;
        let last = &self.0[self.0.len() - SHOWN_LAST..];
        format!("{}{}{last}", &self.0[..SHOWN_FIRST], "*".repeat(hidden))
    }

    /// Packed at the right end of `N` bytes.
    pub(crate) fn packed<const N: usize>(&self) -> [u8; N] {
        packed(&self.0)
    }
}

impl fmt::Debug for Pan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

/// The check digit of ISO/IEC 7812-1 (Luhn): every second digit from the right counts twice.
fn check_digit(payload: &str) -> u32 {
    let sum: u32 = payload
        .bytes()
        .rev()
        .map(|digit| u32::from(digit - b'0'))
        .enumerate()
        .map(|(place, digit)| if place % 2 == 0 { 2 * digit / 10 + 2 * digit % 10 } else { digit })
        .sum();
    (10 - sum % 10) % 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_card_number() {
        for (text, expected) in [
            ("4111111111111111", Ok(())),
            ("411111111111", Ok(())),
            ("41111111111", Err(PanError::Length(11))),
            ("41111111111111111111", Err(PanError::Length(20))),
            ("4111 1111 1111 1111", Err(PanError::NotDigits)),
            ("", Err(PanError::Length(0))),
        ] {
            assert_eq!(Pan::new(text).map(|_| ()), expected, "{text}");
        }
    }

    #[test]
    fn check_digits() {
        for (payload, number) in [
            ("411111111111111", "4111111111111111"),
            ("7992739871000", "79927398710004"),
            ("5500000000000", "55000000000004"),
        ] {
            let pan = Pan::with_check_digit(payload).expect("digits");
            assert_eq!(pan.digits(), number);
            assert!(pan.check_digit_is_right());
        }
        assert!(!Pan::new("4111111111111112").expect("digits").check_digit_is_right());
    }

    #[test]
    fn a_printed_number_is_masked() {
        let pan = Pan::new("4123456789012345").expect("digits");
        assert_eq!(format!("{pan:?}"), "412345******2345");
        assert_eq!(pan.bin(), "41234567");
    }
}
