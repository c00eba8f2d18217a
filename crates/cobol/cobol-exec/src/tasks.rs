//! Statements that a task may not execute: it ends there, and a warning says so.

use diagnostics::Diagnostic;

use crate::messages::Messages;
use crate::token::{Kind, Token};
use crate::unit::Unit;

/// Names of the console, and of a job's input.
const CONSOLES: [&str; 3] = ["CONSOLE", "SYSIN", "SYSIPT"];

/// Warns of each such statement of a program that runs as a task.
pub(crate) fn check(tokens: &[Token], unit: &Unit, messages: &mut Messages) {
    let procedure = unit.procedure.unwrap_or(unit.tokens.end);
    for at in procedure..unit.tokens.end {
        if let Some((message, help)) = refused(&tokens[at..unit.tokens.end]) {
            messages.add(tokens[at].at, Diagnostic::warning("SPTR088", message).help(help));
        }
    }
}

/// The warning of a statement that begins here, and its help.
fn refused(tokens: &[Token]) -> Option<(&'static str, &'static str)> {
    let (first, second) = (tokens.first()?, tokens.get(1)?);
    match () {
        () if first.is("ACCEPT") && is_of_console(tokens) => Some((
            "a task that comes here ends with 4038: it has no console to read from",
            "use EXEC CICS RECEIVE",
        )),
        () if first.is("CONTINUE") && second.is("AFTER") => Some((
            "a task that comes here ends with 4038: CONTINUE AFTER would hold up others",
            "use EXEC CICS DELAY",
        )),
        () => None,
    }
}

/// Returns true if an ACCEPT reads from the console.
fn is_of_console(tokens: &[Token]) -> bool {
    let device = tokens.iter().skip(1).take_while(|token| !token.is_period() && !is_verb(token));
    let from = device.clone().position(|token| token.is("FROM"));
    let elsewhere = device.clone().any(|token| token.is_any(&["AT", "LINE", "COL", "COLUMN"]));
    from.map_or(!elsewhere, |from| device.clone().nth(from + 1).is_some_and(|name| name.is_any(&CONSOLES)))
}

/// Words with which statements begin, or which divide one.
const VERBS: [&str; 50] = [
    "ACCEPT",
    "ADD",
    "ALLOCATE",
    "ALTER",
    "CALL",
    "CANCEL",
    "CLOSE",
    "COMPUTE",
    "CONTINUE",
    "DELETE",
    "DISPLAY",
    "DIVIDE",
    "ELSE",
    "ENTRY",
    "EVALUATE",
    "EXEC",
    "EXECUTE",
    "EXIT",
    "FREE",
    "GENERATE",
    "GO",
    "GOBACK",
    "IF",
    "INITIALIZE",
    "INITIATE",
    "INSPECT",
    "INVOKE",
    "JSON",
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
    "SENTENCE",
    "SET",
    "SORT",
    "START",
    "STOP",
    "STRING",
    "SUBTRACT",
    "TERMINATE",
    "UNLOCK",
    "UNSTRING",
    "WRITE",
    "XML",
];

/// Returns true if a word begins or ends a statement, or divides one.
fn is_verb(token: &Token) -> bool {
    token.is_any(&VERBS) || (token.kind == Kind::Word && token.upper().starts_with("END-"))
}
