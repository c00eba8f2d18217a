//! OPEN, FETCH, CLOSE.

use std::rc::Rc;

use db2::package::{Count, Cursor as Declared, Orientation, Using};
use sql::codes::Sqlca;
use sql::{Cursor, CursorKind, Failure, Opening, Statement};

use super::changes::number;
use super::{Call, Trouble, isolation, not_built, statement};
use crate::arguments::{Arguments, Inputs, put_row};
use crate::sqlda::{self, Entry};
use crate::thread::Thread;

/// Rows of one FETCH at most.
const ROWSET_MAX: i64 = 32_767;

pub(super) async fn open(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    cursor: u16,
) -> Result<Sqlca, Trouble> {
    let name = (call.level, call.token, cursor);
    let declared = call.package.cursor(cursor).ok_or_else(|| Sqlca::error(-504, b"34000"))?;
    if thread.cursors.contains_key(&name) {
        return Err(Sqlca::error(-502, b"24502").into());
    }
    let Query { statement: query, isolation: wanted, for_update } = query(thread, call, declared)?;
    let opening = Opening {
        kind: if for_update { CursorKind::Update } else { CursorKind::Read },
        is_held: declared.hold,
        is_scrollable: declared.scroll,
        isolation: isolation(wanted),
    };
    let values = inputs.all();
    let portal = format!("{} {:x} {cursor}", call.level, call.token);
    let unit = thread.unit().await?;
    let open = Cursor::open(unit, &portal, &query, &values, opening).await?;
    thread.cursors.insert(name, open);
    Ok(Sqlca::default())
}

/// What a cursor reads.
pub(super) struct Query {
    pub(super) statement: Rc<Statement>,
    pub(super) isolation: Option<db2::package::Isolation>,
    pub(super) for_update: bool,
}

/// The query of a cursor: the call's own, or that of a prepared statement.
fn query(thread: &Thread, call: Call<'_>, declared: &Declared) -> Result<Query, Trouble> {
    let Some(name) = &declared.prepared else {
        let (statement, isolation) = (statement(thread, call, ""), call.source.isolation);
        return Ok(Query { statement, isolation, for_update: declared.for_update });
    };
    let prepared = thread.prepared.get(&(call.token, name.clone()));
    let mut query = prepared.ok_or_else(|| Sqlca::error(-514, b"26501").token(name))?.query()?;
    query.for_update |= declared.for_update;
    Ok(query)
}

pub(super) async fn fetch(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    (cursor, orientation, rows): (u16, Orientation, Option<Count>),
    into: Using,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let name = (call.level, call.token, cursor);
    let (Some(open), Some(unit)) = (thread.cursors.get_mut(&name), thread.unit.as_mut()) else {
        return Err(Sqlca::error(-501, b"24501").into());
    };
    let described = Rc::clone(open.described());
    // Looked at before a row is fetched: an SQLDA that is not valid costs none.
    let entries = match into {
        Using::Descriptor(_) if rows.is_some() => return Err(not_built("a rowset into an SQLDA")),
        Using::Descriptor(area) => Some(Entry::all(area, arguments)?),
        Using::Variables | Using::Nothing => None,
    };
    if let Some(rows) = rows {
        if orientation != Orientation::Next {
            return Err(not_built("FETCH of another rowset than the next"));
        }
        let rows = number(inputs, rows).filter(|rows| (1..=ROWSET_MAX).contains(rows));
        let rows = rows.ok_or_else(|| Sqlca::error(-246, b"42873"))? as u32;
        let fetched = open.fetch_rowset(unit, rows).await?;
        let mut sqlca = if fetched < rows as usize { Sqlca::not_found() } else { Sqlca::default() };
        for row in 0..fetched {
            let put =
                put_row(call.source, row as u32, open.rowset(fetched, row), &described.columns, arguments)?;
            if put.code < 0 {
                return Err(put.into());
            }
            for (all, this) in sqlca.warnings.iter_mut().zip(put.warnings) {
                *all = (*all).max(this);
            }
        }
        return Ok(sqlca.counting(fetched as u64));
    }
    let is_there = match direction(orientation, inputs) {
        None => open.fetch(unit).await?,
        Some(direction) => open.fetch_by(unit, &direction).await?,
    };
    if !is_there {
        return Ok(Sqlca::not_found());
    }
    match entries {
        Some(entries) => sqlda::put_row(&entries, open.row(), &described.columns, arguments),
        None => Ok(put_row(call.source, 0, open.row(), &described.columns, arguments)?),
    }
}

/// PostgreSQL's words; `None`: the next row.
fn direction(orientation: Orientation, inputs: &Inputs) -> Option<String> {
    let word = match orientation {
        Orientation::Next => return None,
        Orientation::Prior => "PRIOR",
        Orientation::First => "FIRST",
        Orientation::Last => "LAST",
        Orientation::Current => "RELATIVE 0",
        Orientation::Before => "ABSOLUTE 0",
        Orientation::After => "FORWARD ALL",
        Orientation::Absolute(count) => {
            return Some(format!("ABSOLUTE {}", number(inputs, count).unwrap_or(0)));
        }
        Orientation::Relative(count) => {
            return Some(format!("RELATIVE {}", number(inputs, count).unwrap_or(0)));
        }
    };
    Some(word.to_owned())
}

pub(super) fn close(thread: &mut Thread, call: Call<'_>, cursor: u16) -> Result<Sqlca, Trouble> {
    let open = thread.cursors.remove(&(call.level, call.token, cursor));
    let (Some(open), Some(unit)) = (open, thread.unit.as_mut()) else {
        return Err(Trouble::Failure(Failure::from(Sqlca::error(-501, b"24501"))));
    };
    open.close(unit);
    Ok(Sqlca::default())
}
