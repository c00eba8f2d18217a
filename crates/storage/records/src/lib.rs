//! The record engine: ordered stores of records, units of work, locks, and the log that makes them survive.
//!
//! In scope: the system log, record locks and enqueues, private changes, the overlay of committed changes, the
//! base and its checkpoints, restart. Out of scope: what a record means. Data sets, alternate indexes and
//! browses are `vsam`'s; conditions and abends are the kernel's.

mod answer;
mod backup;
mod base;
mod batch;
mod blocks;
mod change;
mod clock;
mod depot;
pub mod disk;
mod engine;
mod error;
mod indoubt;
mod key;
mod limits;
mod local;
mod locks;
mod log;
mod memory;
mod position;
mod private;
mod range;
mod record;
mod seal;
mod shared;
mod signal;
pub mod sim;
mod state;
mod values;

pub use answer::Answer;
pub use backup::{Archive, backup_of_server, check_backup};
pub use base::Verified;
pub use base::raw::open as open_lmdb;
pub use batch::Batch;
pub use change::bytes_of as change_bytes;
pub use clock::{Clock, TokioClock};
pub use depot::{Depot, StoredEntries, StoredEntry, VisitEntry};
pub use engine::{
    Claim, Engine, Holder, Holding, Load, LogCounts, Numbers, OWN_STORES, SHARED_TABLES, Seen, SharedCounts,
    Sorted, StoreWatcher, UnitOfWork, Versioned, shared_table, store_named,
};
pub use error::{Error, Result};
pub use indoubt::{Decider, DoubtfulChange, Indoubt, Resolved, ResolvedChange, ResolvedWatcher, Standing};
pub use limits::Limits;
pub use local::{FORMAT, Local, restore};
pub use locks::{Lifetime, LockInfo, LockOf, Locks, Owner, Resource};
pub use memory::{Copies, Memory, Table, Version};
pub use private::{OfStore, PrivateChanges};
pub use seal::{EncryptionKey, Keys, WRONG_KEY};
pub use values::{Decision, Direction, Origin, Recovery, Replaced, Stamp, StoreId, StoreInfo, Trust, Wait};

/// The examples of the README are compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
