//! Statements that a program makes at run time: PREPARE, EXECUTE, EXECUTE IMMEDIATE; and definitions.

use std::rc::Rc;

use db2::package::{Action, Change, Isolation as Wanted, Text};
use db2::{DynamicKind, Letters};
use sql::codes::Sqlca;
use sql::{Isolation, Leaves, Statement};

use super::changes::counted;
use super::{Call, Trouble, isolation, not_built};
use crate::arguments::Inputs;
use crate::statements::{latin, parameters};
use crate::thread::Thread;

/// A prepared statement.
pub(crate) struct Dynamic {
    read: db2::Dynamic,
    statement: Rc<Statement>,
}

impl Dynamic {
    fn new(text: &[u8]) -> Result<Rc<Self>, Sqlca> {
        let text: String = text.iter().copied().map(char::from).collect();
        let wrong = |mistake: db2::Mistake| Sqlca::error(-104, b"42601").token(mistake.message);
        let read = db2::dynamic(&Letters::plain(&text)).map_err(wrong)?;
        let statement = Statement::new(latin(&read.text.sql), &[]);
        Ok(Rc::new(Self { read, statement }))
    }

    /// As a cursor's query.
    pub(super) fn query(&self) -> Result<(Rc<Statement>, Option<Wanted>), Sqlca> {
        match self.read.kind {
            DynamicKind::Query { .. } => Ok((Rc::clone(&self.statement), self.read.isolation)),
            DynamicKind::Action { .. } => Err(Sqlca::error(-517, b"07005")),
        }
    }
}

pub(super) fn prepare(thread: &mut Thread, inputs: &Inputs, name: &str) -> Result<Sqlca, Trouble> {
    let prepared = Dynamic::new(inputs.text(0).unwrap_or_default())?;
    let mut sqlca = Sqlca::default();
    if prepared.read.without_where {
        sqlca.warn(4);
    }
    thread.prepared.insert(name.to_owned(), prepared);
    Ok(sqlca)
}

pub(super) async fn execute(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    name: &str,
) -> Result<Sqlca, Trouble> {
    let prepared = thread.prepared.get(name).cloned();
    let prepared = prepared.ok_or_else(|| Sqlca::error(-518, b"07003").token(name))?;
    run(thread, &prepared, &inputs.arguments(parameters(call.source))).await
}

pub(super) async fn immediate(thread: &mut Thread, inputs: &Inputs) -> Result<Sqlca, Trouble> {
    let prepared = Dynamic::new(inputs.text(0).unwrap_or_default())?;
    run(thread, &prepared, &[]).await
}

async fn run(
    thread: &mut Thread,
    prepared: &Dynamic,
    values: &[sql::value::Argument<'_>],
) -> Result<Sqlca, Trouble> {
    let DynamicKind::Action { action, cursor: None } = &prepared.read.kind else {
        return match prepared.read.kind {
            DynamicKind::Query { .. } => Err(Sqlca::error(-518, b"07003").into()),
            DynamicKind::Action { .. } => Err(not_built("a prepared WHERE CURRENT OF")),
        };
    };
    match action {
        Action::Change(change) => {
            let isolation = isolation(prepared.read.isolation);
            let answer = thread.run(&prepared.statement, values, 0, isolation, Leaves::Something).await?;
            let change: Change = *change;
            Ok(counted(answer.part(0).count, change))
        }
        Action::Lock => {
            thread.run(&prepared.statement, values, 0, Isolation::Committed, Leaves::Something).await?;
            Ok(Sqlca::default())
        }
        Action::Define(texts) => define(thread, texts).await,
        Action::Commit => Err(Sqlca::error(-925, b"2D521").into()),
        Action::Rollback => Err(Sqlca::error(-926, b"2D521").into()),
        Action::Connection | Action::Grant => Ok(Sqlca::default()),
        _ => Err(not_built("this prepared statement")),
    }
}

/// CREATE, ALTER, DROP: all of PostgreSQL's statements for one of Db2's, or none.
pub(super) async fn define(thread: &mut Thread, texts: &[Text]) -> Result<Sqlca, Trouble> {
    for text in texts {
        let statement = Statement::new(latin(&text.sql), &[]);
        thread.run(&statement, &[], 0, Isolation::Committed, Leaves::Something).await?;
    }
    Ok(Sqlca::default())
}
