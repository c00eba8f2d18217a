//! A row that a test gives in the place of a database.

use db2::package::Statement;
use sql::codes::Sqlca;
use sql::{Column, Values, oid};

use crate::arguments::{Arguments, put_row};
use crate::trouble::Unreachable;

/// Puts texts into a statement's targets, of arrays into the element of this number; `None` is NULL. Numbers stand in it as people
/// write them. A value that does not fit has the same effect as one of a database's row: the SQLCA says so.
///
/// # Errors
/// A target is not the program's.
pub fn give(
    statement: &Statement,
    element: u32,
    values: &[Option<String>],
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Unreachable> {
    let mut row = Vec::new();
    for value in values {
        match value {
            None => row.extend((-1i32).to_be_bytes()),
            Some(text) => {
                row.extend(i32::try_from(text.len()).unwrap_or(i32::MAX).to_be_bytes());
                row.extend(text.as_bytes());
            }
        }
    }
    let columns = vec![Column::plain(oid::TEXT); values.len()];
    let count = u16::try_from(values.len()).unwrap_or(u16::MAX);
    put_row(statement, element, Values::of(count, &row), &columns, arguments)
}
