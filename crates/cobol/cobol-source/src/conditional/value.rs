//! Values of compilation variables.

use std::collections::HashMap;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An integer.
    Number(i64),
    /// An alphanumeric literal.
    Text(String),
    /// `B'0'` or `B'1'`.
    Boolean(bool),
}

impl Value {
    /// The kind of value, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::Boolean(_) => "a boolean",
        }
    }
}

/// The value of a literal with its prefix and quotes.
pub(super) fn literal(text: &str) -> Option<Value> {
    let open = text.find(['\'', '"'])?;
    let (prefix, quoted) = text.split_at(open);
    let quote = quoted.chars().next()?;
    let inner = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
    match prefix.to_ascii_uppercase().as_str() {
        "" => Some(Value::Text(inner.replace(&format!("{quote}{quote}"), &quote.to_string()))),
        "B" => match inner {
            "0" => Some(Value::Boolean(false)),
            "1" => Some(Value::Boolean(true)),
            _ => None,
        },
        "X" if inner.len() % 2 == 0 => {
            let pair = |at: usize| u8::from_str_radix(inner.get(at..at + 2)?, 16).ok();
            let bytes: Option<Vec<u8>> = (0..inner.len()).step_by(2).map(pair).collect();
            Some(Value::Text(
                bytes?.into_iter().map(|byte| char::from(crate::members::native_byte(byte))).collect(),
            ))
        }
        _ => None,
    }
}

/// The values in the parentheses of the option DEFINE: `NAME`, `NAME=value`, with commas between them.
pub(super) fn parameters(written: &str) -> HashMap<String, Value> {
    let mut quote = None;
    let separator = |c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        quote.is_none() && c == ','
    };
    let one = |text: &str| {
        let (name, value) =
            text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.trim())));
        let value = match value {
            None => Value::Boolean(true),
            Some(value) => value.parse().ok().map(Value::Number).or_else(|| literal(value))?,
        };
        Some((name.trim().to_ascii_uppercase(), value)).filter(|(name, _)| !name.is_empty())
    };
    written.split(separator).filter_map(one).collect()
}
