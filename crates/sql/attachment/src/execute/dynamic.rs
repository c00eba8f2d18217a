//! Statements that a program makes at run time: PREPARE, EXECUTE, EXECUTE IMMEDIATE; and definitions.

use std::rc::Rc;

use db2::DynamicKind;
use db2::package::{Action, Change, Count, Text};
use sql::codes::{Doing, Scope, Sqlca};
use sql::value::{Argument, sent};
use sql::{Failure, Isolation, Leaves, Locals, Statement};

use super::call::{Call, doing, isolation, savepoint};
use super::calls;
use super::changes::{Concerned, Many, Positioned, change_current, counted};
use super::describe::output;
use super::registers::{self, text};
use crate::arguments::{Arguments, Inputs};
use crate::prepared::Dynamic;
use crate::registers::constant;
use crate::sqlda::Sqlda;
use crate::statements::SESSION;
use crate::thread::Thread;
use crate::trouble::{Trouble, not_built};

/// PREPARE: the server says at once what is wrong with the statement.
pub(super) async fn prepare(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    (name, into, attributes): (&str, Option<u16>, Option<u16>),
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let key = (call.token, name.to_owned());
    let is_read = |(level, token, cursor): &(u16, u64, u16)| {
        let declared = call.package.cursor(*cursor);
        (*level, *token) == (call.level, call.token)
            && declared.is_some_and(|declared| declared.prepared.as_deref() == Some(name))
    };
    if thread.cursors.keys().any(is_read) {
        return Err(Sqlca::error(-519, b"24506").token(name).into());
    }
    thread.prepared.remove(&key);
    let text = text(thread, call, inputs).await?;
    let attributes = attributes.and_then(|input| inputs.text(input.into())).unwrap_or_default();
    let prepared = Dynamic::with(&text, attributes, &thread.registers)?;
    if prepared.can_be_described() {
        match thread.described(&prepared.statement).await {
            // Types that only the values will say.
            Err(failure) if failure.is(b"42P18") && into.is_none() => {}
            described => drop(described?),
        }
    }
    let mut sqlca = Sqlca::default();
    if let Some(area) = into {
        let sqlda = Sqlda::read(area, arguments)?;
        sqlca = sqlda.fill(&output(thread, &prepared).await?, arguments)?;
    }
    if prepared.read.without_where {
        sqlca.warn(4);
    }
    thread.prepared.insert(key, prepared);
    Ok(sqlca)
}

pub(super) async fn execute(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    (name, rows): (&str, Option<Count>),
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let prepared = thread.prepared.get(&(call.token, name.to_owned())).cloned();
    let prepared = prepared.ok_or_else(|| Sqlca::error(-518, b"07003").token(name))?;
    let many = match (&prepared.read.kind, rows) {
        (DynamicKind::Action { action: Action::Change(change), .. }, Some(rows)) => (*change, rows, true),
        (DynamicKind::Action { action: Action::ChangeRows { change, rows, atomic }, .. }, own) => {
            (*change, own.unwrap_or(*rows), *atomic)
        }
        (DynamicKind::Action { action: Action::Call { procedure, arguments: given }, .. }, None) => {
            let called = calls::Called { procedure, arguments: given };
            return calls::call(thread, call, &prepared.statement, &inputs.all(), called, arguments).await;
        }
        (_, None) => return run(thread, call, &prepared, &inputs.all()).await,
        (_, Some(_)) => return Err(Sqlca::error(-518, b"07003").token(name).into()),
    };
    let (change, rows, atomic) = many;
    let many = Many { change, rows, atomic: atomic && !prepared.attributes.not_atomic };
    let done = super::changes::rows(thread, call, &prepared.statement, inputs, many, arguments).await;
    done.map_err(|trouble| match trouble {
        Trouble::Failure(failure) => while_doing(failure, doing(&Action::Change(change))),
        unreachable => unreachable,
    })
}

pub(super) async fn immediate(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
) -> Result<Sqlca, Trouble> {
    let text = text(thread, call, inputs).await?;
    let prepared = Dynamic::new(&text, &thread.registers)?;
    if let DynamicKind::Query { .. } = prepared.read.kind {
        return Err(Sqlca::error(-84, b"42612").into());
    }
    let mut sqlca = run(thread, call, &prepared, &[]).await?;
    if prepared.read.without_where {
        sqlca.warn(4);
    }
    Ok(sqlca)
}

