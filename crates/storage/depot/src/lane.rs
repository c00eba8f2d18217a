//! Lanes: each is a queue of texts that one session carries out, for threads that wait for the answers.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A row: its values as texts; `None` is NULL.
pub(crate) type Row = Vec<Option<Vec<u8>>>;

/// The way in which a text is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A read. The lease is looked at behind it, so what was read was read while it was held.
    Read,
    /// A transaction of its own, which changes nothing unless the lease is held; it renews it. Tried again until it is answered.
    Change,
    /// A part of a transaction. When the session is lost, so is the transaction: [`io::ErrorKind::Interrupted`].
    Part,
    /// The end of a transaction, which does nothing unless the lease is held.
    Commit,
    /// A change that gives the lease back.
    Last,
}

/// Something to be carried out.
#[derive(Debug)]
pub(crate) struct Ask {
    pub kind: Kind,
    pub text: String,
    /// Further columns of the lease that are set.
    pub sets: String,
}

impl Ask {
    pub fn read(text: String) -> Self {
        Self { kind: Kind::Read, text, sets: String::new() }
    }

    pub fn change(text: String) -> Self {
        Self { kind: Kind::Change, text, sets: String::new() }
    }

    /// A change that sets something in the row of the lease as well: `, COLUMN = VALUE` each.
    pub fn change_with(text: String, sets: String) -> Self {
        Self { kind: Kind::Change, text, sets }
    }

    pub fn part(text: String) -> Self {
        Self { kind: Kind::Part, text, sets: String::new() }
    }

    pub fn commit() -> Self {
        Self { kind: Kind::Commit, text: String::new(), sets: String::new() }
    }

    pub fn last() -> Self {
        Self { kind: Kind::Last, text: String::new(), sets: String::new() }
    }
}

/// Something to be carried out, and where the answer goes.
pub(crate) struct Job {
    pub ask: Ask,
    pub answer: SyncSender<io::Result<Vec<Row>>>,
}

/// A lane, for those who ask.
pub(crate) struct Lane(UnboundedSender<Job>);

impl Lane {
    /// Asks, and waits for the answer.
    pub fn ask(&self, ask: Ask) -> io::Result<Vec<Row>> {
        let ended = || io::Error::other("the thread for the database has ended");
        let (answer, answered) = sync_channel(1);
        self.0.send(Job { ask, answer }).map_err(|_| ended())?;
        answered.recv().map_err(|_| ended())?
    }
}

/// All lanes. There are as many jobs in them as threads that wait.
pub(crate) struct Lanes {
    pub log: Lane,
    pub reads: Lane,
    /// Loads.
    pub fills: Lane,
    /// Checkpoints: each is a transaction of several parts, one at a time.
    pub base: Mutex<Lane>,
    /// The folder is this process's as long as anybody can ask.
    _folder: Option<Arc<File>>,
}

/// Their other ends.
pub(crate) struct Queues {
    pub log: UnboundedReceiver<Job>,
    pub reads: UnboundedReceiver<Job>,
    pub fills: UnboundedReceiver<Job>,
    pub base: UnboundedReceiver<Job>,
}

impl Lanes {
    pub fn new(folder: Option<Arc<File>>) -> (Self, Queues) {
        let ((log, logs), (reads, readings)) = (unbounded_channel(), unbounded_channel());
        let ((fills, fillings), (base, bases)) = (unbounded_channel(), unbounded_channel());
        let lanes = Self {
            log: Lane(log),
            reads: Lane(reads),
            fills: Lane(fills),
            base: Mutex::new(Lane(base)),
            _folder: folder,
        };
        (lanes, Queues { log: logs, reads: readings, fills: fillings, base: bases })
    }
}
