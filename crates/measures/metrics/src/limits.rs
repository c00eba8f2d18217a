//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Clients at a time; more of them are let go at once.
pub(crate) const CONNECTIONS_MAX: usize = 16;
/// Bytes of a request's head.
pub(crate) const HEAD_MAX: usize = 8 * 1024;
/// Bytes of a request's target.
pub(crate) const TARGET_MAX: usize = 1024;
/// The time for a client to send its request.
pub(crate) const REQUEST_TIME: Duration = Duration::from_secs(5);
/// The time for a client to take its answer.
pub(crate) const ANSWER_TIME: Duration = Duration::from_secs(10);
/// The time for what was sent to be taken when a client is let go.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);
/// Samples of one family: of more, the rest is left out, and `syncpoint_samples_left_out` says how many.
pub(crate) const SAMPLES_MAX: usize = 10_000;
