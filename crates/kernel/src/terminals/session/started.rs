//! Tasks that are started for a terminal and wait until it is free.

use std::collections::VecDeque;

use super::Terminal;
use crate::dispatcher::Attach;
use crate::interval::StartData;
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

    /// The data of the next started task of a transaction that waits here: it does not start any more.
    pub(crate) fn take_started(&self, transaction: TransactionName) -> Option<StartData> {
        let mut state = self.state.lock();
        let has_data = |attach: &Attach| attach.start_data.as_ref().is_some_and(|data| !data.is_empty());
        let at = state.waiting.iter().position(|a| a.transaction == transaction && has_data(a))?;
        state.waiting.remove(at).and_then(|attach| attach.start_data)
    }

    /// The same, waited for: `None` when the connection is gone.
    pub(crate) async fn wait_started(&self, transaction: TransactionName) -> Option<StartData> {
        loop {
            let started = self.started.notified();
            if let Some(data) = self.take_started(transaction) {
                return Some(data);
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
