//! Limits of sessions and statements.

use std::time::Duration;

/// Bytes of one message from a server. A longer one ends the session: it is no answer that a program could hold.
pub const MESSAGE_MAX: usize = 64 << 20;
/// Bytes of rows that one answer may hold; more ends the session (-904 to the program).
pub const ANSWER_MAX: usize = 64 << 20;
/// Statements that a session keeps prepared; the oldest make room.
pub const PREPARED_MAX: usize = 1000;
/// Statements under way at once on a shared reading session; more wait for their turn.
pub const PIPELINE_MAX: usize = 256;
/// Attempts to run a statement that a session has to prepare again.
pub const TRIES: u32 = 4;
/// A statement on a shared reading session that runs longer gets out of the others' way; up to twice this time passes until then.
pub const LONG: Duration = Duration::from_millis(50);
/// Statements of a thread that run for long, each over a session of its own; more wait for one of these to end.
pub const LONG_MAX: usize = 4;
/// Reading sessions without work that a thread keeps beside the shared one.
pub const SPARE_MAX: usize = 1;
/// The time in which no further reading session is asked for once there was none to be had.
pub const SESSION_AGAIN: Duration = Duration::from_secs(1);
/// Time for a connection and its start-up.
pub const CONNECT: Duration = Duration::from_secs(10);
/// Time for a request to cancel, and for the answer of the statement that was cancelled.
pub const CANCEL: Duration = Duration::from_secs(5);
/// A request to cancel that has not stopped a statement by then is made once more.
pub const CANCEL_AGAIN: Duration = Duration::from_millis(200);
/// Looks at a statement on a shared session that is to be cancelled, from one request to the next.
pub const CANCEL_LOOKS: u32 = 4;
/// Rows that an ordinary read-only cursor reads ahead: first and every later time. A result of fewer rows than the first block is
/// read without a transaction.
pub const BLOCKS: [u32; 2] = [16, 100];
/// Rows of a cursor WITH HOLD that are kept here at a syncpoint; more stay at the server.
pub const HELD_ROWS_MAX: usize = 1000;
/// Sessions of a private server: as many as tasks may have at once, and for each TCB those that read and those that rest.
pub const SERVER_SESSIONS: u16 = 300;
/// Time for a private server to answer its first question.
pub const SERVER_START: Duration = Duration::from_secs(60);
/// Time that one waits for others who make, start or stop a private server: making one, starting it, and stopping it.
pub const SERVER_TURN: Duration = Duration::from_secs(180);
/// Time for a private server to stop in order; then it is stopped at once.
pub const SERVER_STOP: Duration = Duration::from_secs(30);
/// Time for it to stop at once. PostgreSQL gives its processes half of it, and kills those that hang.
pub const SERVER_STOP_AT_ONCE: Duration = Duration::from_secs(10);
/// Bytes of what a program of PostgreSQL says that are shown.
pub const PROGRAM_WORDS: u64 = 4096;
/// The longest path of a socket that the system takes.
pub const SOCKET_PATH_MAX: usize = 107;
