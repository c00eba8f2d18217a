//! Numbers of JSON as decimals.

use super::decimal::Decimal;

/// Digits in front of the decimal point that are kept: no item has more.
const INTEGERS_MAX: usize = 31;
/// Digits that are kept at all.
const DIGITS_MAX: usize = 36;
/// Powers of ten beyond these are none of any item.
const POWER_MAX: i64 = 999;

/// A number taken apart: its digits, of which so many stand in front of the decimal point.
struct Parts {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

/// Returns true if a number is written without decimals and without a power.
pub(super) fn is_whole(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
}

fn parts(text: &[u8]) -> Parts {
    let (negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut split = text.split(|byte| matches!(byte, b'e' | b'E'));
    let mantissa = split.next().unwrap_or_default();
    let power = split.next().map_or(0, power_of);
    let integers = mantissa.iter().take_while(|byte| **byte != b'.').count();
    let all = mantissa.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| byte - b'0');
    let digits: Vec<u8> = all.skip_while(|digit| *digit == 0).collect();
    let written = mantissa.iter().filter(|byte| byte.is_ascii_digit()).count();
    let leading = (written - digits.len()) as i64;
    let point = if digits.is_empty() { 0 } else { integers as i64 - leading + power };
    Parts { negative, digits, point }
}

fn power_of(text: &[u8]) -> i64 {
    let (below, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let digit = |power: i64, byte: &u8| (power * 10 + i64::from(byte.wrapping_sub(b'0'))).min(10 * POWER_MAX);
    let power = digits.iter().fold(0, digit).min(POWER_MAX);
    if below { -power } else { power }
}

/// The digit at a place of a number; the first one in front of the decimal point is 0, the first one behind it −1.
fn digit_at(parts: &Parts, place: i64) -> i128 {
    let index = parts.point - 1 - place;
    usize::try_from(index)
        .ok()
        .and_then(|index| parts.digits.get(index))
        .map_or(0, |digit| i128::from(*digit))
}

/// A number for an item of fixed point: its low digits in front of the decimal point, and whether others are lost.
pub(super) fn decimal_of(text: &[u8]) -> (Decimal, bool) {
    let parts = parts(text);
    let integers = usize::try_from(parts.point).unwrap_or(0);
    let kept = integers.min(INTEGERS_MAX);
    let decimals = (parts.digits.len() as i64 - parts.point).clamp(0, (DIGITS_MAX - kept) as i64);
    let mut value: i128 = 0;
    for place in (-decimals..kept as i64).rev() {
        value = value * 10 + digit_at(&parts, place);
    }
    let value = if parts.negative { -value } else { value };
    (Decimal { value, scale: decimals as i32 }, integers > INTEGERS_MAX)
}

/// A number for an item of floating point: its high digits.
pub(super) fn large_of(text: &[u8]) -> Decimal {
    let parts = parts(text);
    let kept = parts.digits.len().min(INTEGERS_MAX);
    let value = parts.digits[..kept].iter().fold(0, |value: i128, digit| value * 10 + i128::from(*digit));
    let scale = (kept as i64 - parts.point).clamp(-2 * POWER_MAX, 2 * POWER_MAX) as i32;
    Decimal { value: if parts.negative { -value } else { value }, scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_point() {
        let check = |text: &str, value, scale, over| {
            assert_eq!(decimal_of(text.as_bytes()), (Decimal { value, scale }, over), "{text}");
        };
        check("0", 0, 0, false);
        check("-125.53", -12_553, 2, false);
        check("0.05e1", 5, 1, false);
        check("1.5E3", 1500, 0, false);
        check("12e-3", 12, 3, false);
        check("1e999999999999", 0, 0, true);
        check("1e-999999999999", 0, 36, false);
        check("12345678901234567890123456789012345.5", 56_789_012_345_678_901_234_567_890_123_455, 1, true);
    }

    #[test]
    fn floating_point() {
        let check = |text: &str, value, scale| {
            assert_eq!(large_of(text.as_bytes()), Decimal { value, scale }, "{text}");
        };
        check("1.5E70", 15, -69);
        check("-0.001", -1, 3);
        check("0.0", 0, 0);
    }
}
