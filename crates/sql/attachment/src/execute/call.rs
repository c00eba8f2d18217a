//! A program's call of a statement, and what each kind of statement asks of it.

use db2::package::{Action, Change, Isolation as Wanted, Package, Statement as Source};
use sql::codes::{Doing, Sqlca};
use sql::{Isolation, Leaves, Statement};

use crate::thread::Thread;
use crate::trouble::Trouble;

/// A program's call of a statement.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) level: u16,
    pub(crate) token: u64,
    pub(crate) number: u16,
    pub(crate) package: &'a Package,
    pub(crate) source: &'a Source,
}

pub(super) async fn savepoint(
    thread: &mut Thread,
    call: Call<'_>,
    name: &str,
    unique: bool,
) -> Result<Sqlca, Trouble> {
    let unit = thread.unit().await?;
    unit.begin(isolation(call.source.isolation)).await?;
    if unique && unit.has_savepoint(name) {
        return Err(Sqlca::error(-881, b"3B501").token(name).into());
    }
    unit.savepoint(name).await?;
    Ok(Sqlca::default())
}

/// Returns the kind of the action, for codes that depend on it.
pub(super) fn doing(action: &Action) -> Doing {
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

pub(super) fn isolation(wanted: Option<Wanted>) -> Isolation {
    match wanted {
        Some(Wanted::ReadStability | Wanted::RepeatableRead) => Isolation::Repeatable,
        _ => Isolation::Committed,
    }
}

pub(super) fn leaves(source: &Source) -> Leaves {
    if source.has_effects { Leaves::Something } else { Leaves::Nothing }
}

/// The call's statement, with some more text after it.
pub(super) fn statement(thread: &Thread, call: Call<'_>, more: &str) -> std::rc::Rc<Statement> {
    let statement = thread.tcb.statements.borrow_mut().get(call.token, call.number, call.source, more);
    match thread.registers.of_static(&call.source.sql.sql) {
        Some(locals) => Statement::like(&statement, locals),
        None => statement,
    }
}
