//! Everything that grows has a limit, and every limit has a name.

/// Sockets that a task has at once, unless INITAPI asks for fewer.
pub const TASK_SOCKETS_MAX: usize = 65_535;
/// Fewest sockets that INITAPI gives.
pub const TASK_SOCKETS_MIN: usize = 50;
/// Bytes that one call moves: the next call moves the rest.
pub const TRANSFER_BYTES_MAX: usize = 1 << 20;
/// Buffers of one READV, WRITEV, RECVMSG or SENDMSG.
pub const VECTOR_MAX: usize = 120;
/// Connections that LISTEN lets wait.
pub const BACKLOG_MAX: i64 = 65_535;
/// Bytes of a host name.
pub const HOST_NAME_MAX: usize = 255;
/// Bytes of a service name.
pub const SERVICE_NAME_MAX: usize = 32;
/// Bytes of an option's value.
pub const OPTION_BYTES_MAX: usize = 256;
/// The time that the start of a region waits for a listener to have its port.
pub const LISTENER_START: std::time::Duration = std::time::Duration::from_secs(5);
/// The time that a conversation waits for its second socket.
pub const WAY_OUT_TIME: std::time::Duration = std::time::Duration::from_secs(10);
/// Bytes behind the last request of a client that are taken off before its connection is closed.
pub const UNREAD_BYTES_MAX: usize = 64 << 10;
/// The time from one message about clients that are hung up on without an answer to the next.
pub const UNANSWERED_TOLD_EVERY: std::time::Duration = std::time::Duration::from_secs(60);
/// Interval at which a listener that has ended looks at what its acceptors have left.
pub const SEEN_OUT_EVERY: std::time::Duration = std::time::Duration::from_millis(100);
/// Answers of the resolver that a task holds at once.
pub const RESOLVED_MAX: usize = 64;
