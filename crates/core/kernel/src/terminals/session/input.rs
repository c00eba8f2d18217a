//! Input of a terminal, until a task reads it.

use std::time::Instant;

use tn3270::datastream::Inbound;

use super::Terminal;
use crate::limits::TERMINAL_INPUT_MAX;

impl Terminal {
    /// Keeps an input for the attached task, or for the task that it starts. False if too many wait already: the client
    /// does not wait for its turn.
    pub fn keep_input(&self, input: Inbound) -> bool {
        let mut state = self.state.lock();
        if state.inputs.len() >= TERMINAL_INPUT_MAX {
            return false;
        }
        state.locked = true;
        state.heard = Instant::now();
        state.reads += 1;
        state.fields.keyed(&input);
        state.inputs.push_back(input);
        drop(state);
        self.input.notify_one();
        true
    }

    /// The next input, if it is there.
    pub fn take_input(&self) -> Option<Inbound> {
        let mut state = self.state.lock();
        let input = state.first_input.take().or_else(|| state.inputs.pop_front())?;
        state.last_key = (input.aid, input.cursor().unwrap_or_default());
        Some(input)
    }

    /// Waits for input: `None` when the connection is gone.
    pub async fn wait_input(&self) -> Option<Inbound> {
        self.flush().await;
        loop {
            let arrived = self.input.notified();
            if let Some(input) = self.take_input() {
                return Some(input);
            }
            if self.is_gone() {
                return None;
            }
            self.line.wants_input();
            arrived.await;
        }
    }

    /// Keeps an input for the task that it starts.
    pub fn keep_first_input(&self, input: Inbound) {
        let mut state = self.state.lock();
        state.last_key = (input.aid, input.cursor().unwrap_or_default());
        state.first_input = Some(input);
    }

    /// The task has written: what it reads from now on came after the input that started it.
    pub fn forget_first_input(&self) {
        self.state.lock().first_input = None;
    }
}
