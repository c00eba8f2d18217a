//! Hexadecimal floating point as text: the fewest digits that give the same bytes again, and texts read.

use crate::floating::{Hex, Width};

/// Digits of a text that count: more of them change no bit.
const DIGITS_MAX: usize = 36;
/// Significant digits that tell any two numbers apart, of eight bytes.
const DIGITS_LONG: usize = 18;
/// Exponents beyond which every number is too great, or zero.
const EXPONENT_MAX: i32 = 100_000;

/// The reason why a text is no number of hexadecimal floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The text is no number.
    NoNumber,
    /// The number is too great.
    TooGreat,
}

impl Hex {
    /// Returns the number that a text such as `-1.5e3` means.
    ///
    /// # Errors
    /// A text that is no number, or one that is too great.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], exponent(&text[at + 1..]).ok_or(Unreadable::NoNumber)?),
            None => (text, 0),
        };
        let (negative, unsigned) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = || whole.bytes().chain(fraction.bytes());
        if digits().next().is_none() || !digits().all(|byte| byte.is_ascii_digit()) {
            return Err(Unreadable::NoNumber);
        }
        let significant: Vec<u8> = digits().skip_while(|byte| *byte == b'0').collect();
        let kept = significant.len().min(DIGITS_MAX);
        let value = significant[..kept].iter().fold(0, |sum, byte| sum * 10 + i128::from(byte - b'0'));
        let places = |count: usize| i32::try_from(count).map_err(|_| Unreadable::NoNumber);
        let scale = places(fraction.len())? - places(significant.len() - kept)? - exponent;
        let value = if negative { -value } else { value };
        Self::from_decimal(value, scale).ok_or(Unreadable::TooGreat)
    }

    /// A text that [`Self::read`] takes back to the same bytes, with as few digits as a look at binary floating point finds.
    pub fn written(self, width: Width) -> String {
        let number = self.to_f64();
        let short = number as f32;
        let text = match width {
            Width::Short if f64::from(short) == number => format!("{short:?}"),
            _ => format!("{number:?}"),
        };
        let stands_for_this = |text: &String| {
            Self::read(text).ok().and_then(|read| read.to_bytes(width)) == self.to_bytes(width)
        };
        if stands_for_this(&text) {
            return text;
        }
        (DIGITS_LONG - 2..=DIGITS_LONG)
            .map(|digits| self.rounded(digits))
            .find(stands_for_this)
            .unwrap_or(text)
    }

    /// The number with so many significant digits.
    fn rounded(self, digits: usize) -> String {
        let limit = 10_i128.pow(digits as u32);
        // An estimate of the power, which the digits put right.
        let mut power = self.to_f64().abs().log10().floor() as i32;
        let at = |power: i32| self.absolute().to_decimal(digits as i32 - power, true).0;
        let mut value = at(power);
        while value >= limit {
            power += 1;
            value = at(power);
        }
        let shown = value.to_string();
        let (first, rest) = shown.split_at(1.min(shown.len()));
        let sign = if self.is_negative() { "-" } else { "" };
        format!("{sign}{first}.{rest}e{}", power - 1 - (digits as i32 - shown.len() as i32))
    }
}

/// A decimal exponent, as large as it matters.
fn exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.bytes().fold(0, |sum: i32, byte| (sum * 10 + i32::from(byte - b'0')).min(EXPONENT_MAX));
    Some(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbers() {
        let cases: [(&str, [u8; 4]); 8] = [
            ("0", [0, 0, 0, 0]),
            ("-0.0", [0, 0, 0, 0]),
            ("1", [0x41, 0x10, 0, 0]),
            ("1.5", [0x41, 0x18, 0, 0]),
            ("-118.625", [0xC2, 0x76, 0xA0, 0]),
            (".5", [0x40, 0x80, 0, 0]),
            ("390625e-8", [0x3F, 0x10, 0, 0]),
            ("1e-200", [0, 0, 0, 0]),
        ];
        for (text, bytes) in cases {
            let read = Hex::read(text).expect(text);
            assert_eq!(read.to_bytes(Width::Short).as_deref(), Some(&bytes[..]), "{text}");
        }
        for text in ["", "-", ".", "1e", "1.2.3", "e5", "INF", "0x1", "1 "] {
            assert_eq!(Hex::read(text), Err(Unreadable::NoNumber), "{text}");
        }
        assert_eq!(Hex::read("1e76"), Err(Unreadable::TooGreat));
        assert_eq!(Hex::read("1e999999999999"), Err(Unreadable::TooGreat));
        assert!(Hex::read("7.2e75").is_ok());
    }

    #[test]
    fn every_number_is_written_so_that_it_is_read_again() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..5_000 {
            let bytes = random.u64(..).to_be_bytes();
            let long = Hex::from_bytes(&bytes);
            let read = Hex::read(&long.written(Width::Long)).expect("a number");
            assert_eq!(read, long, "{}", long.written(Width::Long));
            let short = Hex::from_bytes(&bytes[..4]);
            let read = Hex::read(&short.written(Width::Short)).expect("a number");
            assert_eq!(read.to_bytes(Width::Short), short.to_bytes(Width::Short));
        }
        assert_eq!(Hex::read("1.1").map(|number| number.written(Width::Long)).as_deref(), Ok("1.1"));
        assert_eq!(Hex::read("-2").map(|number| number.written(Width::Short)).as_deref(), Ok("-2.0"));
    }
}
