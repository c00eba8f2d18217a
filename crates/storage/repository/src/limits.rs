//! Limits of waiting.

use std::time::Duration;

/// The time that a writer waits for others.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// The time between two looks.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);
/// The number of times that a change is begun, where others save the text meanwhile.
pub(crate) const ATTEMPTS: usize = 50;
