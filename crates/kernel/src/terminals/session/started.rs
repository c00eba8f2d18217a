//! Tasks that are started for a terminal and wait until it is free.

use std::collections::VecDeque;

use super::Terminal;
use crate::dispatcher::Attach;
use crate::limits::STARTS_AT_TERMINAL_MAX;
use crate::name::TransactionName;

impl Terminal {
    /// Keeps a started task until the terminal is free. It comes back where too many wait already.
    pub(crate) fn queue(&self, attach: Attach) -> Result<(), Box<Attach>> {
        {
            let mut state = self.state.lock();
            if state.waiting.len() >= STARTS_AT_TERMINAL_MAX {
                return Err(Box::new(attach));
            }
            state.waiting.push_back(attach);
        }
        self.started.notify_one();
        Ok(())
    }

    /// The next started task of a transaction that waits here, if it is `wanted`: it does not start any more.
    pub(crate) fn take_started(
        &self,
        transaction: TransactionName,
        wanted: impl Fn(&Attach) -> bool,
    ) -> Option<Attach> {
        let mut state = self.state.lock();
        let at = state.waiting.iter().position(|a| a.transaction == transaction && wanted(a))?;
        state.waiting.remove(at)
    }

    /// The same, waited for: `None` when the connection is gone.
    pub(crate) async fn wait_started(
        &self,
        transaction: TransactionName,
        wanted: impl Fn(&Attach) -> bool,
    ) -> Option<Attach> {
        loop {
            let started = self.started.notified();
            if let Some(attach) = self.take_started(transaction, &wanted) {
                return Some(attach);
            }
            if self.is_gone() {
                return None;
            }
            started.await;
        }
    }

    /// All started tasks that wait here: the connection is gone.
    pub(crate) fn take_all_waiting(&self) -> VecDeque<Attach> {
        std::mem::take(&mut self.state.lock().waiting)
    }
}
