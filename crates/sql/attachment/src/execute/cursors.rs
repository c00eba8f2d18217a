//! OPEN, FETCH, CLOSE.

use std::rc::Rc;

use db2::Attributes;
use db2::package::{Cursor as Declared, Using};
use sql::codes::Sqlca;
use sql::{Cursor, CursorKind, Described, Failure, Opening, To};

use super::call::{Call, isolation, statement};
use crate::arguments::{Arguments, Inputs, put_row};
use crate::prepared::Query;
use crate::rowset::{Wanted, ended};
use crate::sqlda::{self, SqldaEntry};
use crate::thread::Thread;
use crate::trouble::Trouble;

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
    let attributes = attributes(thread, call, declared);
    let opening = Opening {
        kind: if for_update { CursorKind::Update } else { CursorKind::Read },
        is_held: attributes.hold.unwrap_or(declared.hold),
        is_scrollable: attributes.scroll.unwrap_or(declared.scroll),
        isolation: isolation(wanted),
    };
    thread.isolates(opening.isolation)?;
    let values = inputs.all();
    let portal = format!("{} {:x} {cursor}", call.level, call.token);
    let open = match thread.open_whole(&query, &values, opening).await {
        Some(open) => open,
        None => Cursor::open(thread.unit().await?, &portal, &query, &values, opening).await?,
    };
    thread.cursors.insert(name, open);
    Ok(Sqlca::default())
}

/// The query of a cursor: the call's own, or that of a prepared statement.
fn query(thread: &Thread, call: Call<'_>, declared: &Declared) -> Result<Query, Trouble> {
    let Some(name) = &declared.prepared else {
        let (statement, isolation) = (statement(thread, call, ""), call.source.isolation);
        return Ok(Query { statement, isolation, for_update: declared.for_update });
    };
    let prepared = thread.prepared.get(&(call.token, name.clone()));
    let query =
        prepared.ok_or_else(|| Sqlca::error(-514, b"26501").token(name))?.query(declared.for_update)?;
    Ok(Query { isolation: query.isolation.or(call.source.isolation), ..query })
}

/// Returns the attributes that PREPARE gave the cursor's statement.
fn attributes(thread: &Thread, call: Call<'_>, declared: &Declared) -> Attributes {
    let name = declared.prepared.clone().unwrap_or_default();
    thread.prepared.get(&(call.token, name)).map(|known| known.attributes.clone()).unwrap_or_default()
}

pub(super) async fn fetch(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    wanted: Wanted,
    into: Using,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let name = (call.level, call.token, wanted.cursor);
    let declared = call.package.cursor(wanted.cursor);
    let is_rowset =
        declared.is_some_and(|declared| attributes(thread, call, declared).rowset.unwrap_or(declared.rowset));
    let (Some(declared), Some(open)) = (declared, thread.cursors.get_mut(&name)) else {
        return Err(Sqlca::error(-501, b"24501").into());
    };
    // Looked at before a row is fetched: an SQLDA that is not valid costs none.
    let entries = match into {
        Using::Descriptor(area) => Some(SqldaEntry::all(area, arguments)?),
        Using::Variables | Using::Nothing => None,
    };
    let to = wanted.direction(inputs).ok_or_else(|| Sqlca::error(-302, b"22001"))?;
    if wanted.is_rowset && !is_rowset {
        return Err(Sqlca::error(-249, b"24523").token(&declared.name).token("ROWSET").into());
    }
    let rows =
        if wanted.is_rowset { wanted.count(inputs, call.source, (declared, open.asked()))? } else { 1 };
    let fetched = match (open.fetch_here(to, rows), thread.unit.as_mut()) {
        (Some(fetched), _) => fetched,
        (None, Some(unit)) => open.fetch_to(unit, to, rows).await?,
        // Its rows are all here, and they are only read forward.
        (None, None) => return Err(Sqlca::error(-225, b"42872").into()),
    };
    if matches!(to, To::Before | To::After) {
        return Ok(Sqlca::default());
    }
    let is_adjusted = open.is_adjusted();
    let described = Rc::clone(open.described());
    if wanted.is_rowset {
        let sqlca = rowset(call, open, &described, arguments)?;
        if is_adjusted {
            thread.adjusts();
        }
        return Ok(ended(sqlca, declared, to, fetched, rows as usize));
    }
    if fetched == 0 {
        return Ok(Sqlca::not_found());
    }
    let sqlca = match entries {
        Some(entries) => sqlda::put_row(&entries, open.row(), &described.columns, arguments)?,
        None => put_row(call.source, 0, open.row(), &described.columns, arguments)?,
    };
    if is_adjusted {
        thread.adjusts();
    }
    Ok(sqlca)
}

/// Puts a rowset into arrays. A value that does not fit ends it.
fn rowset(
    call: Call<'_>,
    open: &Cursor,
    described: &Described,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let mut sqlca = Sqlca::default();
    for row in 0..open.size() {
        let put = put_row(call.source, row as u32, open.rowset(row), &described.columns, arguments)?;
        if put.code < 0 {
            return Err(put.into());
        }
        for (all, this) in sqlca.warnings.iter_mut().zip(put.warnings) {
            *all = (*all).max(this);
        }
    }
    Ok(sqlca)
}

pub(super) fn close(thread: &mut Thread, call: Call<'_>, cursor: u16) -> Result<Sqlca, Trouble> {
    let open = thread.cursors.remove(&(call.level, call.token, cursor));
    let Some(open) = open else {
        return Err(Trouble::Failure(Failure::from(Sqlca::error(-501, b"24501"))));
    };
    if let Some(unit) = thread.unit.as_mut() {
        open.close(unit);
    }
    Ok(Sqlca::default())
}
