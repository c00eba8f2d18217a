//! OPEN, FETCH, CLOSE, and the rows that cursors are on.

use db2::DynamicKind;
use db2::package::{Change, Cursor as Declared, Using};
use db2_rows::Isolation;
use db2_run::rows::Rid;
use records::UnitOfWork;
use sql::To;
use sql::codes::Sqlca;

use super::call::{Call, Given, Words, isolation};
use super::codes::{Trouble, not_built};
use super::hosts;
use super::open::{Open, not_open};
use super::places::Scroll;
use super::task::OwnThread;
use crate::arguments::{Arguments, Inputs};
use crate::rowset::Wanted;

/// Properties with which a cursor is opened.
struct Opening {
    is_held: bool,
    is_rowset: bool,
    is_scrollable: bool,
    isolation: Isolation,
    is_changed: bool,
}

impl OwnThread {
    /// OPEN: nothing is read, but for a SCROLL cursor, which reads all, and one whose query is over the rows of a change.
    pub(super) async fn open(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        cursor: u16,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let declared = declared(call, cursor)?;
        let name = (call.level, call.token, cursor);
        if self.cursors.contains_key(&name) {
            return Err(Sqlca::error(-502, b"24502").into());
        }
        if declared.with_return {
            return Err(not_built("WITH RETURN"));
        }
        let prepared = match &declared.prepared {
            Some(name) => {
                let prepared = self.prepared.get(&(call.token, name.clone())).cloned();
                Some(prepared.ok_or_else(|| Sqlca::error(-514, b"26501").token(name))?)
            }
            None => None,
        };
        let words = prepared.as_deref().map_or(Words::Own, Words::Prepared);
        let opening = opening(call, declared, words)?;
        let given = Given { words, inputs };
        let way = (opening.is_changed, opening.isolation);
        let statement = self.begin_query(call, &declared.query, given, way)?;
        let is_changed = statement.plan.is_for_update();
        if opening.is_scrollable && is_changed {
            return Err(not_built("A SCROLL CURSOR FOR UPDATE"));
        }
        let kinds = statement.plan.outputs();
        let mut open = Open {
            statement,
            kinds,
            is_held: opening.is_held,
            is_changed,
            is_rowset: opening.is_rowset,
            rows: Vec::new(),
            asked: 1,
            is_over: false,
            is_scrollable: opening.is_scrollable,
            scroll: None,
        };
        if opening.is_scrollable || open.statement.plan.has_change() {
            let mut scroll = Scroll::default();
            // A definition since then: the OPEN begins once more.
            while open.statement.next(&mut self.work, unit).await? {
                if let Err(sqlca) = scroll.add(open.statement.run.row()) {
                    open.statement.close(&mut self.work, unit).await?;
                    return Err(sqlca.into());
                }
            }
            open.scroll = Some(scroll);
        }
        self.cursors.insert(name, open);
        Ok(Sqlca::default())
    }

    pub(super) async fn fetch(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        (wanted, into): (Wanted, Using),
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let name = (call.level, call.token, wanted.cursor);
        let open = self.cursors.get_mut(&name).ok_or_else(not_open)?;
        let is_plain =
            !wanted.is_rowset && wanted.direction(inputs) == Some(To::Next) && into == Using::Variables;
        if !is_plain || open.scroll.is_some() {
            return self.fetch_rows(call, inputs, (wanted, into), unit, arguments).await;
        }
        open.asked = 1;
        open.rows.clear();
        match open.next(&mut self.work, unit).await {
            Ok(true) => {}
            Ok(false) => return Ok(Sqlca::not_found()),
            Err(trouble) => {
                self.cursors.remove(&name);
                return Err(trouble);
            }
        }
        open.rows.push(open.statement.run.current());
        let run = &open.statement.run;
        hosts::put(call.source, 0, (run.row(), &open.kinds), run.setting(), arguments)
    }

