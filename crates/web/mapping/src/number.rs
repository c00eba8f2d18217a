//! Numbers of messages: digits and a point, never through floating point.

use crate::fault::{FaultKind, MappingFault};
use crate::limits::{DIGITS_MAX, WRITTEN_DIGITS_MAX};

/// Reads a number without its point, at a scale: `-12.34` at scale 2 is −1234. With `exponents`, `1.5E3` is a number, too.
///
/// # Errors
/// A text that is not a number, has more digits after the point than the scale, or more digits than any field.
pub fn read(text: &[u8], scale: i32, exponents: bool) -> Result<i128, MappingFault> {
    if let Some(short) = short(text, scale) {
        return Ok(short);
    }
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] if !exponents => (false, rest),
        _ => (false, text),
    };
    let (mantissa, exponent) = match rest.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) if exponents => (&rest[..at], read_exponent(&rest[at + 1..])?),
        _ => (rest, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|byte| *byte == b'.') {
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        None => (mantissa, &[] as &[u8]),
    };
    if whole.len() + fraction.len() == 0 {
        return Err(MappingFault::new(FaultKind::InvalidCharacter, "a number has digits"));
    }
    if whole.len() + fraction.len() > WRITTEN_DIGITS_MAX {
        return Err(too_long());
    }
    let mut digits = Vec::with_capacity(whole.len() + fraction.len());
    for byte in whole.iter().chain(fraction) {
        if !byte.is_ascii_digit() {
            return Err(MappingFault::new(
                FaultKind::InvalidCharacter,
                format!("{:?} is no digit", char::from(*byte)),
            ));
        }
        digits.push(byte - b'0');
    }
    let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    let number = shift(&digits, scale.saturating_sub(places).saturating_add(exponent))?;
    Ok(if negative { -number } else { number })
}

/// A number of few digits, without zeros that must be cut: nearly all.
fn short(text: &[u8], scale: i32) -> Option<i128> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut number: i64 = 0;
    let mut places = None;
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                number = number * 10 + i64::from(byte - b'0');
                places = places.map(|places: i32| places + 1);
            }
            b'.' if places.is_none() => places = Some(0),
            _ => return None,
        }
    }
    if digits.len() == 1 && places.is_some() {
        return None;
    }
    let missing = u32::try_from(scale - places.unwrap_or(0)).ok()?;
    let number = match missing {
        0 => i128::from(number),
        1..=18 => i128::from(number) * i128::from(10i64.pow(missing)),
        _ => return None,
    };
    Some(if negative { -number } else { number })
}

/// An exponent. One so large that only zero could have it becomes the largest that matters.
fn read_exponent(text: &[u8]) -> Result<i32, MappingFault> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(MappingFault::new(FaultKind::InvalidCharacter, "an exponent has digits"));
    }
    const MOST: i32 = 100_000;
    let exponent = digits.iter().fold(0i32, |number, byte| (number * 10 + i32::from(byte - b'0')).min(MOST));
    Ok(if negative { -exponent } else { exponent })
}

/// Digits with this many zeros after them, or without this many of their last.
fn shift(digits: &[u8], by: i32) -> Result<i128, MappingFault> {
    let begin = digits.iter().position(|digit| *digit != 0);
    let Some(begin) = begin else { return Ok(0) };
    let digits = &digits[begin..];
    let (digits, zeros) = match usize::try_from(by) {
        Ok(zeros) => (digits, zeros),
        Err(_) => {
            let cut = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
            let keep = digits.len().saturating_sub(cut);
            if digits[keep..].iter().any(|digit| *digit != 0) {
                return Err(MappingFault::new(
                    FaultKind::FractionTooLong,
                    "the field has fewer digits behind its point",
                ));
            }
            (&digits[..keep], 0)
        }
    };
    if digits.len() + zeros > DIGITS_MAX {
        return Err(too_long());
    }
    let number = digits.iter().fold(0i128, |number, digit| number * 10 + i128::from(*digit));
    Ok(number * 10i128.pow(u32::try_from(zeros).unwrap_or(0)))
}

