//! One session that many tasks of a thread read through.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use crate::address::Address;
use crate::answer::{Answer, Collector, Described};
use crate::failure::{Failure, Lost};
use crate::limits;
use crate::request::{self, Request, Step};
use crate::session::Canceller;
use crate::statement::{Prepared, Statement};
use crate::value::Argument;
use crate::wire::{self, CannotConnect, Connection, Settings};

/// A session for statements without effects, each in a transaction of its own. Statements of several tasks go out in one
/// flush; each has its own end, so that an error of one does not touch another. The server refuses effects here (25006).
///
/// [`crate::Readers`] looks after it: a statement that runs for long gets a session for itself, and one whose future was dropped
/// is cancelled. If the request to cancel hits another statement instead, that one is run again.
#[derive(Clone)]
pub struct Reader {
    shared: Rc<Shared>,
}

struct Shared {
    lane: RefCell<Lane>,
    /// Places for statements under way.
    places: Semaphore,
    canceller: Canceller,
    /// Requests to cancel so far.
    cancels: Cell<u64>,
    /// True if the last of them may still be on its way.
    is_cancelling: Cell<bool>,
    watch: Rc<Watch>,
}

/// Wakes the task that looks at readers.
#[derive(Default)]
pub(crate) struct Watch {
    /// That task was spawned.
    pub(crate) is_served: Cell<bool>,
    /// It looks by itself, time after time.
    pub(crate) is_awake: Cell<bool>,
    /// A statement was sent while it did not.
    pub(crate) wanted: Notify,
}

/// The reason that a reader has no answer.
#[derive(Debug)]
pub enum NotRead {
    /// The statement has none.
    Failure(Failure),
    /// A statement before it runs for long: it is to run over another session.
    Moved,
    /// It runs for long, and keeps others waiting: it is to run again over a session of its own.
    Long,
}

impl From<Failure> for NotRead {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The connection, and who waits for its answers, in order.
struct Lane {
    connection: Connection,
    prepared: Prepared,
    waiting: VecDeque<Rc<Place>>,
    /// Answers that were given so far.
    answered: u64,
    /// Of these, how many there were at the last look, if a task was waiting then.
    seen: Option<u64>,
    /// Looks at which the statement that runs had come no further.
    stuck: u32,
    /// It takes no more statements: one runs that needs it for long.
    is_aside: bool,
    /// The statement that runs is to be cancelled.
    is_to_cancel: bool,
    driver: Option<Waker>,
    lost: Option<Lost>,
}

/// A request's place in the order of answers.
#[derive(Default)]
struct Place {
    request: RefCell<Request>,
    answer: RefCell<Option<Result<Answer, NotRead>>>,
    waker: RefCell<Option<Waker>>,
    is_abandoned: Cell<bool>,
    /// It is cancelled for others' sake.
    is_to_leave: Cell<bool>,
}

/// The result of a look at a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// No task waits.
    Idle,
    /// Answers come.
    Busy,
    /// The statement that runs has run since the last look at least.
    Stuck {
        /// No task waits for it.
        is_abandoned: bool,
    },
}

impl Reader {
    /// Connects. The driver moves bytes for as long as there is a reader; a task of this thread must run it.
    ///
    /// # Errors
    /// See [`CannotConnect`].
    pub async fn connect(address: &Address, settings: &Settings) -> Result<(Self, Driver), CannotConnect> {
        Self::watched(address, settings, Rc::default()).await
    }

    /// The same; statements that are sent wake a watch.
    pub(crate) async fn watched(
        address: &Address,
        settings: &Settings,
        watch: Rc<Watch>,
    ) -> Result<(Self, Driver), CannotConnect> {
        let settings = Settings { is_read_only: true, ..settings.clone() };
        let (connection, key) = wire::start(address, &settings).await?;
        let lane = Lane {
            connection,
            prepared: Prepared::default(),
            waiting: VecDeque::new(),
            answered: 0,
            seen: None,
            stuck: 0,
            is_aside: false,
            is_to_cancel: false,
            driver: None,
            lost: None,
        };
        let shared = Rc::new(Shared {
            lane: RefCell::new(lane),
            places: Semaphore::new(limits::PIPELINE_MAX),
            canceller: Canceller::new(address, key),
            cancels: Cell::new(0),
            is_cancelling: Cell::new(false),
            watch,
        });
        let driver = Driver { shared: Rc::downgrade(&shared), collector: Collector::default(), cancel: None };
        Ok((Self { shared }, driver))
    }

    /// Handle that cancels the session's statement at the server.
    pub fn canceller(&self) -> Canceller {
        self.shared.canceller.clone()
    }

    /// Reason why the session has ended, if it has.
    pub fn lost(&self) -> Option<Lost> {
        self.shared.lane.borrow().lost.clone()
    }

    /// Returns true if the session can be used.
    pub(crate) fn is_there(&self) -> bool {
        self.shared.lane.borrow().lost.is_none()
    }

    /// Number of statements under way.
    pub fn waiting(&self) -> usize {
        self.shared.lane.borrow().waiting.len()
    }

