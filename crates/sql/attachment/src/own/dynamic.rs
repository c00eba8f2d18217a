//! Statements that a program makes at run time: PREPARE, EXECUTE, EXECUTE IMMEDIATE; SET of special registers.

use std::sync::Arc;

use db2::DynamicKind;
use db2::package::{Action, Count, DescribeWhat};
use records::UnitOfWork;
use sql::codes::Sqlca;

use super::call::{Call, Given, Many, Words};
use super::codes::{Trouble, not_built};
use super::prepared::{Planned, Prepared};
use super::task::OwnThread;
use super::texts;
use crate::arguments::{Arguments, Inputs};
use crate::registers::constant;
use crate::sqlda::Sqlda;
use crate::statements::SESSION;

impl OwnThread {
    /// PREPARE. A statement that is wrong has its code at once.
    pub(super) async fn prepare(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        (name, into, attributes): (&str, Option<u16>, Option<u16>),
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let is_read = |(level, token, cursor): &(u16, u64, u16)| {
            let declared = call.package.cursor(*cursor);
            (*level, *token) == (call.level, call.token)
                && declared.is_some_and(|declared| declared.prepared.as_deref() == Some(name))
        };
        if self.cursors.keys().any(is_read) {
            return Err(Sqlca::error(-519, b"24506").token(name).into());
        }
        let key = (call.token, name.to_owned());
        self.prepared.remove(&key);
        let text = self.text(call, inputs, unit).await?;
        let attributes = attributes.and_then(|input| inputs.text(input.into())).unwrap_or_default();
        let prepared = self.prepared_of(&text, attributes)?;
        if has_plan(&prepared) {
            self.planned(&prepared, false)?;
        }
        let mut sqlca = Sqlca::default();
        if let Some(area) = into {
            let sqlda = Sqlda::read(area, arguments)?;
            sqlca = sqlda.fill(&self.columns(&prepared)?, arguments)?;
        }
        if prepared.read.without_where {
            sqlca.warn(4);
        }
        self.prepared.insert(key, prepared);
        Ok(sqlca)
    }

    /// EXECUTE.
    pub(super) async fn execute_prepared(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        (name, rows): (&str, Option<Count>),
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let none = || Sqlca::error(-518, b"07003").token(name);
        let prepared = self.prepared.get(&(call.token, name.to_owned())).cloned().ok_or_else(none)?;
        let many = match (&prepared.read.kind, rows) {
            (DynamicKind::Action { action: Action::Change(change), .. }, Some(rows)) => {
                Many { change: *change, rows, is_atomic: true }
            }
            (DynamicKind::Action { action: Action::ChangeRows { change, rows, atomic }, .. }, own) => {
                Many { change: *change, rows: own.unwrap_or(*rows), is_atomic: *atomic }
            }
            (_, None) => return self.run_prepared(call, &prepared, inputs, unit).await,
            (_, Some(_)) => return Err(none().into()),
        };
        let many = Many { is_atomic: many.is_atomic && !prepared.attributes.not_atomic, ..many };
        self.change_rows(call, Words::Prepared(&prepared), inputs, many, unit, arguments).await
    }

    /// EXECUTE IMMEDIATE.
    pub(super) async fn immediate(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let text = self.text(call, inputs, unit).await?;
        let prepared = self.prepared_of(&text, b"")?;
        if let DynamicKind::Query { .. } = prepared.read.kind {
            return Err(Sqlca::error(-84, b"42612").into());
        }
        let nothing = Inputs::of(std::iter::empty());
        let mut sqlca = self.run_prepared(call, &prepared, &nothing, unit).await?;
        if prepared.read.without_where {
            sqlca.warn(4);
        }
        Ok(sqlca)
    }

