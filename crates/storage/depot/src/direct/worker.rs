//! A session that a unit of work has for itself: its transaction, from its first lock to its end.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use records::{Error, Result};
use sql::{Failure, Session, Status};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep, timeout};

use super::calls::{Kind, Step, Told};
use super::limits::{ANSWER, PATIENCE, RETRY, UNITS};
use super::shared::{Shared, quiet, refused};
use super::tables::{self, VERSION};
use crate::text::quoted;

/// The SQLSTATE of a commit whose number is not the one that the database expects.
const FENCED: &[u8; 5] = b"22012";
/// Each statement sees what is committed when it begins, whatever the database's own choice is: a record is read behind the wait for its lock.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; ";
/// A question for a commit waits so long for one that is still under way, then it is asked again.
const QUESTION: Duration = Duration::from_secs(5);

/// All of them.
pub(super) struct Workers {
    shared: Rc<Shared>,
    /// Numbers of the last commits, by session.
    numbers: Vec<u64>,
    /// Those that rest, the one that was used last at the end.
    idle: RefCell<Vec<Rc<Worker>>>,
    made: Cell<usize>,
    busy: Cell<usize>,
    rests: Notify,
}

/// One of them.
struct Worker {
    shared: Rc<Shared>,
    slot: usize,
    /// The number of the last commit.
    number: Cell<u64>,
    session: RefCell<Option<Session>>,
}

impl Workers {
    pub fn new(shared: Rc<Shared>, numbers: Vec<u64>) -> Rc<Self> {
        let (idle, made, busy) = (RefCell::default(), Cell::new(0), Cell::new(0));
        Rc::new(Self { shared, numbers, idle, made, busy, rests: Notify::new() })
    }

    /// Gives a session to each who wants one, in the order in which they come.
    pub async fn serve(self: &Rc<Self>, mut takes: UnboundedReceiver<UnboundedReceiver<Step>>) {
        while let Some(steps) = takes.recv().await {
            let worker = loop {
                if let Some(worker) = self.next() {
                    break worker;
                }
                self.rests.notified().await;
            };
            self.busy.set(self.busy.get() + 1);
            let workers = Rc::clone(self);
            spawn_local(async move {
                worker.serve(steps).await;
                workers.idle.borrow_mut().push(worker);
                workers.busy.set(workers.busy.get() - 1);
                workers.rests.notify_one();
            });
        }
    }

    fn next(&self) -> Option<Rc<Worker>> {
        if let Some(worker) = self.idle.borrow_mut().pop() {
            return Some(worker);
        }
        let slot = self.made.get();
        if slot >= UNITS {
            return None;
        }
        self.made.set(slot + 1);
        let number = Cell::new(self.numbers.get(slot).copied().unwrap_or_default());
        Some(Rc::new(Worker { shared: Rc::clone(&self.shared), slot, number, session: RefCell::default() }))
    }

    /// Waits until all have ended what they do; units of work that are still there are refused what they ask from now on.
    pub async fn end(&self) {
        let begun = Instant::now();
        while self.busy.get() > 0 && begun.elapsed() < PATIENCE {
            let _ = timeout(RETRY, self.rests.notified()).await;
        }
        let idle = std::mem::take(&mut *self.idle.borrow_mut());
        for worker in idle {
            let session = worker.session.borrow_mut().take();
            if let Some(session) = session {
                session.close().await;
            }
        }
    }
}

/// The transaction of a unit of work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transaction {
    /// It has not begun.
    No,
    Open,
    /// Its session was lost, and its locks with it.
    Lost,
}

fn of_lost_session() -> Error {
    Error::Lost("the session with the database was lost, and the unit of work is backed out".into())
}

impl Worker {
    async fn serve(&self, mut steps: UnboundedReceiver<Step>) {
        let mut transaction = Transaction::No;
        let mut over = self.shared.known.over.subscribe();
        loop {
            let step = tokio::select! {
                biased;
                step = steps.recv() => step,
                _ = over.wait_for(Option::is_some) => None,
            };
            let Some(Step { kind, text, mut to, releases }) = step else { break };
            let told = match kind {
                Kind::Back(mark) => self.back(&mut transaction, mark).await.map(|()| Vec::new()),
                Kind::Commit(forced) => self.commit(&mut transaction, &text, forced).await,
                Kind::Marked(..) | Kind::Part => {
                    tokio::select! {
                        biased;
                        told = self.step(&mut transaction, kind, &text) => told,
                        () = to.is_gone() => Err(Error::Cancelled),
                        _ = over.wait_for(Option::is_some) => Err(Error::Cancelled),
                    }
                }
            };
            let (is_done, is_cancelled) = (told.is_ok(), matches!(told, Err(Error::Cancelled)));
            let is_wanted = to.tell(told);
            if let Kind::Marked(mark, _) = kind
                && (is_cancelled || (is_done && !is_wanted))
            {
                // No owner knows that the lock is there.
                let _ = self.interrupted(&mut transaction, mark).await;
            }
            drop(releases);
        }
        // Requests that come now find no worker.
        drop(steps);
        let _ = self.back(&mut transaction, 0).await;
    }

