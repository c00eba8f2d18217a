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

    /// The counters that are not 0. Most tasks use a handful of commands: those beside each other are passed at once.
    pub fn counted(&self) -> impl Iterator<Item = (usize, u64)> {
        const BESIDE: usize = 16;
        let used = self
            .0
            .chunks(BESIDE)
            .enumerate()
            .filter(|(_, counts)| counts.iter().fold(0, |any, count| any | count) != 0);
        let all = used.flat_map(|(place, counts)| (place * BESIDE..).zip(counts));
        all.filter(|(_, count)| **count != 0).map(|(slot, count)| (slot, u64::from(*count)))
    }
}
