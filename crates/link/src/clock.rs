//! The clock of a link.

use std::pin::Pin;
use std::time::{Duration, Instant};

/// A time that only grows, and waits for it.
pub trait Clock {
    /// The time since some moment.
    fn now(&self) -> Duration;

    /// Waits until then.
    fn until(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()>>>;
}

/// The clock of the event loop.
pub struct Timer(Instant);

impl Default for Timer {
    fn default() -> Self {
        Self(tokio::time::Instant::now().into_std())
    }
}

impl Clock for Timer {
    fn now(&self) -> Duration {
        tokio::time::Instant::now().into_std().saturating_duration_since(self.0)
    }

    fn until(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()>>> {
        Box::pin(tokio::time::sleep_until(tokio::time::Instant::from_std(self.0 + time)))
    }
}
