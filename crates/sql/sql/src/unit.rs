//! A unit of work on a session: a transaction only once there is something to keep, and statements that fail alone.

use std::rc::Rc;

use crate::answer::{Answer, Described, Status, Verb};
use crate::codes::Sqlca;
use crate::ended;
use crate::failure::Failure;
use crate::limits;
use crate::oid;
use crate::request::{self, Step};
use crate::session::Session;
use crate::statement::{Statement, quoted};
use crate::value::Argument;
use crate::wire::{Format, Parameters};

/// Isolation of statements from the changes of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Each statement what was committed before it (CS, and UR with it).
    #[default]
    Committed,
    /// All statements what was committed before the first (RS and RR).
    Repeatable,
}

/// State that a statement leaves behind for the rest of the unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Nothing: a later failure has nothing of it to take back.
    Nothing,
    /// Changes, locks, or an open cursor.
    Something,
}

/// One unit of work after the other on a session that a task has for itself.
///
/// ```text
/// idle ── first statement: BEGIN + it, one flush ──► open ── COMMIT ──► idle
///                                                     │ statement fails: ROLLBACK TO, at once
///                                                     │ deadlock, if it takes the unit: ROLLBACK
///                                                     └── PREPARE TRANSACTION ──► idle, the unit waits at the server
/// ```
///
/// The progress of a statement whose future was dropped is unknown: the unit of work can only be backed out then.
/// Other statements get -906, and a commit backs out.
pub struct Unit {
    pub(crate) session: Session,
    words: Words,
    is_open: bool,
    /// The transaction that is open sees what its first statement saw.
    is_repeatable: bool,
    /// There is something that a statement's failure must not take back.
    has_something: bool,
    /// A savepoint stands behind everything that is to stay.
    is_guarded: bool,
    has_savepoint: bool,
    /// On whose data the session works, once that was asked.
    system: Option<u64>,
    /// The server's number of the transaction, once it has changed something.
    xid: Option<u64>,
    /// The user's own savepoints, the oldest first.
    savepoints: Vec<String>,
    /// It has changed something: the session may know which numbers sequences gave.
    has_changed: bool,
    /// The numbers of sequences that the session knows are another task's.
    is_others: bool,
}

/// Statements that every unit of work uses, prepared once for each session.
struct Words {
    begin: Rc<Statement>,
    begin_repeatable: Rc<Statement>,
    savepoint: Rc<Statement>,
    release: Rc<Statement>,
    back: Rc<Statement>,
    commit: Rc<Statement>,
    rollback: Rc<Statement>,
    xid: Rc<Statement>,
    discard: Rc<Statement>,
    leave_name: Rc<Statement>,
}

impl Default for Words {
    fn default() -> Self {
        let words = |text: &str| Statement::new(text, &[]);
        Self {
            begin: words("BEGIN"),
            begin_repeatable: words("BEGIN ISOLATION LEVEL REPEATABLE READ"),
            savepoint: words("SAVEPOINT syncpoint"),
            release: words("RELEASE syncpoint"),
            back: words("ROLLBACK TO syncpoint"),
            commit: words("COMMIT"),
            rollback: words("ROLLBACK"),
            xid: words("SELECT pg_current_xact_id_if_assigned()"),
            discard: words("DISCARD SEQUENCES"),
            leave_name: Statement::new(ended::INSERT, &[oid::BYTEA]),
        }
    }
}

/// End of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its changes stay.
    Committed,
    /// It had changed nothing.
    ReadOnly,
    /// Its changes are undone, though a commit was asked for.
    BackedOut,
}

/// Options with which a statement is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way<'a> {
    pub(crate) portal: &'a str,
    pub(crate) rows: u32,
    pub(crate) leaves: Leaves,
}

