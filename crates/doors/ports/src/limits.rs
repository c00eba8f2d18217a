//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Clients of a port that may wait to be accepted.
pub const BACKLOG: i32 = 1_024;

/// Clients that a listening socket of a port still takes when the port closes: those that its queue has at most. Others that come
/// meanwhile do not keep it open.
pub const LEFT_MAX: usize = BACKLOG as usize + 1;

/// TLS handshakes of a door that may be under way at a time; clients beyond wait for their turn.
pub const HANDSHAKES_MAX: usize = 1_024;

/// Clients of one address that may shake hands at a time: others of that address wait for their turn.
pub const HANDSHAKES_PER_ADDRESS_MAX: usize = 64;

/// The pause of a door after a failure to accept (as when the process has no more file descriptors).
pub const ACCEPT_REST: Duration = Duration::from_millis(100);

/// The time for another region to answer a question for a port.
pub const ASK_MAX: Duration = Duration::from_secs(1);

/// The time for which a region may wait until others have asked for theirs, and the pause between two attempts.
pub const LOCK_MAX: Duration = Duration::from_secs(10);

/// See above.
pub const LOCK_REST: Duration = Duration::from_millis(5);

/// Bytes of a question for a port.
pub const REQUEST_MAX: usize = 128;

/// Files of the folder of links that are looked at for one that has a port.
pub const HOLDERS_MAX: usize = 1_024;

/// The pause between two looks at a shared port whose polling thread may be busy: while clients come, and else.
pub const LOOK_BUSY: Duration = Duration::from_millis(20);

/// See above.
pub const LOOK_IDLE: Duration = Duration::from_millis(200);

/// The pause between two looks of a region that takes only what others leave.
pub const LOOK_LEFT: Duration = Duration::from_millis(20);

/// The time for which clients have waited whom no region takes.
pub const LEFT_AFTER: Duration = Duration::from_millis(100);

/// The time for which a region takes them then.
pub const LEFT_FOR: Duration = Duration::from_secs(1);

/// Versions and cipher suites of TLS that counts tell apart; a proxy names whatever it likes.
pub const HANDSHAKE_SUITES_MAX: usize = 256;
