//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Requests of one region in flight.
pub const IN_FLIGHT: u32 = 4_096;

/// Requests of one round for which the link is called before the round has ended.
pub const TOGETHER: usize = 32;

/// Units of work of one region that hold locks.
pub const UNITS_MAX: usize = 65_536;

/// Regions at the same time.
pub const REGIONS_MAX: usize = 256;

/// Of them, and of connections that are none yet, from one address of another machine.
pub const REGIONS_PER_ADDRESS_MAX: usize = 64;

/// Bytes of the file of certificates that may come.
pub const ALLOWED_BYTES_MAX: u64 = 1 << 20;

/// The time between two lines of the log about connections that a port refuses.
pub const REFUSALS_EVERY: Duration = Duration::from_secs(1);

/// Places of other machines at which a region looks for its record server.
pub const SERVERS_MAX: usize = 8;

/// The time for one of them to shake hands: a machine that hangs says nothing.
pub const CONNECT_MAX: Duration = Duration::from_secs(3);

/// Names that one region claims.
pub const CLAIMS_MAX: usize = 65_536;

/// Bytes of a name that is claimed.
pub const CLAIM_NAME_MAX: usize = 255;

/// Places for commits of one region: as many as are in flight.
pub const PLACES: u32 = IN_FLIGHT;

/// Records of a reply to a range, and bytes after which no more are added. The region asks again for the rest.
pub const RANGE_RECORDS: usize = 1_024;
/// See [`RANGE_RECORDS`].
pub const RANGE_BYTES: usize = 1 << 20;

/// Numbers of stores that a region sets aside at a time.
pub const NUMBERS_ASIDE: u32 = 256;

/// Loads of one region at a time.
pub const LOADS_MAX: usize = 8;

/// Stores of which a region hears each change.
pub const WATCHES_MAX: usize = 16;

/// Bytes of a load that are sent at once.
pub const LOAD_BYTES: usize = 256 << 10;

/// Numbers of a store that are given out at once.
pub const NUMBERS_MAX: u64 = 1 << 32;

/// The time for which a region that starts is refused before it gives up: its former run may be about to end.
pub const REFUSED_MAX: Duration = Duration::from_secs(5);

/// The time between two attempts to reach the server.
pub const RETRY: Duration = Duration::from_millis(100);

/// The time for which requests wait for a server that is gone, and for which a commit without an answer is in doubt.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The same once the region ends: a server that is being replaced may be there again.
pub const PATIENCE_AT_END: Duration = Duration::from_secs(2);

/// The time for an answer where a thread waits for it: a utility, a start.
pub const BLOCKED_MAX: Duration = Duration::from_secs(60);

/// The same for a step of a load, which may have to wait for the disk.
pub const LOAD_BLOCKED_MAX: Duration = Duration::from_secs(600);

/// For another unit of work to make a store of the same name, or not.
pub const STORE_MADE: Duration = Duration::from_secs(10);

/// Bytes of a name that units of work of several regions take.
pub const LOCK_NAME_MAX: usize = 512;

/// Regions of which the server counts its work; others are counted together.
pub const REGIONS_COUNTED: usize = 1_024;

/// Stores of one region of which the server counts its work; the work for others is in the region's total alone.
pub const STORES_COUNTED: usize = 4_096;

/// Stores in an answer about the server's work.
pub const STORES_TOLD: usize = 65_536;

/// Locks of one region in an answer: a listing has no more.
pub const LOCKS_TOLD: usize = 16_384;

/// The time for the answer to a look at who holds something: a thread waits for it.
pub const LOOK_MAX: Duration = Duration::from_millis(250);

/// The time for a region to say how many copies it has used.
pub const COPIES_TOLD_MAX: Duration = Duration::from_secs(1);

/// Stamps of copies. Records share them: two of one stamp make each other's copies out of date.
pub const STAMPS: u32 = 65_536;

/// Records of one store whose versions are known; beyond that all of its records count as changed.
pub const VERSIONS_MAX: usize = 1_000_000;

/// Bytes that are read of a file with a key.
pub const KEY_FILE_MAX: u64 = 4_096;

/// Parts of the copies of records that are no data tables' own, each with a lock.
pub const RECENT_PARTS: usize = 16;

/// Copies are read so long after their region has last looked after its link: a process that was stopped does not know what has become of
/// the server meanwhile.
pub const LOOKED_AFTER_MAX: Duration = Duration::from_secs(1);
/// The time between two such looks.
pub const LOOK_AFTER: Duration = Duration::from_millis(250);

/// Bits by which a region knows what it has read before: an eighth of them are used, then they are cleared.
pub const ONCE_BITS: usize = 1 << 18;

/// Copies of records of one store if the configuration does not say how many.
pub const COPIES_MAX: u64 = 1_000_000;
