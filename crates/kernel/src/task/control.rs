//! What others may know of a task and do to it while it runs: its state, and PURGE.

use std::future::poll_fn;
use std::task::Poll;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::name::{Name8, TerminalName, TransactionName};
use crate::raise::{Outcome, Raise};

/// What a task waits for: shown by INQUIRE TASK, and the abend if it is purged there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// Input from its terminal.
    Terminal,
    /// DELAY, RETRIEVE WAIT: interval control.
    Interval,
    /// An enqueue.
    Enqueue,
    /// A record lock.
    RecordLock,
    /// A file request.
    File,
    /// The system log.
    Log,
    /// A queue of temporary storage.
    TemporaryStorage,
    /// A queue of transient data.
    TransientData,
    /// WAIT EVENT, WAIT EXTERNAL, WAITCICS.
    Event,
    /// A program to be translated and loaded.
    Program,
    /// A program on another TCB.
    Tcb,
    /// A child task.
    Child,
    /// Work that may come through a socket: ACCEPT, SELECT.
    SocketWork,
    /// A peer: what it sends, or room for what is sent to it.
    Socket,
}

impl WaitKind {
    /// The resource type that INQUIRE TASK SUSPENDTYPE shows.
    pub fn resource_type(self) -> &'static str {
        match self {
            Self::Terminal => "ZCIOWAIT",
            Self::Interval => "ICWAIT",
            Self::Enqueue => "ENQUEUE",
            Self::RecordLock => "FCRVWAIT",
            Self::File => "FCIOWAIT",
            Self::Log => "LGFORCE",
            Self::TemporaryStorage => "TSSHARED",
            Self::TransientData => "TDEPLOCK",
            Self::Event => "USERWAIT",
            Self::Program => "PROGRAM",
            Self::Tcb => "DISPATCH",
            Self::Child => "AS_FETCH",
            Self::SocketWork | Self::Socket => "SOCKET",
        }
    }

    fn purge_abend(self) -> &'static str {
        match self {
            Self::Terminal => "AKCT",
            Self::RecordLock | Self::File => "AFCV",
            _ => "AKCS",
        }
    }
}

/// The outside of a task.
pub struct TaskControl {
    /// Its number.
    pub number: u32,
    /// Its transaction.
    pub transaction: TransactionName,
    /// Its terminal.
    pub terminal: Option<TerminalName>,
    /// Its user.
    pub user: Name8,
    state: Mutex<State>,
    purged: Notify,
}

#[derive(Default)]
struct State {
    waits_for: Option<WaitKind>,
    purged: bool,
}

impl TaskControl {
    /// The outside of a task that is about to be attached.
    pub fn new(
        number: u32,
        transaction: TransactionName,
        terminal: Option<TerminalName>,
        user: Name8,
    ) -> Self {
        Self { number, transaction, terminal, user, state: Mutex::default(), purged: Notify::new() }
    }

    /// What the task waits for; `None`: it runs, or is ready to.
    pub fn waits_for(&self) -> Option<WaitKind> {
        self.state.lock().waits_for
    }

    /// Ends the task at its next wait, or the one it is in.
    pub fn purge(&self) {
        self.state.lock().purged = true;
        self.purged.notify_waiters();
    }

    /// Whether the task is to end.
    pub fn is_purged(&self) -> bool {
        self.state.lock().purged
    }

    /// Waits for an event whatever happens: a purge counts at the next wait.
    pub async fn wait_through<F: Future>(&self, kind: WaitKind, event: F) -> F::Output {
        self.state.lock().waits_for = Some(kind);
        let _restore = Running(self);
        event.await
    }

    /// Waits for an event, or for a purge.
    ///
    /// # Errors
    /// The abend of a task that was purged.
    pub async fn wait<F: Future>(&self, kind: WaitKind, event: F) -> Outcome<F::Output> {
        tokio::pin!(event);
        // Nearly all events are there already; those that are not may take the trouble of being purgeable.
        if let Poll::Ready(result) = poll_fn(|context| Poll::Ready(event.as_mut().poll(context))).await {
            return Ok(result);
        }
        let purged = self.purged.notified();
        tokio::pin!(purged);
        // From here on a purge is not missed, also one that comes before the first poll.
        purged.as_mut().enable();
        let already = {
            let mut state = self.state.lock();
            state.waits_for = Some(kind);
            state.purged
        };
        let _restore = Running(self);
        if already {
            return Err(Raise::abend(kind.purge_abend()));
        }
        tokio::select! {
            biased;
            result = event => Ok(result),
            () = purged => Err(Raise::abend(kind.purge_abend())),
        }
    }
}

/// Marks the task as running again, also when its wait is dropped.
struct Running<'a>(&'a TaskControl);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.state.lock().waits_for = None;
    }
}
