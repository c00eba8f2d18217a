//! Counts of requests, and of the time at which something was opened or closed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Counts of requests by their fate, for URI maps.
#[derive(Debug, Default)]
pub(crate) struct UriCounts {
    /// That were looked up.
    pub looked_up: AtomicU64,
    /// That match none.
    pub unmatched: AtomicU64,
    /// That match one which leads somewhere.
    pub matched: AtomicU64,
    /// That match a disabled one.
    pub disabled: AtomicU64,
    /// Whose host is disabled.
    pub off: AtomicU64,
    /// That were sent elsewhere.
    pub redirected: AtomicU64,
    /// That an analyzer sees.
    pub analyzed: AtomicU64,
    /// For a template or a file.
    pub pages: AtomicU64,
    /// For a program.
    pub programs: AtomicU64,
    /// For a pipeline.
    pub messages: AtomicU64,
    /// Over TLS, and without.
    pub tls: AtomicU64,
    pub plain: AtomicU64,
    /// Whose task was attached directly.
    pub direct: AtomicU64,
}

/// Counts one more.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Now, in microseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
