//! Operators and constants.

use super::names;
use crate::token::{Kind, Token};
use crate::words::Words;

/// Rewrites operators and constants.
pub(crate) fn apply(words: &mut Words) {
    for at in 0..words.len() {
        let token = &words.list[at];
        let new = match token.kind {
            Kind::Sign => operator(&token.text).map(str::to_string),
            Kind::Word if token.is("CONCAT") && !words.is(at + 1, &["("]) => Some("||".to_string()),
            Kind::Word if names::is_name(words, at) => Some(format!("\"{}\"", token.text.to_lowercase())),
            Kind::Text => timestamp(&token.text),
            Kind::Prefixed => prefixed(token),
            _ => None,
        };
        if let Some(new) = new {
            words.put(at..at + 1, new);
        }
    }
}

fn operator(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "¬=" | "^=" | "~=" | "!=" => "<>",
        "¬<" | "^<" | "!<" => ">=",
        "¬>" | "^>" | "!>" => "<=",
        "!!" => "||",
        _ => return None,
    })
}

/// A timestamp as Db2 writes it: `2026-01-31-10.30.00.123456`.
fn timestamp(text: &str) -> Option<String> {
    const SHAPE: &str = "'0000-00-00-00.00.00";
    let bytes = text.as_bytes();
    let alike = |shape: u8, byte: u8| if shape == b'0' { byte.is_ascii_digit() } else { shape == byte };
    let is_timestamp =
        bytes.len() > SHAPE.len() && SHAPE.bytes().zip(bytes.iter()).all(|(s, b)| alike(s, *b));
    is_timestamp.then(|| format!("{} {}:{}:{}", &text[..11], &text[12..14], &text[15..17], &text[18..]))
}

/// Hexadecimal constants are bytes; those of double-byte characters are texts.
fn prefixed(token: &Token) -> Option<String> {
    let (prefix, rest) = token.text.split_once('\'')?;
    let value = rest.strip_suffix('\'')?;
    Some(match &*prefix.to_uppercase() {
        "X" | "BX" => format!("'\\x{}'::bytea", value.to_lowercase()),
        "UX" => {
            let units: Vec<String> =
                value.as_bytes().chunks(4).map(|unit| String::from_utf8_lossy(unit).into()).collect();
            let escapes: String = units.iter().map(|unit| format!("\\{unit}")).collect();
            format!("U&'{escapes}'")
        }
        _ => format!("'{value}'"),
    })
}
