//! Limits of connections and threads.

use std::time::Duration;

/// Packages that a region remembers; the oldest make room. A program that is built again has another one.
pub(crate) const PACKAGES_MAX: usize = 10_000;
/// Threads of a region without a DB2CONN: units of work beyond wait for one. A private server has sessions for
/// all of them, and for what each TCB keeps beside.
pub(crate) const THREADS: usize = 100;
/// Between two attempts to reach a server that has gone away.
pub(crate) const RECONNECT_EVERY: Duration = Duration::from_secs(2);
/// Interval at which a private server's process is looked at, with or without a program that misses it.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Time for the thread of the connection to end, and a private server with it: a little more than that may take.
pub(crate) const END: Duration = Duration::from_secs(45);
/// Time for units of work to wait for a backup's moment, and for that moment to come.
pub(crate) const HOLD: Duration = Duration::from_secs(5);
/// Between two attempts to find a moment in which nothing is in doubt.
pub(crate) const HOLD_LOOK: Duration = Duration::from_millis(100);
/// Time that the start of a region waits for a private server to say whether its tables belong to the records.
pub(crate) const PAIRED: Duration = Duration::from_secs(60);
/// Rows that a client holds at once.
pub(crate) const ROWS_AT_ONCE: usize = 1000;
