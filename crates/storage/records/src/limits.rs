//! The limits of the engine. Each has a name, which errors use.

use std::time::Duration;

/// Limits of the engine. The defaults suit a region on one machine; tests use small ones.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Size of the segments of a new log, a multiple of [`crate::disk::BLOCK`]. No unit of work can be larger.
    pub segment_bytes: u64,
    /// Fill a new segment with zeros first, so that no force waits until the file system has found a place. Without it a segment takes
    /// its place as it is written: for data that do not live long.
    pub fills_segments: bool,
    /// Bytes of the log before commits wait for a checkpoint to trim it.
    pub log_bytes: u64,
    /// Bytes that may wait to be written to the log before commits wait for the disk.
    pub queue_bytes: usize,
    /// Bytes of committed changes in the overlay before commits wait for a checkpoint.
    pub overlay_bytes: usize,
    /// A checkpoint is due when the overlay holds so much, …
    pub checkpoint_bytes: usize,
    /// … or so many changes were committed since the last one.
    pub checkpoint_changes: u64,
    /// Locks that one owner can hold.
    pub locks_per_owner: usize,
    /// Threads that read from the base what is not in main storage; 0: who reads it waits for the disk.
    pub cold_readers: usize,
    /// The size to which the base can grow; less where the system does not grant as many addresses. Address space, not
    /// disk: it is used as far as there is data.
    pub base_bytes: usize,
    /// Bytes that are kept in main storage of a base that is elsewhere ([`crate::Depot`]).
    pub kept_bytes: usize,
    /// Greatest time that the log waits for as many commits as it forced together last time, before it forces those
    /// that are there.
    pub gather_delay: Duration,
    /// While several units of work are forced together, so much time passes between one force and the next, and more
    /// join, unless it turned out that no others do; zero: none is deferred.
    pub defer: Duration,
    /// As long as a force takes no more than this on average, a thread on which few tasks wait for it does it itself; zero:
    /// the log's own thread does all.
    pub quick_force: Duration,
    /// Greatest time that an unforced commit may stay in memory only.
    pub unforced_delay: Duration,
    /// Keep what is committed unforced beside the log until then, so that it outlives the process.
    pub keeps_unforced: bool,
}

const MIB: usize = 1 << 20;

impl Default for Limits {
    fn default() -> Self {
        Self {
            segment_bytes: 16 * MIB as u64,
            fills_segments: true,
            log_bytes: 512 * MIB as u64,
            queue_bytes: 32 * MIB,
            overlay_bytes: 256 * MIB,
            checkpoint_bytes: 64 * MIB,
            checkpoint_changes: 200_000,
            locks_per_owner: 1_000_000,
            cold_readers: 4,
            base_bytes: 256 * 1024 * MIB,
            kept_bytes: 128 * MIB,
            gather_delay: Duration::from_micros(100),
            defer: Duration::from_millis(3),
            quick_force: Duration::from_micros(200),
            unforced_delay: Duration::from_millis(100),
            keeps_unforced: false,
        }
    }
}
