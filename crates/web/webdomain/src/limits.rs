//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// For a server to be connected, and for its answer to be there, where neither RTIMOUT nor DTIMOUT says anything: a task that
/// waits without end keeps one of MXT from all others.
pub(crate) const ANSWER_TIME_MAX: Duration = Duration::from_secs(300);
/// Regions, counted as often as they occur, through which a request may have come. Each keeps a task waiting.
pub(crate) const CHAIN_MAX: usize = 8;
/// Bytes of a body that a program sends in one piece.
pub(crate) const BODY_MAX: usize = 64 << 20;
