//! GET DIAGNOSTICS: of the statement before.

use db2::package::{Diagnostic, DiagnosticItem, Statement as Source};
use sql::codes::Sqlca;
use sql::{Column, Values, oid};

use crate::arguments::{Arguments, Inputs, put_row};
use crate::conditions::{Condition, Diagnosed};
use crate::trouble::Unreachable;

/// Puts items of the outcome of the statement before into a statement's targets.
pub(crate) fn get(
    last: &Diagnosed,
    (source, items): (&Source, &[DiagnosticItem]),
    inputs: &Inputs,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Unreachable> {
    let (mut columns, mut row) = (Vec::new(), Vec::new());
    for DiagnosticItem { condition, item } in items {
        let asked = condition.map_or(Some(1), |condition| inputs.count(condition)).unwrap_or_default();
        let at = usize::try_from(asked).ok().and_then(|asked| asked.checked_sub(1));
        let condition = match at.and_then(|at| last.conditions.get(at)) {
            Some(condition) => condition.clone(),
            None if condition.is_none() => Condition { row: 0, sqlca: last.sqlca.clone() },
            None => return Ok(Sqlca::error(-393, b"35000").token(asked.to_string())),
        };
        let (oid, value) = value(item, last, asked as i32, &condition);
        columns.push(Column::plain(oid));
        row.extend((value.len() as u32).to_be_bytes());
        row.extend(value);
    }
    put_row(source, 0, Values::of(columns.len() as u16, &row), &columns, arguments)
}

/// An item's type and value, as a result would have it.
fn value(item: &Diagnostic, last: &Diagnosed, at: i32, condition: &Condition) -> (oid::Oid, Vec<u8>) {
    let number = |number: i32| (oid::INT4, number.to_be_bytes().to_vec());
    let text = |text: &str| (oid::BPCHAR, sql::value::sent(text));
    let Condition { row, sqlca } = condition;
    match item {
        Diagnostic::RowCount => number(last.sqlca.details[2]),
        Diagnostic::Number => number(last.conditions.len().max(1) as i32),
        Diagnostic::ReturnedSqlcode => number(sqlca.code),
        Diagnostic::LastRow => number(if last.sqlca.code == 100 { 100 } else { 0 }),
        Diagnostic::ReturnedSqlstate => (oid::BPCHAR, sqlca.state.to_vec()),
        Diagnostic::More => text(if last.is_cut { "Y" } else { "N" }),
        Diagnostic::MessageText => text(&sqlca.message()),
        Diagnostic::RowNumber => number(*row),
        Diagnostic::Other(name, false) => number(other_number(name, at, sqlca)),
        Diagnostic::Other(name, true) => text(&other_text(name, sqlca)),
    }
}

fn other_number(name: &str, at: i32, sqlca: &Sqlca) -> i32 {
    let detail = name.strip_prefix("DB2_SQLERRD").and_then(|number| number.parse::<usize>().ok());
    match name {
        "CONDITION_NUMBER" => at,
        "DB2_TOKEN_COUNT" => sqlca.tokens.len() as i32,
        _ => detail.and_then(|at| sqlca.details.get(at.checked_sub(1)?)).copied().unwrap_or(0),
    }
}

fn other_text(name: &str, sqlca: &Sqlca) -> String {
    let token = name.strip_prefix("DB2_ORDINAL_TOKEN_").and_then(|number| number.parse::<usize>().ok());
    match name {
        "DB2_MODULE_DETECTING_ERROR" => String::from_utf8_lossy(&sqlca.detector).into_owned(),
        "DB2_SQLERRD_SET" => "Y".to_owned(),
        "DB2_TOKEN_STRING" => sqlca.tokens.join(", "),
        _ => token.and_then(|at| sqlca.tokens.get(at.checked_sub(1)?)).cloned().unwrap_or_default(),
    }
}
