//! Numbers of fields: as whole numbers, as text with a decimal point, and floating point of both worlds.

use ebcdic::decimal::{self, MAX_DIGITS};

use crate::layout::Usage;

/// The number in a field without its decimal point; none where the bytes are no number.
pub(crate) fn read_whole(usage: Usage, bytes: &[u8]) -> Option<i128> {
    match usage {
        Usage::Zoned { sign, .. } => decimal::read_zoned(bytes, sign).ok(),
        Usage::Packed { .. } => decimal::unpack(bytes).ok(),
        Usage::Binary { signed, native, .. } => read_binary(bytes, signed, native),
        Usage::Text => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
        Usage::Float | Usage::Opaque => None,
    }
}

/// Writes a number without its decimal point into a field; the error says why it does not fit.
pub(crate) fn write_whole(usage: Usage, number: i128, into: &mut [u8]) -> Result<(), String> {
    match usage {
        Usage::Zoned { sign, .. } => decimal::write_zoned(number, sign, into).map_err(|e| e.to_string()),
        Usage::Packed { signed, digits, .. } => {
            if number.unsigned_abs() >= 10u128.pow(digits.min(MAX_DIGITS) as u32) {
                return Err(format!("the number does not fit in {digits} digits"));
            }
            decimal::pack(number, signed, into).map_err(|e| e.to_string())
        }
        Usage::Binary { signed, native, .. } => write_binary(number, signed, native, into),
        Usage::Text | Usage::Float | Usage::Opaque => Err("the field is no whole number".to_owned()),
    }
}

fn read_binary(bytes: &[u8], signed: bool, native: bool) -> Option<i128> {
    let mut big_endian = bytes.to_vec();
    if native {
        big_endian.reverse();
    }
    let negative = signed && big_endian.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut whole = [if negative { 0xFF } else { 0 }; 16];
    let start = whole.len().checked_sub(big_endian.len())?;
    whole[start..].copy_from_slice(&big_endian);
    let number = i128::from_be_bytes(whole);
    (signed || number >= 0).then_some(number)
}

fn write_binary(number: i128, signed: bool, native: bool, into: &mut [u8]) -> Result<(), String> {
    if number < 0 && !signed {
        return Err("a negative number for an unsigned field".to_owned());
    }
    let whole = number.to_be_bytes();
    let start = whole.len().saturating_sub(into.len());
    into.copy_from_slice(&whole[start..]);
    if native {
        into.reverse();
    }
    if read_binary(into, signed, native) == Some(number) {
        Ok(())
    } else {
        into.fill(0);
        Err(format!("the number does not fit in {} bytes", into.len()))
    }
}

/// A number with its decimal point: `-1234` at scale 2 is `-12.34`, at scale −2 `-123400`.
pub(crate) fn with_point(number: i128, scale: i32) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = number.unsigned_abs().to_string();
    let places = scale.unsigned_abs() as usize;
    if scale <= 0 {
        let zeros = if number == 0 { 0 } else { places };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// The number of a text such as `-12.34`, without its decimal point, at a scale; the error says why it is none.
pub(crate) fn without_point(text: &str, scale: i32) -> Result<i128, String> {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{}", fraction.trim_end_matches('0'));
    if digits.is_empty() && fraction.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err("it is not a number".to_owned());
    }
    let places =
        i32::try_from(fraction.trim_end_matches('0').len()).map_err(|_| "it is too long".to_owned())?;
    let number: i128 = format!("0{digits}").parse().map_err(|_| "it is too large".to_owned())?;
    let shift = scale - places;
    let power = 10i128.checked_pow(shift.unsigned_abs()).ok_or("it is too large")?;
    let number = if shift >= 0 {
        number.checked_mul(power).ok_or("it is too large")?
    } else if number % power == 0 {
        number / power
    } else {
        return Err(format!("it has digits beyond the field's {scale} decimal places"));
    };
    Ok(if text.starts_with('-') { -number } else { number })
}

/// The bias of a hexadecimal exponent.
const HEX_BIAS: i32 = 64;

/// Hexadecimal floating point (z/OS, big-endian) as IEEE (this machine), where it stands.
pub(crate) fn hex_to_ieee(bytes: &mut [u8]) {
    let Some((&first, fraction)) = bytes.split_first() else { return };
    let bits = i32::try_from(fraction.len() * 8).unwrap_or(i32::MAX);
    let fraction = fraction.iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    let exponent = (i32::from(first & 0x7F) - HEX_BIAS) * 4 - bits;
    let magnitude = fraction as f64 * 2f64.powi(exponent);
    write_ieee(if first & 0x80 != 0 { -magnitude } else { magnitude }, bytes);
}

