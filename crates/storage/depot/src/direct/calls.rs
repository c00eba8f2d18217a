//! Requests on their way from units of work, on any thread, to the thread of the sessions.

use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use records::{Error, Result};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::known::{Known, Releasing};
use super::limits::NUMBERS;
use super::tables;
use crate::lane::Row;

/// The answer to a text: its rows.
pub(super) type Told = Result<Vec<Row>>;

/// The one who wants an answer.
pub(super) enum To {
    /// No caller; the text is carried out all the same.
    Nobody,
    /// A task.
    Task(oneshot::Sender<Told>),
    /// A thread that is blocked.
    Thread(SyncSender<Told>),
}

impl To {
    /// Gives the answer. Returns false if no caller wants it any more.
    pub fn tell(self, told: Told) -> bool {
        match self {
            Self::Nobody => true,
            Self::Task(tell) => tell.send(told).is_ok(),
            Self::Thread(tell) => tell.send(told).is_ok(),
        }
    }

    /// Waits until no caller wants the answer any more.
    pub async fn is_gone(&mut self) {
        match self {
            Self::Task(tell) => tell.closed().await,
            _ => std::future::pending().await,
        }
    }
}

/// A text that is a transaction of its own.
pub(super) struct Plain {
    pub text: String,
    /// It changes nothing, or the same however often it is carried out.
    pub is_repeatable: bool,
    pub to: To,
}

/// The way in which a step of a unit of work is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Behind a mark of this number, to which the transaction goes back if it is refused. Milliseconds for which it waits; 0: for ever.
    Marked(u64, u64),
    /// The transaction goes back to a mark: the locks that were taken behind it are free.
    Back(u64),
    /// A part of the transaction.
    Part,
    /// The end of the transaction. It waits for the disk, or not.
    Commit(bool),
}

/// A step of a unit of work.
pub(super) struct Step {
    pub kind: Kind,
    pub text: String,
    pub to: To,
    pub releases: Option<Releasing>,
}

/// A session that a unit of work has for itself; dropped, its transaction is backed out.
pub(super) struct Taken {
    steps: UnboundedSender<Step>,
}

impl Taken {
    /// Has a step carried out, and waits for the answer. A step that is not a commit is given up when this is dropped.
    pub async fn ask(&self, kind: Kind, text: String) -> Told {
        let (tell, told) = oneshot::channel();
        let step = Step { kind, text, to: To::Task(tell), releases: None };
        self.steps.send(step).map_err(|_| ended())?;
        told.await.unwrap_or_else(|_| Err(ended()))
    }

    /// The same for a thread that is blocked.
    pub fn ask_and_block(&self, kind: Kind, text: String) -> Told {
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let step = Step { kind, text, to: To::Thread(tell), releases: None };
        self.steps.send(step).map_err(|_| ended())?;
        told.recv().unwrap_or_else(|_| Err(ended()))
    }

    /// Goes back to a mark; a failure is seen by the next step.
    pub fn back_to(&self, mark: u64, releases: Releasing) {
        let (kind, text) = (Kind::Back(mark), String::new());
        let _ = self.steps.send(Step { kind, text, to: To::Nobody, releases: Some(releases) });
    }

    /// Backs the transaction out; `releases` is over when it is.
    pub fn end(self, releases: Releasing) {
        let (kind, text) = (Kind::Back(0), String::new());
        let _ = self.steps.send(Step { kind, text, to: To::Nobody, releases: Some(releases) });
    }
}

/// Requests.
pub(super) struct Calls {
    pub known: Arc<Known>,
    /// Any of several sessions.
    reads: UnboundedSender<Plain>,
    /// One session, in the order in which they come.
    orders: UnboundedSender<Plain>,
    takes: UnboundedSender<UnboundedReceiver<Step>>,
    /// The folder is this process's as long as anybody can ask.
    _folder: Option<Arc<File>>,
}

/// Their other ends.
pub(super) struct Queues {
    pub reads: UnboundedReceiver<Plain>,
    pub orders: UnboundedReceiver<Plain>,
    pub takes: UnboundedReceiver<UnboundedReceiver<Step>>,
}

pub(super) fn ended() -> Error {
    Error::Lost("the thread for the database has ended".into())
}

impl Calls {
    pub fn new(known: Arc<Known>, folder: Option<Arc<File>>) -> (Self, Queues) {
        let ((reads, readings), (orders, ordered), (takes, taken)) =
            (unbounded_channel(), unbounded_channel(), unbounded_channel());
        let calls = Self { known, reads, orders, takes, _folder: folder };
        (calls, Queues { reads: readings, orders: ordered, takes: taken })
    }

    async fn asks(queue: &UnboundedSender<Plain>, text: String, is_repeatable: bool) -> Told {
        let (tell, told) = oneshot::channel();
        queue.send(Plain { text, is_repeatable, to: To::Task(tell) }).map_err(|_| ended())?;
        told.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Reads.
    pub async fn read(&self, text: String) -> Told {
        Self::asks(&self.reads, text, true).await
    }

    /// Carries out a change that is a transaction of its own; without an answer it is not repeated.
    pub async fn change(&self, text: String) -> Told {
        Self::asks(&self.reads, text, false).await
    }

    /// Carries out what may be done twice, behind all that was ordered before.
    pub async fn order(&self, text: String) -> Told {
        Self::asks(&self.orders, text, true).await
    }

    /// The same, without a caller that waits for it.
    pub fn order_unwaited(&self, text: String) {
        let _ = self.orders.send(Plain { text, is_repeatable: true, to: To::Nobody });
    }

    /// Reads, and blocks the thread.
    pub fn read_and_block(&self, text: String) -> Told {
        self.reads_for_thread(text)?.recv().unwrap_or_else(|_| Err(ended()))
    }

    /// The same, for so long at most.
    pub fn read_within(&self, text: String, most: Duration) -> Told {
        let told = self.reads_for_thread(text)?.recv_timeout(most);
        told.unwrap_or_else(|_| Err(Error::Lost("the database does not answer in time".into())))
    }

    fn reads_for_thread(&self, text: String) -> Result<Receiver<Told>> {
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        self.reads.send(Plain { text, is_repeatable: true, to: To::Thread(tell) }).map_err(|_| ended())?;
        Ok(told)
    }

    /// Takes numbers for new stores, if few are left.
    pub async fn refill_numbers(&self) -> Result<()> {
        if self.known.numbers_left() > NUMBERS / 2 {
            return Ok(());
        }
        let rows = self.order(tables::MORE_NUMBERS.to_owned()).await?;
        let end = rows.first().map_or(Ok(0), |row| tables::number(row, 0))?;
        self.known.numbers_end(end)
    }

    /// A session of a unit of work's own, which is there when its first step is carried out.
    pub fn take(&self) -> Result<Taken> {
        self.known.check()?;
        let (steps, queue) = unbounded_channel();
        self.takes.send(queue).map_err(|_| ended())?;
        Ok(Taken { steps })
    }
}
