//! INSERT, UPDATE, DELETE, MERGE: by themselves, for many rows, where a cursor stands.

use db2::package::{Change, Count};
use sql::codes::Sqlca;
use sql::value::Argument;
use sql::{Failure, Isolation, Leaves, Statement};

use super::{Call, Trouble, isolation, statement};
use crate::arguments::{Arguments, Inputs};
use crate::statements::parameters;
use crate::thread::Thread;

/// Rows of one INSERT at most.
const ROWS_MAX: i64 = 32_767;

pub(super) async fn change(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    change: Change,
) -> Result<Sqlca, Trouble> {
    let statement = statement(thread, call, "");
    let values = inputs.arguments(parameters(call.source));
    let isolation = isolation(call.source.isolation);
    let answer = thread.run(&statement, &values, 0, isolation, Leaves::Something).await?;
    Ok(counted(answer.part(0).count, change))
}

/// Rows that were changed; none is +100, but for VALUES.
pub(super) fn counted(rows: u64, change: Change) -> Sqlca {
    match change {
        Change::InsertValues => Sqlca::default().counting(rows),
        _ if rows == 0 => Sqlca::not_found(),
        _ => Sqlca::default().counting(rows),
    }
}

/// Once for each element of arrays.
pub(super) async fn rows(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    (_, rows, atomic): (Change, Count, bool),
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let rows = number(inputs, rows).filter(|rows| (0..=ROWS_MAX).contains(rows));
    let rows = rows.ok_or_else(|| Sqlca::error(-246, b"42873"))?;
    let statement = statement(thread, call, "");
    let mut sets = Vec::new();
    for element in 0..rows as u32 {
        sets.push(Inputs::read(call.source, element, arguments)??);
    }
    let count = parameters(call.source);
    let sets: Vec<_> = sets.iter().map(|set| set.arguments(count)).collect();
    let unit = thread.unit().await?;
    if atomic {
        let done = unit.run_each(&statement, &sets, Isolation::Committed).await;
        return Ok(Sqlca::default().counting(done.map_err(|(_, failure)| failure)?));
    }
    let (mut inserted, mut has_failed) = (0, false);
    for set in &sets {
        match unit.run(&statement, set, 0, Isolation::Committed, Leaves::Something).await {
            Ok(answer) => inserted += answer.part(0).count,
            Err(failure @ Failure::Lost(_)) => return Err(failure.into()),
            Err(_) => has_failed = true,
        }
    }
    let mut sqlca = Sqlca::default().counting(inserted);
    if has_failed {
        (sqlca.code, sqlca.state) = (252, *b"01659");
    }
    Ok(sqlca)
}

pub(super) fn number(inputs: &Inputs, count: Count) -> Option<i64> {
    match count {
        Count::Literal(number) => Some(number.into()),
        Count::Input(input) => inputs.number(input.into()),
    }
}

/// WHERE CURRENT OF.
pub(super) async fn positioned(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    (change, cursor): (Change, u16),
) -> Result<Sqlca, Trouble> {
    let current = current_of(thread, call, cursor)?;
    let statement = statement(thread, call, &current);
    let values = inputs.arguments(parameters(call.source));
    change_current(thread, call, &statement, &values, (change, cursor)).await
}

/// What stands behind a change so that it concerns the row on which a cursor is.
pub(super) fn current_of(thread: &Thread, call: Call<'_>, cursor: u16) -> Result<String, Trouble> {
    let open = thread.cursors.get(&(call.level, call.token, cursor));
    Ok(open.ok_or_else(|| Sqlca::error(-507, b"24501"))?.current_of()?)
}

/// Runs a change of the row on which a cursor is.
pub(super) async fn change_current(
    thread: &mut Thread,
    call: Call<'_>,
    statement: &Statement,
    values: &[Argument<'_>],
    (change, cursor): (Change, u16),
) -> Result<Sqlca, Trouble> {
    let answer = thread.run(statement, values, 0, Isolation::Committed, Leaves::Something).await?;
    let open = thread.cursors.get_mut(&(call.level, call.token, cursor));
    if let (Change::Delete, Some(open)) = (change, open) {
        open.leave_row();
    }
    Ok(Sqlca::default().counting(answer.part(0).count))
}
