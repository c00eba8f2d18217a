//! ALLOCATE and FREE in a natively compiled program: storage of its level, in the task's window.
//!
//! It counts for EDSALIM, and for what one task may hold by GETMAIN; where there is none, ALLOCATE gives NULL. What is not
//! freed goes when the level ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use cobol_ir::program::BlockId;
use cobol_ir::run::{Fault, Passed};

use super::{Level, Taken};
use crate::dispatcher::levels::Back;
use crate::dispatcher::run::{Stepped, gave_up};
use crate::limits::{AREA_BYTES, TASK_STORAGE_BYTES_MAX};
use crate::services::RUNTIME_ABEND;
use crate::storage::{Dsa, Window};
use crate::task::Task;

/// The areas of a level.
pub(super) struct Heap {
    dsa: Arc<Dsa>,
    areas: BTreeMap<u32, usize>,
    counted: usize,
}

impl Heap {
    /// None yet.
    pub fn of(dsa: &Arc<Dsa>) -> Self {
        Self { dsa: Arc::clone(dsa), areas: BTreeMap::new(), counted: 0 }
    }

    /// An area of zeros; none where there is no storage.
    fn allocate(&mut self, window: &mut Window, length: usize) -> Option<u32> {
        let counts = length.checked_add(AREA_BYTES)?;
        if self.counted.checked_add(counts)? > TASK_STORAGE_BYTES_MAX || !self.dsa.take(counts) {
            return None;
        }
        let Ok(at) = window.allocate(length) else {
            self.dsa.give(counts);
            return None;
        };
        self.counted += counts;
        self.areas.insert(at, length);
        Some(at)
    }

    /// Gives an area back; false if there is none at that address.
    fn free(&mut self, window: &mut Window, at: u32) -> bool {
        let Some(length) = self.areas.remove(&at) else { return false };
        window.give(at, length);
        self.counted -= length + AREA_BYTES;
        self.dsa.give(length + AREA_BYTES);
        true
    }

    /// The level is over.
    pub fn end(&mut self, window: &mut Window) {
        for (at, length) in std::mem::take(&mut self.areas) {
            window.give(at, length);
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        self.dsa.give(self.counted);
    }
}

/// The number that a statement about storage gives.
fn number(taken: &Taken) -> Result<i64, Fault> {
    match taken.arguments.first() {
        Some(Passed::Number(number)) => Ok(*number),
        _ => Err(Fault::Host),
    }
}

/// ALLOCATE.
pub(super) fn allocate(task: &mut Task, level: &mut Level, taken: &Taken) -> Result<(), Fault> {
    let (at, length) = taken.returning.ok_or(Fault::Host)?;
    let window = task.window.as_mut().ok_or(Fault::Host)?;
    let wanted = usize::try_from(number(taken)?).ok().filter(|wanted| *wanted > 0);
    let address = wanted.and_then(|wanted| level.heap.allocate(window, wanted)).unwrap_or(0);
    let answer = window.write(at, length as usize).ok_or(Fault::Protection)?;
    answer.copy_from_slice(&address.to_be_bytes());
    Ok(())
}

/// FREE.
pub(super) fn free(
    mut task: Box<Task>,
    level: &mut Level,
    taken: &Taken,
    block: BlockId,
) -> Back<Result<Stepped, Fault>> {
    let address = match number(taken) {
        Ok(address) => address,
        Err(fault) => return (task, Err(fault)),
    };
    let Some(window) = task.window.as_mut() else { return (task, Err(Fault::Host)) };
    if address == 0 || u32::try_from(address).is_ok_and(|at| level.heap.free(window, at)) {
        let gone_on = level.go_to(&mut task, 0);
        return (task, gone_on.map(|()| Stepped::On(0)));
    }
    let place = level.stands_at(block).map_or_else(String::new, |place| format!(", {place}"));
    let (task, stepped) = gave_up(task, &format!("{NOT_ALLOCATED}{place}"), RUNTIME_ABEND);
    (task, Ok(stepped))
}

/// Why a FREE of another address ends the program.
const NOT_ALLOCATED: &str =
    "FREE of an address that no ALLOCATE of this program level has given, or that is free already";
