//! A statement of a package, by what it asks for.

mod calls;
mod changes;
mod cursors;
mod describe;
mod diagnostics;
mod dynamic;
mod registers;
mod rows;

use db2::package::{Action, Change, Isolation as Wanted, Package, Statement as Source, Using};
use sql::codes::{Doing, Sqlca};
use sql::{Failure, Isolation, Leaves, Statement};

pub(crate) use diagnostics::{Condition, Diagnosed};
pub(crate) use dynamic::Dynamic;

use crate::arguments::{Arguments, Inputs, Unreachable};
use crate::thread::Thread;

/// A program's call of a statement.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) level: u16,
    pub(crate) token: u64,
    pub(crate) number: u16,
    pub(crate) package: &'a Package,
    pub(crate) source: &'a Source,
}

/// Why a statement has no ordinary end.
pub(crate) enum Trouble {
    Failure(Failure),
    Unreachable(Unreachable),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Sqlca> for Trouble {
    fn from(sqlca: Sqlca) -> Self {
        Self::Failure(sqlca.into())
    }
}

impl From<Unreachable> for Trouble {
    fn from(unreachable: Unreachable) -> Self {
        Self::Unreachable(unreachable)
    }
}

/// Runs a statement.
pub(crate) async fn run(
    thread: &mut Thread,
    call: Call<'_>,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let inputs = Inputs::read(call.source, 0, arguments)??;
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
            let inputs = using_inputs(*using, inputs, arguments)?;
            cursors::open(thread, call, &inputs, *cursor).await
        }
        Action::Fetch { cursor, orientation, is_rowset, rows, into } => {
            let wanted = cursors::Wanted {
                cursor: *cursor,
                orientation: *orientation,
                is_rowset: *is_rowset,
                rows: *rows,
            };
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
            let inputs = using_inputs(*using, inputs, arguments)?;
            dynamic::execute(thread, call, &inputs, (name, *rows), arguments).await
        }
        Action::ExecuteImmediate => dynamic::immediate(thread, call, &inputs).await,
        Action::Diagnostics(items) => diagnostics::get(thread, call, items, &inputs, arguments),
        Action::Savepoint { name, unique } => savepoint(thread, name, *unique).await,
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
            let values = inputs.arguments(crate::statements::parameters(call.source));
            let called = calls::Called { procedure, arguments: given };
            calls::call(thread, call, &statement, &values, called, arguments).await
        }
        Action::Lock => {
            let statement = statement(thread, call, "");
            let values = inputs.arguments(crate::statements::parameters(call.source));
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

/// What goes to markers: the statement's own inputs, or what an SQLDA names.
fn using_inputs(using: Using, inputs: Inputs, arguments: &dyn Arguments) -> Result<Inputs, Trouble> {
    match using {
        Using::Descriptor(area) => Inputs::described(area, arguments),
        Using::Variables | Using::Nothing => Ok(inputs),
    }
}

async fn savepoint(thread: &mut Thread, name: &str, unique: bool) -> Result<Sqlca, Trouble> {
    let unit = thread.unit().await?;
    if unique && unit.has_savepoint(name) {
        return Err(Sqlca::error(-881, b"3B501").token(name).into());
    }
    unit.savepoint(name).await?;
    Ok(Sqlca::default())
}

/// What runs, for codes that depend on it.
pub(crate) fn doing(action: &Action) -> Doing {
    match action {
        Action::Change(change) | Action::ChangeRows { change, .. } | Action::Positioned { change, .. } => {
            match change {
                Change::InsertValues | Change::InsertQuery => Doing::Insert,
                Change::Update => Doing::Update,
                Change::Delete => Doing::Delete,
                Change::Merge => Doing::Merge,
            }
        }
        Action::Define(_) => Doing::Definition,
        _ => Doing::Select,
    }
}

fn isolation(wanted: Option<Wanted>) -> Isolation {
    match wanted {
        Some(Wanted::ReadStability | Wanted::RepeatableRead) => Isolation::Repeatable,
        _ => Isolation::Committed,
    }
}

fn leaves(source: &Source) -> Leaves {
    if source.has_effects { Leaves::Something } else { Leaves::Nothing }
}

/// The call's statement, with some more text behind it.
fn statement(thread: &Thread, call: Call<'_>, more: &str) -> std::rc::Rc<Statement> {
    let statement = thread.tcb.statements.borrow_mut().get(call.token, call.number, call.source, more);
    match thread.registers.of_static(&call.source.sql.sql) {
        Some(locals) => Statement::like(&statement, locals),
        None => statement,
    }
}

/// What a program sees of what does not run here.
fn not_built(what: &str) -> Trouble {
    Sqlca::error(-199, b"42601").token(what).into()
}
