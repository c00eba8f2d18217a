//! The state of one task: its unit of work on a session, its cursors, the statements that it has prepared.

use std::rc::Rc;

use foldhash::HashMap;
use sql::codes::{Scope, Sqlca};
use sql::{
    Answer, Cursor, CursorKind, Described, Ended, Failure, Isolation, Leaves, Lost, Opening, Statement, Unit,
    Verb,
};
use thiserror::Error;

use crate::conditions::Notes;
use crate::prepared::Dynamic;
use crate::registers::Registers;
use crate::tcb::Tcb;
use crate::trouble::Unreachable;

/// The SQL side of a task. It has a session of its own only from the first statement on that wants one.
pub struct Thread {
    pub(crate) tcb: Rc<Tcb>,
    pub(crate) unit: Option<Unit>,
    pub(crate) cursors: HashMap<Name, Cursor>,
    /// By the token of their package and their name.
    pub(crate) prepared: HashMap<(u64, String), Rc<Dynamic>>,
    pub(crate) registers: Registers,
    /// It has declared temporary tables: they are its session's, which is its own until it ends.
    pub(crate) has_temporary: bool,
    pub(crate) notes: Notes,
    /// A date of the statement that runs was adjusted to the end of its month.
    is_adjusted: bool,
    pub(crate) scope: Scope,
    /// The isolation that the statement which runs has: whatever begins a unit of work for it begins it so.
    pub(crate) wants: Isolation,
    /// All changes are undone already: no statement runs until the task backs out, too.
    is_broken: bool,
}

/// A cursor: link level, package, number in it.
pub(crate) type Name = (u16, u64, u16);

/// The outcome of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The SQLCA that the program gets.
    pub sqlca: Sqlca,
    /// Its changes in SQL are undone: the task has to back out the rest of its unit of work.
    pub backs_out: bool,
}

/// The reason why a statement did not run at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Failed {
    /// The program named storage that it does not have.
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    /// Its package has no statement of this number.
    #[error("the package has no statement {0}")]
    NoStatement(u16),
}

impl Thread {
    /// A task's, which has done nothing yet. `scope` is what a deadlock takes back (DROLLBACK).
    pub fn new(tcb: &Rc<Tcb>, scope: Scope) -> Self {
        Self {
            tcb: Rc::clone(tcb),
            unit: None,
            cursors: HashMap::default(),
            prepared: HashMap::default(),
            registers: Registers::default(),
            has_temporary: false,
            notes: Notes::default(),
            is_adjusted: false,
            scope,
            wants: Isolation::Committed,
            is_broken: false,
        }
    }

    /// A statement begins: nothing is known of it yet.
    pub(crate) fn begins(&mut self) {
        self.is_adjusted = false;
        self.notes.begin();
    }

    /// A date was adjusted to the end of its month.
    pub(crate) fn adjusts(&mut self) {
        self.is_adjusted = true;
    }

    /// Returns true if that happened in the statement that runs.
    pub(crate) fn has_adjusted(&self) -> bool {
        self.is_adjusted
    }

    /// Returns true if what was changed is undone already, and nothing runs until the task backs out, too.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Undoes the changes. A lost session has nothing to undo; the server does it.
    pub(crate) async fn breaks(&mut self) {
        let _ = self.end_backout().await;
        self.is_broken = true;
    }

    /// Returns true if a unit of work is open at the server: statements have to see its changes.
    pub fn is_in_unit(&self) -> bool {
        self.unit.as_ref().is_some_and(Unit::is_open)
    }

    /// Returns true if it has no session and no cursor: then nothing is lost if it is dropped.
    pub fn is_idle(&self) -> bool {
        self.unit.is_none() && self.cursors.is_empty()
    }

    /// Returns true if it has rows of an open cursor and no session: they do not depend on the server any more.
    pub fn has_rows(&self) -> bool {
        self.unit.is_none() && !self.cursors.is_empty()
    }

    /// The task's session.
    pub(crate) async fn unit(&mut self) -> Result<&mut Unit, Failure> {
        if self.unit.is_none() {
            self.unit = Some(self.tcb.session().await?);
        }
        self.unit.as_mut().ok_or_else(|| Failure::Lost(Lost { fault: None, error: String::new() }))
    }

    /// Refuses a query that wants what its unit of work cannot give any more: one that began with CS does not keep what it reads.
    ///
    /// # Errors
    /// -904, with the isolation as its resource.
    pub(crate) fn isolates(&self, isolation: Isolation) -> Result<(), Sqlca> {
        match &self.unit {
            Some(unit) if !unit.isolates(isolation) => Err(Sqlca::error(-904, b"57011")
                .token("NOT BUILT")
                .token("ISOLATION")
                .token("RR OR RS IN A UNIT OF WORK THAT HAS BEGUN WITH CS")),
            _ => Ok(()),
        }
    }

    /// Returns true if a statement without effects may run over the shared session.
    fn reads_shared(&self, statement: &Statement, isolation: Isolation) -> bool {
        let is_shared =
            isolation == Isolation::Committed && statement.locals().is_none() && !self.has_temporary;
        is_shared && !self.is_in_unit()
    }

