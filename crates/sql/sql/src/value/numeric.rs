//! Decimal numbers as PostgreSQL's numeric.

use super::Decimal;

/// PostgreSQL's digits have four of ours.
const GROUP: i32 = 4;
const BASE: u128 = 10_000;
const NEGATIVE: u16 = 0x4000;
/// Signs from here on are no numbers: NaN and the infinities.
const NO_NUMBER: u16 = 0xC000;

/// Reads PostgreSQL's binary form with so many digits behind the point; more are cut. `None`: not a number, or one with
/// too many digits.
pub(super) fn from_numeric(bytes: &[u8], scale: u32) -> Option<Decimal> {
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
    Some(Decimal { unscaled: if sign == NEGATIVE { -unscaled } else { unscaled }, scale })
}

/// Number of digits behind the point in PostgreSQL's binary form.
pub(super) fn scale_of_numeric(bytes: &[u8]) -> u32 {
    match bytes.get(6..8) {
        Some(scale) => u32::from(u16::from_be_bytes([scale[0], scale[1]]) & 0x3FFF),
        None => 0,
    }
}

/// Writes PostgreSQL's binary form. Returns false if the number has too many digits.
pub(super) fn to_numeric(number: Decimal, out: &mut Vec<u8>) -> bool {
    let fill = (4 - number.scale % 4) % 4;
    let Some(mut rest) = number.unscaled.unsigned_abs().checked_mul(10u128.pow(fill)) else { return false };
    let mut groups = [0u16; 10];
    let mut count = 0;
    while rest != 0 {
        groups[count] = (rest % BASE) as u16;
        rest /= BASE;
        count += 1;
    }
    let weight = count as i32 - 1 - ((number.scale + fill) / 4) as i32;
    let sign = if number.unscaled < 0 { NEGATIVE } else { 0 };
    for word in [count as u16, weight as i16 as u16, sign, number.scale as u16] {
        out.extend(word.to_be_bytes());
    }
    for group in groups[..count].iter().rev() {
        out.extend(group.to_be_bytes());
    }
    true
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
    fn numeric_and_back() {
        for text in
            ["0.00", "1", "10000", "-9999.9999", "0.0001", "123456789.12", "-9999999999999999999999999999999"]
        {
            let number = decimal(text);
            let mut bytes = Vec::new();
            assert!(to_numeric(number, &mut bytes));
            assert_eq!(from_numeric(&bytes, number.scale), Some(number), "{text}");
            assert_eq!(scale_of_numeric(&bytes), number.scale);
        }
    }

    #[test]
    fn digits_behind_the_point_are_cut() {
        let mut bytes = Vec::new();
        to_numeric(decimal("-12.3456789"), &mut bytes);
        let cut = |scale| from_numeric(&bytes, scale).unwrap().text();
        assert_eq!([cut(0), cut(1), cut(5), cut(9)], ["-12", "-12.3", "-12.34567", "-12.345678900"]);
    }

    #[test]
    fn not_a_number_is_none() {
        assert_eq!(from_numeric(&[0, 0, 0, 0, 0xC0, 0, 0, 0], 0), None);
        assert_eq!(from_numeric(&[0, 1, 0, 30, 0, 0, 0, 0, 0, 1], 0), None);
        assert_eq!(from_numeric(&[], 0), None);
    }
}