    fn lost(&self, transaction: &mut Transaction) {
        *transaction = Transaction::Lost;
        self.session.borrow_mut().take();
    }

    /// The session; begun, if there is none or it is lost, unless the transaction went with it.
    async fn session(&self, transaction: &mut Transaction) -> Result<Session> {
        self.shared.known.check()?;
        let kept = self.session.borrow_mut().take();
        match (*transaction, kept) {
            (Transaction::Lost, _) => Err(of_lost_session()),
            (Transaction::Open, Some(session)) => Ok(session),
            (Transaction::Open, None) => {
                self.lost(transaction);
                Err(of_lost_session())
            }
            (Transaction::No, kept) => match kept.and_then(quiet) {
                Some(session) => Ok(session),
                None => self.shared.session().await,
            },
        }
    }

    /// Carries out a step that is not the end.
    async fn step(&self, transaction: &mut Transaction, kind: Kind, text: &str) -> Told {
        let mut session = self.session(transaction).await?;
        let begin = if *transaction == Transaction::No { BEGIN } else { "" };
        let (mark, whole, patience) = match kind {
            Kind::Marked(mark, wait) => (
                Some(mark),
                format!(
                    "{begin}SAVEPOINT m{mark}; SET LOCAL lock_timeout = {wait}; {text}; SET LOCAL lock_timeout = 0; {VERSION}"
                ),
                // A wait for a lock ends by itself, or by the one who waits.
                None,
            ),
            _ => (None, format!("{begin}{text}; {VERSION}"), Some(ANSWER)),
        };
        *transaction = Transaction::Open;
        // Kept there while it waits: the future may be dropped.
        let mut place = Place { worker: self, session: Some(session) };
        let asked = place.session()?.script(whole);
        let answer = match patience {
            Some(patience) => timeout(patience, asked).await.ok(),
            None => Some(asked.await),
        };
        session = place.take()?;
        match answer {
            Some(Ok(answer)) => {
                let taken = self.shared.taken(&mut session, &answer).await;
                *self.session.borrow_mut() = Some(session);
                taken
            }
            Some(Err(Failure::Refused(fault))) if !fault.is_fatal => {
                *self.session.borrow_mut() = Some(session);
                match mark {
                    Some(mark) => self.back(transaction, mark).await?,
                    None => self.back(transaction, 0).await?,
                }
                Err(refused(&fault))
            }
            _ => {
                self.lost(transaction);
                Err(of_lost_session())
            }
        }
    }

    /// Goes back to a mark, whatever the session does; to the beginning for 0.
    async fn back(&self, transaction: &mut Transaction, mark: u64) -> Result<()> {
        if *transaction != Transaction::Open {
            if mark == 0 {
                *transaction = Transaction::No;
            }
            return Ok(());
        }
        let kept = self.session.borrow_mut().take();
        let Some(mut session) = kept else {
            self.lost(transaction);
            return Err(of_lost_session());
        };
        let text = match mark {
            0 => "ROLLBACK".to_owned(),
            mark => format!("ROLLBACK TO SAVEPOINT m{mark}; RELEASE SAVEPOINT m{mark}"),
        };
        let answer = timeout(ANSWER, async {
            session.interrupt().await?;
            session.script(text).await
        });
        let expected = if mark == 0 { Status::Idle } else { Status::Transaction };
        match answer.await {
            Ok(Ok(answer)) if answer.status == expected => {
                *self.session.borrow_mut() = Some(session);
                if mark == 0 {
                    *transaction = Transaction::No;
                }
                Ok(())
            }
            _ => {
                // Its transaction ends with it.
                self.lost(transaction);
                if mark == 0 { Ok(()) } else { Err(of_lost_session()) }
            }
        }
    }

    /// The one who waited is gone: the statement is stopped, and what it has done is undone.
    async fn interrupted(&self, transaction: &mut Transaction, mark: u64) -> Result<()> {
        let kept = self.session.borrow_mut().take();
        let Some(mut session) = kept else {
            // It had not begun.
            if *transaction == Transaction::Open {
                self.lost(transaction);
            }
            return Ok(());
        };
        let stopped = session.interrupt().await;
        let status = session.status();
        if stopped.is_err() || status == Status::Idle {
            // Nothing of the transaction was begun, or all of it is lost.
            self.lost(transaction);
            return Ok(());
        }
        *self.session.borrow_mut() = Some(session);
        let went = self.back(transaction, mark).await;
        if went.is_err() {
            self.lost(transaction);
        }
        went
    }