impl Unit {
    /// Units of work on this session.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            words: Words::default(),
            is_open: false,
            is_repeatable: false,
            has_something: false,
            is_guarded: false,
            has_savepoint: false,
            system: None,
            xid: None,
            savepoints: Vec::new(),
            has_changed: false,
            is_others: false,
        }
    }

    /// Another task has it from now on: what sequences gave the one before is none of its business.
    pub fn is_handed_over(&mut self) {
        self.is_others |= std::mem::take(&mut self.has_changed);
    }

    /// Asks on whose data the session works, once for its life. Before a unit of work, since a server that does not tell would
    /// undo it.
    ///
    /// # Errors
    /// The session is lost.
    pub async fn identify(&mut self) -> Result<(), Failure> {
        match ended::system_identifier(&mut self.session).await {
            Ok(system) => self.system = system,
            Err(Failure::Lost(lost)) => return Err(Failure::Lost(lost)),
            // It is not told to everybody.
            Err(_) => {}
        }
        Ok(())
    }

    /// On whose data the session works, if the server tells it, and lets units of work leave their names there.
    pub fn system(&self) -> Option<u64> {
        self.system
    }

    /// Returns true if a commit may leave its name ([`Self::commit_as`]) and is worth it: there are changes, and
    /// nothing forbids it.
    pub fn can_leave_name(&self) -> bool {
        self.system.is_some() && self.xid.is_some() && !self.session.is_busy()
    }

    /// Gives back the session.
    ///
    /// A unit of work that is open is not ended by this: end it first.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// The session.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Returns true if a transaction is open.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns true if what a statement with this isolation reads stays as it is for the unit of work: a server gives one isolation
    /// to all statements of it, that of the first.
    pub fn isolates(&self, isolation: Isolation) -> bool {
        isolation == Isolation::Committed || !self.is_open || self.is_repeatable
    }

    /// The transaction's number at the server, once it has changed something.
    pub fn xid(&self) -> Option<u64> {
        self.xid
    }

    /// Begins, if nothing has begun: a savepoint of the user's, a lock, a cursor wants it. A statement does it by itself.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn begin(&mut self, isolation: Isolation) -> Result<(), Failure> {
        if !self.is_open {
            let before = self.prologue(isolation);
            let steps: Vec<Step<'_>> = before.iter().map(|statement| Step::Plain(statement)).collect();
            self.session.exchange(&steps).await?;
            self.has_begun(isolation);
        }
        Ok(())
    }

    /// Runs a statement in the unit of work and reads up to so many rows (0: all). If it fails, it alone is undone.
    ///
    /// # Errors
    /// See [`Failure`]. After [`Failure::Lost`] the unit of work is undone, or will be.
    pub async fn run(
        &mut self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        rows: u32,
        isolation: Isolation,
        leaves: Leaves,
    ) -> Result<Answer, Failure> {
        self.run_so(statement, arguments, isolation, Way { portal: "", rows, leaves }).await
    }

    pub(crate) async fn run_so(
        &mut self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        isolation: Isolation,
        way: Way<'_>,
    ) -> Result<Answer, Failure> {
        if self.session.is_busy() {
            return Err(Self::unknown());
        }
        let mut tries = limits::TRIES;
        loop {
            let failure = match self.try_run(statement, arguments, isolation, way).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            tries -= 1;
            if tries == 0 || !self.session.is_worth_another(&failure, statement, arguments) {
                return Err(failure);
            }
        }
    }

    /// A statement's future was dropped: its progress is unknown, so that it can only be backed out.
    fn unknown() -> Failure {
        Sqlca::error(-906, b"24514").into()
    }

    async fn try_run(
        &mut self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        isolation: Isolation,
        way: Way<'_>,
    ) -> Result<Answer, Failure> {
        let described = self.described(statement, isolation).await?;
        let parameters = request::parameters(statement, &described, arguments)?;
        let run = Step::Run {
            statement,
            described: &described,
            parameters: &parameters,
            portal: way.portal,
            rows: way.rows,
        };
        let mut answer = self.step(run, isolation, way.leaves).await?;
        answer.described = Some(described);
        Ok(answer)
    }

    /// Runs a statement once for each set of arguments, all in one flush: all of them have an effect or none. The answer has a
    /// part for each.
    ///
    /// # Errors
    /// See [`Failure`]; the number of the set that failed comes with it, from 0.
    pub async fn run_each(
        &mut self,
        statement: &Statement,
        sets: &[Vec<Argument<'_>>],
        isolation: Isolation,
    ) -> Result<Answer, (usize, Failure)> {
        if self.session.is_busy() {
            return Err((0, Self::unknown()));
        }
        let described = self.described(statement, isolation).await.map_err(|failure| (0, failure))?;
        let bound: Result<Vec<Parameters>, (usize, Failure)> = sets
            .iter()
            .enumerate()
            .map(|(at, set)| request::parameters(statement, &described, set).map_err(|failure| (at, failure)))
            .collect();
        let bound = bound?;
        let step =
            |parameters| Step::Run { statement, described: &described, parameters, portal: "", rows: 0 };
        let steps: Vec<Step<'_>> = bound.iter().map(step).collect();
        let (mut answer, before) =
            self.steps(&steps, isolation, Leaves::Something).await.map_err(|failure| (0, failure))?;
        answer.parts.drain(..before.min(answer.parts.len()));
        let done = answer.parts.len();
        self.settle(answer, Leaves::Something).await.map_err(|failure| (done, failure))
    }

    /// Types of a statement's parameters and columns; asking the server can fail as the statement can.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn described(
        &mut self,
        statement: &Statement,
        isolation: Isolation,
    ) -> Result<Rc<Described>, Failure> {
        if let Some(described) = statement.described() {
            return Ok(described);
        }
        let mut before = self.prologue(isolation);
        before.extend_from_slice(statement.locals().map_or(&[], |locals| locals.set()));
        let steps: Vec<Step<'_>> = before.iter().map(|statement| Step::Plain(statement)).collect();
        let described = self.session.describe(&steps, statement).await;
        self.has_begun(isolation);
        let described = match described {
            Err(failure @ Failure::Refused(_)) => Err(self.undo(failure).await),
            described => described,
        };
        self.set_back(statement).await?;
        described
    }

    /// Sets back what a statement was looked at under.
    async fn set_back(&mut self, statement: &Statement) -> Result<(), Failure> {
        let Some(locals) = statement.locals().filter(|_| self.is_open) else { return Ok(()) };
        let steps: Vec<Step<'_>> = locals.reset().iter().map(|statement| Step::Plain(statement)).collect();
        self.session.exchange(&steps).await.map(drop)
    }

    /// One step in the unit of work, with what goes before it and behind it; what came of it is the answer's first part.
    pub(crate) async fn step(
        &mut self,
        step: Step<'_>,
        isolation: Isolation,
        leaves: Leaves,
    ) -> Result<Answer, Failure> {
        let (mut answer, before) = self.steps(&[step], isolation, leaves).await?;
        answer.parts.drain(..before.min(answer.parts.len()));
        self.settle(answer, leaves).await
    }

    /// Sends steps in one flush. Returns the number of parts of the answer that belong to earlier requests.
    async fn steps(
        &mut self,
        steps: &[Step<'_>],
        isolation: Isolation,
        leaves: Leaves,
    ) -> Result<(Answer, usize), Failure> {
        let mut before = self.prologue(isolation);
        let locals = steps.iter().find_map(Step::locals).cloned();
        before.extend_from_slice(locals.as_ref().map_or(&[], |locals| locals.set()));
        let xid = Rc::clone(&self.words.xid);
        let asks = leaves == Leaves::Something && self.xid.is_none();
        let mut all: Vec<Step<'_>> = before.iter().map(|statement| Step::Plain(statement)).collect();
        all.extend_from_slice(steps);
        let reset = locals.as_ref().map_or(&[][..], |locals| locals.reset());
        all.extend(reset.iter().map(|statement| Step::Plain(statement)));
        if asks {
            all.push(Step::Plain(&xid));
        }
        let count = before.len();
        let mut answer = match self.session.exchange_all(&all).await {
            Ok(answer) => answer,
            Err(failure) => {
                self.is_over();
                return Err(failure);
            }
        };
        self.has_begun(isolation);
        if asks && answer.fault.is_none() {
            let part = answer.parts.pop().unwrap_or_default();
            let number = answer.rows.row(part.rows.start).next().flatten();
            self.xid = number.and_then(|bytes| Some(u64::from_be_bytes(bytes.try_into().ok()?)));
        }
        if answer.fault.is_none() {
            answer.parts.truncate(answer.parts.len().saturating_sub(reset.len()));
        }
        Ok((answer, count))
    }

    /// Takes an answer: a failure is undone at once, so that no lock of it stays.
    async fn settle(&mut self, mut answer: Answer, leaves: Leaves) -> Result<Answer, Failure> {
        if let Some(fault) = answer.fault.take() {
            return Err(self.undo(Failure::Refused(fault)).await);
        }
        if leaves == Leaves::Something {
            self.has_changed = true;
            self.has_something = true;
            self.is_guarded = false;
        }
        Ok(answer)
    }

    /// Statements that go before a statement: a transaction's beginning, or a savepoint behind the work that is to
    /// stay.
    fn prologue(&self, isolation: Isolation) -> Vec<Rc<Statement>> {
        let mut before = Vec::new();
        if !self.is_open {
            before.push(Rc::clone(self.words.begin(isolation)));
            if self.is_others {
                before.push(Rc::clone(&self.words.discard));
            }
        } else if self.has_something && !self.is_guarded {
            if self.has_savepoint {
                before.push(Rc::clone(&self.words.release));
            }
            before.push(Rc::clone(&self.words.savepoint));
        }
        before
    }

    /// Notes what the prologue did.
    fn has_begun(&mut self, isolation: Isolation) {
        if !self.is_open {
            self.is_repeatable = isolation == Isolation::Repeatable;
            (self.is_open, self.is_others) = (true, false);
        } else if self.has_something && !self.is_guarded {
            (self.has_savepoint, self.is_guarded) = (true, true);
        }
    }

    /// Undoes the statement that has failed. If it was the first one, the transaction is undone with it.
    async fn undo(&mut self, failure: Failure) -> Failure {
        if self.session.status() == Status::Transaction {
            // The server noticed before it began.
            return failure;
        }
        let undone = if self.has_something && self.is_guarded {
            let back = Rc::clone(&self.words.back);
            self.session.exchange(&[Step::Plain(&back)]).await.map(|_| ())
        } else {
            self.backout().await
        };
        match undone {
            Ok(()) => failure,
            Err(undone) => {
                self.is_over();
                undone
            }
        }
    }

    /// Commits.
    ///
    /// # Errors
    /// The server refuses (a constraint that is looked at only now): the unit of work is undone. After
    /// [`Failure::Lost`] its end is not known: [`crate::resolve`] finds it out.
    pub async fn commit(&mut self) -> Result<Ended, Failure> {
        if self.session.is_busy() {
            self.backout().await?;
            return Ok(Ended::BackedOut);
        }
        if !self.is_open {
            return Ok(Ended::ReadOnly);
        }
        let (commit, xid) = (Rc::clone(&self.words.commit), self.xid);
        let answer = self.session.exchange(&[Step::Plain(&commit)]).await;
        self.is_over();
        let answer = answer?;
        Ok(match (answer.part(0).verb, xid) {
            (Verb::Rollback, _) => Ended::BackedOut,
            (_, None) => Ended::ReadOnly,
            (_, Some(_)) => Ended::Committed,
        })
    }

    /// Commits, and leaves a name by which that is found out later ([`ended::is_committed`]), in one flush. Names that are `over`
    /// are forgotten with it.
    ///
    /// # Errors
    /// As [`Self::commit`]; the unit of work is undone, too, where its name is there already.
    pub async fn commit_as(&mut self, name: &[u8], over: &[Vec<u8>]) -> Result<Ended, Failure> {
        if !self.is_open || !self.can_leave_name() {
            self.backout().await?;
            return Ok(Ended::BackedOut);
        }
        if !over.is_empty()
            && let Err(failure) = ended::forget(&mut self.session, over).await
        {
            self.backout().await?;
            return Err(failure);
        }
        let mut parameters = Parameters::default();
        parameters.push(Format::Binary, |out| {
            out.extend_from_slice(name);
            Ok::<_, Failure>(())
        })?;
        let (insert, commit) = (Rc::clone(&self.words.leave_name), Rc::clone(&self.words.commit));
        let described = Described::default();
        let steps = [
            Step::Run {
                statement: &insert,
                described: &described,
                parameters: &parameters,
                portal: "",
                rows: 0,
            },
            Step::Plain(&commit),
        ];
        let answer = self.session.exchange(&steps).await;
        if matches!(answer, Err(Failure::Refused(_))) && self.session.status() != Status::Idle {
            self.backout().await?;
        }
        self.is_over();
        Ok(if answer?.part(1).verb == Verb::Rollback { Ended::BackedOut } else { Ended::Committed })
    }

    /// Backs out. A statement whose future was dropped is stopped first.
    ///
    /// # Errors
    /// The session is lost; the server undoes the unit of work then.
    pub async fn backout(&mut self) -> Result<(), Failure> {
        let stopped = self.session.interrupt().await;
        if stopped.is_err() || (!self.is_open && self.session.status() == Status::Idle) {
            self.is_over();
            return stopped;
        }
        let rollback = Rc::clone(&self.words.rollback);
        let done = self.session.exchange(&[Step::Plain(&rollback)]).await;
        self.is_over();
        done.map(|_| ())
    }

    /// First phase of a two-phase commit: the unit of work waits at the server under this name, over restarts, and the
    /// session is free. [`Ended::Committed`] stands for *prepared* here.
    ///
    /// # Errors
    /// The server refuses, and has undone the unit of work. After [`Failure::Lost`] it may be prepared or undone.
    pub async fn prepare(&mut self, name: &str) -> Result<Ended, Failure> {
        if self.session.is_busy() {
            self.backout().await?;
            return Ok(Ended::BackedOut);
        }
        if !self.is_open {
            return Ok(Ended::ReadOnly);
        }
        if self.xid.is_none() {
            return self.commit().await;
        }
        let done = self.session.script(format!("PREPARE TRANSACTION {}", quoted(name))).await;
        self.is_over();
        match done {
            // A transaction that had failed is undone, and says so by its tag alone.
            Ok(answer) if answer.part(0).verb == Verb::Rollback => Ok(Ended::BackedOut),
            Ok(_) => Ok(Ended::Committed),
            Err(failure) => Err(failure),
        }
    }

    /// Sets a savepoint of the user's. One of that name that is there already is hidden by it.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn savepoint(&mut self, name: &str) -> Result<(), Failure> {
        self.begin(Isolation::Committed).await?;
        // Ours would be taken back with it; without something to keep there is no need for one before.
        let release = if self.has_savepoint { "RELEASE syncpoint; " } else { "" };
        self.session.script(format!("{release}SAVEPOINT {}", of_user(name))).await?;
        self.savepoints.push(name.to_owned());
        (self.has_something, self.has_savepoint, self.is_guarded) = (true, false, false);
        Ok(())
    }

    /// Returns true if the user has a savepoint of this name.
    pub fn has_savepoint(&self, name: &str) -> bool {
        self.savepoints.iter().any(|other| other == name)
    }

    /// Forgets a savepoint and those behind it; what was changed since stays.
    ///
    /// # Errors
    /// See [`Failure`]; -880 where there is none of that name.
    pub async fn release_savepoint(&mut self, name: &str) -> Result<(), Failure> {
        let at = self.find_savepoint(Some(name))?;
        self.session.script(format!("RELEASE {}", of_user(name))).await?;
        self.savepoints.truncate(at);
        (self.has_savepoint, self.is_guarded) = (false, false);
        Ok(())
    }

    /// Takes back what was changed since a savepoint, which stays: the last one, or that of a name.
    ///
    /// # Errors
    /// See [`Failure`]; -880 where there is none (of that name).
    pub async fn back_to_savepoint(&mut self, name: Option<&str>) -> Result<(), Failure> {
        let at = self.find_savepoint(name)?;
        let text = format!("ROLLBACK TO {}", of_user(&self.savepoints[at]));
        self.session.script(text).await?;
        self.savepoints.truncate(at + 1);
        (self.has_savepoint, self.is_guarded) = (false, false);
        Ok(())
    }

    fn find_savepoint(&self, name: Option<&str>) -> Result<usize, Failure> {
        let at = self.savepoints.iter().rposition(|other| name.is_none_or(|name| name == other));
        at.ok_or_else(|| Sqlca::error(-880, b"3B001").token(name.unwrap_or_default()).into())
    }

    fn is_over(&mut self) {
        self.is_open = false;
        self.has_something = false;
        self.is_guarded = false;
        self.has_savepoint = false;
        self.xid = None;
        self.savepoints.clear();
    }
}

impl Words {
    fn begin(&self, isolation: Isolation) -> &Rc<Statement> {
        match isolation {
            Isolation::Committed => &self.begin,
            Isolation::Repeatable => &self.begin_repeatable,
        }
    }
}

/// A user's savepoint as the server knows it, so that it is none of ours.
fn of_user(name: &str) -> String {
    format!("\"user {}\"", name.replace('"', ""))
}

/// Result that a program sees if it asked for one row and got two, none or one.
///
/// # Errors
/// 100 and -811.
pub fn one_row(answer: &Answer) -> Result<(), Sqlca> {
    match answer.part(0).rows.len() {
        0 => Err(Sqlca::not_found()),
        1 => Ok(()),
        _ => Err(Sqlca::error(-811, b"21000")),
    }
}
