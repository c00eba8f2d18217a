//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Spans of one request.
pub const BATCH_SPANS_MAX: usize = 512;

/// Spans that wait for more of their kind, at most for so long.
pub const BATCH_EVERY: Duration = Duration::from_secs(1);

/// The time of one request, its connection and its answer included.
pub const REQUEST_TIME: Duration = Duration::from_secs(10);

/// Bytes of a collector's answer.
pub const ANSWER_BYTES_MAX: u64 = 64 << 10;

/// Bytes that are read at once.
pub const READ_BYTES: usize = 4 << 10;

/// The rest behind a first failure; each is twice as long as the one before.
pub const REST_FIRST: Duration = Duration::from_millis(500);

/// The longest rest.
pub const REST_LAST: Duration = Duration::from_secs(30);

/// The time for what waits still when the region ends.
pub const FAREWELL: Duration = Duration::from_secs(3);

/// Characters of a collector's reason in the log.
pub const REASON_MAX: usize = 200;
