//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Clients of a port that may wait to be accepted.
pub const BACKLOG: i32 = 1_024;

/// TLS handshakes of a door that may be under way at a time; clients beyond wait for their turn.
pub const HANDSHAKES_MAX: usize = 1_024;

/// Clients of one address that may shake hands at a time: others of that address wait for their turn.
pub const HANDSHAKES_PER_ADDRESS_MAX: usize = 64;

/// The pause of a door after a failure to accept (as when the process has no more file descriptors).
pub const ACCEPT_REST: Duration = Duration::from_millis(100);
