//! Statements in the bodies of routines. What a body makes at run time goes to PostgreSQL unread: so it may be no more than a
//! constant, which is read here.

use super::check as check_statement;
use crate::letters::Letters;
use crate::lexer::lex;
use crate::mistake::Mistake;
use crate::token::Kind;
use crate::words::Words;

/// Words in front of a statement.
const BEFORE: [&str; 7] = [";", "BEGIN", "ATOMIC", "THEN", "ELSE", "DO", "LOOP"];
/// Statements of PostgreSQL that a body would pass on to it.
const FOREIGN: [&str; 24] = [
    "ABORT",
    "ANALYZE",
    "CHECKPOINT",
    "CLUSTER",
    "COPY",
    "DEALLOCATE",
    "DISCARD",
    "DO",
    "EXPLAIN",
    "IMPORT",
    "LISTEN",
    "LOAD",
    "MOVE",
    "NOTIFY",
    "PERFORM",
    "PREPARE",
    "REASSIGN",
    "REFRESH",
    "REINDEX",
    "RESET",
    "SECURITY",
    "SHOW",
    "UNLISTEN",
    "VACUUM",
];

/// Looks through the body of a routine.
///
/// # Errors
/// A statement of it is none of Db2's, or is made at run time.
pub(super) fn check(words: &Words) -> Result<(), Mistake> {
    for at in 0..words.len() {
        let begins = at > 0 && words.is_any(at - 1, &BEFORE);
        if begins && words.is_any(at, &FOREIGN) {
            let message = format!("{} is not supported in a routine", words.list[at].text.to_uppercase());
            return Err(Mistake::unsupported(words.spot(at), message));
        }
        let is_other = words.is(at, &["ALTER"]) && !words.is_any(at + 1, &["TABLE", "SEQUENCE"]);
        if begins && is_other {
            return Err(Mistake::unsupported(words.spot(at), "this ALTER is not supported in a routine"));
        }
        if begins && words.is_any(at, &["CREATE", "DROP"]) {
            let end = (at..words.len()).find(|at| words.is(*at, &[";"])).unwrap_or(words.len());
            check_statement(&Words::new(words.list[at..end].to_vec()))?;
        }
        if words.is(at, &["EXECUTE"]) && !words.is_any(at + 1, &["FUNCTION", "PROCEDURE"]) {
            made(words, at)?;
        }
    }
    Ok(())
}

/// EXECUTE IMMEDIATE of a constant.
fn made(words: &Words, at: usize) -> Result<(), Mistake> {
    let text = words.get(at + 2).filter(|_| words.is(at + 1, &["IMMEDIATE"]) && words.is(at + 3, &[";"]));
    let Some(text) = text.filter(|text| text.kind == Kind::Text) else {
        let message = "a statement that a routine makes at run time is not supported";
        return Err(
            Mistake::unsupported(words.spot(at), message).help("write EXECUTE IMMEDIATE 'the statement'")
        );
    };
    let inner = text.text.trim_matches('\'').replace("''", "'");
    let mut inner = Words::new(lex(&Letters::plain(&inner))?);
    inner.list.iter_mut().for_each(|token| token.spot = text.spot);
    const VERBS: [&str; 8] = ["INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "CALL"];
    if !inner.is_any(0, &VERBS) {
        return Err(Mistake::unsupported(text.spot, "this statement cannot be made by a routine"));
    }
    if inner.is_any(0, &["ALTER"]) && !inner.is_any(1, &["TABLE", "SEQUENCE"]) {
        return Err(Mistake::unsupported(text.spot, "this statement cannot be made by a routine"));
    }
    check_statement(&inner)
}
