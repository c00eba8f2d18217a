//! A session that one task has for itself.

use std::borrow::Cow;
use std::io;
use std::rc::Rc;

use tokio::time::timeout;

use crate::address::{Address, Place};
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
    /// Answers to come that nobody waits for any more.
    owed: u32,
    lost: Option<Lost>,
}

/// Has a server stop what a session runs.
#[derive(Clone, Debug)]
pub struct Canceller {
    place: Rc<Place>,
    key: Key,
}

impl Canceller {
    pub(crate) fn new(address: &Address, key: Key) -> Self {
        Self { place: Rc::new(address.place.clone()), key }
    }

    /// Asks for it. What came of it, the session's own answer shows: it was cancelled (57014), or had ended before.
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
        let prepared = Prepared::default();
        Ok(Self { connection, prepared, canceller, status: Status::Idle, owed: 0, lost: None })
    }

    /// What stops its statements.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Where it stands.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why it has ended, if it has.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Whether it can be used though time has passed: nothing has come that nobody has asked for. It is between requests.
    pub fn is_quiet(&mut self) -> bool {
        self.connection.is_quiet()
    }

    /// Whether an answer is still to come of a request that was dropped.
    pub fn is_busy(&self) -> bool {
        self.owed > 0
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
        let mut again = true;
        loop {
            let failure = match self.try_run(statement, arguments, rows).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if !again || !self.is_worth_another(&failure, statement, arguments) {
                return Err(failure);
            }
            again = false;
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
        self.exchange(&[run]).await
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

    /// Whether what failed may be run again at once; if so everything is ready for it.
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
        again
    }

    /// How a statement's parameters and columns are. Steps before it run only where the server is asked.
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
        request::described(statement, self.answer(&request).await?)
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
        self.answer(&request).await
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
        let mut answer = self.answer(&Request::default()).await?;
        match answer.fault.take() {
            Some(fault) => Err(Failure::Refused(fault)),
            None => Ok(answer),
        }
    }

    async fn answer(&mut self, request: &Request) -> Result<Answer, Failure> {
        self.owed += 1;
        let answer = self.collect().await?;
        request.settle(&answer, &mut self.prepared);
        Ok(answer)
    }

    /// Reads the answer that comes next.
    async fn collect(&mut self) -> Result<Answer, Failure> {
        let mut collector = Collector::default();
        loop {
            match next(&mut self.connection, &mut collector) {
                Ok(Some(answer)) => {
                    self.owed -= 1;
                    self.status = answer.status;
                    return Ok(answer);
                }
                Ok(None) => (),
                Err(error) => return Err(self.lose(&mut collector, &error)),
            }
            if let Err(error) = self.connection.turn().await {
                return Err(self.lose(&mut collector, &error));
            }
        }
    }

    /// Reads answers that nobody waits for any more.
    async fn drain(&mut self) -> Result<(), Failure> {
        if let Some(lost) = &self.lost {
            return Err(Failure::Lost(lost.clone()));
        }
        while self.owed > 0 {
            // What a dropped request prepared is not known: whatever is missing is prepared again.
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
            if let Err(error) = canceller.cancel().await {
                tracing::warn!("a statement could not be cancelled: {error}");
            }
            self.drain().await
        };
        match timeout(limits::CANCEL, stopped).await {
            Ok(drained) => drained,
            Err(_) => Err(self.lose(&mut Collector::default(), &io::ErrorKind::TimedOut.into())),
        }
    }

    fn lose(&mut self, collector: &mut Collector, error: &io::Error) -> Failure {
        let lost = Lost { fault: collector.fault(), error: error.to_string() };
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
