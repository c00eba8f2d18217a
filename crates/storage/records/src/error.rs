//! Errors of the engine.

use std::io;

use crate::{Decision, StoreId};

/// The engine's own errors. Conditions (record not found, duplicate key) are not errors here: they are answers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The lock is held by another owner, and the caller chose not to wait.
    #[error("the record is locked by another unit of work")]
    Locked,
    /// The lock is kept by a unit of work that is indoubt: it is free when that is resolved, which may take days.
    #[error("the record is locked by a unit of work that is indoubt")]
    Retained,
    /// Waiting would close a circle of owners that wait for each other; this owner was chosen to give way.
    #[error("waiting for this lock would be a deadlock")]
    Deadlock,
    /// The lock was not handed over within the time that the caller gave.
    #[error("the lock was not granted in time")]
    TimedOut,
    /// The wait was ended from outside ([`crate::Locks::cancel`]).
    #[error("the wait was cancelled")]
    Cancelled,
    /// There is no room: the disk is full, or the base has reached its named size. Nothing was changed.
    #[error("no space left for {0}")]
    NoSpace(&'static str),
    /// A limit that has a name was reached. Nothing was changed.
    #[error("limit {0} reached")]
    Limit(&'static str),
    /// No such store (or it was deleted meanwhile).
    #[error("store {} does not exist", .0.0)]
    NoStore(StoreId),
    /// A store of this name is there already.
    #[error("store {0} exists already")]
    StoreExists(String),
    /// The record of a load with this number, from 1, does not follow its predecessor in ascending order.
    #[error("record {0} of the load is out of order")]
    OutOfOrder(u64),
    /// The unit of work is prepared: nothing can be done with it but commit and backout.
    #[error("the unit of work is prepared")]
    Prepared,
    /// A unit of work of this name is indoubt already.
    #[error("a unit of work of this name is indoubt already")]
    NameInUse,
    /// No unit of work of this name is indoubt, or its end is under way already.
    #[error("no unit of work of this name is indoubt")]
    NotIndoubt,
    /// An operator has decided otherwise than the coordinator.
    #[error("an operator has ended the unit of work with a {0} already")]
    Heuristic(Decision),
    /// The key for what is encrypted is missing, wrong, or not wanted. Nothing was changed.
    #[error("{0}")]
    Key(&'static str),
    /// The data were written by another version; the text names their format.
    #[error(
        "the data were written by another version of Syncpoint (the file format says {0}): export them with that version and load them into \
         a new folder (docs/backup.md, \"Upgrading\")"
    )]
    Format(String),
    /// Data on disk contradict each other; the text names the place. The engine does not start on them.
    #[error("corrupt: {0}")]
    Corrupt(String),
    /// The log is not what was written, and units of work that were acknowledged may be missing; the text says where. The
    /// engine starts on it only if the operator accepts that ([`crate::Trust::AsItIs`]).
    #[error(
        "corrupt: {0}; units of work that were acknowledged may be missing, docs/backup.md says what to do"
    )]
    Log(String),
    /// Something has changed what this names in main storage. It was neither given out nor written anywhere; the next
    /// start has it as it was committed.
    #[error("{0} was overwritten in main storage; the next start has it again as it was committed")]
    Overwritten(String),
    /// The disk failed. After a failed force the engine refuses further work until it is started again, since it cannot know which part of
    /// that force is on the disk.
    #[error("{0}")]
    Io(String),
    /// The process that has the records is gone, or the connection to it: the unit of work is backed out.
    #[error("{0}")]
    Lost(String),
    /// A page is not in main storage, and the reader does not wait for the disk. Stays in this crate.
    #[error("the record is not in main storage")]
    NotAtOnce,
    /// The engine was shut down.
    #[error("the record engine is stopped")]
    Stopped,
    /// This engine cannot do that.
    #[error("not supported by this engine: {0}")]
    Unsupported(&'static str),
}

/// The engine's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Data on disk are not as they were written; the text names the place.
    pub(crate) fn damaged(what: &str) -> Self {
        Self::Corrupt(format!("{what}; VERIFY and EXAMINE say what can be read, docs/backup.md what to do"))
    }

    /// An error of the disk while doing something that has a name ("force the log").
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace(doing),
            _ => Self::Io(format!("{doing}: {error}")),
        }
    }
}
