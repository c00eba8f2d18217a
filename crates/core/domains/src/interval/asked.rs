//! A START as it was asked for, and the data that it has left.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kernel::channels::Channel;
use kernel::dispatcher::Attach;
use kernel::exec::Followed;
use kernel::limits::START_BYTES_MAX;
use kernel::name::{Name8, TerminalName, TransactionName};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::recovery::UnitOfWork;
use kernel::security::User;
use kernel::task::{Origin, TaskPart};
use spec::cond;

use super::kept::KeptStart;

/// The data that START has left for RETRIEVE.
#[derive(Debug, Default)]
pub struct StartData {
    /// FROM.
    pub data: Option<Vec<u8>>,
    /// RTRANSID.
    pub transaction: Option<TransactionName>,
    /// RTERMID.
    pub terminal: Option<TerminalName>,
    /// QUEUE.
    pub queue: Option<Name8>,
    /// The record that the first unit of work of the started task takes away, if the START is protected.
    pub kept: Option<KeptStart>,
    /// Its bytes, until a task has retrieved them.
    pub counted: Option<Counted>,
}

/// Bytes of STARTs that no task has retrieved yet; those of one of them, until it is dropped.
#[derive(Debug)]
pub struct Counted {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl Counted {
    /// Counts the data of another START.
    ///
    /// # Errors
    /// IOERR where all STARTs together have too much: there is no place to keep it.
    pub(super) fn of(all: &Arc<AtomicUsize>, bytes: usize) -> Outcome<Self> {
        let counted = Self { all: Arc::clone(all), bytes };
        let after = all.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if after > START_BYTES_MAX { Err(cond::IOERR.raise(0)) } else { Ok(counted) }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl StartData {
    /// Returns true if there is nothing to retrieve.
    pub fn is_empty(&self) -> bool {
        self.data.is_none() && self.transaction.is_none() && self.terminal.is_none() && self.queue.is_none()
    }
}

impl TaskPart for StartData {
    fn begins(&mut self, work: &mut UnitOfWork) {
        if let Some(kept) = self.kept {
            work.begin_errand(kept);
        }
    }
}

/// A START.
pub struct Start {
    /// The transaction.
    pub transaction: TransactionName,
    /// The terminal, with TERMID.
    pub terminal: Option<TerminalName>,
    /// The data for RETRIEVE.
    pub data: StartData,
    /// START CHANNEL.
    pub channel: Option<Arc<Channel>>,
    /// On whose behalf.
    pub user: Arc<User>,
    /// The tasks before it that led to this start.
    pub origin: Origin,
    /// The area of the routing program that hears of the task.
    pub followed: Option<Followed>,
}

impl Start {
    /// The START that an attach came of.
    pub(super) fn of(mut attach: Attach) -> Self {
        Self {
            transaction: attach.transaction,
            terminal: attach.facility.terminal_name(),
            data: attach.kept.take().unwrap_or_default(),
            channel: attach.channel,
            user: attach.user,
            origin: attach.origin,
            followed: attach.kept.take(),
        }
    }
}
