//! The reading sessions that the tasks of a thread share: a statement that runs for long does not keep others waiting.
//!
//! ```text
//! shared ── a statement runs for long ──► aside: it alone; another session is the shared one, and those behind it move there
//! aside ── its answer is here ──────────► spare
//! shared ── … and LONG_MAX are aside ───► the statement is cancelled; it runs again when one of these has ended
//! any ── no task waits for a long one ───► it is cancelled
//! ```
//!
//! No clock is read for a statement: a watch looks at the sessions every now and then, as long as statements are under way.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Mutex as Turns, OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_local;
use tokio::time::sleep;

use crate::address::Address;
use crate::answer::{Answer, Described};
use crate::codes::Sqlca;
use crate::failure::Failure;
use crate::limits;
use crate::reader::{Look, NotRead, Reader, Watch};
use crate::statement::Statement;
use crate::value::Argument;
use crate::wire::Settings;

/// Reading sessions with one server. Used on a thread that runs local futures.
pub struct Readers {
    pool: Rc<Pool>,
}

struct Pool {
    address: Address,
    settings: Settings,
    /// The shared one.
    shared: RefCell<Option<Reader>>,
    connecting: Connecting,
    /// Those of statements that run for long.
    aside: RefCell<Vec<Aside>>,
    /// The number of sessions of statements that were known to run for long.
    alone: Cell<usize>,
    /// Those that have nothing to do.
    spare: RefCell<Vec<Reader>>,
    /// Places for statements that run for long.
    places: Arc<Semaphore>,
    /// When there was no further session to be had.
    none_at: Cell<Option<Instant>>,
    watch: Rc<Watch>,
    /// Looks so far.
    looks: Cell<u64>,
}

/// The opening of the shared session: by one task, for which the others wait.
#[derive(Default)]
struct Connecting {
    turn: Turns<()>,
    /// Attempts that have ended.
    attempts: Cell<u64>,
    /// The failure of the last one, if it has failed.
    failed: RefCell<Option<Sqlca>>,
}

/// A session with a statement that runs for long.
struct Aside {
    reader: Reader,
    _place: OwnedSemaphorePermit,
}

/// A request to a session.
#[derive(Clone, Copy)]
enum Asked<'a> {
    Run(&'a [Argument<'a>], u32),
    Describe,
}

impl Readers {
    /// With a server; it is spoken to only when a statement wants it.
    pub fn new(address: Address, settings: Settings) -> Self {
        let pool = Pool {
            address,
            settings,
            shared: RefCell::default(),
            connecting: Connecting::default(),
            aside: RefCell::default(),
            alone: Cell::new(0),
            spare: RefCell::default(),
            places: Arc::new(Semaphore::new(limits::LONG_MAX)),
            none_at: Cell::new(None),
            watch: Rc::default(),
            looks: Cell::new(0),
        };
        Self { pool: Rc::new(pool) }
    }

    /// Runs a statement without effects and reads up to so many rows (0: all).
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn run(
        &self,
        statement: &Statement,
        arguments: &[Argument<'_>],
        rows: u32,
    ) -> Result<Answer, Failure> {
        self.pool.ask(statement, Asked::Run(arguments, rows)).await
    }

    /// Describes a statement's parameters and columns.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn describe(&self, statement: &Statement) -> Result<Rc<Described>, Failure> {
        let answer = self.pool.ask(statement, Asked::Describe).await?;
        Ok(answer.described.unwrap_or_default())
    }

    /// Returns the number of sessions.
    pub fn sessions(&self) -> usize {
        let Pool { aside, alone, spare, .. } = &*self.pool;
        let shared = usize::from(self.pool.open().is_some());
        shared + aside.borrow().len() + alone.get() + spare.borrow().len()
    }
}

/// The watch ends with them.
impl Drop for Readers {
    fn drop(&mut self) {
        self.pool.watch.wanted.notify_one();
    }
}

impl Pool {
    async fn ask(self: &Rc<Self>, statement: &Statement, asked: Asked<'_>) -> Result<Answer, Failure> {
        // Where all places are taken it has to show once more that it needs one.
        if statement.is_long()
            && let Ok(place) = Arc::clone(&self.places).try_acquire_owned()
        {
            match self.ask_alone(place, statement, asked).await {
                Err(NotRead::Failure(failure)) => return Err(failure),
                Ok(answer) => return Ok(answer),
                Err(NotRead::Moved | NotRead::Long) => {}
            }
        }
        loop {
            let reader = self.reader().await?;
            match one(&reader, statement, asked).await {
                Err(NotRead::Failure(failure)) => return Err(failure),
                Ok(answer) => {
                    if reader.is_aside() {
                        statement.set_long(true);
                    }
                    return Ok(answer);
                }
                Err(NotRead::Moved) => {}
                Err(NotRead::Long) => {
                    statement.set_long(true);
                    // Never closed.
                    let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { continue };
                    match self.ask_alone(place, statement, asked).await {
                        Err(NotRead::Failure(failure)) => return Err(failure),
                        Ok(answer) => return Ok(answer),
                        Err(NotRead::Moved | NotRead::Long) => {}
                    }
                }
            }
        }
    }

    /// Asks for it over a session of its own. Moved: there is none to be had.
    async fn ask_alone(
        self: &Rc<Self>,
        place: OwnedSemaphorePermit,
        statement: &Statement,
        asked: Asked<'_>,
    ) -> Result<Answer, NotRead> {
        let reader = self.another().await.ok_or(NotRead::Moved)?;
        let looks = self.looks.get();
        let alone = Alone::new(self, Aside { reader: reader.clone(), _place: place });
        let done = one(&reader, statement, asked).await;
        drop(alone);
        if self.looks.get() <= looks + 1 {
            statement.set_long(false);
        }
        done
    }

