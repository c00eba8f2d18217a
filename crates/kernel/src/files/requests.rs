//! What programs have asked of a file, for statistics.

use std::sync::atomic::{AtomicU64, Ordering};

use spec::{CommandId, cmd};

/// The commands that are counted, each in its place.
const COUNTED: [CommandId; 10] = [
    cmd::READ,
    cmd::WRITE,
    cmd::REWRITE,
    cmd::DELETE,
    cmd::UNLOCK,
    cmd::STARTBR,
    cmd::READNEXT,
    cmd::READPREV,
    cmd::RESETBR,
    cmd::ENDBR,
];

/// Requests to a file. A READ for update counts apart.
#[derive(Default)]
pub struct FileRequests {
    counts: [AtomicU64; COUNTED.len()],
    updates: AtomicU64,
}

impl FileRequests {
    /// Counts a command.
    pub(super) fn count(&self, command: CommandId, update: bool) {
        let counter = match COUNTED.iter().position(|counted| *counted == command) {
            Some(0) if update => &self.updates,
            Some(place) => &self.counts[place],
            None => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// How often one of these commands came.
    pub fn of(&self, commands: &[CommandId]) -> u64 {
        let places = COUNTED.iter().zip(&self.counts).filter(|(command, _)| commands.contains(command));
        places.map(|(_, count)| count.load(Ordering::Relaxed)).sum()
    }

    /// How often a record was read for update.
    pub fn updates(&self) -> u64 {
        self.updates.load(Ordering::Relaxed)
    }
}