    /// Returns true if it is the same session as another.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.shared, &other.shared)
    }

    /// Returns true if nothing is under way, not even a request to cancel.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting() == 0 && !self.shared.is_cancelling.get()
    }

    /// Returns true if it takes no more statements.
    pub(crate) fn is_aside(&self) -> bool {
        self.shared.lane.borrow().is_aside
    }

    /// Runs a statement and reads up to so many rows (0: all).
    ///
    /// # Errors
    /// See [`NotRead`].
    pub async fn run(
        &self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        rows: u32,
    ) -> Result<Answer, NotRead> {
        let mut tries = limits::TRIES;
        loop {
            let (cancels, is_cancelling) = (self.shared.cancels.get(), self.shared.is_cancelling.get());
            let failure = match self.try_run(statement, arguments, rows).await {
                Err(NotRead::Failure(failure)) => failure,
                done => return done,
            };
            // Another task's request to cancel has hit this one.
            let is_stray = is_cancelling || self.shared.cancels.get() != cancels;
            if is_stray && failure.is(b"57014") {
                continue;
            }
            tries -= 1;
            if tries == 0 || !self.is_worth_another(&failure, statement, arguments) {
                return Err(failure.into());
            }
        }
    }

    async fn try_run(
        &self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        rows: u32,
    ) -> Result<Answer, NotRead> {
        let described = match statement.described() {
            Some(described) => described,
            None => self.describe(statement).await?,
        };
        let parameters = request::parameters(statement, &described, arguments)?;
        let run = Step::Run { statement, described: &described, parameters: &parameters, portal: "", rows };
        let mut answer =
            self.send(|lane| Request::write(&[run], &mut lane.prepared, &mut lane.connection.out)).await?;
        match answer.fault.take() {
            Some(fault) => Err(Failure::Refused(fault).into()),
            None => {
                answer.described = Some(described);
                Ok(answer)
            }
        }
    }

    /// Types of a statement's parameters and columns.
    ///
    /// # Errors
    /// See [`NotRead`].
    pub async fn describe(&self, statement: &Statement) -> Result<Rc<Described>, NotRead> {
        let answer = self.send(|lane| {
            let out = &mut lane.connection.out;
            if lane.prepared.has(statement) {
                lane.prepared.close(statement, out);
            }
            Request::describe(&[], statement, &mut lane.prepared, out)
        });
        Ok(request::described(statement, answer.await?)?)
    }

    fn is_worth_another(&self, failure: &Failure, statement: &Statement, arguments: &[Argument<'_>]) -> bool {
        let again = request::is_stale(failure) || request::insists(failure, statement, arguments);
        if again {
            let lane = &mut *self.shared.lane.borrow_mut();
            lane.prepared.close(statement, &mut lane.connection.out);
        }
        again
    }

    async fn send(&self, write: impl FnOnce(&mut Lane) -> Request) -> Result<Answer, NotRead> {
        // Never closed.
        let _place: Option<SemaphorePermit<'_>> = self.shared.places.acquire().await.ok();
        let waits = {
            let lane = &mut *self.shared.lane.borrow_mut();
            if let Some(lost) = &lane.lost {
                return Err(Failure::Lost(lost.clone()).into());
            }
            if lane.is_aside {
                return Err(NotRead::Moved);
            }
            let place = Rc::new(Place::default());
            *place.request.borrow_mut() = write(lane);
            lane.waiting.push_back(Rc::clone(&place));
            lane.wake();
            Waits { place }
        };
        self.shared.watch.wake();
        waits.await
    }

    /// Looks how far it has come since the last look.
    pub(crate) fn look(&self) -> Look {
        let lane = &mut *self.shared.lane.borrow_mut();
        let Some(first) = lane.waiting.front() else {
            (lane.seen, lane.stuck) = (None, 0);
            return Look::Idle;
        };
        if lane.seen.replace(lane.answered) != Some(lane.answered) {
            lane.stuck = 0;
            return Look::Busy;
        }
        lane.stuck += 1;
        Look::Stuck { is_abandoned: first.is_abandoned.get() }
    }

    /// Leaves it to the statement that runs: those behind it run over another session.
    pub(crate) fn set_aside(&self) {
        let lane = &mut *self.shared.lane.borrow_mut();
        lane.is_aside = true;
        lane.move_all_behind(1);
    }

    /// Takes statements again.
    pub(crate) fn put_back(&self) {
        self.shared.lane.borrow_mut().is_aside = false;
    }

    /// Has the statement that runs stopped, if no task waits for it.
    pub(crate) fn cancel_abandoned(&self) {
        self.shared.lane.borrow_mut().cancel();
    }

    /// Has the statement that runs stopped for others' sake: it is [`NotRead::Long`], unless it is ready before.
    pub(crate) fn send_away(&self) {
        let lane = &mut *self.shared.lane.borrow_mut();
        if let Some(first) = lane.waiting.front() {
            first.is_to_leave.set(true);
            lane.cancel();
        }
    }
}

