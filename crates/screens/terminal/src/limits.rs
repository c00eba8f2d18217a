//! The limits of a door: numbers and times.

use std::time::Duration;

/// The limits of a door. Times count from the last event.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at a time, in negotiation or in session.
    pub connections_max: usize,
    /// Of them, how many from one address.
    pub connections_per_address: usize,
    /// The time for a TLS handshake, once it is a client's turn.
    pub handshake_max: Duration,
    /// The time from the connection until the session begins, the query included.
    pub negotiation_max: Duration,
    /// The time for the answer to a query; after it the terminal counts as one that cannot be queried.
    pub query_max: Duration,
    /// Silence after which a terminal is asked whether it lives.
    pub silence_max: Duration,
    /// The time for its answer; after it the terminal counts as lost.
    pub timing_mark_max: Duration,
    /// The time for a client to take anything at all of the output that waits for it.
    pub stall_max: Duration,
    /// The time for a client to close its end, once it knows that the session is over.
    pub farewell_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 5_000,
            connections_per_address: 2_500,
            handshake_max: ports::Limits::HANDSHAKE,
            negotiation_max: ports::Limits::GREETING,
            query_max: Duration::from_secs(5),
            silence_max: Duration::from_secs(300),
            timing_mark_max: Duration::from_secs(60),
            stall_max: Duration::from_secs(60),
            farewell_max: Duration::from_secs(2),
        }
    }
}

impl Limits {
    /// The limits that all doors have.
    pub(crate) fn of_clients(&self) -> ports::Limits {
        ports::Limits {
            connections: self.connections_max,
            per_address: self.connections_per_address,
            greeting: self.negotiation_max,
            handshake: self.handshake_max,
        }
    }
}

/// Bytes for a client that may wait in memory: above it neither the client's input nor the region's output is taken.
pub(crate) const UNSENT_LEN_MAX: usize = 65_536;

/// Answers that may be outstanding: above it the region's output waits.
pub(crate) const RESPONSES_MAX: usize = 64;

/// Clients that get the message of a full door at the same time; those beyond are closed without a word.
pub(crate) const REFUSALS_MAX: usize = 64;
