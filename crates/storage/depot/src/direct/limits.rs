//! Everything that grows or waits has a limit, and every limit has a name.

use std::time::Duration;

/// Sessions for units of work that hold locks or end; who finds none waits for one.
pub(super) const UNITS: usize = 32;
/// Those of them for names that tasks have to their own end: the others are left for units of work.
pub(super) const TASKS: usize = UNITS / 2;
/// Sessions that read.
pub(super) const READERS: usize = 4;
/// The time for which requests wait for a database that is gone, and for which a commit without an answer is asked for.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Between two attempts to reach it.
pub(super) const RETRY: Duration = Duration::from_millis(100);
/// For an answer that waits for no lock, after which the connection is taken for lost.
pub(super) const ANSWER: Duration = Duration::from_secs(60);
/// For the answer to a look at who has a lock: a thread waits for it.
pub(super) const HOLDER: Duration = Duration::from_millis(250);
/// Between two looks at a lock that a unit of work in doubt has whose task waits.
pub(super) const LOOK: Duration = Duration::from_millis(50);
/// Numbers of stores that a region takes together.
pub(super) const NUMBERS: u32 = 1_000;
/// Numbers of a store that a unit of work takes together.
pub(super) const NUMBERS_MAX: u64 = 1 << 20;
/// Bytes of the changes of a unit of work.
pub(super) const UNIT_BYTES: usize = 16 << 20;
/// Bytes of records that a load sends together.
pub(super) const LOAD_BYTES: usize = 1 << 20;
/// Records that are read together.
pub(super) const READ_RECORDS: usize = 500;
/// The longest key.
pub(super) const KEY_MAX: usize = 1024;
/// Locks that a unit of work can hold.
pub(super) const LOCKS: usize = 100_000;
