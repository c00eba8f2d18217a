//! Storage control: areas that a task gets, and that outlive its programs.
//!
//! Every area is a [`areas::Area`], whose address is stable; what is SHARED programs write behind our back.
//! Invariant: a task's areas go when the task goes; SHARED areas belong to the region, and lie in its [`Arena`].

mod address;
mod arena;
mod dsa;
mod left;
mod window;

use std::collections::BTreeMap;
use std::sync::Arc;

use areas::{Area, StorageFault};
use spec::cond;

pub use address::{POINTER_LENGTH, StorageAddress};
pub use arena::Arena;
pub use dsa::{Charge, Dsa};
pub use left::LeftStorage;
pub(crate) use window::{Owners, Window};

use crate::limits::{AREA_BYTES, TASK_STORAGE_BYTES_MAX};
use crate::raise::{Outcome, RaiseCondition};

/// Fills bytes from an address on. Bytes after the end of its area are zeros.
///
/// # Errors
/// It lies in no area.
pub(crate) fn read(address: StorageAddress, into: &mut [u8]) -> Result<(), StorageFault> {
    areas::read(address.in_host(), into)
}

/// Fills zeros from an address on, as [`read`] does.
///
/// # Errors
/// It lies in no area.
pub(crate) fn read_on_zeros(address: StorageAddress, into: &mut [u8]) -> Result<(), StorageFault> {
    areas::read_on_zeros(address.in_host(), into)
}

/// An area with a copy of so many bytes from an address on.
///
/// # Errors
/// It lies in no area.
pub(crate) fn copy(address: StorageAddress, length: usize) -> Result<Area, StorageFault> {
    areas::copy(address.in_host(), length)
}

/// Writes bytes to an address of an area of the task.
///
/// # Errors
/// It lies in no area, or the area ends before the last of the bytes.
pub(crate) fn write(address: StorageAddress, bytes: &[u8]) -> Result<(), StorageFault> {
    areas::write(address.in_host(), bytes)
}

/// Returns true if so many bytes at an address lie in one area.
pub(crate) fn is_whole(address: StorageAddress, length: usize) -> bool {
    areas::is_whole(address.in_host(), length)
}

/// The areas of one task, by address.
pub struct TaskStorage {
    areas: BTreeMap<StorageAddress, Area>,
    bytes: usize,
    dsa: Arc<Dsa>,
    /// Their arena, if tasks share them.
    arena: Option<Arc<Arena>>,
}

impl TaskStorage {
    /// None yet, to be taken from an area of the region.
    pub fn of(dsa: &Arc<Dsa>) -> Self {
        Self { areas: BTreeMap::new(), bytes: 0, dsa: Arc::clone(dsa), arena: None }
    }

    /// The same of areas that all tasks share.
    pub fn shared(dsa: &Arc<Dsa>, arena: &Arc<Arena>) -> Self {
        let mut storage = Self::of(dsa);
        storage.arena = Some(Arc::clone(arena));
        storage
    }

    /// Bytes that an area of so many counts for.
    pub fn counts(length: usize) -> usize {
        length.saturating_add(AREA_BYTES)
    }

    /// Bytes that all areas count for.
    pub fn counted(&self) -> usize {
        self.bytes + self.areas.len() * AREA_BYTES
    }

    /// Returns true if the task may have so much more.
    pub fn has_room(&self, length: usize) -> bool {
        self.counted() + Self::counts(length) <= TASK_STORAGE_BYTES_MAX
    }

    /// A new area, filled with `fill`.
    ///
    /// # Errors
    /// NOSTG where the task has too much already, or the region is short on storage.
    pub fn get(&mut self, length: usize, fill: u8) -> Outcome<StorageAddress> {
        if !self.has_room(length) || !self.dsa.take(Self::counts(length)) {
            return Err(cond::NOSTG.raise(0));
        }
        let area = match &self.arena {
            Some(arena) => arena.area(length),
            None => Some(Area::new(length)),
        };
        let Some(mut area) = area else {
            self.dsa.give(Self::counts(length));
            return Err(cond::NOSTG.raise(0));
        };
        if fill != 0 {
            area.write(0, &vec![fill; length]);
        }
        Ok(self.keep(area))
    }

    /// A new area with these bytes, for SET. The command has waited before as long as storage was short
    /// (`exec`): what it has read by now is given, if need be beyond the region's limit.
    ///
    /// # Errors
    /// NOSTG where the task has too much already, or as much as the whole region may have.
    pub fn hold(&mut self, data: &[u8]) -> Outcome<StorageAddress> {
        let length = data.len().max(1);
        if !self.has_room(length) || self.counted() + Self::counts(length) > self.dsa.limit() {
            return Err(cond::NOSTG.raise(0));
        }
        self.dsa.add(Self::counts(length));
        let mut area = Area::new(length);
        area.write(0, data);
        Ok(self.keep(area))
    }

    /// Keeps an area, which is counted already: its address.
    fn keep(&mut self, area: Area) -> StorageAddress {
        let address = StorageAddress::of(&area);
        self.bytes += area.len();
        self.areas.insert(address, area);
        address
    }

    /// The area at an address.
    pub(crate) fn area(&self, address: StorageAddress) -> Option<&Area> {
        self.areas.get(&address)
    }

    /// Addresses of all of them.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = StorageAddress> {
        self.areas.keys().copied()
    }

    /// Frees the area at an address, which it returns for a last look; `None` if the task has none there.
    pub fn free(&mut self, address: StorageAddress) -> Option<Area> {
        let area = self.areas.remove(&address)?;
        self.bytes -= area.len();
        self.dsa.give(Self::counts(area.len()));
        Some(area)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for TaskStorage {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.dsa.give(self.counted());
        }
    }
}
