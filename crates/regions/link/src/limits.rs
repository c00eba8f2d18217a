//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Bytes of a frame's body. A longer message goes in several frames, so that others come between.
pub const FRAME_MAX: usize = 64 << 10;

/// Bytes of a Hello: it has the names of all commands and options.
pub const HELLO_MAX: usize = 256 << 10;

/// Names of commands, and of options, in a Hello.
pub const NAMES_MAX: usize = 4_096;

/// Characters of such a name.
pub const NAME_MAX: usize = 64;

/// Bytes of a request or a reply, in all its frames.
pub const MESSAGE_MAX: usize = 64 << 20;

/// Bytes of messages of one link whose last frame has not come.
pub const PARTIAL_MAX: usize = 128 << 20;

/// Bytes that wait to be written to one link.
pub const OUTGOING_MAX: usize = 128 << 20;

/// Requests in flight to one partner. The number is that of the published sessions of one definition, several times over.
pub const IN_FLIGHT_MAX: u32 = 4_096;

/// Frames, and bytes, in the buffer before it is written without waiting for the end of the round.
pub const EARLY_FRAMES: usize = 32;
/// See [`EARLY_FRAMES`].
pub const EARLY_BYTES: usize = 16 << 10;

/// Bytes that are read at once.
pub const READ_BYTES: usize = 32 << 10;

/// The time for the other side's Hello.
pub const HELLO_TIME: Duration = Duration::from_secs(5);

/// After so long without a frame a heartbeat is sent.
pub const BEAT: Duration = Duration::from_secs(1);

/// A link over a network on which nothing comes for so long is lost.
pub const SILENCE_MAX: Duration = Duration::from_secs(5);

/// A frame that has begun must be whole within this time, on any carrier.
pub const FRAME_TIME: Duration = Duration::from_secs(10);

/// A partner that takes nothing of what is written for so long has hung.
pub const STALL_MAX: Duration = Duration::from_secs(30);

/// Characters of a reason that is sent to the other side.
pub const REASON_MAX: usize = 1_000;