    /// The shared session, opened once more if it was lost.
    async fn reader(self: &Rc<Self>) -> Result<Reader, Failure> {
        if let Some(reader) = self.open() {
            return Ok(reader);
        }
        let Connecting { turn, attempts, failed } = &self.connecting;
        let before = attempts.get();
        let _turn = turn.lock().await;
        if let Some(reader) = self.open() {
            return Ok(reader);
        }
        // Those who have waited for an attempt do not wait for one more.
        if attempts.get() != before
            && let Some(why) = failed.borrow().clone()
        {
            return Err(why.into());
        }
        let connected = self.connect().await;
        attempts.set(attempts.get() + 1);
        *failed.borrow_mut() = connected.as_ref().err().cloned();
        let reader = connected?;
        *self.shared.borrow_mut() = Some(reader.clone());
        Ok(reader)
    }

    /// The shared session, if there is one that is not lost.
    fn open(&self) -> Option<Reader> {
        self.shared.borrow().as_ref().filter(|reader| reader.is_there()).cloned()
    }

    /// One more session, if it can be had.
    async fn another(self: &Rc<Self>) -> Option<Reader> {
        while let Some(reader) = self.spare() {
            if reader.is_there() {
                return Some(reader);
            }
        }
        if self.none_at.get().is_some_and(|at| at.elapsed() < limits::SESSION_AGAIN) {
            return None;
        }
        let connected = self.connect().await;
        self.none_at.set(connected.is_err().then(Instant::now));
        connected.ok()
    }

    fn spare(&self) -> Option<Reader> {
        self.spare.borrow_mut().pop()
    }

    async fn connect(self: &Rc<Self>) -> Result<Reader, Sqlca> {
        let connected = Reader::watched(&self.address, &self.settings, Rc::clone(&self.watch)).await;
        let (reader, driver) = connected.map_err(|why| Sqlca::of_no_session(&why))?;
        drop(spawn_local(driver));
        if !self.watch.is_served.replace(true) {
            drop(spawn_local(watch(Rc::downgrade(self), Rc::clone(&self.watch))));
        }
        Ok(reader)
    }

    /// Looks at all sessions; false: nothing is under way.
    async fn look(self: &Rc<Self>) -> bool {
        self.looks.set(self.looks.get() + 1);
        let shared = self.open();
        let seen = shared.as_ref().map_or(Look::Idle, Reader::look);
        let is_quiet = self.look_aside() && seen == Look::Idle && self.alone.get() == 0;
        if let (Some(reader), Look::Stuck { is_abandoned }) = (shared, seen) {
            if is_abandoned {
                reader.cancel_abandoned();
            }
            self.make_way(&reader, is_abandoned).await;
        }
        !is_quiet
    }

    /// Looks at the sessions of long statements, and takes back those that have ended. True: there are no more.
    fn look_aside(&self) -> bool {
        let mut aside = self.aside.borrow_mut();
        aside.retain(|Aside { reader, .. }| {
            if reader.look() == (Look::Stuck { is_abandoned: true }) {
                reader.cancel_abandoned();
            }
            let has_ended = reader.is_idle() || !reader.is_there();
            if has_ended {
                self.take_back(reader.clone());
            }
            !has_ended
        });
        aside.is_empty()
    }

    fn take_back(&self, reader: Reader) {
        reader.put_back();
        let mut spare = self.spare.borrow_mut();
        if reader.is_there() && spare.len() < limits::SPARE_MAX {
            spare.push(reader);
        }
    }

    /// A statement on the shared session runs for long. It keeps that session, and there is another one for the others; or it
    /// goes.
    async fn make_way(self: &Rc<Self>, reader: &Reader, is_abandoned: bool) {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            if !is_abandoned {
                reader.send_away();
            }
            return;
        };
        // A session moves only when there is a place to go to.
        let Some(other) = self.another().await else { return };
        let is_shared = self.open().is_some_and(|shared| shared.is(reader));
        if !is_shared || reader.waiting() == 0 {
            self.take_back(other);
            return;
        }
        *self.shared.borrow_mut() = Some(other);
        reader.set_aside();
        self.aside.borrow_mut().push(Aside { reader: reader.clone(), _place: place });
    }
}

/// Gives a session back that one statement had, unless it still runs: its future was dropped.
struct Alone<'a> {
    pool: &'a Pool,
    aside: Option<Aside>,
}

impl<'a> Alone<'a> {
    fn new(pool: &'a Pool, aside: Aside) -> Self {
        pool.alone.set(pool.alone.get() + 1);
        Self { pool, aside: Some(aside) }
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.pool.alone.set(self.pool.alone.get() - 1);
        let Some(aside) = self.aside.take() else { return };
        if aside.reader.is_idle() {
            self.pool.take_back(aside.reader.clone());
        } else {
            self.pool.aside.borrow_mut().push(aside);
        }
    }
}

async fn one(reader: &Reader, statement: &Statement, asked: Asked<'_>) -> Result<Answer, NotRead> {
    match asked {
        Asked::Run(arguments, rows) => reader.run(statement, arguments, rows).await,
        Asked::Describe => {
            let described = Some(reader.describe(statement).await?);
            Ok(Answer { described, ..Answer::default() })
        }
    }
}

/// Looks at sessions as long as statements are under way.
async fn watch(pool: Weak<Pool>, watch: Rc<Watch>) {
    loop {
        watch.wanted.notified().await;
        watch.is_awake.set(true);
        loop {
            sleep(limits::LONG).await;
            let Some(pool) = pool.upgrade() else { return };
            if !pool.look().await {
                break;
            }
        }
        watch.is_awake.set(false);
    }
}
