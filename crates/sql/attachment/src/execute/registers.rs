//! SET of special registers.

use sql::codes::Sqlca;
use sql::value::{Argument, receive, refused};
use sql::{Isolation, Leaves, Statement};

use super::call::{Call, statement};
use crate::arguments::Inputs;
use crate::registers::constant;
use crate::statements::{SESSION, parameters};
use crate::thread::Thread;
use crate::trouble::Trouble;

/// SET CURRENT SQLID, SCHEMA, PATH, DEGREE …: the value is a host variable, a text, or an expression that the server knows.
pub(super) async fn set(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    name: &str,
) -> Result<Sqlca, Trouble> {
    let value = text(thread, call, inputs).await?;
    keep(thread, name, &value);
    Ok(Sqlca::default())
}

/// Notes a register's new value.
pub(super) fn keep(thread: &mut Thread, name: &str, value: &[u8]) {
    let path = thread.tcb.settings.search_path.clone();
    thread.registers.set(name, SESSION.text(value).trim_end().to_owned(), &path);
}

/// The value of an expression that the server knows.
pub(super) async fn value(
    thread: &mut Thread,
    statement: &Statement,
    values: &[Argument<'_>],
) -> Result<Vec<u8>, Trouble> {
    let answer = thread.run(statement, values, 1, Isolation::Committed, Leaves::Nothing).await?;
    let value = answer.rows.row(0).next().flatten().unwrap_or_default();
    Ok(receive(value).map_err(|unfit| refused(unfit, 1))?.into_owned())
}

/// The text that a statement is about: its first input, a constant, or an expression that the server knows.
pub(super) async fn text(thread: &mut Thread, call: Call<'_>, inputs: &Inputs) -> Result<Vec<u8>, Trouble> {
    let sql = &call.source.sql.sql;
    if let Some(text) = constant(sql) {
        return Ok(SESSION.bytes(&text));
    }
    if sql.is_empty() {
        return Ok(inputs.text(0).unwrap_or_default().to_vec());
    }
    let (statement, values) = (statement(thread, call, ""), inputs.arguments(parameters(call.source)));
    value(thread, &statement, &values).await
}
