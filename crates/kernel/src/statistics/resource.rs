//! Requests to one resource: a file, a queue.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use spec::{CommandId, cmd, opt};

use crate::exec::Call;

/// What programs have asked of a resource. A domain says which resource a command uses
/// ([`crate::task::Task::uses`]); it is counted where commands are answered.
#[derive(Debug)]
pub struct ResourceRequests {
    commands: &'static [CommandId],
    parts: [Part; PARTS],
}

/// So many threads count without meeting.
const PARTS: usize = 8;
/// A part has a place for each command that is counted, and one for READs for update, which count apart.
const PLACES: usize = 15;
const UPDATES: usize = PLACES - 1;

/// What some threads have counted, far enough from the others' that none slows another.
type Part = CachePadded<[AtomicU64; PLACES]>;

impl ResourceRequests {
    /// Nothing yet; these commands are counted.
    pub fn new(commands: &'static [CommandId]) -> Self {
        assert!(commands.len() <= UPDATES, "a part has no place for so many commands");
        Self { commands, parts: Default::default() }
    }

    /// Counts a command.
    pub(crate) fn count(&self, call: &Call<'_>) {
        let command = call.command();
        let place = if command == cmd::READ && call.keyword(opt::UPDATE) {
            UPDATES
        } else {
            match self.commands.iter().position(|counted| *counted == command) {
                Some(place) => place,
                None => return,
            }
        };
        self.parts[part_of_thread()][place].fetch_add(1, Ordering::Relaxed);
    }

    fn sum(&self, place: usize) -> u64 {
        self.parts.iter().map(|part| part[place].load(Ordering::Relaxed)).sum()
    }

    /// How often one of these commands came.
    pub fn of(&self, commands: &[CommandId]) -> u64 {
        let places = self.commands.iter().enumerate().filter(|(_, command)| commands.contains(command));
        places.map(|(place, _)| self.sum(place)).sum()
    }

    /// How often a record was read for update.
    pub fn updates(&self) -> u64 {
        self.sum(UPDATES)
    }
}

/// The part in which this thread counts.
fn part_of_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static PART: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PARTS;
    }
    PART.with(|part| *part)
}
