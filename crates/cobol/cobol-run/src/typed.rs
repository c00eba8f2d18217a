//! Bytes for a typed text: an item's new value.

use cobol_types::{Numeric, Type};
use ebcdic::Characters;

use super::decimal::Decimal;
use super::fields::store;

/// The bytes of an item that are to hold a typed value: characters, as they are or in quotation marks; a number;
/// `X'…'`, of any item. `None` if it does not fit.
pub fn bytes_of(text: &str, kind: &Type, length: usize) -> Option<Vec<u8>> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix(['X', 'x']).and_then(quoted) {
        return hexadecimal(digits).filter(|bytes| bytes.len() == length);
    }
    match kind {
        Type::Numeric(numeric) => number(text, *numeric, length),
        Type::Group => characters(text, length),
        kind if kind.is_characters() => characters(text, length),
        _ => None,
    }
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.strip_suffix('\'')
}

fn characters(text: &str, length: usize) -> Option<Vec<u8>> {
    let text = quoted(text).unwrap_or(text);
    let bytes = text.chars().map(|c| Characters::default().byte(c)).collect::<Option<Vec<u8>>>()?;
    let missing = length.checked_sub(bytes.len())?;
    Some(bytes.into_iter().chain(std::iter::repeat_n(b' ', missing)).collect())
}

fn number(text: &str, numeric: Numeric, length: usize) -> Option<Vec<u8>> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let value = format!("{whole}{decimals}").parse().ok()?;
    let number = Decimal { value, scale: i32::try_from(decimals.len()).ok()? };
    if value < 0 && !numeric.signed {
        return None;
    }
    let mut bytes = vec![0; length];
    store(number, numeric, false, true, &mut bytes).then_some(bytes)
}

fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}
