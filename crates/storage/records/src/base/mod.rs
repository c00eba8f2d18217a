//! The base: where committed records rest between checkpoints. One ordered map of (space, key) → record, changed in
//! large sorted batches by one writer, each batch durable and atomic.
//!
//! Out of scope: anything uncommitted, locks, names of stores.

mod cache;
mod checks;
mod kept;
mod lmdb;
mod pages;
pub(crate) mod raw;
mod snapshot;
mod succession;
mod writing;

use std::sync::Arc;

pub(crate) use kept::KeptBase;
pub(crate) use lmdb::Lmdb;
use smallvec::SmallVec;

use crate::change::Map;
use crate::position::Position;
use crate::{Direction, Origin, Result};

/// Place of a store's records. An emptied or loaded store gets a new space; the old one is cleared later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Space(pub(crate) u32);

/// Keys up to this length are built on the stack.
const INLINE_KEY: usize = 64;
/// A space's number, and a key in it.
pub(crate) type FullKey = SmallVec<[u8; INLINE_KEY]>;

/// The key under which all spaces together have a record.
pub(crate) fn full_key(space: Space, key: &[u8]) -> FullKey {
    let mut full = FullKey::from_slice(&space.0.to_be_bytes());
    full.extend_from_slice(key);
    full
}

/// Patience of a read with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// No: [`crate::Error::NotAtOnce`] where it would have to.
    AtOnce,
    /// As long as it takes.
    Waits,
}

/// Findings of a read of all that a store has in the base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Records that are what they were when they were written.
    pub records: u64,
    /// Number of records that there should be.
    pub expected: u64,
    /// Mistakes, a line each.
    pub problems: Vec<String>,
}

/// Takes a full key and what stands there.
pub(crate) type Raw<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> Result<()>;

/// Changes that a checkpoint writes.
pub(crate) struct Batch {
    /// Spaces to be cleared, before anything is written.
    pub(crate) cleared: Vec<Space>,
    /// Changes by space.
    pub(crate) changes: Vec<(Space, Arc<Map>)>,
    /// Position at which a restart begins to replay the log, once this is written.
    pub(crate) position: Position,
}

/// A base.
pub(crate) trait Base: Send + Sync {
    /// Reads a record into `record`; false when there is none.
    fn get(&self, space: Space, key: &[u8], record: &mut Vec<u8>, patience: Patience) -> Result<bool>;

    /// Shows records to `visit` until it returns false or the space ends.
    fn scan(
        &self,
        space: Space,
        origin: Origin<'_>,
        direction: Direction,
        patience: Patience,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<()>;

    /// Writes a batch: all of it, durably, seen by every read that begins later; or nothing.
    fn write(&self, batch: &Batch) -> Result<()>;

    /// Adds records, in ascending order, to a space that is not in use yet. Durable when it returns, but not atomic.
    fn fill(&self, space: Space, records: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<u64>;

    /// The position that the last batch named.
    fn position(&self) -> Result<Position>;

    /// The spaces that hold records.
    fn spaces(&self) -> Result<Vec<Space>>;

    /// Notes of every start of an engine that encrypts, in order.
    fn runs(&self) -> Result<Vec<Vec<u8>>>;

    /// Notes starts by their numbers from 0, new ones and others in place of what was noted of them: all of them, durably, or
    /// none. What fills a space meanwhile has written what it had begun to write.
    fn note_runs(&self, notes: &[(u32, Vec<u8>)]) -> Result<()>;

    /// Reads all of a space, beyond what is damaged.
    fn verify(&self, space: Space) -> Result<Verified>;

    /// Shows everything as it stands there, for a copy: the state of one moment, whatever is written meanwhile. `begun` is
    /// called when that moment is over.
    fn each(&self, begun: &mut dyn FnMut(), visit: Raw<'_>) -> Result<()>;

    /// Adds what [`Self::each`] has shown, to a base that is empty.
    fn put_raw(&self, entries: &[(&[u8], &[u8])]) -> Result<()>;
}
