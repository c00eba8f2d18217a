//! GET DIAGNOSTICS: of the statement before.

use db2::package::{Diagnostic, DiagnosticItem};
use sql::codes::Sqlca;
use sql::{Column, Values, oid};

use super::{Call, Trouble};
use crate::arguments::{Arguments, put_row};
use crate::thread::Thread;

pub(super) fn get(
    thread: &Thread,
    call: Call<'_>,
    items: &[DiagnosticItem],
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let (columns, values): (Vec<_>, Vec<_>) =
        items.iter().map(|item| value(&item.item, &thread.last)).unzip();
    let mut row = Vec::new();
    for value in &values {
        row.extend((value.len() as u32).to_be_bytes());
        row.extend(value);
    }
    let columns: Vec<Column> = columns.into_iter().map(Column::plain).collect();
    Ok(put_row(call.source, 0, Values::of(values.len() as u16, &row), &columns, arguments)?)
}

/// An item's type and value, as a result would have it.
fn value(item: &Diagnostic, last: &Sqlca) -> (oid::Oid, Vec<u8>) {
    let number = |number: i32| (oid::INT4, number.to_be_bytes().to_vec());
    match item {
        Diagnostic::RowCount => number(last.details[2]),
        Diagnostic::Number => number(1),
        Diagnostic::ReturnedSqlcode => number(last.code),
        Diagnostic::LastRow => number(if last.code == 100 { 100 } else { 0 }),
        Diagnostic::ReturnedSqlstate => (oid::BPCHAR, last.state.to_vec()),
        Diagnostic::More => (oid::BPCHAR, b"N".to_vec()),
        Diagnostic::MessageText => (oid::BPCHAR, last.message().into_bytes()),
        Diagnostic::RowNumber | Diagnostic::Other(_) => number(0),
    }
}
