//! A statement of a package, by what it asks for.

mod call;
mod calls;
mod changes;
mod cursors;
mod describe;
mod dynamic;
mod registers;
mod rows;

use db2::package::{Action, Package, Statement as Source};
use sql::codes::Sqlca;
use sql::{Failure, Leaves};

use crate::arguments::{Arguments, Inputs};
use crate::diagnostics;
use crate::rowset::Wanted;
use crate::sqlda;
use crate::statements;
use crate::thread::{Done, Failed, Thread};
use crate::trouble::Trouble;
use call::{Call, doing, isolation, savepoint, statement};

impl Thread {
    /// Runs the statement of a number, from 1, of a package, which has this token, for the program at a link level.
    ///
    /// # Errors
    /// See [`Failed`]; all else is in the SQLCA.
    pub async fn execute(
        &mut self,
        level: u16,
        token: u64,
        package: &Package,
        number: u16,
        arguments: &mut dyn Arguments,
    ) -> Result<Done, Failed> {
        let source = statements::find(package, number).ok_or(Failed::NoStatement(number))?;
        if self.is_broken() {
            return Ok(Done { sqlca: Sqlca::error(-906, b"24514"), backs_out: false });
        }
        self.begins();
        let call = Call { level, token, number, package, source };
        let (sqlca, backs_out) = match run(self, call, arguments).await {
            Ok(mut sqlca) => {
                if self.has_adjusted() {
                    sqlca.warn(ADJUSTED);
                }
                (sqlca, false)
            }
            Err(Trouble::Unreachable(unreachable)) => return Err(unreachable.into()),
            Err(Trouble::Failure(failure)) => self.failed(&failure, source).await,
        };
        if !matches!(source.action, Action::Diagnostics(_)) {
            self.notes.end(&sqlca);
        }
        Ok(Done { sqlca, backs_out })
    }

    /// Returns the SQLCA of a failure, and true if all changes of the task were undone with it.
    async fn failed(&mut self, failure: &Failure, source: &Source) -> (Sqlca, bool) {
        let sqlca = Sqlca::of(failure, doing(&source.action), self.scope);
        let is_lost = matches!(failure, Failure::Lost(_)) && self.unit.is_some();
        if !is_lost && sqlca.code != -911 {
            return (sqlca, false);
        }
        self.breaks().await;
        (sqlca, true)
    }
}

/// SQLWARN6: a date was adjusted to the end of its month.
const ADJUSTED: usize = 6;

/// Runs a statement.
async fn run(thread: &mut Thread, call: Call<'_>, arguments: &mut dyn Arguments) -> Result<Sqlca, Trouble> {
    let inputs = Inputs::read(call.source, 0, arguments)??;
    thread.wants = isolation(call.source.isolation);
    match &call.source.action {
        Action::Row => rows::one(thread, call, &inputs, arguments).await,
        Action::Change(change) => changes::change(thread, call, &inputs, *change).await,
        Action::ChangeRows { change, rows, atomic } => {
            let many = changes::Many { change: *change, rows: *rows, atomic: *atomic };
            let statement = statement(thread, call, "");
            changes::rows(thread, call, &statement, &inputs, many, arguments).await
        }
        Action::Positioned { change, cursor, row } => {
            changes::positioned(thread, call, &inputs, (*change, *cursor, *row)).await
        }
        Action::Open { cursor, using } => {
            let inputs = sqlda::using(*using, inputs, arguments)?;
            cursors::open(thread, call, &inputs, *cursor).await
        }
        Action::Fetch { cursor, orientation, is_rowset, rows, into } => {
            let wanted =
                Wanted { cursor: *cursor, orientation: *orientation, is_rowset: *is_rowset, rows: *rows };
            cursors::fetch(thread, call, &inputs, wanted, *into, arguments).await
        }
        Action::Close { cursor } => cursors::close(thread, call, *cursor),
        Action::Prepare { name, into, attributes } => {
            dynamic::prepare(thread, call, &inputs, (name, *into, *attributes), arguments).await
        }
        Action::Describe { what, into } => {
            describe::describe(thread, call, &inputs, (what, *into), arguments).await
        }
        Action::Execute { name, using, rows } => {
            let inputs = sqlda::using(*using, inputs, arguments)?;
            dynamic::execute(thread, call, &inputs, (name, *rows), arguments).await
        }
        Action::ExecuteImmediate => dynamic::immediate(thread, call, &inputs).await,
        Action::Diagnostics(items) => {
            Ok(diagnostics::get(&thread.notes.last, (call.source, items), &inputs, arguments)?)
        }
        Action::Savepoint { name, unique } => savepoint(thread, call, name, *unique).await,
        Action::ReleaseSavepoint { name } => {
            thread.unit().await?.release_savepoint(name).await?;
            Ok(Sqlca::default())
        }
        Action::RollbackTo { name } => {
            thread.unit().await?.back_to_savepoint(name.as_deref()).await?;
            Ok(Sqlca::default())
        }
        Action::Commit => Err(Sqlca::error(-925, b"2D521").into()),
        Action::Rollback => Err(Sqlca::error(-926, b"2D521").into()),
        Action::Call { procedure, arguments: given } => {
            let statement = statement(thread, call, "");
            let values = inputs.arguments(statements::parameters(call.source));
            let called = calls::Called { procedure, arguments: given };
            calls::call(thread, call, &statement, &values, called, arguments).await
        }
        Action::Lock => {
            let statement = statement(thread, call, "");
            let values = inputs.arguments(statements::parameters(call.source));
            thread.run(&statement, &values, 0, isolation(call.source.isolation), Leaves::Something).await?;
            Ok(Sqlca::default())
        }
        Action::Define(texts) => dynamic::define(thread, texts).await,
        Action::Connection | Action::Grant => Ok(Sqlca::default()),
        Action::Connect => connect(thread),
        Action::SetRegister { name } => registers::set(thread, call, &inputs, name).await,
    }
}

/// CONNECT has no effect: a program is connected. In a unit of work it is refused, as published.
fn connect(thread: &Thread) -> Result<Sqlca, Trouble> {
    if thread.is_in_unit() { Err(Sqlca::error(-752, b"0A001").into()) } else { Ok(Sqlca::default()) }
}
