//! A statement of a package, by what it asks for.

use std::sync::Arc;

use db2::Arithmetic;
use db2::package::{Action, Change, Count, Statement as Source};
use db2_rows::{Catalogue, Isolation, LockMode, Table};
use db2_run::rows::Rid;
use db2_run::tables::name_of as name_of_table;
use db2_run::{Limits, Plan, Run};
use db2_syntax::tree;
use db2_values::Value;
use records::UnitOfWork;
use sql::codes::Sqlca;

use super::call::{Call, Given, Many, Words, counted, isolation};
use super::codes::{Trouble, coded, not_built};
use super::define::{Around, Definition};
use super::plans::{self, Which};
use super::prepared::Prepared;
use super::steps::{Statement, tried};
use super::task::{Asked, OwnThread};
use super::{define, hosts};
use crate::arguments::{Arguments, Inputs};
use crate::diagnostics;
use crate::rowset::Wanted;
use crate::sqlda;
use crate::statements;
use crate::thread::{Done, Failed};

/// Attempts to run a statement while definitions change its table.
const ATTEMPTS: usize = 10;

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
            self.notes.begin();
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
        if !matches!(source.action, Action::Diagnostics(_)) {
            self.notes.end(&sqlca);
        }
        Ok(Done { sqlca, backs_out })
    }

    async fn run(
        &mut self,
        call: Call<'_>,
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let inputs = Inputs::read(call.source, 0, arguments)??;
        self.is_in_unit |= uses_tables(&call.source.action);
        match &call.source.action {
            Action::Row => self.row(call, &inputs, unit, arguments).await,
            Action::Change(change) => self.change(call, Given::own(&inputs), *change, unit).await,
            Action::ChangeRows { change, rows, atomic } => {
                let many = Many { change: *change, rows: *rows, is_atomic: *atomic };
                self.change_rows(call, Words::Own, &inputs, many, unit, arguments).await
            }
            Action::Positioned { change, cursor, row } => {
                let row = row.map(|row| inputs.count(row).unwrap_or_default());
                self.positioned(call, Given::own(&inputs), (*change, *cursor, row), unit).await
            }
            Action::Open { cursor, using } => {
                let inputs = sqlda::using(*using, inputs, arguments)?;
                self.open(call, &inputs, *cursor, unit).await
            }
            Action::Fetch { cursor, orientation, is_rowset, rows, into } => {
                let wanted =
                    Wanted { cursor: *cursor, orientation: *orientation, is_rowset: *is_rowset, rows: *rows };
                self.fetch(call, &inputs, (wanted, *into), unit, arguments).await
            }
            Action::Close { cursor } => self.close(call, *cursor, unit).await,
            Action::ExecuteImmediate => self.immediate(call, &inputs, unit).await,
            Action::Savepoint { .. } | Action::ReleaseSavepoint { .. } | Action::RollbackTo { .. } => {
                self.savepoints(&call.source.action, unit)
            }
            Action::Commit => Err(Sqlca::error(-925, b"2D521").into()),
            Action::Rollback => Err(Sqlca::error(-926, b"2D521").into()),
            Action::Lock => self.lock(&call.source.text, None, unit).await,
            Action::Define(texts) if texts.is_empty() => Ok(Sqlca::default()),
            Action::Define(_) => self.define_text((&call.source.text, None), &call, unit).await,
            Action::SetRegister { name } => self.set_register(call, &inputs, name, unit).await,
            Action::Prepare { name, into, attributes } => {
                self.prepare(call, &inputs, (name, *into, *attributes), unit, arguments).await
            }
            Action::Execute { name, using, rows } => {
                let inputs = sqlda::using(*using, inputs, arguments)?;
                self.execute_prepared(call, &inputs, (name, *rows), unit, arguments).await
            }
            Action::Describe { what, into } => self.describe(call, &inputs, (what, *into), arguments),
            Action::Diagnostics(items) => {
                Ok(diagnostics::get(&self.notes.last, (call.source, items), &inputs, arguments)?)
            }
            // A program is connected. Published, it connects between units of work.
            Action::Connect if self.is_in_unit => Err(Sqlca::error(-752, b"0A001").into()),
            Action::Connect | Action::Connection | Action::Grant => Ok(Sqlca::default()),
            Action::Call { .. } => Err(not_built("CALL")),
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
        let mut statement = self.begin(call, Given::own(inputs), None)?;
        if !statement.plan.has_change() {
            return self.one_row(call, &mut statement, unit, arguments).await;
        }
        // Its change is put back if the row does not suit the program.
        self.set_mark()?;
        match self.one_row(call, &mut statement, unit, arguments).await {
            Ok(sqlca) if sqlca.code >= 0 => self.forget_mark().map(|()| sqlca),
            Ok(sqlca) => self.back_to_mark(unit).map(|()| sqlca),
            Err(trouble) => {
                self.back_to_mark(unit)?;
                Err(trouble)
            }
        }
    }

    async fn one_row(
        &mut self,
        call: Call<'_>,
        statement: &mut Statement,
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let work = &mut self.work;
        if !statement.next(work, unit).await? {
            return Ok(Sqlca::not_found());
        }
        let kinds = statement.plan.outputs();
        if statement.plan.gives_one_row() {
            let run = &statement.run;
            let done = hosts::put(call.source, 0, (run.row(), &kinds), run.setting(), arguments);
            statement.close(work, unit).await?;
            return done;
        }
        let row = statement.run.row().to_vec();
        let has_more = statement.next(work, unit).await?;
        statement.close(work, unit).await?;
        if has_more {
            return Err(Sqlca::error(-811, b"21000").into());
        }
        hosts::put(call.source, 0, (&row, &kinds), statement.run.setting(), arguments)
    }

    pub(super) async fn change(
        &mut self,
        call: Call<'_>,
        given: Given<'_>,
        change: Change,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let mut statement = self.begin(call, given, None)?;
        while statement.next(&mut self.work, unit).await? {}
        let mut sqlca = counted(statement.run.count(), change);
        hosts::warn(&mut sqlca, statement.run.setting());
        Ok(sqlca)
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
            return self.define(definition, Around { names: &names, now }, unit).await;
        }
        let tree = plans::read(text, source, Arithmetic::default(), &names)?;
        let change = match tree {
            tree::Statement::Insert(_) => Change::InsertValues,
            tree::Statement::Update(_) => Change::Update,
            tree::Statement::Delete(_) => Change::Delete,
            tree::Statement::Merge(_) => Change::Merge,
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

    /// A statement that begins; of a positioned change `current` is the row that it is about.
    pub(super) fn begin(
        &mut self,
        call: Call<'_>,
        given: Given<'_>,
        current: Option<Rid>,
    ) -> Result<Statement, Trouble> {
        let isolation = isolation(given.isolation(call.source));
        let (plan, values) = match given.words {
            Words::Own => self.own_values(call, &call.source.text, given.inputs, false)?,
            Words::Prepared(prepared) => self.prepared_values(call, prepared, given.inputs, false)?,
        };
        self.begin_run(call, plan, values, isolation, current)
    }

    /// A query of the program's that is no statement of it: the value of an expression.
    pub(super) fn begin_value(
        &mut self,
        call: Call<'_>,
        query: &str,
        given: Given<'_>,
    ) -> Result<Statement, Trouble> {
        let names = self.tables.names(&self.work.catalogue());
        let plan =
            plans::plan(plans::read(query, call.source, call.package.arithmetic, &names)?, &names, false)?;
        let values = hosts::values(&plan, given.inputs, |number| self.register(number))?;
        self.begin_run(call, plan, values, Isolation::CursorStability, None)
    }

    /// The query of a cursor that begins; true: rows are changed through it.
    pub(super) fn begin_query(
        &mut self,
        call: Call<'_>,
        query: &str,
        given: Given<'_>,
        (is_changed, isolation): (bool, Isolation),
    ) -> Result<Statement, Trouble> {
        let (plan, values) = match given.words {
            Words::Own => self.own_values(call, query, given.inputs, is_changed)?,
            Words::Prepared(prepared) => self.prepared_values(call, prepared, given.inputs, is_changed)?,
        };
        self.begin_run(call, plan, values, isolation, None)
    }

    fn begin_run(
        &mut self,
        call: Call<'_>,
        plan: Arc<Plan>,
        values: Vec<Value>,
        isolation: Isolation,
        current: Option<Rid>,
    ) -> Result<Statement, Trouble> {
        let tables = self.tables_of(&plan, &self.work.catalogue())?;
        let setting = self.tables.setting(call.now);
        let run = Run::positioned(Arc::clone(&plan), values, setting, Limits::default(), current);
        Ok(Statement { plan, run, tables, isolation })
    }

    /// The plan of a program's own statement, and the values of its host variables.
    fn own_values(
        &self,
        call: Call<'_>,
        text: &str,
        inputs: &Inputs,
        is_changed: bool,
    ) -> Result<(Arc<Plan>, Vec<Value>), Trouble> {
        let plan = self.plan(call, text, is_changed, &self.work.catalogue())?;
        let values = hosts::values(&plan, inputs, |number| self.register(number))?;
        Ok((plan, values))
    }

    /// The plan of a prepared statement, and the values of its markers.
    fn prepared_values(
        &self,
        call: Call<'_>,
        prepared: &Prepared,
        inputs: &Inputs,
        is_changed: bool,
    ) -> Result<(Arc<Plan>, Vec<Value>), Trouble> {
        let planned = self.planned(prepared, is_changed)?;
        let count = inputs.len() - of_rows(call.source).min(inputs.len());
        let given = inputs.arguments(count);
        let markers = (planned.markers.as_slice(), given.as_slice());
        let setting = self.tables.setting(call.now);
        let values = hosts::of_markers(&planned.plan, markers, &setting, |number| self.register(number))?;
        Ok((Arc::clone(&planned.plan), values))
    }

    /// The value of a variable that stands for a special register.
    fn register(&self, number: u32) -> Option<Value> {
        self.registers.value(number, &self.tables.rules.schema)
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
    pub(super) fn tables_of(&self, plan: &Plan, catalogue: &Catalogue) -> Result<Vec<Arc<Table>>, Trouble> {
        let found = plan.tables().map(|name| {
            let table = catalogue.table(&name_of_table(name)).cloned();
            table.ok_or_else(|| coded(-204).token(name).into())
        });
        found.collect()
    }

    /// LOCK TABLE; a name without a schema is looked for in this one.
    pub(super) async fn lock(
        &mut self,
        text: &str,
        schema: Option<String>,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let (named, is_exclusive) =
            define::locked(text).ok_or_else(|| not_built("LOCK TABLE OF A PARTITION"))?;
        let catalogue = self.work.catalogue();
        let names = self.names_in(schema.as_deref());
        let table = names.find(named.schema.as_deref(), &named.name);
        let table = table.and_then(|table| catalogue.table(&name_of_table(&table.name)).cloned());
        let table = table.ok_or_else(|| coded(-204).token(&named.name))?;
        let mode = if is_exclusive { LockMode::Exclusive } else { LockMode::Share };
        tried(&mut self.work, unit, |work, unit| work.lock_table(unit, &table, mode)).await?;
        Ok(Sqlca::default())
    }

    /// SAVEPOINT, RELEASE SAVEPOINT, ROLLBACK TO SAVEPOINT.
    pub(super) fn savepoints(
        &mut self,
        action: &Action,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
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

    pub(super) async fn define_text(
        &mut self,
        (text, schema): (&str, Option<String>),
        call: &Call<'_>,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let (source, now) = (call.source, call.now);
        self.begin_defining(unit).await?;
        let names = self.names_in(schema.as_deref());
        let definition: Option<Definition> = define::read(text, source, &names)?;
        let definition = definition.ok_or_else(|| not_built("THIS DEFINITION"))?;
        self.define(definition, Around { names: &names, now }, unit).await
    }
}

/// Returns true if a statement begins a unit of work in the tables, where none has begun.
fn uses_tables(action: &Action) -> bool {
    !matches!(
        action,
        Action::Connect
            | Action::Connection
            | Action::Grant
            | Action::SetRegister { .. }
            | Action::Diagnostics(_)
            | Action::Describe { .. }
            | Action::Prepare { .. }
            | Action::Row
    )
}

/// The name of a statement that is not built; `None` for one that is.
pub(super) fn name_of(action: &Action) -> Option<&'static str> {
    matches!(action, Action::Call { .. }).then_some("CALL")
}

/// Inputs of EXECUTE that are no values of markers: the number of rows.
fn of_rows(source: &Source) -> usize {
    usize::from(matches!(source.action, Action::Execute { rows: Some(Count::Input(_)), .. }))
}