impl Watch {
    fn wake(&self) {
        if !self.is_awake.get() {
            self.wanted.notify_one();
        }
    }
}

/// The last reader takes the driver along.
impl Drop for Reader {
    fn drop(&mut self) {
        if Rc::strong_count(&self.shared) == 1
            && let Some(driver) = self.shared.lane.borrow_mut().driver.take()
        {
            driver.wake();
        }
    }
}

impl Lane {
    fn wake(&mut self) {
        if let Some(driver) = self.driver.take() {
            driver.wake();
        }
    }

    /// Has the statement that runs stopped, at the first look at which it is stuck, and at some of the later ones.
    fn cancel(&mut self) {
        if self.stuck % limits::CANCEL_LOOKS == 1 {
            self.is_to_cancel = true;
            self.wake();
        }
    }

    /// Gives an answer to the first who waits.
    fn give(&mut self, answer: Answer) {
        let Some(place) = self.waiting.pop_front() else { return };
        self.answered += 1;
        place.request.borrow().settle(&answer, &mut self.prepared);
        let is_stopped = answer.fault.as_ref().is_some_and(|fault| &fault.state == b"57014");
        place.give(if is_stopped && place.is_to_leave.get() { Err(NotRead::Long) } else { Ok(answer) });
    }

    /// Sends everybody away from this place on. Their answers still come here.
    fn move_all_behind(&mut self, place: usize) {
        for place in self.waiting.iter().skip(place) {
            place.give(Err(NotRead::Moved));
        }
    }

    fn end(&mut self, lost: Lost) {
        for place in self.waiting.drain(..) {
            place.give(Err(Failure::Lost(lost.clone()).into()));
        }
        self.lost = Some(lost);
    }
}

impl Place {
    fn give(&self, answer: Result<Answer, NotRead>) {
        let first = &mut *self.answer.borrow_mut();
        // One that was moved has its answer.
        if first.is_none() {
            *first = Some(answer);
            if let Some(waker) = self.waker.borrow_mut().take() {
                waker.wake();
            }
        }
    }
}

/// Waits for an answer.
struct Waits {
    place: Rc<Place>,
}

impl Future for Waits {
    type Output = Result<Answer, NotRead>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(answer) = self.place.answer.borrow_mut().take() {
            return Poll::Ready(answer);
        }
        *self.place.waker.borrow_mut() = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// No task waits any more: if the statement runs for long, it is cancelled.
impl Drop for Waits {
    fn drop(&mut self) {
        self.place.is_abandoned.set(true);
    }
}

/// Moves a reader's bytes. Ends with the last reader, or with the session.
pub struct Driver {
    shared: Weak<Shared>,
    collector: Collector,
    cancel: Option<Pin<Box<dyn Future<Output = io::Result<()>>>>>,
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(shared) = self.shared.upgrade() else { return Poll::Ready(()) };
        let lane = &mut *shared.lane.borrow_mut();
        lane.driver = Some(cx.waker().clone());
        let ended = loop {
            match lane.connection.poll_turn(cx) {
                Poll::Pending => break None,
                Poll::Ready(Ok(())) => {
                    if let Err(error) = self.collect(lane) {
                        break Some(error);
                    }
                }
                Poll::Ready(Err(error)) => break Some(error),
            }
        };
        if let Some(error) = ended {
            let fault = self.collector.fault();
            lane.end(Lost { fault, error: error.to_string() });
            return Poll::Ready(());
        }
        match self.poll_cancel(&shared, lane, cx) {
            Ok(()) => Poll::Pending,
            Err(error) => {
                // It may come at any time, and hit anybody.
                tracing::warn!("a statement could not be cancelled: {error}");
                lane.move_all_behind(0);
                lane.end(Lost { fault: None, error: error.to_string() });
                Poll::Ready(())
            }
        }
    }
}

impl Driver {
    /// Gives the answers that are here.
    fn collect(&mut self, lane: &mut Lane) -> io::Result<()> {
        while let Some(message) = lane.connection.message()? {
            if let Some(answer) = self.collector.take(&message)? {
                lane.give(answer);
            }
        }
        Ok(())
    }

    /// Has the server stop the statement that runs, if it is to.
    fn poll_cancel(&mut self, shared: &Shared, lane: &mut Lane, cx: &mut Context<'_>) -> io::Result<()> {
        let first = lane.waiting.front();
        // It may have ended since.
        let is_meant = first.is_some_and(|first| first.is_abandoned.get() || first.is_to_leave.get());
        if std::mem::take(&mut lane.is_to_cancel) && is_meant && self.cancel.is_none() {
            let canceller = shared.canceller.clone();
            shared.cancels.set(shared.cancels.get() + 1);
            shared.is_cancelling.set(true);
            self.cancel = Some(Box::pin(async move { canceller.cancel().await }));
        }
        let Some(cancel) = &mut self.cancel else { return Ok(()) };
        if let Poll::Ready(done) = cancel.as_mut().poll(cx) {
            self.cancel = None;
            // The server has passed it on before it has hung up.
            shared.is_cancelling.set(false);
            return done;
        }
        Ok(())
    }
}
