//! Operators and constants.

use crate::token::{Kind, Token};
use crate::words::Words;

/// Rewrites operators and constants.
pub(crate) fn apply(words: &mut Words) {
    for at in 0..words.len() {
        let token = &words.list[at];
        let new = match token.kind {
            Kind::Sign => operator(&token.text).map(str::to_string),
            Kind::Word if token.is("CONCAT") && !words.is(at + 1, &["("]) => Some("||".to_string()),
            Kind::Word => name(words, at),
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

/// Words that are keywords of both, and that Db2's tables have as columns.
pub(crate) const KEYWORDS_OF_BOTH: [&str; 8] =
    ["LIMIT", "OFFSET", "WINDOW", "LEADING", "TRAILING", "BOTH", "ONLY", "DESC"];

/// Such a word in quotes, where it stands as a name.
fn name(words: &Words, at: usize) -> Option<String> {
    const AROUND: [&str; 13] = [",", ")", ".", "=", "<", ">", "<=", ">=", "<>", "+", "-", "*", "||"];
    let token = &words.list[at];
    if !token.is_any(&KEYWORDS_OF_BOTH) {
        return None;
    }
    let before = at.checked_sub(1).is_some_and(|at| words.is_any(at, &[".", "COLUMN"]));
    let behind = words.is_any(at + 1, &AROUND) && !token.is_any(&["DESC", "ONLY"]);
    (before || behind).then(|| format!("\"{}\"", token.text.to_lowercase()))
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
