//! Requests to one resource: a file, a queue.

use std::sync::atomic::{AtomicU64, Ordering};

use spec::{CommandId, cmd, opt};

use crate::exec::Call;

/// What programs have asked of a resource. A domain says which resource a command uses
/// ([`crate::task::Task::uses`]); it is counted where commands are answered.
#[derive(Debug)]
pub struct ResourceRequests {
    commands: &'static [CommandId],
    counts: Box<[AtomicU64]>,
    /// READs for update: they count apart.
    updates: AtomicU64,
}

impl ResourceRequests {
    /// Nothing yet; these commands are counted.
    pub fn new(commands: &'static [CommandId]) -> Self {
        let counts = commands.iter().map(|_| AtomicU64::new(0)).collect();
        Self { commands, counts, updates: AtomicU64::new(0) }
    }

    /// Counts a command.
    pub(crate) fn count(&self, call: &Call<'_>) {
        let command = call.command();
        let counter = if command == cmd::READ && call.keyword(opt::UPDATE) {
            &self.updates
        } else {
            match self.commands.iter().position(|counted| *counted == command) {
                Some(place) => &self.counts[place],
                None => return,
            }
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// How often one of these commands came.
    pub fn of(&self, commands: &[CommandId]) -> u64 {
        let places = self.commands.iter().zip(&self.counts).filter(|(command, _)| commands.contains(command));
        places.map(|(_, count)| count.load(Ordering::Relaxed)).sum()
    }

    /// How often a record was read for update.
    pub fn updates(&self) -> u64 {
        self.updates.load(Ordering::Relaxed)
    }
}
