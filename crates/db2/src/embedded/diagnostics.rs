//! GET DIAGNOSTICS.

use super::Executable;
use super::change::Number;
use crate::mistake::Mistake;
use crate::package::{Action, Count, Diagnostic, DiagnosticItem};
use crate::token::Kind;
use crate::words::Words;

/// GET [CURRENT | STACKED] DIAGNOSTICS :A = item, … | CONDITION n :A = item, …
pub(super) fn read(words: &Words) -> Result<Executable, Mistake> {
    let mut at = 1 + usize::from(words.is_any(1, &["CURRENT", "STACKED"]));
    if !words.is(at, &["DIAGNOSTICS"]) {
        return Err(Mistake::new(words.spot(0), "GET is followed by DIAGNOSTICS"));
    }
    at += 1;
    let mut executable = Executable::plain(Action::Commit);
    let mut items = Vec::new();
    let mut condition: Option<Count> = None;
    while at < words.len() {
        if words.is_any(at, &["CONDITION", "EXCEPTION"]) {
            condition = Number::at(words, at + 1).map(|number| number.behind(&mut executable.inputs));
            at += 2;
            continue;
        }
        let target = words.get(at).filter(|token| token.kind == Kind::Host);
        let item = words.get(at + 2).filter(|_| words.is(at + 1, &["="]));
        let (Some(target), Some(item)) = (target, item) else {
            return Err(Mistake::new(words.spot(at), "GET DIAGNOSTICS takes :VARIABLE = item"));
        };
        executable.targets.push(target.variable);
        items.push(DiagnosticItem { condition, item: diagnostic(&item.text.to_uppercase()) });
        at += 3;
        at += usize::from(words.is(at, &[","]));
    }
    executable.action = Action::Diagnostics(items);
    executable.has_effects = false;
    Ok(executable)
}

fn diagnostic(name: &str) -> Diagnostic {
    match name {
        "ROW_COUNT" => Diagnostic::RowCount,
        "NUMBER" => Diagnostic::Number,
        "MORE" => Diagnostic::More,
        "RETURNED_SQLSTATE" => Diagnostic::ReturnedSqlstate,
        "DB2_RETURNED_SQLCODE" => Diagnostic::ReturnedSqlcode,
        "MESSAGE_TEXT" => Diagnostic::MessageText,
        "DB2_ROW_NUMBER" => Diagnostic::RowNumber,
        "DB2_LAST_ROW" => Diagnostic::LastRow,
        other => Diagnostic::Other(other.to_string()),
    }
}
