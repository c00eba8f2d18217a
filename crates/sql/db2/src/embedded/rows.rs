//! Statements with one row as their result: SELECT INTO, VALUES INTO, SET :H = …

use super::{Executable, with_tail};
use crate::mistake::Mistake;
use crate::package::Action;
use crate::print::print;
use crate::rewrite;
use crate::token::Kind;
use crate::words::Words;

/// SELECT … INTO, WITH … SELECT … INTO, VALUES … INTO.
pub(super) fn select(mut words: Words) -> Result<Executable, Mistake> {
    let first = words.list[0].text.to_uppercase();
    let Some(targets) = take_into(&mut words) else {
        let message = format!("{first} without INTO");
        let help = "a query with several rows is declared as a cursor; one with a single row names its targets: INTO :A, :B";
        return Err(Mistake::new(words.spot(0), message).help(help));
    };
    if words.is(0, &["VALUES"]) {
        let whole = words.is(1, &["("]) && words.close(1) == words.len();
        if whole {
            words.list.pop();
            words.cut(1..2);
        }
        words.put(0..1, "SELECT");
    }
    Ok(row(words, targets))
}

/// A rewritten query whose row goes to the targets.
pub(super) fn row(mut words: Words, targets: Vec<u32>) -> Executable {
    let before = words.clone();
    let tail = rewrite::statement(&mut words);
    let (text, inputs) = print(&words);
    let executable = with_tail(Executable::new(Action::Row, text, inputs), tail, leaves_traces(&before));
    Executable { targets, ..executable }
}

/// Returns true if a query changes something, or asks what the session has changed.
pub(crate) fn leaves_traces(words: &Words) -> bool {
    (0..words.len()).any(|at| {
        words.is(at, &["TABLE", "("]) && at > 0 && words.is_any(at - 1, &["FINAL", "NEW", "OLD"])
            || words.is_any(at, &["IDENTITY_VAL_LOCAL", "PREVVAL"])
            || words.is(at, &["PREVIOUS", "VALUE"])
    })
}

/// Takes INTO and the host variables behind it out; `None` if it is not there.
pub(super) fn take_into(words: &mut Words) -> Option<Vec<u32>> {
    let mut at = 0;
    loop {
        at = words.find_outside(at, &["INTO"])?;
        if words.has_kind(at + 1, Kind::Host) {
            break;
        }
        at += 1;
    }
    let (targets, end) = list(words, at + 1);
    words.cut(at..end);
    Some(targets)
}

/// The host variables of a list, and what stands behind it.
pub(super) fn list(words: &Words, from: usize) -> (Vec<u32>, usize) {
    let mut variables = Vec::new();
    let mut at = from;
    while words.has_kind(at, Kind::Host) {
        variables.push(words.list[at].variable);
        let more = words.is(at + 1, &[","]) && words.has_kind(at + 2, Kind::Host);
        at += 1 + usize::from(more);
        if !more {
            break;
        }
    }
    (variables, at)
}
