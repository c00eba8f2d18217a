//! The thread that collects statistics at intervals and at the end of the day.

use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Zoned;
use parking_lot::{Condvar, Mutex};

use crate::statistics::Statistics;
use kernel::region::Region;

/// Wakes when it is time, when the schedule has changed, or when the region ends.
#[derive(Default)]
pub struct Timer {
    state: Mutex<State>,
    news: Condvar,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    changes: u64,
    ended: bool,
}

/// The longest sleep: the clock may be set meanwhile.
const SLEEP_MAX: Duration = Duration::from_secs(60);

impl Timer {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system's.
    pub fn start(region: &Arc<Region>) -> std::io::Result<()> {
        let watched = Arc::downgrade(region);
        let thread =
            std::thread::Builder::new().name("statistics".to_owned()).spawn(move || run(&watched))?;
        *Statistics::of(region).timer.thread.lock() = Some(thread);
        Ok(())
    }

    /// The schedule has changed.
    pub fn changed(&self) {
        self.state.lock().changes += 1;
        self.news.notify_all();
    }

    /// Ends the thread.
    pub fn stop(&self) {
        self.state.lock().ended = true;
        self.news.notify_all();
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!(target: "ST", "the thread that collects statistics ended with a panic");
        }
    }
}

fn run(region: &Weak<Region>) {
    let Some(mut due) = region.upgrade().map(|region| Statistics::of(&region).schedule().next(local()))
    else {
        return;
    };
    loop {
        let Some(region) = region.upgrade() else { return };
        let timer = &Statistics::of(&region).timer;
        let mut state = timer.state.lock();
        let before = state.changes;
        let left = Duration::try_from(local().duration_until(due.0)).unwrap_or(Duration::ZERO);
        if !state.ended && !left.is_zero() {
            timer.news.wait_for(&mut state, left.min(SLEEP_MAX));
        }
        if state.ended {
            return;
        }
        if state.changes != before {
            due = Statistics::of(&region).schedule().next(local());
            continue;
        }
        drop(state);
        if local() >= due.0 {
            Statistics::of(&region).collect(&region, due.1, true, |_| true);
            due = Statistics::of(&region).schedule().next(local());
        }
    }
}

fn local() -> jiff::civil::DateTime {
    Zoned::now().datetime()
}
