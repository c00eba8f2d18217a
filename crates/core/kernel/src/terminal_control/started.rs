//! Tasks that are started for a terminal and wait there: attaches, of which the terminal itself knows nothing.

use std::any::Any;

use crate::dispatcher::Attach;
use crate::name::TransactionName;
use crate::terminals::{Started, Terminal};

impl Started for Attach {}

/// The attach of a task that was started.
///
/// # Panics
/// Never: only attaches wait at terminals.
pub(super) fn attach(started: Box<dyn Started>) -> Attach {
    let attach: Box<dyn Any> = started;
    *attach.downcast().unwrap_or_else(|_| unreachable!("only attaches wait at terminals"))
}

impl Terminal {
    /// Keeps a started task until the terminal is free. It comes back where too many wait already.
    pub(super) fn queue(&self, started: Attach) -> Result<(), Box<Attach>> {
        self.keep_started(Box::new(started)).map_err(|started| Box::new(attach(started)))
    }

    /// Has the region that owns the terminal start a task there; it comes back if that is this one.
    pub(super) fn start_there(&self, started: Attach) -> Result<(), Box<Attach>> {
        let back = |started: Box<dyn Any + Send>| {
            started.downcast().unwrap_or_else(|_| unreachable!("an attach comes back as one"))
        };
        self.start_at_owner(Box::new(started)).map_err(back)
    }

    /// The next started task of a transaction that waits here, if it is `wanted`: it does not start any more.
    pub fn take_started(
        &self,
        transaction: TransactionName,
        wanted: impl Fn(&Attach) -> bool,
    ) -> Option<Attach> {
        let is_it = |attach: &Attach| attach.transaction == transaction && wanted(attach);
        let started = self.give_started(|started| (started as &dyn Any).downcast_ref().is_some_and(is_it))?;
        Some(attach(started))
    }

    /// The same, waited for: `None` when the connection is gone.
    pub async fn wait_started(
        &self,
        transaction: TransactionName,
        wanted: impl Fn(&Attach) -> bool,
    ) -> Option<Attach> {
        loop {
            let another = self.another_started();
            if let Some(attach) = self.take_started(transaction, &wanted) {
                return Some(attach);
            }
            if self.is_gone() {
                return None;
            }
            another.await;
        }
    }

    /// All started tasks that wait here: the connection is gone.
    pub(super) fn take_all_waiting(&self) -> impl Iterator<Item = Attach> {
        self.give_all_started().into_iter().map(attach)
    }
}
