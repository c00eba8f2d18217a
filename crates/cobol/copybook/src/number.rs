//! Numbers of fields: as whole numbers, as text with a decimal point, and floating point as text.

use cobol_runtime::Unreadable;
use cobol_runtime::floating::{Hex, Width};
use ebcdic::decimal::{self, MAX_DIGITS};

use crate::layout::{Form, Usage};

/// The number in a field without its decimal point; `None` if the bytes are not a number.
pub(crate) fn read_whole(form: Form, usage: Usage, bytes: &[u8]) -> Option<i128> {
    match usage {
        Usage::Zoned { sign, .. } => decimal::read_zoned(bytes, sign).ok(),
        Usage::Packed { .. } => decimal::unpack(bytes).ok(),
        Usage::Binary { signed, highest_first, .. } => {
            read_binary(bytes, signed, lowest_first(form, highest_first))
        }
        Usage::Text => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
        Usage::Float | Usage::Address | Usage::Index | Usage::Opaque => None,
    }
}

/// Writes a number without its decimal point into a field; the error says why it does not fit.
pub(crate) fn write_whole(form: Form, usage: Usage, number: i128, into: &mut [u8]) -> Result<(), String> {
    match usage {
        Usage::Zoned { sign, .. } => decimal::write_zoned(number, sign, into).map_err(|e| e.to_string()),
        Usage::Packed { signed, digits, .. } => {
            if number.unsigned_abs() >= 10u128.pow(digits.min(MAX_DIGITS) as u32) {
                return Err(format!("the number does not fit in {digits} digits"));
            }
            decimal::pack(number, signed, into).map_err(|e| e.to_string())
        }
        Usage::Binary { signed, highest_first, .. } => {
            write_binary(number, signed, lowest_first(form, highest_first), into)
        }
        Usage::Text | Usage::Float | Usage::Address | Usage::Index | Usage::Opaque => {
            Err("the field is no whole number".to_owned())
        }
    }
}

/// Returns true if a binary number has its lowest byte first.
fn lowest_first(form: Form, highest_first: bool) -> bool {
    !highest_first && form == Form::Gnucobol && cfg!(target_endian = "little")
}

fn read_binary(bytes: &[u8], signed: bool, reversed: bool) -> Option<i128> {
    let mut big_endian = bytes.to_vec();
    if reversed {
        big_endian.reverse();
    }
    let negative = signed && big_endian.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut whole = [if negative { 0xFF } else { 0 }; 16];
    let start = whole.len().checked_sub(big_endian.len())?;
    whole[start..].copy_from_slice(&big_endian);
    let number = i128::from_be_bytes(whole);
    (signed || number >= 0).then_some(number)
}

fn write_binary(number: i128, signed: bool, reversed: bool, into: &mut [u8]) -> Result<(), String> {
    if number < 0 && !signed {
        return Err("a negative number for an unsigned field".to_owned());
    }
    let whole = number.to_be_bytes();
    let start = whole.len().saturating_sub(into.len());
    into.copy_from_slice(&whole[start..]);
    if reversed {
        into.reverse();
    }
    if read_binary(into, signed, reversed) == Some(number) {
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

/// The number of a text such as `-12.34`, without its decimal point, at a scale; the error says why it is not a number.
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

/// The text of a COMP-1 or COMP-2; `None` if other bytes hold the same number, so that the text would not give these
/// again.
pub(crate) fn float_text(form: Form, bytes: &[u8]) -> Option<String> {
    let text = match form {
        Form::Zos => {
            let (hex, width) = (Hex::from_bytes(bytes), width(bytes)?);
            hex.to_bytes(width).filter(|same| same == bytes)?;
            hex.written(width)
        }
        Form::Gnucobol if bytes.len() == Width::Short.length() => (read_ieee(bytes)? as f32).to_string(),
        Form::Gnucobol => read_ieee(bytes)?.to_string(),
    };
    Some(text.strip_suffix(".0").map_or(text.clone(), str::to_owned))
}

/// Writes the number of a text into a COMP-1 or COMP-2; the error says why it cannot be.
pub(crate) fn write_float(form: Form, text: &str, into: &mut [u8]) -> Result<(), String> {
    const NO_NUMBER: &str = "it is not a number";
    match form {
        Form::Zos => {
            let too_large = || "it is too large".to_owned();
            let hex = Hex::read(text.trim()).map_err(|unreadable| match unreadable {
                Unreadable::NoNumber => NO_NUMBER.to_owned(),
                Unreadable::TooGreat => too_large(),
            })?;
            let bytes = width(into).and_then(|width| hex.to_bytes(width)).ok_or_else(too_large)?;
            into.copy_from_slice(&bytes);
        }
        Form::Gnucobol => write_ieee(text.trim().parse().map_err(|_| NO_NUMBER.to_owned())?, into),
    }
    Ok(())
}

fn width(bytes: &[u8]) -> Option<Width> {
    [Width::Short, Width::Long].into_iter().find(|width| width.length() == bytes.len())
}

/// A COMP-1 or COMP-2 of this machine.
fn read_ieee(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        4 => Some(f64::from(f32::from_ne_bytes(bytes.try_into().ok()?))),
        8 => Some(f64::from_ne_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

/// Writes a COMP-1 or COMP-2 of this machine.
fn write_ieee(number: f64, into: &mut [u8]) {
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
    fn floating_point() {
        let mut bytes = [0; 4];
        write_float(Form::Zos, " -118.625 ", &mut bytes).expect("a number");
        assert_eq!(bytes, [0xC2, 0x76, 0xA0, 0]);
        assert_eq!(float_text(Form::Zos, &bytes).as_deref(), Some("-118.625"));
        assert_eq!(write_float(Form::Zos, "1e76", &mut bytes), Err("it is too large".to_owned()));
        assert!(write_float(Form::Zos, "one", &mut bytes).is_err());
        // Not normalized, and a zero with a sign: a text would give other bytes.
        assert_eq!(float_text(Form::Zos, &[0x41, 0x01, 0, 0]), None);
        assert_eq!(float_text(Form::Zos, &[0x80, 0, 0, 0]), None);
        write_float(Form::Gnucobol, "1.5", &mut bytes).expect("a number");
        assert_eq!(bytes, 1.5f32.to_ne_bytes());
        assert_eq!(float_text(Form::Gnucobol, &bytes).as_deref(), Some("1.5"));
    }

    #[test]
    fn binary_numbers() {
        let usage =
            |signed, native| Usage::Binary { digits: 4, scale: 0, signed, native, highest_first: !native };
        let mut bytes = [0; 2];
        for native in [false, true] {
            write_whole(Form::Zos, usage(true, native), -2, &mut bytes).expect("fits");
            assert_eq!(bytes, [0xFF, 0xFE]);
            assert_eq!(read_whole(Form::Zos, usage(false, native), &bytes), Some(65534));
        }
        write_whole(Form::Gnucobol, usage(true, true), -2, &mut bytes).expect("fits");
        assert_eq!(bytes, (-2i16).to_ne_bytes());
        assert!(write_whole(Form::Zos, usage(true, false), 40000, &mut bytes).is_err());
        assert!(write_whole(Form::Zos, usage(false, false), -1, &mut bytes).is_err());
    }
}
