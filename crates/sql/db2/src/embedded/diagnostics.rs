//! GET DIAGNOSTICS.

use super::Executable;
use super::number::Number;
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
        let Some(known) = diagnostic(&item.text.to_uppercase()) else {
            let message = format!("GET DIAGNOSTICS has no item {}", item.text);
            return Err(
                Mistake::new(item.spot, message).help("items are ROW_COUNT, NUMBER, RETURNED_SQLSTATE …")
            );
        };
        items.push(DiagnosticItem { condition, item: known });
        at += 3;
        at += usize::from(words.is(at, &[","]));
    }
    executable.action = Action::Diagnostics(items);
    executable.has_effects = false;
    Ok(executable)
}

/// Items that are numbers, and of which nothing more is known here.
const NUMBERS: [&str; 22] = [
    "CONDITION_NUMBER",
    "DB2_CONNECTION_STATE",
    "DB2_CONNECTION_STATUS",
    "DB2_ERROR_CODE1",
    "DB2_ERROR_CODE2",
    "DB2_ERROR_CODE3",
    "DB2_ERROR_CODE4",
    "DB2_INTERNAL_ERROR_POINTER",
    "DB2_LINE_NUMBER",
    "DB2_NUMBER_PARAMETER_MARKERS",
    "DB2_NUMBER_RESULT_SETS",
    "DB2_NUMBER_ROWS",
    "DB2_REASON_CODE",
    "DB2_RETURN_STATUS",
    "DB2_SQLERRD1",
    "DB2_SQLERRD2",
    "DB2_SQLERRD3",
    "DB2_SQLERRD4",
    "DB2_SQLERRD5",
    "DB2_SQLERRD6",
    "DB2_SQL_NESTING_LEVEL",
    "DB2_TOKEN_COUNT",
];

/// The same for texts. Tokens have their number behind them.
const TEXTS: [&str; 18] = [
    "CATALOG_NAME",
    "CURSOR_NAME",
    "DB2_AUTHENTICATION_TYPE",
    "DB2_AUTHORIZATION_ID",
    "DB2_ENCRYPTION_TYPE",
    "DB2_GET_DIAGNOSTICS_DIAGNOSTICS",
    "DB2_MESSAGE_ID",
    "DB2_MODULE_DETECTING_ERROR",
    "DB2_PRODUCT_ID",
    "DB2_SERVER_CLASS_NAME",
    "DB2_SQLERRD_SET",
    "DB2_SQL_ATTR_CURSOR_HOLD",
    "DB2_SQL_ATTR_CURSOR_ROWSET",
    "DB2_SQL_ATTR_CURSOR_SCROLLABLE",
    "DB2_SQL_ATTR_CURSOR_SENSITIVITY",
    "DB2_SQL_ATTR_CURSOR_TYPE",
    "DB2_TOKEN_STRING",
    "SERVER_NAME",
];
const TOKEN: &str = "DB2_ORDINAL_TOKEN_";

fn diagnostic(name: &str) -> Option<Diagnostic> {
    Some(match name {
        "ROW_COUNT" => Diagnostic::RowCount,
        "NUMBER" => Diagnostic::Number,
        "MORE" => Diagnostic::More,
        "RETURNED_SQLSTATE" => Diagnostic::ReturnedSqlstate,
        "DB2_RETURNED_SQLCODE" => Diagnostic::ReturnedSqlcode,
        "MESSAGE_TEXT" => Diagnostic::MessageText,
        "DB2_ROW_NUMBER" => Diagnostic::RowNumber,
        "DB2_LAST_ROW" => Diagnostic::LastRow,
        _ if NUMBERS.contains(&name) => Diagnostic::Other(name.to_string(), false),
        _ if TEXTS.contains(&name) || name.starts_with(TOKEN) => Diagnostic::Other(name.to_string(), true),
        _ => return None,
    })
}
