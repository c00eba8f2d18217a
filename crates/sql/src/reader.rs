//! One session that many tasks of a thread read through.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use tokio::sync::{Semaphore, SemaphorePermit};

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
/// A statement whose future is dropped while it runs is cancelled; where the request to cancel hits the next one instead,
/// that is run again.
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
}

/// The connection, and who waits for its answers, in order.
struct Lane {
    connection: Connection,
    prepared: Prepared,
    waiting: VecDeque<Rc<Place>>,
    driver: Option<Waker>,
    lost: Option<Lost>,
}

/// A request's place in the order of answers.
#[derive(Default)]
struct Place {
    request: RefCell<Request>,
    answer: RefCell<Option<Result<Answer, Failure>>>,
    waker: RefCell<Option<Waker>>,
    is_abandoned: Cell<bool>,
}

impl Reader {
    /// Connects. The driver moves bytes for as long as there is a reader; somebody must run it, on this thread.
    ///
    /// # Errors
    /// See [`CannotConnect`].
    pub async fn connect(address: &Address, settings: &Settings) -> Result<(Self, Driver), CannotConnect> {
        let settings = Settings { is_read_only: true, ..settings.clone() };
        let (connection, key) = wire::start(address, &settings).await?;
        let lane = Lane {
            connection,
            prepared: Prepared::default(),
            waiting: VecDeque::new(),
            driver: None,
            lost: None,
        };
        let shared = Rc::new(Shared {
            lane: RefCell::new(lane),
            places: Semaphore::new(limits::PIPELINE_MAX),
            canceller: Canceller::new(address, key),
            cancels: Cell::new(0),
        });
        let driver = Driver { shared: Rc::downgrade(&shared), collector: Collector::default(), cancel: None };
        Ok((Self { shared }, driver))
    }

    /// What cancels whatever runs at the server.
    pub fn canceller(&self) -> Canceller {
        self.shared.canceller.clone()
    }

    /// Why the session has ended, if it has.
    pub fn lost(&self) -> Option<Lost> {
        self.shared.lane.borrow().lost.clone()
    }

    /// How many statements are under way.
    pub fn waiting(&self) -> usize {
        self.shared.lane.borrow().waiting.len()
    }

    /// Runs a statement and reads up to so many rows (0: all).
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn run(
        &self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        rows: u32,
    ) -> Result<Answer, Failure> {
        let mut again = true;
        loop {
            let cancels = self.shared.cancels.get();
            let failure = match self.try_run(statement, arguments, rows).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            // Another task's request to cancel has hit this one.
            let is_stray = failure.is(b"57014") && self.shared.cancels.get() != cancels;
            if is_stray {
                continue;
            }
            if !again || !self.is_worth_another(&failure, statement, arguments) {
                return Err(failure);
            }
            again = false;
        }
    }

    async fn try_run(
        &self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        rows: u32,
    ) -> Result<Answer, Failure> {
        let described = match statement.described() {
            Some(described) => described,
            None => self.describe(statement).await?,
        };
        let parameters = request::parameters(statement, &described, arguments)?;
        let run = Step::Run { statement, described: &described, parameters: &parameters, portal: "", rows };
        let mut answer =
            self.send(|lane| Request::write(&[run], &mut lane.prepared, &mut lane.connection.out)).await?;
        match answer.fault.take() {
            Some(fault) => Err(Failure::Refused(fault)),
            None => Ok(answer),
        }
    }

    /// How a statement's parameters and columns are.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn describe(&self, statement: &Statement) -> Result<Rc<Described>, Failure> {
        let answer = self.send(|lane| {
            let out = &mut lane.connection.out;
            if lane.prepared.has(statement) {
                lane.prepared.close(statement, out);
            }
            Request::describe(&[], statement, &mut lane.prepared, out)
        });
        request::described(statement, answer.await?)
    }

    fn is_worth_another(&self, failure: &Failure, statement: &Statement, arguments: &[Argument<'_>]) -> bool {
        let again = request::is_stale(failure) || request::insists(failure, statement, arguments);
        if again {
            let lane = &mut *self.shared.lane.borrow_mut();
            lane.prepared.close(statement, &mut lane.connection.out);
        }
        again
    }

    async fn send(&self, write: impl FnOnce(&mut Lane) -> Request) -> Result<Answer, Failure> {
        // Never closed.
        let _place: Option<SemaphorePermit<'_>> = self.shared.places.acquire().await.ok();
        let waits = {
            let lane = &mut *self.shared.lane.borrow_mut();
            if let Some(lost) = &lane.lost {
                return Err(Failure::Lost(lost.clone()));
            }
            let place = Rc::new(Place::default());
            *place.request.borrow_mut() = write(lane);
            lane.waiting.push_back(Rc::clone(&place));
            lane.wake();
            Waits { place, shared: &self.shared }
        };
        waits.await
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

    /// Gives an answer to the first who waits.
    fn give(&mut self, answer: Answer) {
        let Some(place) = self.waiting.pop_front() else { return };
        place.request.borrow().settle(&answer, &mut self.prepared);
        place.give(Ok(answer));
    }

    fn end(&mut self, lost: Lost) {
        for place in self.waiting.drain(..) {
            place.give(Err(Failure::Lost(lost.clone())));
        }
        self.lost = Some(lost);
    }
}

impl Place {
    fn give(&self, answer: Result<Answer, Failure>) {
        *self.answer.borrow_mut() = Some(answer);
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }
}

/// Waits for an answer.
struct Waits<'a> {
    place: Rc<Place>,
    shared: &'a Shared,
}

impl Future for Waits<'_> {
    type Output = Result<Answer, Failure>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(answer) = self.place.answer.borrow_mut().take() {
            return Poll::Ready(answer);
        }
        *self.place.waker.borrow_mut() = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// Nobody waits any more: the driver has it cancelled once its turn has come.
impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.place.is_abandoned.set(true);
        let lane = &mut *self.shared.lane.borrow_mut();
        if lane.waiting.front().is_some_and(|first| Rc::ptr_eq(first, &self.place)) {
            lane.wake();
        }
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
        self.cancel_abandoned(&shared, lane, cx);
        Poll::Pending
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

    /// Has the server stop the statement that runs, if nobody waits for it.
    fn cancel_abandoned(&mut self, shared: &Shared, lane: &Lane, cx: &mut Context<'_>) {
        let is_abandoned = lane.waiting.front().is_some_and(|first| first.is_abandoned.get());
        if self.cancel.is_none() && is_abandoned {
            let canceller = shared.canceller.clone();
            shared.cancels.set(shared.cancels.get() + 1);
            self.cancel = Some(Box::pin(async move { canceller.cancel().await }));
        }
        let Some(cancel) = &mut self.cancel else { return };
        if let Poll::Ready(done) = cancel.as_mut().poll(cx) {
            if let Err(error) = done {
                tracing::warn!("a statement could not be cancelled: {error}");
            }
            self.cancel = None;
        }
    }
}