async fn run(
    thread: &mut Thread,
    call: Call<'_>,
    prepared: &Dynamic,
    values: &[Argument<'_>],
) -> Result<Sqlca, Trouble> {
    let DynamicKind::Action { action, cursor } = &prepared.read.kind else {
        return Err(Sqlca::error(-518, b"07003").into());
    };
    match action {
        Action::Positioned { change, row, .. } => {
            let at = call.package.cursors.iter().position(|known| Some(&known.name) == cursor.as_ref());
            let cursor = at.ok_or_else(|| Sqlca::error(-504, b"34000"))? as u16;
            let row = row.map(|row| match row {
                Count::Literal(row) => row.into(),
                // A prepared statement has no host variables.
                Count::Input(_) => 0,
            });
            let positioned = Positioned { change: *change, cursor, row };
            let concerned = Concerned::of(thread, call, positioned, prepared.read.markers)?;
            let statement = prepared.with_current(concerned.more());
            change_current(thread, call, &statement, values, positioned, concerned).await
        }
        Action::Change(change) => {
            let isolation = isolation(prepared.read.isolation.or(call.source.isolation));
            let ran = thread.run(&prepared.statement, values, 0, isolation, Leaves::Something).await;
            let answer = ran.map_err(|failure| while_doing(failure, doing(action)))?;
            let change: Change = *change;
            Ok(counted(answer.part(0).count, change))
        }
        Action::Lock | Action::Call { .. } => {
            let isolation = isolation(call.source.isolation);
            thread.run(&prepared.statement, values, 0, isolation, Leaves::Something).await?;
            Ok(Sqlca::default())
        }
        Action::SetRegister { name } => {
            let value = match constant(&prepared.read.text.sql) {
                Some(text) => SESSION.bytes(&text),
                None => registers::value(thread, &prepared.statement, values).await?,
            };
            registers::keep(thread, name, &value);
            Ok(Sqlca::default())
        }
        Action::Define(texts) => define_prepared(thread, texts, prepared.statement.locals()).await,
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
        Action::Connection | Action::Grant => Ok(Sqlca::default()),
        _ => Err(not_built("this prepared statement")),
    }
}

/// Classes of states whose codes depend on what the prepared statement does: values, constraints, names and rights.
const DEPEND: [&[u8]; 3] = [b"22", b"23", b"42"];

fn while_doing(failure: Failure, doing: Doing) -> Trouble {
    match failure {
        Failure::Refused(fault) if DEPEND.iter().any(|class| fault.state.starts_with(class)) => {
            Sqlca::of_fault(&fault, doing, Scope::Unit).into()
        }
        failure => failure.into(),
    }
}

/// CREATE, ALTER, DROP: all of PostgreSQL's statements for one of Db2's, or none.
pub(super) async fn define(thread: &mut Thread, texts: &[Text]) -> Result<Sqlca, Trouble> {
    define_under(thread, texts, None).await
}

/// The same for a prepared statement. Db2's schemas need no CREATE: the register's is made where it is missing.
async fn define_prepared(
    thread: &mut Thread,
    texts: &[Text],
    locals: Option<&Rc<Locals>>,
) -> Result<Sqlca, Trouble> {
    if let Some(schema) = thread.registers.schema().filter(|_| locals.is_some()) {
        let sql = format!("CREATE SCHEMA IF NOT EXISTS {schema}");
        define_under(thread, &[Text { sql, marks: Vec::new() }], None).await?;
    }
    define_under(thread, texts, locals).await
}

async fn define_under(
    thread: &mut Thread,
    texts: &[Text],
    locals: Option<&Rc<Locals>>,
) -> Result<Sqlca, Trouble> {
    for text in texts {
        thread.has_temporary |= text.sql.starts_with("CREATE TEMPORARY TABLE");
        let statement = Statement::under(sent(&text.sql), &[], locals.cloned());
        let ran = thread.run(&statement, &[], 0, Isolation::Committed, Leaves::Something).await;
        ran.map_err(|failure| while_doing(failure, Doing::Definition))?;
    }
    Ok(Sqlca::default())
}
