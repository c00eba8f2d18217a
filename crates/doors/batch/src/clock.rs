//! TIME=: the processor time that a program may use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// The time between two looks at the clock.
const LOOK: Duration = Duration::from_millis(50);

/// Returns the processor time of this process since it began.
pub(crate) fn used() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// The time of a program that is looked at step by step.
pub(crate) struct Clock {
    end: Duration,
}

impl Clock {
    pub fn new(limit: Duration) -> Self {
        Self { end: used().saturating_add(limit) }
    }

    /// Returns the time that is left; `None` if it is used up.
    pub fn left(&self) -> Option<Duration> {
        self.end.checked_sub(used()).filter(|left| !left.is_zero())
    }
}

/// A thread that sets a flag when the time is used up. Dropping this ends it.
pub(crate) struct Watch {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub fn new(limit: Duration, flag: Arc<AtomicU32>) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let (clock, ended) = (Clock::new(limit), Arc::clone(&over));
        let watch = move || {
            while !ended.load(Ordering::Relaxed) {
                let Some(left) = clock.left() else {
                    flag.store(1, Ordering::Relaxed);
                    return;
                };
                std::thread::park_timeout(left.min(LOOK));
            }
        };
        // Without a thread there is no limit; the machine has others then.
        let thread = std::thread::Builder::new().name("time".into()).spawn(watch).ok();
        Self { over, thread }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