    pub(super) async fn close(
        &mut self,
        call: Call<'_>,
        cursor: u16,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let open = self.cursors.remove(&(call.level, call.token, cursor));
        let mut open = open.ok_or_else(not_open)?;
        open.statement.close(&mut self.work, unit).await?;
        Ok(Sqlca::default())
    }

    /// UPDATE or DELETE WHERE CURRENT OF: of the row that the cursor is on, of all rows of its rowset, or of the one of a number there.
    pub(super) async fn positioned(
        &mut self,
        call: Call<'_>,
        given: Given<'_>,
        (change, cursor, row): (Change, u16, Option<i64>),
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let name = (call.level, call.token, cursor);
        let open = self.cursors.get(&name).ok_or_else(|| Sqlca::error(-507, b"24501"))?;
        if !open.is_changed {
            return Err(Sqlca::error(-510, b"42828").into());
        }
        let no_row = || Sqlca::error(-508, b"24504");
        if open.rows.is_empty() {
            return Err(no_row().into());
        }
        if let Some(row) = row.filter(|row| !(1..=open.rows.len() as i64).contains(row)) {
            let cursor = declared(call, cursor).map_or("", |declared| &declared.name);
            return Err(Sqlca::error(-248, b"24521").token(cursor).token(row.to_string()).into());
        }
        let table = open.statement.tables.first().map(|table| table.id);
        let is_meant = |at: usize| row.is_none_or(|row| at as i64 + 1 == row);
        let rows: Vec<Rid> =
            open.rows.iter().enumerate().filter_map(|(at, row)| (*row).filter(|_| is_meant(at))).collect();
        let Some(first) = rows.first() else { return Err(no_row().into()) };
        let changed = self.begin(call, given, Some(*first))?.tables.into_iter().next();
        if changed.as_ref().map(|table| table.id) != table {
            let table = changed.map(|table| table.name.name.clone()).unwrap_or_default();
            return Err(Sqlca::error(-509, b"42827").token(table).into());
        }
        let sqlca = self.change_each(call, given, &rows, unit).await?;
        if change == Change::Delete
            && let Some(open) = self.cursors.get_mut(&name)
        {
            open.rows
                .iter_mut()
                .filter(|row| row.is_some_and(|row| rows.contains(&row)))
                .for_each(|row| *row = None);
        }
        Ok(sqlca)
    }
}

/// The properties of a cursor: those of its declaration, unless PREPARE has given others.
fn opening(call: Call<'_>, declared: &Declared, words: Words<'_>) -> Result<Opening, Trouble> {
    let mut opening = Opening {
        is_held: declared.hold,
        is_rowset: declared.rowset,
        is_scrollable: declared.scroll,
        isolation: isolation(call.source.isolation),
        is_changed: declared.for_update,
    };
    if let Words::Prepared(prepared) = words {
        if !matches!(prepared.read.kind, DynamicKind::Query { .. }) {
            return Err(Sqlca::error(-517, b"07005").into());
        }
        let attributes = &prepared.attributes;
        opening = Opening {
            is_held: attributes.hold.unwrap_or(opening.is_held),
            is_rowset: attributes.rowset.unwrap_or(opening.is_rowset),
            is_scrollable: attributes.scroll.unwrap_or(opening.is_scrollable),
            isolation: isolation(prepared.read.isolation.or(call.source.isolation)),
            is_changed: prepared.is_changed(declared.for_update),
        };
    }
    // Its rows stay as they are until the end of the unit of work: those of a rowset are changed long after they were read.
    if opening.is_rowset && opening.is_changed && opening.isolation == Isolation::CursorStability {
        opening.isolation = Isolation::ReadStability;
    }
    // A SCROLL cursor is for reading, unless its query says otherwise.
    opening.is_changed &= !opening.is_scrollable;
    Ok(opening)
}

pub(super) fn declared<'c>(call: Call<'c>, cursor: u16) -> Result<&'c Declared, Trouble> {
    call.package.cursor(cursor).ok_or_else(|| Sqlca::error(-504, b"34000").into())
}
