//! Where the storage of programs' runs is counted: they have it together with others, and that has a limit.

use std::fmt;
use std::sync::Arc;

/// The counter of what programs have.
pub trait Supply: Send + Sync {
    /// Takes bytes; false if so many are not free.
    fn take(&self, bytes: usize) -> bool;

    /// Gives bytes back.
    fn give(&self, bytes: usize);
}

/// Why a program does not get storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStorage {
    /// Its link level has as much as one may have.
    LevelFull,
    /// What all have together is used up.
    Short,
    /// The system has no memory.
    NoMemory,
}

impl fmt::Display for NoStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LevelFull => "the program has as much already as one link level may have",
            Self::Short => "what all tasks may have together is used up",
            Self::NoMemory => "the system has no memory for it",
        })
    }
}

/// Bytes that count as used while this lives.
pub struct Share {
    supply: Arc<dyn Supply>,
    bytes: usize,
}

impl Share {
    /// A part of what a supply has; none of one that nobody counts.
    pub fn of(supply: Option<&Arc<dyn Supply>>, bytes: usize) -> Result<Option<Self>, NoStorage> {
        let Some(supply) = supply else { return Ok(None) };
        let share = || Self { supply: Arc::clone(supply), bytes };
        supply.take(bytes).then(share).map(Some).ok_or(NoStorage::Short)
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.supply.give(self.bytes);
    }
}
