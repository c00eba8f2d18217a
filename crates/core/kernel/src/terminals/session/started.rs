//! Tasks that are started for a terminal and wait until it is free.

use std::any::Any;
use std::collections::VecDeque;

use super::Terminal;
use crate::limits::STARTS_AT_TERMINAL_MAX;

/// A task that was started for a terminal, as far as the terminal knows it: the one who attaches it knows more.
pub(crate) trait Started: Any + Send {}

impl Terminal {
    /// Keeps a started task until the terminal is free. It comes back where too many wait already.
    pub(crate) fn keep_started(&self, started: Box<dyn Started>) -> Result<(), Box<dyn Started>> {
        {
            let mut state = self.state.lock();
            if state.waiting.len() >= STARTS_AT_TERMINAL_MAX {
                return Err(started);
            }
            state.waiting.push_back(started);
        }
        self.started.notify_one();
        Ok(())
    }

    /// The next started task that waits here and is wanted: it does not start any more.
    pub(crate) fn give_started(&self, wanted: impl Fn(&dyn Started) -> bool) -> Option<Box<dyn Started>> {
        let mut state = self.state.lock();
        let at = state.waiting.iter().position(|started| wanted(&**started))?;
        state.waiting.remove(at)
    }

    /// The number of started tasks that wait here.
    pub fn started_tasks(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Waits until another task is started for the terminal, or its connection is gone. To be asked for before
    /// [`Self::give_started`].
    pub(crate) fn another_started(&self) -> impl Future<Output = ()> {
        self.started.notified()
    }

    /// All started tasks that wait here: the connection is gone.
    pub(crate) fn give_all_started(&self) -> VecDeque<Box<dyn Started>> {
        std::mem::take(&mut self.state.lock().waiting)
    }
}
