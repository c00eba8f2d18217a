//! Everything that grows or waits has a limit, and every limit has a name.

use std::time::Duration;

/// The shortest lease: the database and the way to it have hiccups that are no loss.
pub const LEASE_MIN: Duration = Duration::from_secs(2);
/// The longest one: for this time no other region takes over from one that is gone.
pub const LEASE_MAX: Duration = Duration::from_secs(300);
/// The lease that is not chosen.
pub const LEASE: Duration = Duration::from_secs(10);
/// A lease is renewed when this part of it has passed without.
pub const RENEWED_AFTER: u32 = 4;
/// A server stops before its lease ends by this part of it, since clocks differ in their pace.
pub const MARGIN: u32 = 5;
/// Between two attempts to reach a database, and two looks at a lease that another one has.
pub const RETRY: Duration = Duration::from_millis(100);
/// For a database that is not there when the server starts.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// For an answer to a read.
pub const READ: Duration = Duration::from_secs(60);
/// For an answer to a part of a checkpoint, or of a load.
pub const PART: Duration = Duration::from_secs(600);
/// Sessions that read.
pub const READERS: usize = 4;
/// Bytes of a piece of the log: a row.
pub const PIECE_BYTES: usize = 1 << 20;
/// Pieces that are read together.
pub const PIECES_READ: usize = 8;
/// Bytes of records that are read together, before the last one of them.
pub const READ_BYTES: usize = 8 << 20;
/// Bytes of keys and records that are written in one statement, and how many of them.
pub const WRITE_BYTES: usize = 1 << 20;
/// See [`WRITE_BYTES`].
pub const WRITE_RECORDS: usize = 2_000;
