//! The system log: what makes a commit durable.
//!
//! Units of work append themselves to the group that is being filled; the writer takes a group, writes it with one
//! force, and meanwhile the next one fills. A group is valid as a whole or not at all: one checksum covers it, and it
//! names the group before it, so that what an earlier use of the segment left behind can never be taken for its
//! successor.
//!
//! Out of scope: what the changes mean, and who waits for them.

mod aside;
mod deferral;
mod format;
mod queue;
mod replay;
mod segments;

pub(crate) use aside::Left;
pub(crate) use format::{Mark, decode_unit, encode_unit, take};
pub(crate) use queue::{Done, Ending, Forced, GROUP_RESERVE, Queue, Sleep};
pub(crate) use replay::replay;
pub(crate) use segments::{Segments, Writer, log_name};
