//! Storage that tasks share, which others may change while a program looks at it: reached by copies, and by machine code in place.
//!
//! The addresses of a task's storage are offsets in it, below [`SHARED`]. From there on they are places in shared storage, the same
//! in every task, so pointers that one program leaves there mean the same to all.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, Ordering};

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

    /// A number that is another one whenever an area has come or gone around a place. `None` if no area can lie there.
    fn changes_at(&self, place: u32) -> Option<&'static AtomicU32>;
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
    /// Those of them that lie in shared storage.
    shared: Vec<Seen>,
    /// The record that is zeros where it has no address, once a program has looked for it.
    zeros: Option<Option<usize>>,
    /// An address may have become another one.
    is_stale: bool,
}

/// A record in shared storage, by its place, and the number of changes around it by the time that it was looked for.
#[derive(Clone, Copy, Debug)]
struct Seen {
    index: usize,
    changes: &'static AtomicU32,
    number: u32,
}

impl Seen {
    /// Returns true if nothing has changed there since.
    #[inline(always)]
    fn stands(&self) -> bool {
        self.changes.load(Ordering::Acquire) == self.number
    }
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

    /// An address may become another one: all of them are looked at the next time.
    #[inline]
    pub fn are_stale(&mut self) {
        self.is_stale = true;
    }

    /// Returns true if they are as they were filled, in a storage that has not moved since.
    #[inline(always)]
    pub fn stand(&self) -> bool {
        !self.is_stale && self.shared.iter().all(Seen::stands)
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
        let is_same = self.memory == memory && self.of == linkage && self.shared.iter().all(Seen::stands);
        if !is_same || self.all.len() != linkage.len() + 1 {
            let zeros = *self.zeros.get_or_insert_with(zeros);
            self.fill_all(linkage, zeros, reach, memory);
        }
        self.is_stale = false;
        &self.all
    }

    /// The same where something is another one. A record stays as it is if its address is the same, and what it lies in has not
    /// changed.
    fn fill_all(&mut self, linkage: &[u32], zeros: Option<usize>, reach: &Reach<'_>, memory: (usize, usize)) {
        let count = linkage.len();
        let has_moved = self.memory != memory || self.of.len() != count || self.all.len() != count + 1;
        if has_moved {
            self.of.clear();
            self.of.resize(count, 0);
            self.all.clear();
            self.all.resize(count + 1, Record::default());
        }
        let (all, of, shared) = (&mut self.all[..count], &mut self.of[..count], &mut self.shared);
        shared.retain(|seen| !has_moved && of[seen.index] == linkage[seen.index] && seen.stands());
        for index in 0..count {
            let at = linkage[index];
            if at < SHARED {
                if of[index] != at {
                    all[index] = if at == 0 { Record::default() } else { reach.record(at) };
                    of[index] = at;
                }
            } else if !shared.iter().any(|seen| seen.index == index) {
                // Whatever changes from here on is found the next time.
                if let Some(changes) = reach.shared.and_then(|shared| shared.changes_at(at - SHARED)) {
                    shared.push(Seen { index, changes, number: changes.load(Ordering::Acquire) });
                }
                all[index] = reach.record(at);
                of[index] = at;
            }
        }
        self.memory = memory;
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::{RESERVED, Task};

    /// One area, whose length changes.
    #[derive(Debug)]
    struct One {
        length: AtomicU64,
        changes: &'static AtomicU32,
    }

    impl One {
        fn becomes(&self, length: u64) {
            self.length.store(length, Ordering::Relaxed);
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Shared for One {
        fn room(&self, place: u32) -> Option<(usize, usize)> {
            let length = self.length.load(Ordering::Relaxed) as usize;
            length
                .checked_sub(place as usize)
                .filter(|_| length > 0)
                .map(|room| (4096 + place as usize, room))
        }

        fn read(&self, _: u32, _: &mut [u8]) -> bool {
            false
        }

        fn write(&self, _: u32, _: &[u8]) -> bool {
            false
        }

        fn changes_at(&self, _: u32) -> Option<&'static AtomicU32> {
            Some(self.changes)
        }
    }

    #[test]
    fn records_stand_until_an_address_or_what_is_shared_changes() {
        let one =
            std::sync::Arc::new(One { length: AtomicU64::new(100), changes: Box::leak(Box::default()) });
        let shared = |one: &std::sync::Arc<One>| -> std::sync::Arc<dyn Shared> { one.clone() };
        let task = Task::new(RESERVED + 64).sharing(shared(&one));
        let (near, far) = (RESERVED as u32 + 8, SHARED + 40);
        let mut records = Records::none(2);
        let limits = |records: &mut Records, linkage: [u32; 2]| -> Vec<u64> {
            records.fill(&linkage, || Some(0), &task.reach()).iter().map(|record| record.limit).collect()
        };
        // No address: zeros may be looked at for the first record.
        assert_eq!(limits(&mut records, [0, 0]), [0, 0, ZEROS.len() as u64]);
        one.becomes(90);
        assert!(records.stand(), "none of them is shared");
        records.are_stale();
        assert!(!records.stand());
        assert_eq!(limits(&mut records, [near, far]), [56, 50, 56]);
        assert!(records.stand());
        // It has gone, and another area has come in its place.
        one.becomes(0);
        assert!(!records.stand());
        assert_eq!(limits(&mut records, [near, far]), [56, 0, 56]);
        one.becomes(41);
        assert_eq!(limits(&mut records, [near, far]), [56, 1, 56]);
        assert!(records.stand());
        // None of them is shared any more.
        assert_eq!(limits(&mut records, [near + 8, near]), [48, 56, 48]);
        one.becomes(100);
        assert!(records.stand());
        assert_eq!(limits(&mut records, [0, far]), [0, 60, ZEROS.len() as u64]);
    }
}