    async fn run_prepared(
        &mut self,
        call: Call<'_>,
        prepared: &Prepared,
        inputs: &Inputs,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let DynamicKind::Action { action, cursor } = &prepared.read.kind else {
            return Err(Sqlca::error(-518, b"07003").into());
        };
        let given = Given { words: Words::Prepared(prepared), inputs };
        match action {
            Action::Change(change) => self.change(call, given, *change, unit).await,
            Action::Positioned { change, row, .. } => {
                let named = |known: &db2::package::Cursor| Some(&known.name) == cursor.as_ref();
                let at = call.package.cursors.iter().position(named);
                let cursor = at.ok_or_else(|| Sqlca::error(-504, b"34000"))? as u16;
                let row = row.map(|row| inputs.count(row).unwrap_or_default());
                self.positioned(call, given, (*change, cursor, row), unit).await
            }
            Action::SetRegister { name } => {
                let value = if let Some(text) = constant(&prepared.read.text.sql) {
                    text
                } else if prepared.read.markers == 1 {
                    SESSION.text(inputs.text(0).unwrap_or_default())
                } else {
                    let words = texts::expression(action, &prepared.text);
                    SESSION.text(&self.value(call, words, Given::own(inputs), unit).await?)
                };
                self.registers.set(name, &value);
                Ok(Sqlca::default())
            }
            Action::Define(texts) if texts.is_empty() => Ok(Sqlca::default()),
            Action::Define(_) => {
                self.define_text((&prepared.text, self.schema_at_run_time()), &call, unit).await
            }
            Action::Lock => self.lock(&prepared.text, self.schema_at_run_time(), unit).await,
            Action::Savepoint { .. } | Action::ReleaseSavepoint { .. } | Action::RollbackTo { .. } => {
                self.savepoints(action, unit)
            }
            Action::Commit => Err(Sqlca::error(-925, b"2D521").into()),
            Action::Rollback => Err(Sqlca::error(-926, b"2D521").into()),
            Action::Connection | Action::Grant => Ok(Sqlca::default()),
            Action::Call { .. } => Err(not_built("CALL")),
            _ => Err(not_built("THIS PREPARED STATEMENT")),
        }
    }

    /// SET CURRENT SQLID, SCHEMA, PATH, DEGREE …
    pub(super) async fn set_register(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        name: &str,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let value = self.text(call, inputs, unit).await?;
        self.registers.set(name, &SESSION.text(&value));
        Ok(Sqlca::default())
    }

    /// A text as this task prepares it.
    pub(super) fn prepared_of(&self, text: &[u8], attributes: &[u8]) -> Result<Arc<Prepared>, Trouble> {
        self.tables.dynamic.prepared(text, attributes, self.registers.arithmetic())
    }

    /// The plan of a prepared statement, as the unit of work sees its tables.
    pub(super) fn planned(&self, prepared: &Prepared, is_changed: bool) -> Result<Arc<Planned>, Trouble> {
        let catalogue = self.work.catalogue();
        let schema = self.schema_at_run_time();
        let names = self.names_in(schema.as_deref());
        self.tables.dynamic.plan(prepared, is_changed, schema, (catalogue.edition(), &names))
    }

    /// The statement of a name that DESCRIBE asks for.
    pub(super) fn named(&self, call: Call<'_>, what: &DescribeWhat) -> Result<Arc<Prepared>, Trouble> {
        let (DescribeWhat::Output(name) | DescribeWhat::Input(name)) = what else {
            return Err(not_built("DESCRIBE"));
        };
        let prepared = self.prepared.get(&(call.token, name.clone())).cloned();
        Ok(prepared.ok_or_else(|| Sqlca::error(-516, b"26501").token(name))?)
    }
}

/// Returns true if a statement has a plan before it runs.
pub(super) fn has_plan(prepared: &Prepared) -> bool {
    match &prepared.read.kind {
        DynamicKind::Query { .. } => true,
        DynamicKind::Action { action, .. } => {
            matches!(action, Action::Change(_) | Action::ChangeRows { .. } | Action::Positioned { .. })
        }
    }
}
