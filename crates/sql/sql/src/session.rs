//! A session that one task has for itself.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

use tokio::time::timeout;

use crate::address::{Address, ListenPlace};
use crate::answer::{Answer, Collector, Described, Status};
use crate::failure::{Failure, Lost};
use crate::limits;
use crate::request::{self, Request, Step};
use crate::statement::{Prepared, Statement};
use crate::value::Argument;
use crate::wire::{self, CannotConnect, Connection, Key, Settings};

/// A session. Its requests go one after the other; a request whose future was dropped leaves an answer behind, which is
/// read and dropped before the next ([`Session::interrupt`] has the server stop it).
pub struct Session {
    connection: Connection,
    prepared: Prepared,
    canceller: Canceller,
    status: Status,
    /// The part that has come of the answer to the first of `owed`.
    collector: Collector,
    /// Requests whose answers are to come, the oldest first. Between requests no task waits for them any more.
    owed: VecDeque<Request>,
    lost: Option<Lost>,
}

/// Has a server stop what a session runs.
#[derive(Clone, Debug)]
pub struct Canceller {
    place: Rc<ListenPlace>,
    key: Key,
}

impl Canceller {
    pub(crate) fn new(address: &Address, key: Key) -> Self {
        Self { place: Rc::new(address.place.clone()), key }
    }

    /// Asks for it. The session's own answer shows the outcome: it was cancelled (57014), or had ended before.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub async fn cancel(&self) -> io::Result<()> {
        wire::cancel(&self.place, self.key).await
    }

    /// The server process of the session.
    pub fn backend(&self) -> u32 {
        self.key.backend
    }
}

impl Session {
    /// Connects.
    ///
    /// # Errors
    /// See [`CannotConnect`].
    pub async fn connect(address: &Address, settings: &Settings) -> Result<Self, CannotConnect> {
        let (connection, key) = wire::start(address, settings).await?;
        let canceller = Canceller::new(address, key);
        let (prepared, collector) = (Prepared::default(), Collector::default());
        let (status, owed) = (Status::Idle, VecDeque::new());
        Ok(Self { connection, prepared, canceller, status, collector, owed, lost: None })
    }

    /// Handle that cancels the session's statements.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// State of the session's transaction.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Reason why the session has ended, if it has.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Returns true if it can be used though time has passed: no message has come that was not asked for. It is between requests.
    pub fn is_quiet(&mut self) -> bool {
        self.connection.is_quiet()
    }

    /// Returns true if an answer is still to come of a request that was dropped.
    pub fn is_busy(&self) -> bool {
        !self.owed.is_empty()
    }

    /// Runs a statement outside of a transaction and reads up to so many rows (0: all).
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn run(
        &mut self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        rows: u32,
    ) -> Result<Answer, Failure> {
        let mut tries = limits::TRIES;
        loop {
            let failure = match self.try_run(statement, arguments, rows).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            tries -= 1;
            if tries == 0 || !self.is_worth_another(&failure, statement, arguments) {
                return Err(failure);
            }
        }
    }

    async fn try_run(
        &mut self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        rows: u32,
    ) -> Result<Answer, Failure> {
        let described = self.describe(&[], statement).await?;
        let parameters = request::parameters(statement, &described, arguments)?;
        let run = Step::Run { statement, described: &described, parameters: &parameters, portal: "", rows };
        let mut answer = self.exchange(&[run]).await?;
        answer.described = Some(described);
        Ok(answer)
    }

