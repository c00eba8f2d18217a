//! The value of a field as text, and back.

use crate::layout::{Form, Usage};
use crate::number::{float_text, read_whole, with_point, without_point, write_float, write_whole};

/// The value of a field of z/OS as text.
pub fn value_text(usage: Usage, bytes: &[u8]) -> String {
    value_text_of(Form::Zos, usage, bytes)
}

/// The value of a field as text.
pub(crate) fn value_text_of(form: Form, usage: Usage, bytes: &[u8]) -> String {
    let value = match usage {
        Usage::Text => {
            let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
            Some(text.trim_end_matches(' ').to_owned())
        }
        Usage::Zoned { scale, .. } | Usage::Packed { scale, .. } | Usage::Binary { scale, .. } => {
            read_whole(form, usage, bytes).map(|number| with_point(number, scale))
        }
        Usage::Float => float_text(form, bytes),
        Usage::Address | Usage::Index | Usage::Opaque => None,
    };
    value.unwrap_or_else(|| hex(bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{digits}'")
}

/// The bytes of `X'…'`.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("X'")?.strip_suffix('\'')?;
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

/// Writes a value, or the initial one, into the bytes of a field; the error says why it cannot be.
pub(crate) fn write_value(
    form: Form,
    usage: Usage,
    value: Option<&str>,
    into: &mut [u8],
) -> Result<(), String> {
    match (usage, value) {
        (Usage::Text, value) => write_text(value.unwrap_or_default(), into),
        (_, Some(value)) if value.starts_with("X'") => {
            let bytes = unhex(value).filter(|bytes| bytes.len() == into.len());
            let bytes = bytes.ok_or_else(|| format!("it is not {} bytes in hexadecimal", into.len()))?;
            into.copy_from_slice(&bytes);
            Ok(())
        }
        (Usage::Address | Usage::Index | Usage::Opaque, None) => Ok(()),
        (Usage::Address | Usage::Index | Usage::Opaque, Some(_)) => {
            Err("write it in hexadecimal: X'…'".to_owned())
        }
        (Usage::Float, value) => write_float(form, value.unwrap_or("0"), into),
        (Usage::Zoned { scale, .. } | Usage::Packed { scale, .. } | Usage::Binary { scale, .. }, value) => {
            write_whole(form, usage, value.map_or(Ok(0), |v| without_point(v, scale))?, into)
        }
    }
}

fn write_text(text: &str, into: &mut [u8]) -> Result<(), String> {
    let mut chars = text.chars();
    for byte in into.iter_mut() {
        *byte = match chars.next() {
            None => b' ',
            Some(c) => u8::try_from(c).map_err(|_| format!("{c} is not in ISO 8859-1"))?,
        };
    }
    if chars.next().is_some() {
        return Err(format!("it has more than {} characters", into.len()));
    }
    Ok(())
}
