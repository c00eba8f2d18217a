//! INSERT, UPDATE, DELETE, MERGE: by themselves, for many rows, at a cursor's row.

use db2::package::{Action, Change, Count};
use sql::codes::Sqlca;
use sql::value::{Argument, Field};
use sql::{Current, Failure, Isolation, Leaves, Statement};

use super::call::{Call, doing, isolation, statement};
use crate::arguments::{Arguments, Inputs};
use crate::conditions::Condition;
use crate::rowset::elements;
use crate::statements::parameters;
use crate::thread::Thread;
use crate::trouble::Trouble;

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

/// A change for many rows.
#[derive(Clone, Copy)]
pub(super) struct Many {
    pub(super) change: Change,
    pub(super) rows: Count,
    /// All of them, or none.
    pub(super) atomic: bool,
}

/// Once for each element of arrays.
pub(super) async fn rows(
    thread: &mut Thread,
    call: Call<'_>,
    statement: &Statement,
    inputs: &Inputs,
    many: Many,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let rows = elements(call.source, inputs, many.rows)?;
    let mut sets = Vec::new();
    for element in 0..rows {
        sets.push(Inputs::read(call.source, element, arguments)??);
    }
    let count = parameters(call.source);
    let sets: Vec<_> = sets.iter().map(|set| set.arguments(count)).collect();
    if many.atomic {
        let isolation = thread.wants;
        let done = thread.unit().await?.run_each(statement, &sets, isolation).await;
        let answer = done.map_err(|(at, failure)| {
            thread.notes.failing_row = at as i32 + 1;
            failure
        })?;
        return Ok(counted(answer.count(), many.change));
    }
    let mut done = 0;
    for (at, set) in sets.iter().enumerate() {
        let isolation = thread.wants;
        let ran = thread.unit().await?.run(statement, set, 0, isolation, Leaves::Something).await;
        match ran {
            Ok(answer) => done += answer.part(0).count,
            Err(failure) => {
                let sqlca = Sqlca::of(&failure, doing(&Action::Change(many.change)), thread.scope);
                if matches!(failure, Failure::Lost(_)) || sqlca.code == -911 {
                    return Err(failure.into());
                }
                thread.notes.note(Condition { row: at as i32 + 1, sqlca });
            }
        }
    }
    let sqlca = match (thread.notes.has_noted(), done) {
        (false, _) => return Ok(counted(done, many.change)),
        (true, 0) => Sqlca::error(-254, b"22530"),
        (true, _) => Sqlca::error(-253, b"22529"),
    };
    Ok(sqlca.counting(done))
}

/// WHERE CURRENT OF.
#[derive(Clone, Copy)]
pub(super) struct Positioned {
    pub(super) change: Change,
    pub(super) cursor: u16,
    /// FOR ROW n OF ROWSET, from 1.
    pub(super) row: Option<i64>,
}

/// The rows that it concerns.
pub(super) enum Concerned {
    /// The one that a portal is on: the words after the change.
    Portal(String),
    /// Those at these places: each with its number in the rowset.
    Places { more: String, rows: Vec<(usize, Box<[u8]>)> },
}

impl Concerned {
    /// Finds the rows that a positioned change concerns; the change itself has so many parameters.
    pub(super) fn of(
        thread: &Thread,
        call: Call<'_>,
        Positioned { cursor, row, .. }: Positioned,
        parameters: usize,
    ) -> Result<Self, Trouble> {
        let open = thread.cursors.get(&(call.level, call.token, cursor));
        let open = open.ok_or_else(|| Sqlca::error(-507, b"24501"))?;
        let current = open.current()?;
        if let Some(row) = row.filter(|row| !(1..=open.size() as i64).contains(row)) {
            let name = call.package.cursor(cursor).map_or("", |declared| &declared.name);
            return Err(Sqlca::error(-248, b"24521").token(name).token(row.to_string()).into());
        }
        let places = match current {
            Current::Portal(more) => return Ok(Self::Portal(more)),
            Current::Places(places) => places.iter().enumerate(),
        };
        let is_meant = |number: usize| row.is_none_or(|row| number as i64 + 1 == row);
        let rows: Vec<_> = places
            .filter(|(number, _)| is_meant(*number))
            .filter_map(|(number, place)| Some((number, place.clone()?)))
            .collect();
        if rows.is_empty() {
            return Err(gone());
        }
        let more = format!(" WHERE ctid = ${}::text::tid RETURNING ctid::text", parameters + 1);
        Ok(Self::Places { more, rows })
    }

    pub(super) fn more(&self) -> &str {
        match self {
            Self::Portal(more) | Self::Places { more, .. } => more,
        }
    }
}

/// The row is not there any more.
fn gone() -> Trouble {
    Sqlca::error(-508, b"24504").into()
}

pub(super) async fn positioned(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    (change, cursor, row): (Change, u16, Option<Count>),
) -> Result<Sqlca, Trouble> {
    let parameters = parameters(call.source);
    let row = row.map(|row| inputs.count(row).unwrap_or_default());
    let positioned = Positioned { change, cursor, row };
    let concerned = Concerned::of(thread, call, positioned, parameters)?;
    let statement = statement(thread, call, concerned.more());
    change_current(thread, call, &statement, &inputs.arguments(parameters), positioned, concerned).await
}

/// Runs a change of the rows on which a cursor is: of all of them, or of none.
pub(super) async fn change_current(
    thread: &mut Thread,
    call: Call<'_>,
    statement: &Statement,
    values: &[Argument<'_>],
    Positioned { change, cursor, .. }: Positioned,
    concerned: Concerned,
) -> Result<Sqlca, Trouble> {
    let is_delete = change == Change::Delete;
    let name = (call.level, call.token, cursor);
    let rows = match concerned {
        Concerned::Portal(_) => {
            let answer = thread.run(statement, values, 0, Isolation::Committed, Leaves::Something).await?;
            if is_delete && let Some(open) = thread.cursors.get_mut(&name) {
                open.move_row(0, None);
            }
            return Ok(Sqlca::default().counting(answer.part(0).count));
        }
        Concerned::Places { rows, .. } => rows,
    };
    let sets: Vec<Vec<Argument<'_>>> = rows
        .iter()
        .map(|row| {
            let place = Argument { field: Field::char(row.1.len() as u32), bytes: &row.1, indicator: None };
            values.iter().copied().chain([place]).collect()
        })
        .collect();
    let isolation = thread.wants;
    let done = thread.unit().await?.run_each(statement, &sets, isolation).await;
    let answer = done.map_err(|(_, failure)| failure)?;
    if let Some(open) = thread.cursors.get_mut(&name) {
        for ((number, _), part) in rows.iter().zip(&answer.parts) {
            let new = answer.rows.row(part.rows.start).next().flatten();
            open.move_row(*number, new.filter(|_| !is_delete && !part.rows.is_empty()));
        }
    }
    match answer.count() {
        0 => Err(gone()),
        count => Ok(Sqlca::default().counting(count)),
    }
}
