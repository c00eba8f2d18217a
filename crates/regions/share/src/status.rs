//! The work of a record server, as it tells those who look at it.

use records::SharedCounts;
use serde::{Deserialize, Serialize};

/// Counts of one region, in all or in one store. They begin with the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Requests that were answered.
    pub exchanges: u64,
    /// Locks that were waited for.
    pub lock_waits: u64,
    /// Locks that were refused because of a deadlock.
    pub deadlocks: u64,
    /// Locks that were not granted in time.
    pub timeouts: u64,
    /// Records that were changed.
    pub changes: u64,
    /// Units of work that were committed; not counted by store.
    pub units: u64,
    /// Those of them that have waited for the log to be forced; not counted by store.
    pub forced: u64,
    /// Copies that were read in the region instead of an exchange, since its start.
    pub copies_used: u64,
    /// Copies that were out of date when they were wanted.
    pub copies_refused: u64,
}

impl From<Tally> for SharedCounts {
    fn from(tally: Tally) -> Self {
        let Tally { exchanges, lock_waits, deadlocks, timeouts, changes, units, forced, .. } = tally;
        let Tally { copies_used, copies_refused, .. } = tally;
        Self {
            exchanges,
            lock_waits,
            deadlocks,
            timeouts,
            changes,
            units,
            forced,
            copies_used,
            copies_refused,
        }
    }
}

/// A region that has come to the server since it has started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionStatus {
    /// Its APPLID.
    pub applid: String,
    /// True if it is there now.
    pub is_here: bool,
    /// Its units of work that hold locks, or wait for some.
    pub holding: u64,
    /// Those of them that wait.
    pub waiting: u64,
    /// All its requests.
    pub total: Tally,
    /// Those about each store, by the store's name.
    pub stores: Vec<(String, Tally)>,
}

/// The state of a record server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Writes of the log, each of which was forced.
    pub forces: u64,
    /// Units of work that have waited for one.
    pub forced_units: u64,
    /// Bytes of the log.
    pub log_bytes: u64,
    /// The regions, by name.
    pub regions: Vec<RegionStatus>,
}
