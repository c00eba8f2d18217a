//! Statements that a program makes at run time: PREPARE, EXECUTE, EXECUTE IMMEDIATE; and definitions.

use std::cell::RefCell;
use std::rc::Rc;

use db2::package::{Action, Change, Text};
use db2::{DynamicKind, Letters};
use sql::codes::Sqlca;
use sql::value::Argument;
use sql::{Isolation, Leaves, Statement};

use super::changes::{change_current, counted, current_of};
use super::cursors::Query;
use super::describe::output;
use super::{Call, Trouble, isolation, not_built};
use crate::arguments::{Arguments, Inputs};
use crate::sqlda::Sqlda;
use crate::statements::latin;
use crate::thread::Thread;

/// A prepared statement.
pub(crate) struct Dynamic {
    pub(super) read: db2::Dynamic,
    pub(super) statement: Rc<Statement>,
    /// WHERE CURRENT OF: what stands behind the text, and the whole.
    current: RefCell<Option<(String, Rc<Statement>)>>,
}

impl Dynamic {
    pub(super) fn new(text: &[u8]) -> Result<Rc<Self>, Sqlca> {
        let text: String = text.iter().copied().map(char::from).collect();
        let wrong = |mistake: db2::Mistake| Sqlca::error(-104, b"42601").token(mistake.message);
        let read = db2::dynamic(&Letters::plain(&text)).map_err(wrong)?;
        let statement = Statement::new(latin(&read.text.sql), &[]);
        Ok(Rc::new(Self { read, statement, current: RefCell::default() }))
    }

    /// As a cursor's query.
    pub(super) fn query(&self) -> Result<Query, Sqlca> {
        match self.read.kind {
            DynamicKind::Query { for_update, .. } => {
                let statement = Rc::clone(&self.statement);
                Ok(Query { statement, isolation: self.read.isolation, for_update })
            }
            DynamicKind::Action { .. } => Err(Sqlca::error(-517, b"07005")),
        }
    }

    /// Whether the server can look at it before it runs.
    fn can_be_described(&self) -> bool {
        match &self.read.kind {
            DynamicKind::Query { .. } => true,
            DynamicKind::Action { action, cursor } => matches!(action, Action::Change(_)) && cursor.is_none(),
        }
    }

    /// The statement with its WHERE CURRENT OF.
    fn with_current(&self, current: &str) -> Rc<Statement> {
        let mut made = self.current.borrow_mut();
        if let Some((_, statement)) = made.as_ref().filter(|(known, _)| known == current) {
            return Rc::clone(statement);
        }
        let statement = Statement::new(latin(&format!("{}{current}", self.read.text.sql)), &[]);
        *made = Some((current.to_owned(), Rc::clone(&statement)));
        statement
    }
}

/// PREPARE: the server says at once what is wrong with the statement.
pub(super) async fn prepare(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    (name, into): (&str, Option<u16>),
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
    let prepared = Dynamic::new(inputs.text(0).unwrap_or_default())?;
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
    name: &str,
) -> Result<Sqlca, Trouble> {
    let prepared = thread.prepared.get(&(call.token, name.to_owned())).cloned();
    let prepared = prepared.ok_or_else(|| Sqlca::error(-518, b"07003").token(name))?;
    run(thread, call, &prepared, &inputs.all()).await
}

pub(super) async fn immediate(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
) -> Result<Sqlca, Trouble> {
    let prepared = Dynamic::new(inputs.text(0).unwrap_or_default())?;
    run(thread, call, &prepared, &[]).await
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
        Action::Positioned { change, row: None, .. } => {
            let number = call.package.cursors.iter().position(|known| Some(&known.name) == cursor.as_ref());
            let number = number.ok_or_else(|| Sqlca::error(-504, b"34000"))? as u16;
            let statement = prepared.with_current(&current_of(thread, call, number)?);
            change_current(thread, call, &statement, values, (*change, number)).await
        }
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
