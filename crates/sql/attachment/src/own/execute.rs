//! A statement of a package, by what it asks for.

use std::sync::Arc;

use db2::Arithmetic;
use db2::package::{Action, Change, Isolation as Wanted, Orientation, Package, Statement as Source, Using};
use db2_rows::{Catalogue, Isolation, LockMode, Table};
use db2_run::rows::Rid;
use db2_run::tables::name_of as name_of_table;
use db2_run::{Limits, Plan, Run};
use db2_syntax::tree;
use records::UnitOfWork;
use sql::codes::Sqlca;

use super::codes::{Trouble, coded, not_built};
use super::define::Definition;
use super::plans::{self, Which};
use super::steps::{Statement, tried};
use super::task::{Asked, OwnThread};
use super::{define, hosts};
use crate::arguments::{Arguments, Inputs};
use crate::statements;
use crate::thread::{Done, Failed};

/// Attempts to run a statement while definitions change its table.
const ATTEMPTS: usize = 10;

/// A program's call of a statement.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) level: u16,
    pub(super) token: u64,
    pub(super) number: u16,
    pub(super) package: &'a Package,
    pub(super) source: &'a Source,
    now: db2_values::Timestamp,
}

impl OwnThread {
    /// Runs a statement for a program, in the task's unit of work. A future that is dropped leaves what the statement has changed to
    /// [`OwnThread::gives_up`].
    ///
    /// # Errors
    /// See [`Failed`]; all else is in the SQLCA.
    pub async fn execute(
        &mut self,
        asked: Asked<'_>,
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Done, Failed> {
        let Asked { level, token, package, number, scope, now } = asked;
        let source = statements::find(package, number).ok_or(Failed::NoStatement(number))?;
        if self.is_broken {
            return Ok(Done { sqlca: Sqlca::error(-906, b"24514"), backs_out: false });
        }
        let call = Call { level, token, number, package, source, now };
        let mut attempts = 0;
        let ran = loop {
            attempts += 1;
            match self.run(call, unit, arguments).await {
                Err(Trouble::Stale) if attempts < ATTEMPTS => self.tables.plans.forget((token, number)),
                ran => break ran,
            }
        };
        let (sqlca, backs_out) = match ran {
            Ok(sqlca) => (sqlca, false),
            Err(trouble) => trouble.seen(scope)?,
        };
        self.is_broken = backs_out;
        Ok(Done { sqlca, backs_out })
    }

    async fn run(
        &mut self,
        call: Call<'_>,
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let inputs = Inputs::read(call.source, 0, arguments)??;
        match &call.source.action {
            Action::Row => self.row(call, &inputs, unit, arguments).await,
            Action::Change(change) => self.change(call, &inputs, *change, unit).await,
            Action::Positioned { change, cursor, row: None } => {
                self.positioned(call, &inputs, (*change, *cursor), unit).await
            }
            Action::Open { cursor, using: Using::Nothing } => self.open(call, &inputs, *cursor),
            Action::Fetch { cursor, .. } => self.fetch(call, *cursor, unit, arguments).await,
            Action::Close { cursor } => self.close(call, *cursor, unit).await,
            Action::ExecuteImmediate => self.immediate(call, &inputs, unit).await,
            Action::Savepoint { .. } | Action::ReleaseSavepoint { .. } | Action::RollbackTo { .. } => {
                self.savepoints(&call.source.action, unit)
            }
            Action::Commit => Err(Sqlca::error(-925, b"2D521").into()),
            Action::Rollback => Err(Sqlca::error(-926, b"2D521").into()),
            Action::Lock => self.lock(&call.source.text, unit).await,
            Action::Define(texts) if texts.is_empty() => Ok(Sqlca::default()),
            Action::Define(_) => self.define_text(&call.source.text, call.source, unit).await,
            Action::SetRegister { .. } if name_of(&call.source.action).is_some() => {
                Err(not_built("SET CURRENT PRECISION"))
            }
            // Nothing here depends on registers: names are those of one schema.
            Action::SetRegister { .. } => Ok(Sqlca::default()),
            Action::Connect | Action::Connection | Action::Grant => Ok(Sqlca::default()),
            Action::Open { .. }
            | Action::Positioned { .. }
            | Action::ChangeRows { .. }
            | Action::Prepare { .. }
            | Action::Execute { .. }
            | Action::Describe { .. }
            | Action::Diagnostics(_)
            | Action::Call { .. } => Err(not_built(name_of(&call.source.action).unwrap_or("this statement"))),
        }
    }

    /// SELECT INTO: one row.
    async fn row(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let mut statement = self.begin(call, &call.source.text, inputs, false)?;
        let work = &mut self.work;
        if !statement.next(work, unit).await? {
            return Ok(Sqlca::not_found());
        }
        let row = statement.run.row().to_vec();
        let kinds = statement.plan.outputs();
        let has_more = statement.next(work, unit).await?;
        statement.close(work, unit).await?;
        if has_more {
            return Err(Sqlca::error(-811, b"21000").into());
        }
        hosts::put(call.source, (&row, &kinds), statement.run.setting(), arguments)
    }

    async fn change(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        change: Change,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let mut statement = self.begin(call, &call.source.text, inputs, false)?;
        while statement.next(&mut self.work, unit).await? {}
        let mut sqlca = counted(statement.run.count(), change);
        hosts::warn(&mut sqlca, statement.run.setting());
        Ok(sqlca)
    }

    /// EXECUTE IMMEDIATE: a change or a definition without markers.
    async fn immediate(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let text = match inputs.text(0) {
            Some(text) => statements::SESSION.text(text),
            None => return Err(not_built("EXECUTE IMMEDIATE OF AN EXPRESSION")),
        };
        let source = Source { inputs: Vec::new(), targets: Vec::new(), ..call.source.clone() };
        self.run_text(&text, &source, call.now, unit).await
    }

    /// Runs a text that has no host variables: a change or a definition.
    pub(super) async fn run_text(
        &mut self,
        text: &str,
        source: &Source,
        now: db2_values::Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        if define::may_be_definition(text) {
            self.begin_defining(unit).await?;
        }
        let catalogue = self.work.catalogue();
        let names = self.names_at_run_time();
        if let Some(definition) = define::read(text, source, &names)? {
            return self.define(definition, &names, unit).await;
        }
        let tree = plans::read(text, source, Arithmetic::default(), &names)?;
        let change = match tree {
            tree::Statement::Insert(_) => Change::InsertValues,
            tree::Statement::Update(_) => Change::Update,
            tree::Statement::Delete(_) => Change::Delete,
            _ => return Err(Sqlca::error(-84, b"42612").into()),
        };
        let plan = plans::plan(tree, &names, false)?;
        if plan.cursor().is_some() {
            return Err(not_built("WHERE CURRENT OF IN A PREPARED STATEMENT"));
        }
        let tables = self.tables_of(&plan, &catalogue)?;
        let run = Run::new(Arc::clone(&plan), Vec::new(), self.tables.setting(now), Limits::default());
        let mut statement = Statement { plan, run, tables, isolation: isolation(source.isolation) };
        while statement.next(&mut self.work, unit).await? {}
        Ok(counted(statement.run.count(), change))
    }

    /// A statement of the program that begins, with these words.
    pub(super) fn begin(
        &mut self,
        call: Call<'_>,
        text: &str,
        inputs: &Inputs,
        is_changed: bool,
    ) -> Result<Statement, Trouble> {
        let catalogue = self.work.catalogue();
        let plan = self.plan(call, text, is_changed, &catalogue)?;
        let values = hosts::values(&plan, inputs)?;
        let tables = self.tables_of(&plan, &catalogue)?;
        let run = Run::new(Arc::clone(&plan), values, self.tables.setting(call.now), Limits::default());
        Ok(Statement { plan, run, tables, isolation: isolation(call.source.isolation) })
    }

    /// A change of the row on which a cursor is.
    pub(super) fn begin_at(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        current: Option<Rid>,
    ) -> Result<Statement, Trouble> {
        let catalogue = self.work.catalogue();
        let plan = self.plan(call, &call.source.text, false, &catalogue)?;
        let values = hosts::values(&plan, inputs)?;
        let tables = self.tables_of(&plan, &catalogue)?;
        let setting = self.tables.setting(call.now);
        let run = Run::positioned(Arc::clone(&plan), values, setting, Limits::default(), current);
        Ok(Statement { plan, run, tables, isolation: isolation(call.source.isolation) })
    }

    fn plan(
        &self,
        call: Call<'_>,
        text: &str,
        is_changed: bool,
        catalogue: &Catalogue,
    ) -> Result<Arc<Plan>, Trouble> {
        let which: Which = (call.token, call.number);
        if let Some(plan) = self.tables.plans.get(which, catalogue.edition()) {
            return Ok(plan);
        }
        let names = self.tables.names(catalogue);
        let tree = plans::read(text, call.source, call.package.arithmetic, &names)?;
        let plan = plans::plan(tree, &names, is_changed)?;
        self.tables.plans.keep(which, catalogue.edition(), &plan);
        Ok(plan)
    }

    /// The tables of a plan, in the catalogue for which it was made: definitions after that make both old.
    fn tables_of(&self, plan: &Plan, catalogue: &Catalogue) -> Result<Vec<Arc<Table>>, Trouble> {
        let found = plan.tables().map(|name| {
            let table = catalogue.table(&name_of_table(name)).cloned();
            table.ok_or_else(|| coded(-204).token(name).into())
        });
        found.collect()
    }

    /// LOCK TABLE.
    async fn lock(&mut self, text: &str, unit: &mut dyn UnitOfWork) -> Result<Sqlca, Trouble> {
        let (named, is_exclusive) =
            define::locked(text).ok_or_else(|| not_built("LOCK TABLE OF A PARTITION"))?;
        let catalogue = self.work.catalogue();
        let names = self.tables.names(&catalogue);
        let table = names.find(named.schema.as_deref(), &named.name);
        let table = table.and_then(|table| catalogue.table(&name_of_table(&table.name)).cloned());
        let table = table.ok_or_else(|| coded(-204).token(&named.name))?;
        let mode = if is_exclusive { LockMode::Exclusive } else { LockMode::Share };
        tried(&mut self.work, unit, |work, unit| work.lock_table(unit, &table, mode)).await?;
        Ok(Sqlca::default())
    }

    /// SAVEPOINT, RELEASE SAVEPOINT, ROLLBACK TO SAVEPOINT.
    fn savepoints(&mut self, action: &Action, unit: &mut dyn UnitOfWork) -> Result<Sqlca, Trouble> {
        let at = |name: &str| self.savepoints.iter().rposition(|(known, _)| known == name);
        let gone = |name: &str| Sqlca::error(-880, b"3B001").token(name);
        match action {
            Action::Savepoint { name, unique } => {
                let former = at(name);
                if former.is_some() && *unique {
                    return Err(Sqlca::error(-881, b"3B501").token(name).into());
                }
                let savepoint = self.work.savepoint()?;
                // The former one of the name stays in the engine, below those set since.
                if let Some(former) = former {
                    self.savepoints.remove(former);
                }
                self.savepoints.push((name.clone(), savepoint));
            }
            Action::ReleaseSavepoint { name } => {
                let at = at(name).ok_or_else(|| gone(name))?;
                self.work.release(self.savepoints[at].1)?;
                self.savepoints.truncate(at);
            }
            Action::RollbackTo { name } => {
                let at = match name {
                    Some(name) => at(name).ok_or_else(|| gone(name))?,
                    None => self.savepoints.len().checked_sub(1).ok_or_else(|| gone(""))?,
                };
                self.work.back_to(unit, self.savepoints[at].1)?;
                self.savepoints.truncate(at + 1);
            }
            _ => {}
        }
        Ok(Sqlca::default())
    }

    async fn define_text(
        &mut self,
        text: &str,
        source: &Source,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        self.begin_defining(unit).await?;
        let names = self.tables.names(&self.work.catalogue());
        let definition: Option<Definition> = define::read(text, source, &names)?;
        self.define(definition.ok_or_else(|| not_built("THIS DEFINITION"))?, &names, unit).await
    }
}

/// Rows that were changed; none is +100, but for VALUES.
fn counted(rows: u64, change: Change) -> Sqlca {
    match change {
        Change::InsertValues => Sqlca::default().counting(rows),
        _ if rows == 0 => Sqlca::not_found(),
        _ => Sqlca::default().counting(rows),
    }
}

fn isolation(wanted: Option<Wanted>) -> Isolation {
    match wanted {
        Some(Wanted::UncommittedRead) => Isolation::Uncommitted,
        Some(Wanted::ReadStability) => Isolation::ReadStability,
        Some(Wanted::RepeatableRead) => Isolation::RepeatableRead,
        Some(Wanted::CursorStability) | None => Isolation::CursorStability,
    }
}

/// The name of a statement that is not built; `None` for one that is.
pub(super) fn name_of(action: &Action) -> Option<&'static str> {
    Some(match action {
        Action::ChangeRows { .. } => "a change for several rows",
        Action::Positioned { row: Some(_), .. } => "FOR ROW OF ROWSET",
        Action::Open { using: Using::Variables | Using::Descriptor(_), .. } => "OPEN … USING",
        Action::Fetch { is_rowset: true, .. } => "FETCH of a rowset",
        Action::Fetch { orientation, .. } if *orientation != Orientation::Next => "FETCH in another order",
        Action::Fetch { into: Using::Descriptor(_), .. } => "FETCH INTO DESCRIPTOR",
        Action::Prepare { .. } => "PREPARE",
        Action::Execute { .. } => "EXECUTE",
        Action::Describe { .. } => "DESCRIBE",
        Action::Diagnostics(_) => "GET DIAGNOSTICS",
        Action::Call { .. } => "CALL",
        Action::SetRegister { name } if name == "PRECISION" => "SET CURRENT PRECISION",
        _ => return None,
    })
}
