//! Limits of sizes and times.

use std::time::Duration;

/// Limits of a door.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Sizes of heads, targets and bodies.
    pub sizes: http::Limits,
    /// Connections at a time.
    pub connections_max: usize,
    /// Of them, how many from one address.
    pub connections_per_address: usize,
    /// MAXPERSIST: connections that are kept behind their first answer; none: as many as there are.
    pub kept_max: Option<usize>,
    /// SOCKETCLOSE: silence between requests after which a connection ends; none: never, zero: it is never kept.
    pub idle_max: Option<Duration>,
    /// True if long answers of text are deflated for clients that take it.
    pub deflates: bool,
    /// For a head to be whole, once it has begun.
    pub head_max: Duration,
    /// For the body, and for a client to take an answer: after it they must come or go at least at [`RATE_MIN`].
    pub grace: Duration,
    /// For a client to close its end after a refusal.
    pub linger_max: Duration,
    /// For a TLS handshake, and for the header of PROXY protocol.
    pub handshake_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sizes: http::Limits::default(),
            connections_max: 65_000,
            connections_per_address: 65_000,
            kept_max: None,
            idle_max: None,
            deflates: false,
            head_max: Duration::from_secs(10),
            grace: Duration::from_secs(10),
            linger_max: Duration::from_secs(1),
            handshake_max: ports::Limits::HANDSHAKE,
        }
    }
}

impl Limits {
    /// The part of them that all doors have.
    pub(crate) fn of_clients(&self) -> ports::Limits {
        ports::Limits {
            connections: self.connections_max,
            per_address: self.connections_per_address,
            greeting: self.handshake_max,
            handshake: self.handshake_max,
        }
    }
}

/// Bytes in a second at which a body must come and an answer go, over all of it.
pub const RATE_MIN: u64 = 500;
/// Bytes of an answer below which it is not deflated: it would cost more than it saves.
pub const DEFLATED_MIN: usize = 2 * 1024;
/// Codings of one body, one within the other.
pub const CODINGS_MAX: usize = 2;
/// Requests that are answered one after the other before other connections have their turn.
pub const PIPELINED_MAX: usize = 16;
/// Bytes of further requests that may wait while one is at work; above it nothing more is read.
pub const AHEAD_MAX: usize = 16 * 1024;
/// Bytes of answers that may wait to be written together.
pub const UNSENT_MAX: usize = 64 * 1024;
/// Bytes that are read at a time.
pub const READ_MAX: usize = 16 * 1024;
/// Bytes that are read and dropped after a refusal.
pub const LINGER_BYTES_MAX: usize = 256 * 1024;
/// Bytes of memory of a connection of HTTP/1.1 without TLS that idles, its future and its buffers together. The tests see to it.
pub const IDLE_BYTES_MAX: usize = 4 * 1024;
/// Streams of an HTTP/2 connection at a time.
pub const STREAMS_MAX: u32 = 100;
/// Bytes of an HTTP/2 stream and connection that may be under way.
pub const WINDOW: u32 = 64 * 1024;
/// Streams that an HTTP/2 client may reset before they are answered; above it the connection ends (rapid reset).
pub const RESETS_MAX: usize = 100;
/// Bytes of HTTP/2 answers that may wait in memory for one stream.
pub const STREAM_UNSENT_MAX: usize = 64 * 1024;
