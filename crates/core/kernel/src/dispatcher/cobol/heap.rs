//! ALLOCATE and FREE in a COBOL program: storage of its level, in the task's window.
//!
//! It counts for EDSALIM, and for what one task may hold by GETMAIN; where there is none, ALLOCATE gives NULL. What is not
//! freed goes when the level ends.

use std::sync::Arc;

use cobol_ir::program::BlockId;
use cobol_run::{Areas, Passed, ProgramFault};

use super::{Level, Taken};
use crate::dispatcher::stay::Back;
use crate::dispatcher::steps::{Stepped, gave_up};
use crate::limits::TASK_STORAGE_BYTES_MAX;
use crate::services::RUNTIME_ABEND;
use crate::storage::{Dsa, Window};
use crate::task::Task;

/// Reason why a FREE of another address ends the program.
const NOT_ALLOCATED: &str =
    "FREE of an address that no ALLOCATE of this program level has given, or that is free already";

/// The areas of a level.
pub(super) struct Heap {
    dsa: Arc<Dsa>,
    areas: Areas,
}

/// Source of the areas: the task's window, as far as EDSALIM goes.
struct Counted<'w> {
    dsa: &'w Dsa,
    window: &'w mut Window,
}

impl cobol_run::Heap for Counted<'_> {
    fn take(&mut self, length: usize, counts: usize) -> Option<u32> {
        if !self.dsa.take(counts) {
            return None;
        }
        let taken = self.window.allocate(length).ok();
        if taken.is_none() {
            self.dsa.give(counts);
        }
        taken
    }

    fn give(&mut self, at: u32, length: usize, counts: usize) {
        self.window.give(at, length);
        self.dsa.give(counts);
    }
}

impl Heap {
    /// None yet.
    pub fn of(dsa: &Arc<Dsa>) -> Self {
        Self { dsa: Arc::clone(dsa), areas: Areas::default() }
    }

    /// ALLOCATE of so many bytes: the address.
    fn allocate(&mut self, window: &mut Window, wanted: i64) -> u32 {
        self.areas.allocate(&mut Counted { dsa: &self.dsa, window }, wanted, TASK_STORAGE_BYTES_MAX)
    }

    /// FREE; false if there is none at that address.
    fn free(&mut self, window: &mut Window, address: i64) -> bool {
        self.areas.free(&mut Counted { dsa: &self.dsa, window }, address)
    }

    /// Returns true if nothing of it is allocated.
    pub fn is_empty(&self) -> bool {
        self.areas.counted() == 0
    }

    /// The level is over.
    pub fn end(&mut self, window: &mut Window) {
        self.areas.end(&mut Counted { dsa: &self.dsa, window });
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        self.dsa.give(self.areas.counted());
    }
}

/// The number that a statement about storage gives.
fn number(taken: &Taken) -> Result<i64, ProgramFault> {
    match taken.arguments.first() {
        Some(Passed::Number(number)) => Ok(*number),
        _ => Err(ProgramFault::Host),
    }
}

/// ALLOCATE.
pub(super) fn allocate(task: &mut Task, level: &mut Level, taken: &Taken) -> Result<(), ProgramFault> {
    let (at, length) = taken.returning.ok_or(ProgramFault::Host)?;
    let window = task.window.as_mut().ok_or(ProgramFault::Host)?;
    let address = level.heap.allocate(window, number(taken)?);
    let is_there = length as usize == size_of::<u32>() && window.put(at, &address.to_be_bytes());
    is_there.then_some(()).ok_or(ProgramFault::Protection)
}

/// FREE.
pub(super) fn free(
    mut task: Box<Task>,
    level: &mut Level,
    taken: &Taken,
    block: BlockId,
) -> Back<Result<Stepped, ProgramFault>> {
    let address = match number(taken) {
        Ok(address) => address,
        Err(fault) => return (task, Err(fault)),
    };
    let Some(window) = task.window.as_mut() else { return (task, Err(ProgramFault::Host)) };
    if level.heap.free(window, address) {
        let gone_on = level.go_to(&mut task, 0);
        return (task, gone_on.map(|()| Stepped::On(0)));
    }
    let place = level.stands_at(block).map_or_else(String::new, |place| format!(", {place}"));
    let (task, stepped) = gave_up(task, &format!("{NOT_ALLOCATED}{place}"), RUNTIME_ABEND);
    (task, Ok(stepped))
}
