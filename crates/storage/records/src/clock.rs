//! Time, as far as the engine needs it: the end of a wait, and when a unit of work was prepared.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

/// Source of time, so that tests can let it pass as they please.
pub trait Clock: Send + Sync {
    /// A future that ends after `duration`.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// The time of day.
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// The timers of the tokio runtime that polls the wait.
#[derive(Debug, Default)]
pub struct TokioClock;

impl Clock for TokioClock {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        // Made inside the future: a timer can only be created where a runtime is running.
        Box::pin(async move { tokio::time::sleep(duration).await })
    }
}
