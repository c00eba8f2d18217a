//! ALLOCATE and FREE: storage of the run.

use cobol_run::{Areas, Heap, Passed, ProgramFault};

use super::Taken;
use super::storage::{STORAGE_MAX, Storage};

/// Reason why a FREE of another address ends the program.
pub(super) const NOT_ALLOCATED: &str =
    "FREE of an address that no ALLOCATE of this run has given, or that is free already";
/// The least area that is held: lengths are powers of two from here on, so that what was freed serves areas of other lengths, too.
const LENGTH_MIN: usize = 32;

/// The number that a statement about storage gives.
fn number(taken: &Taken) -> Result<i64, ProgramFault> {
    match taken.arguments.first() {
        Some(Passed::Number(number)) => Ok(*number),
        _ => Err(ProgramFault::Host),
    }
}

/// As much as is held for an area.
fn held(length: usize) -> usize {
    length.max(LENGTH_MIN).next_power_of_two()
}

impl Heap for Storage {
    fn take(&mut self, length: usize, _: usize) -> Option<u32> {
        self.hold(&vec![0; held(length)]).ok()
    }

    fn give(&mut self, at: u32, length: usize, _: usize) {
        Self::give(self, at, held(length));
    }
}

impl Storage {
    /// ALLOCATE: NULL where the run has no more storage.
    pub fn allocate_asked(&mut self, taken: &Taken) -> Result<(), ProgramFault> {
        let (at, length) = taken.returning.ok_or(ProgramFault::Host)?;
        let wanted = number(taken)?;
        let address = self.with_areas(|areas, storage| areas.allocate(storage, wanted, STORAGE_MAX));
        self.task.bytes_mut(at, length as usize).copy_from_slice(&address.to_be_bytes());
        Ok(())
    }

    /// FREE; false if there is no such area.
    pub fn free_asked(&mut self, taken: &Taken) -> Result<bool, ProgramFault> {
        let address = number(taken)?;
        Ok(self.with_areas(|areas, storage| areas.free(storage, address)))
    }

    fn with_areas<T>(&mut self, what: impl FnOnce(&mut Areas, &mut Self) -> T) -> T {
        let mut areas = std::mem::take(&mut self.areas);
        let done = what(&mut areas, self);
        self.areas = areas;
        done
    }
}