    /// Opens a cursor without a session of its own, if its result is short and the task has no unit of work. `None` if it has
    /// to be opened in one: the result is longer, or the statement fails or has effects, and it fails there as it should.
    pub(crate) async fn open_whole(
        &self,
        query: &Statement,
        values: &[sql::value::Argument<'_>],
        opening: Opening,
    ) -> Option<Cursor> {
        let is_plain = opening.kind == CursorKind::Read && !opening.is_held && !opening.is_scrollable;
        if !is_plain || query.is_many() || !self.reads_shared(query, opening.isolation) {
            return None;
        }
        let answer = self.tcb.readers.run(query, values, Cursor::WHOLE).await.ok()?;
        Cursor::whole(query, &answer)
    }

    /// Runs a statement where it belongs: over the shared session if it leaves nothing, else in the unit of work.
    pub(crate) async fn run(
        &mut self,
        statement: &Statement,
        values: &[sql::value::Argument<'_>],
        rows: u32,
        isolation: Isolation,
        leaves: Leaves,
    ) -> Result<Answer, Failure> {
        if leaves == Leaves::Nothing && self.reads_shared(statement, isolation) {
            match self.tcb.readers.run(statement, values, rows).await {
                // It changes something though it does not look like it: a function does.
                Err(Failure::Refused(fault)) if &fault.state == b"25006" => {
                    let isolation = self.wants;
                    return self
                        .unit()
                        .await?
                        .run(statement, values, rows, isolation, Leaves::Something)
                        .await;
                }
                done => return done,
            }
        }
        let isolation = if isolation == Isolation::Committed { self.wants } else { isolation };
        let answer = self.unit().await?.run(statement, values, rows, isolation, leaves).await?;
        // The rows of a query report it one by one.
        if answer.part(0).verb != Verb::Select && answer.is_adjusted() {
            self.adjusts();
        }
        Ok(answer)
    }

    /// Describes a statement's parameters and columns.
    pub(crate) async fn described(&mut self, statement: &Statement) -> Result<Rc<Described>, Failure> {
        if let Some(described) = statement.described() {
            return Ok(described);
        }
        if self.is_in_unit() || statement.locals().is_some() || self.has_temporary {
            return self.described_in_unit(statement).await;
        }
        self.tcb.readers.describe(statement).await
    }

    /// The same, asked in the task's own unit of work.
    pub(crate) async fn described_in_unit(
        &mut self,
        statement: &Statement,
    ) -> Result<Rc<Described>, Failure> {
        let isolation = self.wants;
        self.unit().await?.described(statement, isolation).await
    }

    /// The transaction's number at the server, once the task has changed something there.
    pub fn xid(&self) -> Option<u64> {
        self.unit.as_ref().and_then(Unit::xid)
    }

    /// On whose data it works, if its unit of work can leave its name there ([`Self::commit_as`]).
    pub fn can_leave_name(&self) -> Option<u64> {
        self.unit.as_ref().filter(|unit| unit.can_leave_name()).and_then(Unit::system)
    }

    /// Commits. Cursors are closed, but those WITH HOLD.
    ///
    /// # Errors
    /// See [`Unit::commit`].
    pub async fn commit(&mut self) -> Result<Ended, Failure> {
        if self.is_broken {
            return Ok(Ended::BackedOut);
        }
        self.keep_cursors().await?;
        let Some(unit) = &mut self.unit else { return Ok(Ended::ReadOnly) };
        let ended = unit.commit().await;
        if ended.is_err() {
            self.cursors.clear();
        }
        self.give_back();
        ended
    }

    /// The same, leaving a name by which it is found out later that it has; names that are `over` are forgotten.
    ///
    /// # Errors
    /// See [`Unit::commit_as`].
    pub async fn commit_as(&mut self, name: &[u8], over: &[Vec<u8>]) -> Result<Ended, Failure> {
        if self.is_broken {
            return Ok(Ended::BackedOut);
        }
        self.keep_cursors().await?;
        let Some(unit) = &mut self.unit else { return Ok(Ended::BackedOut) };
        let ended = unit.commit_as(name, over).await;
        if ended.is_err() {
            self.cursors.clear();
        }
        self.give_back();
        ended
    }

    /// First phase of a two-phase commit, under a name.
    ///
    /// # Errors
    /// See [`Unit::prepare`].
    pub async fn prepare(&mut self, name: &str) -> Result<Ended, Failure> {
        if self.is_broken {
            return Ok(Ended::BackedOut);
        }
        self.keep_cursors().await?;
        let Some(unit) = &mut self.unit else { return Ok(Ended::ReadOnly) };
        let ended = unit.prepare(name).await;
        self.give_back();
        ended
    }

    /// Closes cursors but those WITH HOLD, and reads the rest of these. If that fails the unit of work is backed out: nothing
    /// of it may be left for the next.
    async fn keep_cursors(&mut self) -> Result<(), Failure> {
        self.cursors.retain(|_, cursor| cursor.is_held());
        let Some(unit) = &mut self.unit else { return Ok(()) };
        for cursor in self.cursors.values_mut() {
            if let Err(failure) = cursor.keep(unit).await {
                // A lost session is backed out by the server.
                let _ = self.end_backout().await;
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Backs out. All cursors are closed; the task may go on.
    ///
    /// # Errors
    /// The session is lost; the server backs out then.
    pub async fn backout(&mut self) -> Result<(), Failure> {
        let done = self.end_backout().await;
        self.is_broken = false;
        done
    }

    async fn end_backout(&mut self) -> Result<(), Failure> {
        self.cursors.clear();
        let Some(unit) = &mut self.unit else { return Ok(()) };
        let done = unit.backout().await;
        self.give_back();
        done
    }

    /// The session goes back, unless a held cursor or a temporary table still needs it.
    fn give_back(&mut self) {
        if self.cursors.is_empty()
            && !self.has_temporary
            && let Some(unit) = self.unit.take()
        {
            self.tcb.release(unit);
        }
    }
}
