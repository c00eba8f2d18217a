//! Operands of a statement: keywords with their values, and lists in parentheses.

use std::sync::Arc;

use diagnostics::{Source, TextPlace};

use super::text::{Ch, place, text};

/// A value as it is written.
#[derive(Clone, Debug)]
pub(super) struct Value {
    source: Arc<Source>,
    characters: Vec<Ch>,
    line: usize,
}

/// An operand; a positional one has an empty keyword.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    /// In upper case.
    pub keyword: String,
    /// The place of the keyword, or of a positional operand.
    pub place: TextPlace,
    pub value: Value,
}

impl Value {
    pub fn new(source: &Arc<Source>, characters: Vec<Ch>, line: usize) -> Self {
        Self { source: Arc::clone(source), characters, line }
    }

    pub fn place(&self) -> TextPlace {
        place(&self.source, &self.characters, self.line)
    }

    /// Returns the text as it is written.
    pub fn written(&self) -> String {
        text(&self.characters)
    }

    /// Returns the text without the apostrophes around it; doubled ones inside become one.
    pub fn plain(&self) -> String {
        unquoted(&self.written())
    }

    /// Returns the same in upper case.
    pub fn upper(&self) -> String {
        self.plain().to_ascii_uppercase()
    }

    pub fn is_empty(&self) -> bool {
        self.characters.is_empty()
    }

    pub fn is_list(&self) -> bool {
        let first = self.characters.first().map(|ch| ch.c);
        first == Some('(') && closes_at_end(&self.characters)
    }

    /// Returns the parts of a list in parentheses; of another value, the value itself.
    pub fn list(&self) -> Vec<Self> {
        let inner = match self.is_list() {
            true => &self.characters[1..self.characters.len() - 1],
            false => &self.characters[..],
        };
        split(inner).into_iter().map(|part| Self { characters: part.to_vec(), ..self.clone() }).collect()
    }

    /// Returns the operands of a list of keywords, as in `DCB=(RECFM=FB,LRECL=80)`.
    pub fn operands(&self) -> Vec<Operand> {
        let parts = self.list();
        parts.into_iter().filter(|part| !part.is_empty()).map(|part| operand(&part)).collect()
    }
}

/// Returns the operands of a statement.
pub(super) fn operands(source: &Arc<Source>, characters: &[Ch], line: usize) -> Vec<Operand> {
    let parts = split(characters).into_iter().filter(|part| !part.is_empty());
    parts.map(|part| operand(&Value::new(source, part.to_vec(), line))).collect()
}

fn operand(part: &Value) -> Operand {
    let characters = &part.characters;
    let is_keyword = |ch: &Ch| ch.c.is_ascii_alphanumeric() || "@#$.".contains(ch.c);
    match characters.iter().position(|ch| !is_keyword(ch)) {
        Some(at) if at > 0 && characters[at].c == '=' => Operand {
            keyword: text(&characters[..at]).to_ascii_uppercase(),
            place: place(&part.source, &characters[..at], part.line),
            value: Value { characters: characters[at + 1..].to_vec(), ..part.clone() },
        },
        _ => Operand { keyword: String::new(), place: part.place(), value: part.clone() },
    }
}

/// Splits at commas outside of apostrophes and parentheses.
fn split(characters: &[Ch]) -> Vec<&[Ch]> {
    let (mut depth, mut quoted, mut start) = (0_i32, false, 0);
    let mut parts = Vec::new();
    for (at, ch) in characters.iter().enumerate() {
        match ch.c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(&characters[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&characters[start..]);
    parts
}

/// Returns true if the parenthesis at the start is closed by the last character.
fn closes_at_end(characters: &[Ch]) -> bool {
    let (mut depth, mut quoted) = (0_i32, false);
    for (at, ch) in characters.iter().enumerate() {
        match ch.c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return at + 1 == characters.len();
                }
            }
            _ => {}
        }
    }
    false
}

fn unquoted(value: &str) -> String {
    match value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => value.to_owned(),
    }
}