fn too_long() -> MappingFault {
    MappingFault::new(FaultKind::InputTooLong, format!("a number has at most {DIGITS_MAX} digits"))
}

/// Digits of the numbers below 100, two each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut at = 0;
    while at < pairs.len() {
        pairs[at] = [b'0' + (at / 10) as u8, b'0' + (at % 10) as u8];
        at += 1;
    }
    pairs
};

/// Writes a number at a scale: −1234 at scale 2 is `-12.34`.
pub fn write(number: i128, scale: i32, into: &mut Vec<u8>) {
    let mut digits = [b'0'; 40];
    let mut at = digits.len();
    let mut rest = number.unsigned_abs();
    // Division by a number of 128 bits is slow; most numbers have 64.
    while rest > u128::from(u64::MAX) {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let mut rest = rest as u64;
    while rest > 9 && at >= 2 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    while rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if number < 0 {
        into.push(b'-');
    }
    match usize::try_from(scale) {
        Ok(places @ 1..) => {
            let point = digits.len().saturating_sub(places);
            into.extend_from_slice(&digits[at.min(point - 1)..point]);
            into.push(b'.');
            into.extend_from_slice(&digits[point..]);
        }
        _ if number == 0 => into.push(b'0'),
        _ => {
            into.extend_from_slice(&digits[at..]);
            if scale < 0 {
                into.extend(std::iter::repeat_n(b'0', usize::try_from(-scale).unwrap_or(0)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_kept() {
        let nines = "9".repeat(31);
        for (text, scale, number) in [
            ("0", 0, 0),
            ("-0.10", 2, -10),
            ("0.1", 2, 10),
            (".5", 1, 5),
            ("5.", 1, 50),
            ("007", 0, 7),
            ("12300", -2, 123),
            ("1.50000000000000000000000000000000000", 1, 15),
            (nines.as_str(), 0, 9_999_999_999_999_999_999_999_999_999_999),
        ] {
            assert_eq!(read(text.as_bytes(), scale, false), Ok(number), "{text}");
        }
        assert_eq!(read(b"+7", 0, false), Ok(7));
    }

    #[test]
    fn exponents_are_exact() {
        for (text, scale, number) in [
            ("1e2", 0, 100),
            ("1.5E+1", 0, 15),
            ("15e-1", 1, 15),
            ("0E999999999999", 0, 0),
            ("-1200e-2", 0, -12),
        ] {
            assert_eq!(read(text.as_bytes(), scale, true), Ok(number), "{text}");
        }
        assert_eq!(read(b"1e400", 0, true).map_err(|fault| fault.kind), Err(FaultKind::InputTooLong));
        assert_eq!(read(b"1e-400", 5, true).map_err(|fault| fault.kind), Err(FaultKind::FractionTooLong));
    }

    #[test]
    fn what_is_no_number_is_a_fault() {
        use FaultKind::{FractionTooLong, InputTooLong, InvalidCharacter};
        let long = "1".repeat(32);
        for (text, scale, kind) in [
            ("", 0, InvalidCharacter),
            ("-", 0, InvalidCharacter),
            (".", 0, InvalidCharacter),
            ("1.2.3", 2, InvalidCharacter),
            ("1 2", 0, InvalidCharacter),
            ("0x1", 0, InvalidCharacter),
            ("1e2", 0, InvalidCharacter),
            ("--1", 0, InvalidCharacter),
            ("NaN", 0, InvalidCharacter),
            ("0.125", 2, FractionTooLong),
            ("0.001", 2, FractionTooLong),
            ("123", -2, FractionTooLong),
            (long.as_str(), 0, InputTooLong),
        ] {
            assert_eq!(read(text.as_bytes(), scale, false).map_err(|fault| fault.kind), Err(kind), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 {
            let digits = random.u32(0..=28);
            let number = (random.i128(..) % 10i128.pow(digits)) * if random.bool() { 1 } else { -1 };
            let scale = random.i32(-3..20);
            let mut text = Vec::new();
            write(number, scale, &mut text);
            assert_eq!(read(&text, scale, false), Ok(number), "{}", String::from_utf8_lossy(&text));
            assert_eq!(read(&text, scale, true), Ok(number));
        }
    }
}
