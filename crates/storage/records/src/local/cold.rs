//! Reads of what is not in main storage: threads of the engine's own wait for the disk, so that those of tasks never do.
//!
//! Such a thread reads what was wanted and throws it away; then it is in main storage, and who wanted it reads it at once. So
//! what is read is always of the moment in which it is given out.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};

use crate::base::{Base, Patience, Space};
use crate::signal::{Signal, Signalled, send_all, signal};
use crate::{Direction, Error, Origin, Result};

/// Page that is to be brought into main storage.
pub(super) struct Wanted {
    pub(super) space: Space,
    pub(super) what: What,
}

/// A part of a store.
pub(super) enum What {
    Record(Box<[u8]>),
    Range {
        /// A key, and whether what lies beyond it is wanted; from the beginning if there is none.
        from: Option<(Box<[u8]>, bool)>,
        direction: Direction,
        limit: usize,
    },
}

impl What {
    pub(super) fn range(origin: Origin<'_>, direction: Direction, limit: usize) -> Self {
        let from = match origin {
            Origin::Start => None,
            Origin::At(key) => Some((key.into(), false)),
            Origin::Beyond(key) => Some((key.into(), true)),
        };
        Self::Range { from, direction, limit }
    }
}

impl Wanted {
    /// Reads it, however long that takes.
    pub(super) fn bring(&self, base: &dyn Base) -> Result<()> {
        match &self.what {
            What::Record(key) => base.get(self.space, key, &mut Vec::new(), Patience::Waits).map(drop),
            What::Range { from, direction, limit } => {
                let origin = match from {
                    None => Origin::Start,
                    Some((key, false)) => Origin::At(key),
                    Some((key, true)) => Origin::Beyond(key),
                };
                let mut left = *limit;
                base.scan(self.space, origin, *direction, Patience::Waits, &mut |_, _| {
                    left = left.saturating_sub(1);
                    left > 0
                })
            }
        }
    }
}

/// Those who wait for the disk. Each waits for one read of its own, so there are never more than tasks.
#[derive(Default)]
pub(super) struct Cold {
    queue: Mutex<Queue>,
    bell: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Wanted, Signal<Result<()>>)>,
    /// Threads that bring it.
    threads: usize,
    stopping: bool,
}

impl Cold {
    /// Another thread brings what is wanted.
    pub(super) fn enter(&self) {
        self.queue.lock().threads += 1;
    }

    /// Lets a thread bring what is wanted; nothing if there is none.
    pub(super) fn ask(&self, wanted: Wanted) -> Option<Signalled<Result<()>>> {
        let mut queue = self.queue.lock();
        if queue.threads == 0 || queue.stopping {
            return None;
        }
        let (done, signalled) = signal();
        queue.waiting.push_back((wanted, done));
        self.bell.notify_one();
        Some(signalled)
    }

    /// Waits for something that is wanted; nothing when the engine ends.
    pub(super) fn next(&self) -> Option<(Wanted, Signal<Result<()>>)> {
        let mut queue = self.queue.lock();
        loop {
            match queue.waiting.pop_front() {
                Some(next) => return Some(next),
                None if queue.stopping => return None,
                None => self.bell.wait(&mut queue),
            }
        }
    }

    /// Ends the threads, when they have brought what is wanted by now.
    pub(super) fn stop(&self) {
        self.queue.lock().stopping = true;
        self.bell.notify_all();
    }

    /// Ends the threads at once: those who wait learn of the error.
    pub(super) fn fail(&self, error: &Error) {
        self.stop();
        let waiting = std::mem::take(&mut self.queue.lock().waiting);
        send_all(waiting.into_iter().map(|(_, done)| (done, Err(error.clone()))));
    }
}
