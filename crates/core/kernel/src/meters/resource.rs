//! Requests to one resource: a file, a queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use spec::{CommandId, cmd};

/// Requests of programs to a resource. A domain names the resource that a command uses ([`crate::task::Task::uses`]);
/// it is counted where commands are answered.
#[derive(Debug)]
pub struct ResourceRequests {
    commands: &'static [CommandId],
    shares: [Arc<Share>; SHARES],
}

/// So many threads count without meeting.
const SHARES: usize = 8;
/// There is a place for each command that is counted, and one for READs for update, which count apart.
const PLACES: usize = 15;
const UPDATES: usize = PLACES - 1;

/// Counts of some threads, far enough from the others' that none slows another.
#[derive(Debug)]
pub struct Share {
    commands: &'static [CommandId],
    counts: CachePadded<[AtomicU64; PLACES]>,
}

impl Share {
    fn new(commands: &'static [CommandId]) -> Self {
        Self { commands, counts: CachePadded::default() }
    }

    /// Counts a command; `for_update`: whether it has UPDATE.
    pub(crate) fn count(&self, command: CommandId, for_update: impl FnOnce() -> bool) {
        let place = if command == cmd::READ && for_update() {
            UPDATES
        } else {
            match self.commands.iter().position(|counted| *counted == command) {
                Some(place) => place,
                None => return,
            }
        };
        self.counts[place].fetch_add(1, Ordering::Relaxed);
    }
}

impl ResourceRequests {
    /// Nothing yet; these commands are counted.
    pub fn new(commands: &'static [CommandId]) -> Self {
        assert!(commands.len() <= UPDATES, "there is no place for so many commands");
        Self { commands, shares: std::array::from_fn(|_| Arc::new(Share::new(commands))) }
    }

    /// Counter of this thread.
    pub(crate) fn share(&self) -> &Arc<Share> {
        &self.shares[share_of_thread()]
    }

    fn sum(&self, place: usize) -> u64 {
        self.shares.iter().map(|share| share.counts[place].load(Ordering::Relaxed)).sum()
    }

    /// Number of these commands.
    pub fn of(&self, commands: &[CommandId]) -> u64 {
        let places = self.commands.iter().enumerate().filter(|(_, command)| commands.contains(command));
        places.map(|(place, _)| self.sum(place)).sum()
    }

    /// Number of reads for update.
    pub fn updates(&self) -> u64 {
        self.sum(UPDATES)
    }
}

/// The share of this thread.
fn share_of_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SHARES;
    }
    SHARE.with(|share| *share)
}
