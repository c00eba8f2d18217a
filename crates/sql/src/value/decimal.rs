//! Decimal numbers without floating point: PostgreSQL's numeric, texts, and whole numbers with a scale.

use crate::limits;

/// A number: `unscaled` divided by ten to the power of `scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// All digits.
    pub unscaled: i128,
    /// Number of digits behind the point.
    pub scale: u32,
}

/// PostgreSQL's digits have four of ours.
const GROUP: i32 = 4;
const BASE: u128 = 10_000;
const NEGATIVE: u16 = 0x4000;
/// Signs from here on are no numbers: NaN and the infinities.
const NO_NUMBER: u16 = 0xC000;

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

    /// Reads PostgreSQL's binary form with so many digits behind the point; more are cut. `None`: not a number, or one with
    /// too many digits.
    pub fn from_numeric(bytes: &[u8], scale: u32) -> Option<Self> {
        let mut words = bytes.chunks_exact(2).map(|word| u16::from_be_bytes([word[0], word[1]]));
        let count = words.next()?;
        let weight = i32::from(words.next()? as i16);
        let sign = words.next()?;
        words.next()?;
        if sign >= NO_NUMBER {
            return None;
        }
        let mut unscaled = 0i128;
        for (at, group) in words.take(count.into()).enumerate() {
            let group = i128::from(group);
            // What one of this group is worth, in units of the last digit.
            let exponent = GROUP * (weight - at as i32) + i32::try_from(scale).ok()?;
            let worth = match u32::try_from(exponent) {
                Ok(exponent) if group != 0 => group.checked_mul(power(exponent)?)?,
                Ok(_) => 0,
                Err(_) => power(exponent.unsigned_abs()).map_or(0, |power| group / power),
            };
            unscaled = unscaled.checked_add(worth)?;
        }
        Some(Self { unscaled: if sign == NEGATIVE { -unscaled } else { unscaled }, scale })
    }

    /// Number of digits behind the point in PostgreSQL's binary form.
    pub fn scale_of_numeric(bytes: &[u8]) -> u32 {
        match bytes.get(6..8) {
            Some(scale) => u32::from(u16::from_be_bytes([scale[0], scale[1]]) & 0x3FFF),
            None => 0,
        }
    }

    /// Writes PostgreSQL's binary form. Whether it could: it has no more than 31 digits of ours, or a few more.
    pub fn to_numeric(self, out: &mut Vec<u8>) -> bool {
        let fill = (4 - self.scale % 4) % 4;
        let Some(mut rest) = self.unscaled.unsigned_abs().checked_mul(10u128.pow(fill)) else { return false };
        let mut groups = [0u16; 10];
        let mut count = 0;
        while rest != 0 {
            groups[count] = (rest % BASE) as u16;
            rest /= BASE;
            count += 1;
        }
        let weight = count as i32 - 1 - ((self.scale + fill) / 4) as i32;
        let sign = if self.unscaled < 0 { NEGATIVE } else { 0 };
        for word in [count as u16, weight as i16 as u16, sign, self.scale as u16] {
            out.extend(word.to_be_bytes());
        }
        for group in groups[..count].iter().rev() {
            out.extend(group.to_be_bytes());
        }
        true
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

/// Ten to a power; `None` beyond what any number here has.
fn power(exponent: u32) -> Option<i128> {
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
    fn numeric_and_back() {
        for text in
            ["0.00", "1", "10000", "-9999.9999", "0.0001", "123456789.12", "-9999999999999999999999999999999"]
        {
            let number = decimal(text);
            let mut bytes = Vec::new();
            assert!(number.to_numeric(&mut bytes));
            assert_eq!(Decimal::from_numeric(&bytes, number.scale), Some(number), "{text}");
            assert_eq!(Decimal::scale_of_numeric(&bytes), number.scale);
        }
    }

    #[test]
    fn digits_behind_the_point_are_cut() {
        let mut bytes = Vec::new();
        decimal("-12.3456789").to_numeric(&mut bytes);
        let cut = |scale| Decimal::from_numeric(&bytes, scale).unwrap().text();
        assert_eq!([cut(0), cut(1), cut(5), cut(9)], ["-12", "-12.3", "-12.34567", "-12.345678900"]);
        assert_eq!(decimal("-12.39").at_scale(1), Some(-123));
        assert_eq!(decimal("12").at_scale(2), Some(1200));
    }

    #[test]
    fn not_a_number_is_none() {
        assert_eq!(Decimal::from_numeric(&[0, 0, 0, 0, 0xC0, 0, 0, 0], 0), None);
        assert_eq!(Decimal::from_numeric(&[0, 1, 0, 30, 0, 0, 0, 0, 0, 1], 0), None);
        assert_eq!(Decimal::from_numeric(&[], 0), None);
    }

    #[test]
    fn digits_are_counted() {
        assert!(decimal("999").has_at_most(3));
        assert!(!decimal("-1000").has_at_most(3));
    }
}
