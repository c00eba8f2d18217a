//! Words of every engine: stores and their promises, ranges and moments, decisions.

use std::fmt;
use std::time::Duration;

/// The number of a store. Numbers are not used again while anything could remember them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreId(pub u32);

/// Promises of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Changes belong to their unit of work: seen by others after its commit, gone after its backout.
    Recoverable,
    /// Changes are seen at once and stay, whatever becomes of the unit of work. Logged, but not forced.
    NonRecoverable,
}

/// A store as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreInfo {
    /// Its number.
    pub id: StoreId,
    /// Its name, unique in the engine.
    pub name: String,
    /// Its promise.
    pub recovery: Recovery,
}

/// Patience with a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all: [`crate::Error::Locked`].
    No,
    /// At most so long: [`crate::Error::TimedOut`].
    AtMost(Duration),
    /// Until it is granted or cancelled.
    Forever,
}

/// Which way a range is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ascending keys.
    Forward,
    /// Descending keys.
    Backward,
}

/// Start of a range. Reading goes from there in its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// At the first record in the direction of reading.
    Start,
    /// At this key, or the next one beyond it.
    At(&'a [u8]),
    /// Beyond this key.
    Beyond(&'a [u8]),
}

/// A moment in the life of a store, as one unit of work sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Which committed changes there are.
    pub committed: u64,
    /// Which there are in the whole engine, where that is known; what has not changed at all is current.
    pub engine: u64,
    /// Number of the unit of work's own changes.
    pub own: u64,
}

/// Ends of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Its changes stay.
    Commit,
    /// They are forgotten.
    Backout,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Commit => "commit",
            Self::Backout => "backout",
        })
    }
}

/// Results of a change that was made on condition that no other was faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// It was made.
    Done,
    /// The record is another one now.
    Changed,
    /// The record is not there any more.
    Gone,
}

/// The degree to which a damaged log is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Nothing: the engine does not start on a log that is damaged, or that may not be whole.
    #[default]
    Checked,
    /// The log as it is, up to the first group that is not whole. Acknowledged units of work after that are lost; the engine
    /// says so in its messages.
    AsItIs,
}