    /// Ends the transaction with changes. Without an answer it is asked for over another session until it is known.
    async fn commit(&self, transaction: &mut Transaction, text: &str, forced: bool) -> Told {
        let mut session = self.session(transaction).await?;
        let begin = if *transaction == Transaction::No { BEGIN } else { "" };
        let unforced = if forced { "" } else { "SET LOCAL synchronous_commit = off; " };
        let (slot, number) = (self.of_slot(), self.number.get());
        let next = number + 1;
        let whole = format!(
            "{begin}{unforced}{text}; WITH held AS (UPDATE slots SET number = {next} WHERE {slot} AND number = {number} RETURNING 1) \
             SELECT 1 / count(*) FROM held; COMMIT; {VERSION}"
        );
        *transaction = Transaction::Open;
        match timeout(ANSWER, session.script(whole)).await {
            Ok(Ok(answer)) => {
                self.number.set(next);
                *transaction = Transaction::No;
                // The commit is done, whatever becomes of the look at the directory.
                let taken = self.shared.taken(&mut session, &answer).await;
                *self.session.borrow_mut() = Some(session);
                Ok(taken.unwrap_or_default())
            }
            Ok(Err(Failure::Refused(fault))) if !fault.is_fatal => {
                *self.session.borrow_mut() = Some(session);
                self.back(transaction, 0).await?;
                if fault.state == *FENCED {
                    let text = format!("another run of {} has taken its place", self.shared.known.applid);
                    self.shared.known.ends(text);
                }
                Err(refused(&fault))
            }
            _ => {
                drop(session);
                *transaction = Transaction::Lost;
                self.ask(next).await
            }
        }
    }

    fn of_slot(&self) -> String {
        format!("applid = {} AND slot = {}", quoted(&self.shared.known.applid), self.slot)
    }

    /// Asks whether the commit of this number was done; if not, it never will be.
    async fn ask(&self, number: u64) -> Told {
        let (slot, begun) = (self.of_slot(), Instant::now());
        let (former, next) = (number - 1, number + 1);
        // It waits for a transaction that is still under way, since that has changed the same row.
        let text = format!(
            "SET lock_timeout = {}; WITH fenced AS (UPDATE slots SET number = {next} WHERE {slot} AND number = {former} RETURNING 1) \
             SELECT count(*) FROM fenced; SELECT number FROM slots WHERE {slot}; SET lock_timeout = 0; {VERSION}",
            QUESTION.as_millis()
        );
        while begun.elapsed() < PATIENCE {
            let Ok(mut session) = self.shared.session().await else { continue };
            let Ok(Ok(answer)) = timeout(2 * QUESTION, session.script(&text)).await else {
                sleep(RETRY).await;
                continue;
            };
            let Ok(rows) = self.shared.taken(&mut session, &answer).await else { continue };
            let found = |row: usize| rows.get(row).and_then(|row| tables::number(row, 0).ok());
            let (fenced, found) = (found(0), found(1));
            *self.session.borrow_mut() = Some(session);
            return match (fenced, found) {
                (Some(0), Some(found)) if found == number => {
                    self.number.set(number);
                    Ok(Vec::new())
                }
                (Some(1), _) => {
                    self.number.set(next);
                    Err(of_lost_session())
                }
                // A question whose own answer was lost has fenced it.
                (Some(0), Some(found)) if found == next => {
                    self.number.set(next);
                    Err(of_lost_session())
                }
                _ => {
                    let text = format!("another run of {} has taken its place", self.shared.known.applid);
                    self.shared.known.ends(text.clone());
                    Err(Error::Io(text))
                }
            };
        }
        let text = "the database does not answer: a unit of work may or may not be committed".to_owned();
        self.shared.known.ends(text.clone());
        Err(Error::Io(text))
    }
}

/// A session in use, which goes back to its worker when the one who uses it is dropped.
struct Place<'a> {
    worker: &'a Worker,
    session: Option<Session>,
}

impl Place<'_> {
    fn session(&mut self) -> Result<&mut Session> {
        self.session.as_mut().ok_or_else(of_lost_session)
    }

    fn take(mut self) -> Result<Session> {
        self.session.take().ok_or_else(of_lost_session)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            *self.worker.session.borrow_mut() = Some(session);
        }
    }
}
