//! A place for the base of an engine that is no file of this machine.

use std::io;

use crate::Direction;

/// Takes an entry: its space, its key, and its bytes; `None` where it is to be deleted.
pub type VisitEntry<'a> = &'a mut dyn FnMut(u32, &[u8], Option<&[u8]>) -> io::Result<()>;

/// A key and the bytes under it.
pub type StoredEntry = (Vec<u8>, Vec<u8>);

/// Entries in ascending order of their keys.
pub type StoredEntries<'a> = &'a mut dyn Iterator<Item = StoredEntry>;

/// One ordered map of (space, key) → bytes, of which this engine is the only user: what keeps the map keeps others out. It is read and
/// changed by several threads, which wait for it.
pub trait Depot: Send + Sync {
    /// Reads up to `limit` entries of a space in the direction: those from `low` on and before `high`, or to the end of the space.
    fn read(
        &self,
        space: u32,
        low: &[u8],
        high: Option<&[u8]>,
        direction: Direction,
        limit: usize,
    ) -> io::Result<Vec<StoredEntry>>;

    /// Clears spaces, then makes all changes that `each` shows: all of them, durably, or none. `each` may be called several times.
    fn write(&self, cleared: &[u32], each: &dyn Fn(VisitEntry<'_>) -> io::Result<()>) -> io::Result<()>;

    /// Adds entries to a space that is not in use yet. Durable when it returns, but not atomic.
    fn fill(&self, space: u32, entries: StoredEntries<'_>) -> io::Result<()>;

    /// The spaces that have entries.
    fn spaces(&self) -> io::Result<Vec<u32>>;
}
