//! Tokens to text, with the way back.

use crate::package::{Mark, Text};
use crate::token::{Kind, Token};
use crate::words::Words;

/// A text for PostgreSQL, and the variables of its parameters: the first is that of `$1`.
pub(crate) fn print(words: &Words) -> (Text, Vec<u32>) {
    let mut text = Text::default();
    let mut variables = Vec::new();
    let mut length = 0_u32;
    for token in &words.list {
        let mut piece = match token.kind {
            Kind::Host | Kind::Marker => {
                variables.push(token.variable);
                format!("${}", variables.len())
            }
            _ => spelling(token),
        };
        if !(token.glued || text.sql.is_empty()) || runs_together(&text.sql, &piece) {
            piece.insert(0, ' ');
        }
        let blank = u32::from(piece.starts_with(' '));
        if text.marks.last().is_none_or(|mark| mark.spot != token.spot) {
            text.marks.push(Mark { from: length + blank, spot: token.spot });
        }
        length += piece.chars().count() as u32;
        text.sql += &piece;
    }
    (text, variables)
}

/// Tokens on one line, as the user wrote them.
pub(crate) fn as_written(tokens: &[Token]) -> String {
    let mut out = String::new();
    for token in tokens {
        if !(token.glued || out.is_empty()) {
            out.push(' ');
        }
        out.extend((token.kind == Kind::Host).then_some(':'));
        out += &token.text;
        out.extend(token.indicator.iter().flat_map(|name| [":", name]));
    }
    out
}

/// Returns true if two pieces would become one word.
fn runs_together(before: &str, piece: &str) -> bool {
    let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$' || c == '"');
    word(before.chars().next_back()) && word(piece.chars().next())
}

/// Names that PostgreSQL keeps for itself and Db2 does not: in quotes wherever they stand.
const KEPT: [&str; 30] = [
    "ANALYSE",
    "ANALYZE",
    "ASYMMETRIC",
    "COLLATE",
    "COLLATION",
    "CONCURRENTLY",
    "CURRENT_CATALOG",
    "CURRENT_ROLE",
    "DEFERRABLE",
    "DO",
    "FREEZE",
    "ILIKE",
    "INITIALLY",
    "ISNULL",
    "LATERAL",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "NOTNULL",
    "OVERLAPS",
    "PLACING",
    "RETURNING",
    "SIMILAR",
    "SYMMETRIC",
    "TABLESAMPLE",
    "VARIADIC",
    "VERBOSE",
    "WINDOW",
    "AUTHORIZATION",
    "BINARY",
    "NATURAL",
];

/// A token as PostgreSQL spells it.
fn spelling(token: &Token) -> String {
    match token.kind {
        Kind::Word if needs_quotes(&token.text) => format!("\"{}\"", token.text.to_lowercase()),
        Kind::Word if KEPT.iter().any(|word| token.is(word)) => format!("\"{}\"", token.text.to_lowercase()),
        // What Db2 folds to upper case, PostgreSQL folds to lower case.
        Kind::Delimited if !token.text.chars().any(char::is_lowercase) => token.text.to_lowercase(),
        _ => token.text.clone(),
    }
}

fn needs_quotes(name: &str) -> bool {
    name.starts_with('$') || name.contains(['#', '@'])
}
