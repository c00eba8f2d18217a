//! Texts of dates and times, read from their front.

use crate::unfit::Unfit;

/// A text that is read from its front.
pub(super) struct Text<'a>(pub(super) &'a [u8]);

impl Text<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub(super) fn expect(&mut self, mark: u8) -> Result<(), Unfit> {
        if self.next() == Some(mark) { Ok(()) } else { Err(Unfit::DATETIME) }
    }

    pub(super) fn end(&self) -> Result<(), Unfit> {
        if self.0.is_empty() { Ok(()) } else { Err(Unfit::DATETIME) }
    }

    /// A number of one up to so many digits.
    pub(super) fn number(&mut self, longest: usize) -> Result<u32, Unfit> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > longest {
            return Err(Unfit::DATETIME);
        }
        Ok(self.digits(digits))
    }

    /// A number of exactly so many digits.
    pub(super) fn exactly(&mut self, digits: usize) -> Result<u32, Unfit> {
        let are_digits = self.0.get(..digits).is_some_and(|text| text.iter().all(u8::is_ascii_digit));
        if are_digits { Ok(self.digits(digits)) } else { Err(Unfit::DATETIME) }
    }

    fn digits(&mut self, digits: usize) -> u32 {
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        number.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    }

    /// Up to twelve digits behind a point, as picoseconds.
    pub(super) fn fraction(&mut self) -> Result<u64, Unfit> {
        let digits = std::mem::take(&mut self.0);
        if digits.len() > 12 || !digits.iter().all(u8::is_ascii_digit) {
            return Err(Unfit::DATETIME);
        }
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(12);
        Ok(padded.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
    }
}
