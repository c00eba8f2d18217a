//! Storage control: areas that a task gets, and that outlive its programs.
//!
//! Every area is a [`cobol::Area`]: its address is stable, and programs write it behind our back.
//! Invariant: a task's areas go when the task goes; SHARED areas belong to the region.

mod commands;

use std::collections::BTreeMap;

use cobol::Area;
use spec::cond;

pub(crate) use commands::HANDLERS;

use crate::limits::TASK_STORAGE_BYTES_MAX;
use crate::raise::{Outcome, RaiseCondition};

/// The areas of one task, by address.
#[derive(Default)]
pub struct TaskStorage {
    areas: BTreeMap<usize, Area>,
    bytes: usize,
}

impl TaskStorage {
    /// A new area, filled with `fill`.
    ///
    /// # Errors
    /// NOSTG where the task has too much already.
    pub fn get(&mut self, length: usize, fill: u8) -> Outcome<usize> {
        if self.bytes + length > TASK_STORAGE_BYTES_MAX {
            return Err(cond::NOSTG.raise(0));
        }
        let mut area = Area::new(length);
        if fill != 0 {
            area.write(0, &vec![fill; length]);
        }
        let address = area.address();
        self.bytes += length;
        self.areas.insert(address, area);
        Ok(address)
    }

    /// A new area with these bytes.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn hold(&mut self, data: &[u8]) -> Outcome<usize> {
        let address = self.get(data.len().max(1), 0)?;
        if let Some(area) = self.areas.get_mut(&address) {
            area.write(0, data);
        }
        Ok(address)
    }

    /// Frees the area at an address; false if the task has none there.
    pub fn free(&mut self, address: usize) -> bool {
        match self.areas.remove(&address) {
            Some(area) => {
                self.bytes -= area.len();
                true
            }
            None => false,
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
