//! The limit on a call's wait: a timer that a task keeps. Setting it to a later time is cheaper than making a timer for
//! each call, and a timer almost never runs out.

use std::pin::Pin;
use std::thread::ThreadId;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// A timer of the event loop of one thread.
pub struct Timer {
    sleep: Pin<Box<Sleep>>,
    thread: ThreadId,
}

impl Timer {
    /// Makes a timer of this thread, set to this time from now.
    pub fn new(time: Duration) -> Self {
        Self { sleep: Box::pin(sleep(time)), thread: std::thread::current().id() }
    }

    /// Returns true if the timer belongs to this thread; another thread may end before it fires.
    pub fn is_here(&self) -> bool {
        self.thread == std::thread::current().id()
    }

    /// The same timer, set to this time from now.
    pub fn set(mut self, time: Duration) -> Self {
        self.sleep.as_mut().reset(Instant::now() + time);
        self
    }

    /// Waits for an event; `None` if the time is over before.
    pub async fn limit<F: Future>(&mut self, event: F) -> Option<F::Output> {
        tokio::select! {
            biased;
            result = event => Some(result),
            () = &mut self.sleep => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn each_wait_has_its_own_time() {
        let start = Instant::now();
        let mut timer = Timer::new(Duration::from_millis(1));
        assert_eq!(timer.limit(pending::<()>()).await, None);
        timer = timer.set(Duration::from_secs(3600));
        assert_eq!(timer.limit(ready(1)).await, Some(1), "an hour has not begun");
        timer = timer.set(Duration::from_millis(2));
        assert_eq!(timer.limit(pending::<()>()).await, None, "and need not end");
        assert!(start.elapsed() >= Duration::from_millis(3));
    }
}
