//! Values in the texts of statements, and out of the texts of answers.

use std::fmt::Write;
use std::io;

/// The digits of each byte.
const DIGITS: [[u8; 2]; 256] = {
    const DIGIT: &[u8; 16] = b"0123456789abcdef";
    let mut digits = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        digits[byte] = [DIGIT[byte >> 4], DIGIT[byte & 15]];
        byte += 1;
    }
    digits
};

/// Appends bytes as a constant of type bytea.
pub(crate) fn push_bytes(text: &mut String, bytes: &[u8]) {
    text.reserve(bytes.len() * 2 + 12);
    text.push_str("'\\x");
    text.extend(bytes.iter().flat_map(|byte| DIGITS[usize::from(*byte)]).map(char::from));
    text.push_str("'::bytea");
}

/// Bytes as a constant of type bytea.
pub(crate) fn bytes(bytes: &[u8]) -> String {
    let mut text = String::new();
    push_bytes(&mut text, bytes);
    text
}

/// A constant of type text.
pub(crate) fn quoted(value: &str) -> String {
    // A zero byte ends a statement, a backslash is itself.
    format!("'{}'", value.replace('\0', "").replace('\'', "''"))
}

/// Appends a number.
pub(crate) fn push_number(text: &mut String, number: u64) {
    // A text takes everything.
    let _ = write!(text, "{number}");
}

fn odd(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the database answers with {what}"))
}

/// The bytes that stand in an answer.
pub(crate) fn to_bytes(value: &[u8]) -> io::Result<Vec<u8>> {
    let digits = value.strip_prefix(b"\\x").filter(|digits| digits.len() % 2 == 0);
    let digit = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    let bytes = digits.and_then(|digits| digits.chunks_exact(2).map(byte).collect::<Option<Vec<u8>>>());
    bytes.ok_or_else(|| odd("something else than bytes"))
}

/// The number that stands in an answer.
pub(crate) fn to_number(value: &[u8]) -> io::Result<u64> {
    let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| odd("something else than a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_went() {
        let all: Vec<u8> = (0..=255).collect();
        let text = bytes(&all);
        let value =
            text.strip_prefix('\'').and_then(|text| text.strip_suffix("'::bytea")).expect("a constant");
        assert_eq!(to_bytes(value.as_bytes()).expect("bytes"), all);
        assert_eq!(to_bytes(b"\\x").expect("no bytes"), b"");
        for odd in [&b"\\x1"[..], b"\\xg0", b"12", b""] {
            assert!(to_bytes(odd).is_err());
        }
        assert_eq!(quoted("o'clock\0"), "'o''clock'");
        assert_eq!(to_number(b"42").expect("a number"), 42);
        assert!(to_number(b"-1").is_err());
    }
}
