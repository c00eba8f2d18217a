//! Where the COBOL compiler gives a phrase to another statement than the published language does.
//!
//! To the compiler DISPLAY and ACCEPT have exception phrases of their own. Published, they have none: behind one of them
//! within CALL, XML or JSON, `NOT ON EXCEPTION` goes with the outer statement. So the inner one is ended in front of it.

use crate::edits::Edits;
use crate::token::{Kind, Token};

/// Statements that take exception phrases, and the words that end them.
const OUTER: [(&str, &str); 3] = [("CALL", "END-CALL"), ("XML", "END-XML"), ("JSON", "END-JSON")];
/// Statements to which the compiler gives such phrases, and the words that end them.
const INNER: [(&str, &str); 2] = [("ACCEPT", "END-ACCEPT"), ("DISPLAY", "END-DISPLAY")];
/// Words with which other statements begin: they end an inner one.
const VERBS: [&str; 37] = [
    "ADD",
    "ALLOCATE",
    "ALTER",
    "CALL",
    "CANCEL",
    "CLOSE",
    "COMPUTE",
    "CONTINUE",
    "DELETE",
    "DIVIDE",
    "EVALUATE",
    "EXEC",
    "EXECUTE",
    "EXIT",
    "FREE",
    "GO",
    "GOBACK",
    "IF",
    "INITIALIZE",
    "INSPECT",
    "MERGE",
    "MOVE",
    "MULTIPLY",
    "OPEN",
    "PERFORM",
    "READ",
    "RELEASE",
    "RETURN",
    "REWRITE",
    "SEARCH",
    "SET",
    "SORT",
    "START",
    "STOP",
    "STRING",
    "SUBTRACT",
    "WRITE",
];

/// Ends the inner statements among these tokens of a procedure division where it is needed; `first` is the place of the
/// first token.
pub(crate) fn close(tokens: &[Token], first: usize, edits: &mut Edits) {
    let mut outer = 0usize;
    let mut inner = None;
    for (place, token) in
        tokens.iter().enumerate().filter(|(_, token)| matches!(token.kind, Kind::Word | Kind::Period))
    {
        let ends = |statements: &[(&str, &str)]| statements.iter().any(|(_, end)| token.is(end));
        if token.is_period() {
            (outer, inner) = (0, None);
        } else if ends(&OUTER) {
            (outer, inner) = (outer.saturating_sub(1), None);
        } else if let Some((_, end)) = INNER.iter().find(|(verb, _)| token.is(verb)) {
            inner = Some(*end);
        } else if OUTER.iter().any(|(verb, _)| token.is(verb)) {
            (outer, inner) = (outer + 1, None);
        } else if ends(&INNER) || token.is_any(&VERBS) {
            inner = None;
        } else if outer > 0
            && is_exception_phrase(&tokens[place..])
            && let Some(end) = inner.take()
        {
            edits.insert(first + place, vec![Token::made(end, token.at)]);
        }
    }
}

/// Whether an exception phrase begins here: `[NOT] [ON] EXCEPTION`.
fn is_exception_phrase(tokens: &[Token]) -> bool {
    let behind = |at: usize, word| at + usize::from(tokens.get(at).is_some_and(|token| token.is(word)));
    let at = behind(behind(0, "NOT"), "ON");
    tokens.get(at).is_some_and(|token| token.is("EXCEPTION"))
}

/// Whether a word begins or ends a statement, or divides one.
pub(crate) fn is_verb(token: &Token) -> bool {
    const OTHERS: [&str; 9] =
        ["ELSE", "SENTENCE", "INITIATE", "GENERATE", "TERMINATE", "UNSTRING", "INVOKE", "ENTRY", "UNLOCK"];
    token.is_any(&VERBS)
        || token.is_any(&OTHERS)
        || [OUTER.as_slice(), &INNER].concat().iter().any(|(verb, _)| token.is(verb))
        || (token.kind == Kind::Word && token.upper().starts_with("END-"))
}
