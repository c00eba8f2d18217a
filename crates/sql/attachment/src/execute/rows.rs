//! SELECT INTO, SET, VALUES INTO: one row.

use sql::codes::Sqlca;
use sql::one_row;

use super::call::{Call, isolation, leaves, statement};
use crate::arguments::{Arguments, Inputs, put_row};
use crate::statements::parameters;
use crate::thread::Thread;
use crate::trouble::Trouble;

pub(super) async fn one(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let statement = statement(thread, call, "");
    let values = inputs.arguments(parameters(call.source));
    let isolation = isolation(call.source.isolation);
    thread.isolates(isolation)?;
    // A second row is all that has to be known of the others.
    let answer = thread.run(&statement, &values, 2, isolation, leaves(call.source)).await?;
    if let Err(sqlca) = one_row(&answer) {
        return Ok(sqlca);
    }
    if answer.rows.is_adjusted(0) {
        thread.adjusts();
    }
    Ok(put_row(call.source, 0, answer.rows.row(0), answer.columns(), arguments)?)
}
