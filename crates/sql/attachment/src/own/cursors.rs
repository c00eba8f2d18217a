//! OPEN, FETCH, CLOSE, and the rows that cursors are on.

use db2::package::{Change, Cursor as Declared};
use db2_run::rows::Rid;
use db2_values::Type;
use records::UnitOfWork;
use sql::codes::Sqlca;

use super::codes::{Trouble, not_built};
use super::execute::{Call, name_of};
use super::hosts;
use super::steps::Statement;
use super::task::OwnThread;
use crate::arguments::{Arguments, Inputs};

/// An open cursor.
pub(super) struct Open {
    statement: Statement,
    kinds: Vec<Type>,
    is_held: bool,
    is_changed: bool,
    /// The row that it is on.
    current: Option<Rid>,
    /// It has given its last row.
    is_over: bool,
}

impl Open {
    /// The unit of work has committed. Returns false if it is closed with it.
    pub(super) fn stays(&mut self) -> bool {
        self.current = None;
        if self.is_held {
            self.statement.run.cursors().into_iter().for_each(|cursor| cursor.over_commit());
        }
        self.is_held
    }
}

impl OwnThread {
    /// OPEN: nothing is read, so nothing is waited for.
    pub(super) fn open(&mut self, call: Call<'_>, inputs: &Inputs, cursor: u16) -> Result<Sqlca, Trouble> {
        let declared = declared(call, cursor)?;
        let name = (call.level, call.token, cursor);
        if self.cursors.contains_key(&name) {
            return Err(Sqlca::error(-502, b"24502").into());
        }
        let unusual = [
            (declared.prepared.is_some(), "A CURSOR FOR A PREPARED STATEMENT"),
            (declared.scroll, "A SCROLL CURSOR"),
            (declared.rowset, "WITH ROWSET POSITIONING"),
            (declared.with_return, "WITH RETURN"),
        ];
        if let Some((_, what)) = unusual.iter().find(|(is_it, _)| *is_it) {
            return Err(not_built(*what));
        }
        let statement = self.begin(call, &declared.query, inputs, declared.for_update)?;
        let kinds = statement.plan.outputs();
        let open = Open {
            statement,
            kinds,
            is_held: declared.hold,
            is_changed: declared.for_update,
            current: None,
            is_over: false,
        };
        self.cursors.insert(name, open);
        Ok(Sqlca::default())
    }

    pub(super) async fn fetch(
        &mut self,
        call: Call<'_>,
        cursor: u16,
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        if let Some(what) = name_of(&call.source.action) {
            return Err(not_built(what));
        }
        let name = (call.level, call.token, cursor);
        let open = self.cursors.get_mut(&name).ok_or_else(not_open)?;
        open.current = None;
        if open.is_over {
            return Ok(Sqlca::not_found());
        }
        match open.statement.next(&mut self.work, unit).await {
            Ok(true) => {}
            Ok(false) => {
                open.is_over = true;
                return Ok(Sqlca::not_found());
            }
            Err(trouble) => {
                // It does not go on behind a row that it could not have.
                self.cursors.remove(&name);
                return Err(if let Trouble::Stale = trouble { not_open().into() } else { trouble });
            }
        }
        open.current = open.statement.run.current();
        let run = &open.statement.run;
        hosts::put(call.source, (run.row(), &open.kinds), run.setting(), arguments)
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

    /// UPDATE or DELETE WHERE CURRENT OF.
    pub(super) async fn positioned(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        (change, cursor): (Change, u16),
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let name = (call.level, call.token, cursor);
        let open = self.cursors.get(&name).ok_or_else(|| Sqlca::error(-507, b"24501"))?;
        let (current, is_changed) = (open.current, open.is_changed);
        let table = open.statement.tables.first().map(|table| table.id);
        if !is_changed {
            return Err(Sqlca::error(-510, b"42828").into());
        }
        if current.is_none() {
            return Err(Sqlca::error(-508, b"24504").into());
        }
        let mut statement = self.begin_at(call, inputs, current)?;
        let changed = statement.tables.first();
        if changed.map(|table| table.id) != table {
            let table = changed.map_or("", |table| &table.name.name);
            return Err(Sqlca::error(-509, b"42827").token(table).into());
        }
        while statement.next(&mut self.work, unit).await? {}
        if change == Change::Delete
            && let Some(open) = self.cursors.get_mut(&name)
        {
            open.current = None;
        }
        let mut sqlca = Sqlca::default().counting(statement.run.count());
        hosts::warn(&mut sqlca, statement.run.setting());
        Ok(sqlca)
    }
}

fn not_open() -> Sqlca {
    Sqlca::error(-501, b"24501")
}

fn declared(call: Call<'_>, cursor: u16) -> Result<&Declared, Trouble> {
    call.package.cursor(cursor).ok_or_else(|| Sqlca::error(-504, b"34000").into())
}