    /// A text as [`Session::script`] takes it: dates and times in it that are written as Db2 writes them are PostgreSQL's.
    ///
    /// # Errors
    /// The server refuses the text.
    pub async fn settled<'t>(&mut self, text: &'t str) -> Result<Cow<'t, str>, Failure> {
        let statement = Statement::new(text, &[]);
        let constants = statement.constants();
        if constants.len() == 0 {
            return Ok(Cow::Borrowed(text));
        }
        let described = self.describe(&[], &statement).await?;
        self.prepared.close(&statement, &mut self.connection.out);
        let own = statement.open_parameters(&described).len();
        let whole = constants.put_back(statement.text(), &described.parameters[own..]);
        Ok(Cow::Owned(String::from_utf8_lossy(&whole).into_owned()))
    }

    /// Returns true if what failed may be run again at once; if so everything is ready for it.
    pub(crate) fn is_worth_another(
        &mut self,
        failure: &Failure,
        statement: &Statement,
        arguments: &[Argument<'_>],
    ) -> bool {
        let again = request::is_stale(failure) || request::insists(failure, statement, arguments);
        if again {
            self.prepared.close(statement, &mut self.connection.out);
        }
        if failure.is(b"26000") {
            // Another session has dropped what was prepared here: it need not have been this one alone.
            self.prepared.close_all(&mut self.connection.out);
        }
        again
    }

    /// Types of a statement's parameters and columns. Steps before it run only if the server must be asked.
    pub(crate) async fn describe(
        &mut self,
        before: &[Step<'_>],
        statement: &Statement,
    ) -> Result<Rc<Described>, Failure> {
        if let Some(described) = statement.described() {
            return Ok(described);
        }
        self.drain().await?;
        if self.prepared.has(statement) {
            self.prepared.close(statement, &mut self.connection.out);
        }
        let request = Request::describe(before, statement, &mut self.prepared, &mut self.connection.out);
        request::described(statement, self.answer(request).await?)
    }

    /// Sends steps in one flush; an answer whose last statement was refused is an error.
    pub(crate) async fn exchange(&mut self, steps: &[Step<'_>]) -> Result<Answer, Failure> {
        let mut answer = self.exchange_all(steps).await?;
        match answer.fault.take() {
            Some(fault) => Err(Failure::Refused(fault)),
            None => Ok(answer),
        }
    }

    /// Sends steps in one flush; the answer says how far they came.
    pub(crate) async fn exchange_all(&mut self, steps: &[Step<'_>]) -> Result<Answer, Failure> {
        self.drain().await?;
        let request = Request::write(steps, &mut self.prepared, &mut self.connection.out);
        self.answer(request).await
    }

    /// Closes a portal with the next request.
    pub(crate) fn close_portal(&mut self, portal: &str) {
        self.connection.out.close_portal(portal);
    }

    /// Forgets a statement that is not used again; the server does with the next request.
    pub(crate) fn close_statement(&mut self, statement: &Statement) {
        self.prepared.close(statement, &mut self.connection.out);
    }

    /// Runs a text of any number of statements without parameters, each on its own or all in one transaction, as the text
    /// says. Rows come as text.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn script(&mut self, text: impl AsRef<[u8]>) -> Result<Answer, Failure> {
        self.drain().await?;
        self.connection.out.query(text.as_ref());
        let mut answer = self.answer(Request::default()).await?;
        match answer.fault.take() {
            Some(fault) => Err(Failure::Refused(fault)),
            None => Ok(answer),
        }
    }

    async fn answer(&mut self, request: Request) -> Result<Answer, Failure> {
        self.owed.push_back(request);
        self.collect().await
    }

    /// Reads the answer that comes next. May be dropped and called again: nothing of the answer is lost.
    async fn collect(&mut self) -> Result<Answer, Failure> {
        loop {
            match next(&mut self.connection, &mut self.collector) {
                Ok(Some(answer)) => {
                    if let Some(request) = self.owed.pop_front() {
                        request.settle(&answer, &mut self.prepared);
                    }
                    self.status = answer.status;
                    return Ok(answer);
                }
                Ok(None) => (),
                Err(error) => return Err(self.lose(&error)),
            }
            if let Err(error) = self.connection.turn().await {
                return Err(self.lose(&error));
            }
        }
    }

    /// Reads answers that no task waits for any more.
    async fn drain(&mut self) -> Result<(), Failure> {
        if let Some(lost) = &self.lost {
            return Err(Failure::Lost(lost.clone()));
        }
        while self.is_busy() {
            self.collect().await?;
        }
        Ok(())
    }

    /// Has the server stop a request that was dropped, and reads its answer, both in limited time.
    ///
    /// # Errors
    /// The session is lost.
    pub async fn interrupt(&mut self) -> Result<(), Failure> {
        if !self.is_busy() {
            return Ok(());
        }
        let canceller = self.canceller();
        let stopped = async {
            // The server drops a request to cancel that comes between two steps of a statement.
            while self.is_busy() {
                if let Err(error) = canceller.cancel().await {
                    tracing::warn!("a statement could not be cancelled: {error}");
                    self.drain().await?;
                    // It may come at any time, and hit the statement of another task.
                    return Err(self.lose(&error));
                }
                if let Ok(drained) = timeout(limits::CANCEL_AGAIN, self.drain()).await {
                    return drained;
                }
            }
            Ok(())
        };
        match timeout(limits::CANCEL, stopped).await {
            Ok(drained) => drained,
            Err(_) => Err(self.lose(&io::ErrorKind::TimedOut.into())),
        }
    }

    fn lose(&mut self, error: &io::Error) -> Failure {
        let lost = Lost { fault: self.collector.fault(), error: error.to_string() };
        self.lost = Some(lost.clone());
        Failure::Lost(lost)
    }

    /// Ends it in order.
    pub async fn close(mut self) {
        self.connection.out.terminate();
        // The server ends the session either way.
        let _ = timeout(limits::CANCEL, std::future::poll_fn(|cx| self.connection.poll_send(cx))).await;
    }
}

/// Takes the messages that are here; the answer, if it is complete.
fn next(connection: &mut Connection, collector: &mut Collector) -> io::Result<Option<Answer>> {
    while let Some(message) = connection.message()? {
        if let Some(answer) = collector.take(&message)? {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}
