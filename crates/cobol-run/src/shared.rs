//! Storage that tasks share, which others may change while a program looks at it: reached by copies, and by machine code in place.
//!
//! The addresses of a task's storage are offsets in it, below [`SHARED`]. From there on they are places in shared storage, the same
//! in every task, so pointers that one program leaves there mean the same to all.

use std::fmt::Debug;

use super::memory::Memory;

/// The first address of storage that tasks share.
pub const SHARED: u32 = 0x4000_0000;

/// Bytes of zeros that a program finds where it looks at a COMMAREA that it was not passed.
pub const ZEROS: &[u8; 64 << 10] = &[0; 64 << 10];

/// Storage that tasks share. Places count from its beginning.
pub trait Shared: Debug + Send + Sync {
    /// The address of the process of a place in an area, and how many bytes there are up to the end of that; `None` if there is no area.
    fn room(&self, place: u32) -> Option<(usize, usize)>;

    /// Fills bytes from a place on; false if not all of them are an area's.
    fn read(&self, place: u32, into: &mut [u8]) -> bool;

    /// Changes bytes from a place on; false, and nothing is changed, if not all of them are an area's.
    fn write(&self, place: u32, from: &[u8]) -> bool;

    /// A number that is another one whenever an area has come or gone.
    fn changes(&self) -> u64;
}

/// The place of a record of the linkage section, for machine code.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The address of the process; 0 if it has none.
    pub base: u64,
    /// The number of bytes from there on.
    pub limit: u64,
}

/// The records of a frame, as its program's code finds them, and what they were made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    /// One for each record of the linkage section, and behind them that of the COMMAREA for reading: zeros if it was not passed.
    all: Vec<Record>,
    /// The addresses that they have been made of.
    of: Vec<u32>,
    /// The place and the length that the storage of the task had.
    memory: (usize, usize),
    /// The answer of [`Shared::changes`], if one of them lies in shared storage.
    changes: Option<u64>,
}

/// The meaning of an address in the storage of a task.
pub(super) struct Reach<'t> {
    pub memory: &'t Memory,
    pub reserved: usize,
    pub shared: Option<&'t dyn Shared>,
}

impl Reach<'_> {
    /// Its place for machine code.
    #[inline]
    pub fn record(&self, at: u32) -> Record {
        if at >= SHARED {
            let room = self.shared.and_then(|shared| shared.room(at - SHARED));
            return room.map_or_else(Record::default, |(base, limit)| Record {
                base: base as u64,
                limit: limit as u64,
            });
        }
        let at = at as usize;
        match self.memory.len().checked_sub(at) {
            Some(room) if at >= self.reserved => {
                Record { base: (self.memory.as_ptr().expose_provenance() + at) as u64, limit: room as u64 }
            }
            _ => Record::default(),
        }
    }
}

impl Records {
    /// Those of so many records of the linkage section, none of which has an address.
    pub fn none(count: usize) -> Self {
        Self { all: vec![Record::default(); count + 1], of: vec![0; count], ..Self::default() }
    }

    /// They are as these addresses say, and as the storage is now. `zeros`: finds the record that is zeros where it has no address.
    #[inline]
    pub fn fill(
        &mut self,
        linkage: &[u32],
        zeros: impl FnOnce() -> Option<usize>,
        reach: &Reach<'_>,
    ) -> &[Record] {
        let memory = (reach.memory.as_ptr().addr(), reach.memory.len());
        let is_same = self.memory == memory
            && self.of == linkage
            && self
                .changes
                .is_none_or(|changes| reach.shared.is_some_and(|shared| shared.changes() == changes));
        if !is_same || self.all.len() != linkage.len() + 1 {
            self.fill_all(linkage, zeros(), reach, memory);
        }
        &self.all
    }

    /// The same where something is another one. A record stays as it is if its address is the same, and what it lies in has not
    /// changed.
    fn fill_all(&mut self, linkage: &[u32], zeros: Option<usize>, reach: &Reach<'_>, memory: (usize, usize)) {
        let changes = match linkage.iter().any(|at| *at >= SHARED) {
            // Whatever changes from here on is found the next time.
            true => Some(reach.shared.map_or(0, Shared::changes)),
            false => None,
        };
        let has_moved =
            self.memory != memory || self.of.len() != linkage.len() || self.all.len() != linkage.len() + 1;
        if has_moved {
            self.of.clear();
            self.of.resize(linkage.len(), 0);
            self.all.clear();
            self.all.resize(linkage.len() + 1, Record::default());
        }
        let shared_stay = changes.is_some() && self.changes == changes;
        (self.memory, self.changes) = (memory, changes);
        for ((record, of), at) in self.all.iter_mut().zip(&mut self.of).zip(linkage) {
            if *of != *at || (*at >= SHARED && !shared_stay) {
                *record = if *at == 0 { Record::default() } else { reach.record(*at) };
                *of = *at;
            }
        }
        let commarea = zeros.and_then(|index| Some((*self.all.get(index)?, *linkage.get(index)?)));
        let looked_at = match commarea {
            Some((record, _)) if record.base != 0 => record,
            Some((_, 0)) => {
                Record { base: ZEROS.as_ptr().expose_provenance() as u64, limit: ZEROS.len() as u64 }
            }
            _ => Record::default(),
        };
        if let Some(last) = self.all.last_mut() {
            *last = looked_at;
        }
    }
}
