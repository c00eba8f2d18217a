//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Connections at a time; clients beyond are let go without a word.
pub(crate) const CONNECTIONS_MAX: usize = 512;
/// Of them, from one address: as many, for a proxy may stand before them all.
pub(crate) const CONNECTIONS_PER_ADDRESS_MAX: usize = 256;
/// Bytes of a request's head.
pub(crate) const HEAD_MAX: usize = 8 * 1024;
/// Bytes of a request's target.
pub(crate) const TARGET_MAX: usize = 2 * 1024;
/// Bytes of a request's body.
pub(crate) const BODY_MAX: u64 = 64 * 1024;
/// The time for a client to send a request that it has begun.
pub(crate) const REQUEST_TIME: Duration = Duration::from_secs(10);
/// The time for which a connection is kept without a request.
pub(crate) const KEPT_TIME: Duration = Duration::from_secs(60);
/// The time for a client to take its answer.
pub(crate) const ANSWER_TIME: Duration = Duration::from_secs(20);
/// The time for what was sent to be taken when a client is let go.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);
/// Questions that are answered at the same time; others wait for their turn.
pub(crate) const LOOKS_MAX: usize = 2;
/// The time for an answer.
pub(crate) const LOOK_TIME: Duration = Duration::from_secs(15);
/// Changes under way at the same time; others wait for their turn.
pub(crate) const CHANGES_MAX: usize = 4;
/// The time for which a browser waits for a change; the change goes on.
pub(crate) const CHANGE_TIME: Duration = Duration::from_secs(15);
/// Bytes of an answer.
pub(crate) const ANSWER_MAX: usize = 8 * 1024 * 1024;

/// Sessions of all users.
pub(crate) const SESSIONS_MAX: usize = 200;
/// Sessions of one user: of a person's the one that was used least recently ends for one more.
pub(crate) const SESSIONS_PER_USER_MAX: usize = 10;
/// The time after which a session ends, however much it was used.
pub(crate) const SESSION_LIFE: Duration = Duration::from_secs(12 * 60 * 60);
/// Random bytes of a session's name.
pub(crate) const TOKEN_LEN: usize = 32;
/// Characters of a user's name and of a password that are looked at.
pub(crate) const CREDENTIAL_MAX: usize = 200;

/// Terminals of one session.
pub(crate) const TERMINALS_PER_SESSION_MAX: usize = 8;
/// Bytes of a message from a browser: a screen's text pasted, and more.
pub(crate) const MESSAGE_MAX: usize = 32 * 1024;
/// Messages that a browser may send at once, and in each second afterwards: beyond, the terminal ends.
pub(crate) const MESSAGES_BURST: u32 = 200;
/// See above.
pub(crate) const MESSAGES_PER_SECOND: u32 = 100;
/// Silence after which a browser is asked whether it lives.
pub(crate) const SILENCE_MAX: Duration = Duration::from_secs(30);
/// The time for its answer, and for it to take what was sent.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes between a terminal's two ends that neither has read.
pub(crate) const PIPE_LEN: usize = 16 * 1024;
/// Characters of the network's own service that a terminal shows.
pub(crate) const SERVICE_TEXT_MAX: usize = 4_000;

/// Streams that a terminal cannot obey, until it is ended.
pub(crate) const BAD_STREAMS_MAX: usize = 50;

/// Lines of the region's log that are kept for those who look.
pub(crate) const LOG_LINES_MAX: usize = 2_000;
/// Bytes of a line of it.
pub(crate) const LOG_LINE_MAX: usize = 2_000;
