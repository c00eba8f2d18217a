//! ALLOCATE and FREE: storage of the run.

use cobol_ir::run::{Fault, Passed};

use super::Taken;
use super::storage::{STORAGE_MAX, Storage};

/// Why a FREE of another address ends the program.
pub(super) const NOT_ALLOCATED: &str =
    "FREE of an address that no ALLOCATE of this run has given, or that is free already";

/// The number that a statement about storage gives.
fn number(taken: &Taken) -> Result<i64, Fault> {
    match taken.arguments.first() {
        Some(Passed::Number(number)) => Ok(*number),
        _ => Err(Fault::Host),
    }
}

impl Storage {
    /// ALLOCATE: NULL where the run has no more storage.
    pub fn allocate_asked(&mut self, taken: &Taken) -> Result<(), Fault> {
        let (at, length) = taken.returning.ok_or(Fault::Host)?;
        let wanted = usize::try_from(number(taken)?).ok().filter(|wanted| (1..=STORAGE_MAX).contains(wanted));
        let area = wanted.and_then(|wanted| Some((self.hold(&vec![0; wanted]).ok()?, wanted)));
        self.allocated.extend(area);
        let address = area.map_or(0, |(address, _)| address);
        self.task.bytes_mut(at, length as usize).copy_from_slice(&address.to_be_bytes());
        Ok(())
    }

    /// FREE; false if there is no such area.
    pub fn free_asked(&mut self, taken: &Taken) -> Result<bool, Fault> {
        let address = number(taken)?;
        let freed = u32::try_from(address).ok().and_then(|at| self.allocated.remove_entry(&at));
        freed.into_iter().for_each(|(at, length)| self.give(at, length));
        Ok(address == 0 || freed.is_some())
    }
}
