//! Definitions of what Db2 does not have.

use crate::ddl;
use crate::mistake::Mistake;
use crate::token::Kind;
use crate::words::Words;

/// The words that may follow CREATE and DROP, apart from those that only say where data lie ([`ddl::is_place`]).
const OBJECTS: [&str; 16] = [
    "TABLE",
    "GLOBAL",
    "INDEX",
    "UNIQUE",
    "TYPE",
    "DISTINCT",
    "CLUSTER",
    "VIEW",
    "ALIAS",
    "PUBLIC",
    "SYNONYM",
    "SEQUENCE",
    "PROCEDURE",
    "FUNCTION",
    "SPECIFIC",
    "TRIGGER",
];
/// The words that may follow ALTER.
const ALTERED: [&str; 7] = ["TABLE", "SEQUENCE", "INDEX", "VIEW", "PROCEDURE", "FUNCTION", "TRIGGER"];
/// Objects that have a body.
const ROUTINES: [&str; 3] = ["PROCEDURE", "FUNCTION", "TRIGGER"];

/// Looks at a definition; true if it makes a routine, whose body may have several statements.
///
/// # Errors
/// Db2 has no such object, or the body of a routine is not in SQL.
pub(super) fn check(words: &Words) -> Result<bool, Mistake> {
    if words.is(0, &["ALTER"])
        && !words.is_any(1, &ALTERED)
        && (!ddl::is_place(words, 1) || words.is(1, &["ROLE"]))
    {
        return Err(unknown(words, 1));
    }
    if !words.is_any(0, &["CREATE", "DROP"]) {
        return Ok(false);
    }
    let replaces = words.is(1, &["OR", "REPLACE"]);
    let at = if replaces { 3 } else { 1 };
    if words.is(at, &["ROLE"]) && words.len() > at + 2 {
        return Err(Mistake::new(words.spot(at + 2), "a role of Db2 has no options"));
    }
    if ddl::is_place(words, at) {
        return Ok(false);
    }
    let is_schema = words.is(0, &["CREATE", "SCHEMA"]);
    if !words.is_any(at, &OBJECTS) && !is_schema {
        return Err(unknown(words, at));
    }
    let is_routine = words.is(0, &["CREATE"]) && words.is_any(at, &ROUTINES);
    if is_routine {
        language(words)?;
    }
    Ok(is_routine)
}

/// Nothing of Db2's that is defined here.
fn unknown(words: &Words, at: usize) -> Mistake {
    let verb = words.list[0].text.to_uppercase();
    let object = words.get(at).map(|token| token.text.to_uppercase()).unwrap_or_default();
    Mistake::unsupported(words.spot(at), format!("{verb} {object} is not supported"))
}

/// A routine's body is SQL, and no text that only PostgreSQL would read.
fn language(words: &Words) -> Result<(), Mistake> {
    for at in 0..words.len() {
        if words.is(at, &["LANGUAGE"]) && !words.is(at + 1, &["SQL"]) {
            return Err(Mistake::unsupported(
                words.spot(at),
                "a routine in another language than SQL is not supported",
            ));
        }
        let is_text = words.has_kind(at + 1, Kind::Text) || words.has_kind(at + 1, Kind::Prefixed);
        if words.is(at, &["AS"]) && is_text {
            return Err(Mistake::unsupported(
                words.spot(at + 1),
                "a routine whose body is a text is not supported",
            ));
        }
    }
    Ok(())
}
