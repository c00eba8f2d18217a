//! Requests of a task, counted where commands are answered.

use spec::CommandId;
use spec::measures::{REQUEST_SLOTS, slot};

/// How often a task has asked for what, by the counters of `spec::measures`.
#[derive(Clone, Debug)]
pub struct Requests([u32; REQUEST_SLOTS]);

impl Default for Requests {
    fn default() -> Self {
        Self([0; REQUEST_SLOTS])
    }
}

impl Requests {
    /// Counts a command. Always, whoever wants to know: it costs what asking would.
    #[inline(always)]
    pub fn count(&mut self, command: CommandId) {
        let counter = &mut self.0[slot(command)];
        *counter = counter.wrapping_add(1);
    }

    /// The counters that are not 0.
    pub fn counted(&self) -> impl Iterator<Item = (usize, u64)> {
        self.0
            .iter()
            .enumerate()
            .filter(|(_, count)| **count != 0)
            .map(|(slot, count)| (slot, u64::from(*count)))
    }
}
