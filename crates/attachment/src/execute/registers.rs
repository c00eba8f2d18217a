//! SET of special registers.

use sql::codes::Sqlca;
use sql::{Isolation, Leaves};

use super::{Call, Trouble, statement};
use crate::arguments::Inputs;
use crate::registers::constant;
use crate::statements::parameters;
use crate::thread::Thread;

/// SET CURRENT SQLID, SCHEMA, PATH, DEGREE …: the value is a host variable, a text, or an expression that the server knows.
pub(super) async fn set(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    name: &str,
) -> Result<Sqlca, Trouble> {
    let sql = &call.source.sql.sql;
    let value = if let Some(text) = constant(sql) {
        text
    } else if sql.is_empty() {
        characters(inputs.text(0).unwrap_or_default())
    } else {
        let (statement, values) = (statement(thread, call, ""), inputs.arguments(parameters(call.source)));
        let answer = thread.run(&statement, &values, 1, Isolation::Committed, Leaves::Nothing).await?;
        characters(answer.rows.row(0).next().flatten().unwrap_or_default())
    };
    let path = thread.tcb.settings.search_path.clone();
    thread.registers.set(name, value.trim_end().to_owned(), &path);
    Ok(Sqlca::default())
}

/// Bytes of a session are ISO 8859-1.
fn characters(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}