/// IEEE (this machine) as hexadecimal floating point (z/OS), where it stands. What is too large becomes the largest
/// number, what is too small zero.
pub(crate) fn ieee_to_hex(bytes: &mut [u8]) {
    let Some(number) = read_ieee(bytes) else { return };
    let bits = (bytes.len() - 1) * 8;
    let mut magnitude = if number.is_nan() { 0.0 } else { number.abs() };
    let mut exponent = HEX_BIAS;
    while magnitude >= 1.0 && exponent < 127 {
        magnitude /= 16.0;
        exponent += 1;
    }
    while magnitude > 0.0 && magnitude < 1.0 / 16.0 && exponent > 0 {
        magnitude *= 16.0;
        exponent -= 1;
    }
    let full = (1u64 << bits) - 1;
    let fraction = ((magnitude * (1u64 << bits) as f64) as u64).min(full);
    let first = if fraction == 0 { 0 } else { exponent as u8 | if number < 0.0 { 0x80 } else { 0 } };
    let length = bytes.len();
    bytes.copy_from_slice(&fraction.to_be_bytes()[8 - length..]);
    bytes[0] = first;
}

/// A COMP-1 or COMP-2 of this machine.
pub(crate) fn read_ieee(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        4 => Some(f64::from(f32::from_ne_bytes(bytes.try_into().ok()?))),
        8 => Some(f64::from_ne_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

/// Writes a COMP-1 or COMP-2 of this machine.
pub(crate) fn write_ieee(number: f64, into: &mut [u8]) {
    match into.len() {
        4 => into.copy_from_slice(&(number as f32).to_ne_bytes()),
        8 => into.copy_from_slice(&number.to_ne_bytes()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_point() {
        for (number, scale, text) in [
            (-1234, 2, "-12.34"),
            (5, 2, "0.05"),
            (-5, 0, "-5"),
            (12, -3, "12000"),
            (0, -3, "0"),
            (0, 2, "0.00"),
        ] {
            assert_eq!(with_point(number, scale), text);
            assert_eq!(without_point(text, scale), Ok(number));
        }
        assert_eq!(without_point("+7", 2), Ok(700));
        assert_eq!(without_point("7.100", 1), Ok(71));
        assert!(without_point("7.15", 1).is_err());
        assert!(without_point("1234", -3).is_err());
        for text in ["", "-", ".", "1e5", "--1", "1 2"] {
            assert!(without_point(text, 0).is_err(), "{text}");
        }
    }

    #[test]
    fn hexadecimal_floating_point() {
        let cases: [(f64, [u8; 4]); 5] = [
            (0.0, [0, 0, 0, 0]),
            (1.0, [0x41, 0x10, 0, 0]),
            (-118.625, [0xC2, 0x76, 0xA0, 0]),
            (0.5, [0x40, 0x80, 0, 0]),
            (1.0 / 256.0, [0x3F, 0x10, 0, 0]),
        ];
        for (number, hex) in cases {
            let mut bytes = hex;
            hex_to_ieee(&mut bytes);
            assert_eq!(read_ieee(&bytes), Some(number));
            ieee_to_hex(&mut bytes);
            assert_eq!(bytes, hex, "{number}");
        }
        for number in [f64::INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE] {
            let mut bytes = number.to_ne_bytes();
            ieee_to_hex(&mut bytes);
            hex_to_ieee(&mut bytes);
        }
    }

    #[test]
    fn binary_numbers() {
        let usage = |signed, native| Usage::Binary { digits: 4, scale: 0, signed, native };
        let mut bytes = [0; 2];
        write_whole(usage(true, false), -2, &mut bytes).expect("fits");
        assert_eq!(bytes, [0xFF, 0xFE]);
        assert_eq!(read_whole(usage(false, false), &bytes), Some(65534));
        write_whole(usage(true, true), -2, &mut bytes).expect("fits");
        assert_eq!(bytes, [0xFE, 0xFF]);
        assert!(write_whole(usage(true, false), 40000, &mut bytes).is_err());
        assert!(write_whole(usage(false, false), -1, &mut bytes).is_err());
    }
}
