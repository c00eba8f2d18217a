//! The guard of what PostgreSQL has and Db2 does not: catalogue, functions, statements. A program reaches none of them,
//! neither in its text nor in what it makes at run time.
//!
//! The names are lists: PostgreSQL's functions whose names are no function of Db2's (`functions.txt`), and the relations of its
//! catalogue (`relations.txt`). A function that is in neither is the application's own. A region's private server refuses them
//! to programs as well, whatever stands in a text.

mod bodies;
mod definitions;

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::mistake::Mistake;
use crate::token::{Kind, Token};
use crate::words::Words;

/// Functions of PostgreSQL that Db2 does not have.
static FUNCTIONS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("functions.txt").split_whitespace().collect());
/// Relations of PostgreSQL's catalogue.
static RELATIONS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("relations.txt").split_whitespace().collect());
/// Schemas that are PostgreSQL's or Syncpoint's. Those whose names begin with `pg_` are PostgreSQL's, too.
const SCHEMAS: [&str; 3] = ["information_schema", "db2", "syncpoint"];
/// Words in front of a name that is no function though a parenthesis follows it.
const NAMING: [&str; 20] = [
    ".",
    "AS",
    "INTO",
    "TABLE",
    "UPDATE",
    "JOIN",
    "EXISTS",
    "INNER",
    "OUTER",
    "REFERENCES",
    "WITH",
    "INDEX",
    "KEY",
    "CONSTRAINT",
    "VIEW",
    "PROCEDURE",
    "FUNCTION",
    "SEQUENCE",
    "TYPE",
    "TRIGGER",
];

/// Looks through a statement as it was written, before any of it is rewritten.
///
/// # Errors
/// It names what Db2 does not have, or is more than one statement.
pub(crate) fn check(words: &Words) -> Result<(), Mistake> {
    let is_routine = definitions::check(words)?;
    for at in 0..words.len() {
        let token = &words.list[at];
        match token.kind {
            Kind::Word | Kind::Delimited => name(words, at)?,
            Kind::Sign if !is_routine && token.is(";") => {
                let message = "this is more than one statement";
                return Err(Mistake::new(token.spot, message).help("write them one by one"));
            }
            Kind::Text => prefix(words, at)?,
            _ => {}
        }
        if !is_routine && token.is("INTO") {
            into(words, at)?;
        }
    }
    if is_routine { bodies::check(words) } else { Ok(()) }
}

/// A name that is PostgreSQL's.
fn name(words: &Words, at: usize) -> Result<(), Mistake> {
    let token = &words.list[at];
    let name = token.name().to_lowercase();
    let is_before = |word: &str| at.checked_sub(1).is_some_and(|before| words.is(before, &[word]));
    if token.kind == Kind::Delimited {
        prefix(words, at)?;
    }
    if words.is(at + 1, &["."]) && (name.starts_with("pg_") || SCHEMAS.contains(&&*name)) {
        let function = words.is(at + 3, &["("]) && is_function(words, at, at + 2);
        return Err(undefined(words, at + 2, function));
    }
    if is_before(".") {
        // It belongs to a table or a schema of the application.
        return Ok(());
    }
    if words.is(at + 1, &["("]) && is_function(words, at, at) && FUNCTIONS.contains(&*name) {
        return Err(undefined(words, at, true));
    }
    if RELATIONS.contains(&*name) { Err(undefined(words, at, false)) } else { Ok(()) }
}

/// Returns true if the name whose first part stands at `first` and whose last at `last`, in front of a parenthesis, is called.
fn is_function(words: &Words, first: usize, last: usize) -> bool {
    if first.checked_sub(1).is_some_and(|before| words.is_any(before, &NAMING)) {
        return false;
    }
    // CREATE INDEX X ON T (A), and a second table of WITH: its columns stand behind it.
    let on = first > 0 && words.is(first - 1, &["ON"]) && words.is(0, &["CREATE"]);
    let with = words.is(words.close(last + 1), &["AS", "("]);
    !on && !with
}

/// Db2 knows no such object.
fn undefined(words: &Words, at: usize, is_function: bool) -> Mistake {
    let name = words.get(at).map(Token::name).unwrap_or_default();
    if is_function {
        Mistake::no_function(words.spot(at), &name)
    } else {
        Mistake::no_name(words.spot(at), &name)
    }
}

/// `E'…'`, `B'…'`, `U&'…'`, `U&"…"`: PostgreSQL reads what stands in the quotes otherwise.
fn prefix(words: &Words, at: usize) -> Result<(), Mistake> {
    let glued = words.list[at].glued;
    let front = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
    let is = |back: usize, word: &str| front(back).is_some_and(|token| token.is(word));
    let of_text = words.list[at].kind == Kind::Text && (is(1, "E") || is(1, "B"));
    if glued && (of_text || is(1, "&") && is(2, "U")) {
        return Err(Mistake::new(words.spot(at), "Db2 has no constant or name with this prefix"));
    }
    Ok(())
}

/// INTO has host variables behind it, or a table that rows go into. PostgreSQL would make a table of any other name.
fn into(words: &Words, at: usize) -> Result<(), Mistake> {
    let is_change = at > 0 && words.is_any(at - 1, &["INSERT", "MERGE"]);
    let has_variable = words.has_kind(at + 1, Kind::Host) || words.has_kind(at + 1, Kind::Marker);
    let has_area = words.is(at + 1, &["DESCRIPTOR"]);
    if is_change || has_variable || has_area {
        return Ok(());
    }
    Err(Mistake::new(words.spot(at), "INTO without a host variable").help("write INTO :VARIABLE"))
}

#[cfg(test)]
mod tests;
