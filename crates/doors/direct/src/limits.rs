//! Everything that grows has a limit, and every limit has a name. Those of messages, queues and clients are in [`crate::Settings`].

use std::time::Duration;

/// Bytes that one receive asks for.
pub const RECEIVE: usize = 16 * 1024;
/// Messages that an instance takes one after the other before it lets others have their turn.
pub const IN_A_ROW_MAX: u32 = 64;
/// Interval at which clients, queues and instances are looked at.
pub const TICK: Duration = Duration::from_millis(250);
/// Ticks of a second.
pub const TICKS_PER_SECOND: u32 = 4;
/// Instances of a scenario that are started in a tick in the place of failed ones, on one TCB.
pub const STARTS_PER_TICK: u32 = 4;
/// Instances in a row that end before they have served a message, until their scenario is out of service: to a new copy.
pub const USELESS_MAX: u32 = 5;
/// Ticks that a client has to read a refusal and to leave.
pub const DRAIN_TICKS: u32 = 2 * TICKS_PER_SECOND;
/// Ticks for which it is remembered who a client is: a minute.
pub const KNOWN_TICKS: u32 = 60 * TICKS_PER_SECOND;
/// Clients of a TCB that are remembered; above it all are asked again.
pub const KNOWN_MAX: usize = 1_024;
