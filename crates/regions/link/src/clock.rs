//! The clock of a link, and how long it waits for a silent partner.

use std::pin::Pin;
use std::time::{Duration, Instant};

use crate::limits::SILENCE_MAX;

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

/// The time for which a silent partner is believed to live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// After so long the link is lost; `None`: the carrier says so itself.
    pub silence: Option<Duration>,
}

impl Patience {
    /// For a socket on one machine: the system says at once that a partner has died.
    pub const HERE: Self = Self { silence: None };
    /// For a network.
    pub const ELSEWHERE: Self = Self { silence: Some(SILENCE_MAX) };
}
