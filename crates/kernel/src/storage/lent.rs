//! Areas that the region gives out and keeps: event control areas, and what LOAD gives. Any task may be told where one is.

use std::collections::BTreeMap;
use std::sync::Arc;

use cobol::Area;
use parking_lot::Mutex;

use super::StorageAddress;

/// An area that somebody of the region and programs write.
pub type LentArea = Arc<Mutex<Area>>;

/// Those of a region, by their addresses.
#[derive(Default)]
pub struct Lent(Mutex<BTreeMap<StorageAddress, Entry>>);

struct Entry {
    area: LentArea,
    /// Pointers to it mean the same in all tasks.
    is_everybodys: bool,
}

impl Lent {
    /// An area is given out: programs may be told its address.
    pub fn give_out(&self, area: &LentArea) -> StorageAddress {
        self.give(area, false)
    }

    /// The same of an area whose pointers natively compiled programs of different tasks hand to each other.
    pub fn give_to_all(&self, area: &LentArea) -> StorageAddress {
        self.give(area, true)
    }

    fn give(&self, area: &LentArea, is_everybodys: bool) -> StorageAddress {
        let address = StorageAddress::of(&area.lock());
        self.0.lock().insert(address, Entry { area: Arc::clone(area), is_everybodys });
        address
    }

    /// It is nobody's any more.
    pub fn take_back(&self, address: StorageAddress) {
        self.0.lock().remove(&address);
    }

    /// The area at an address, if one is given out there.
    pub fn at(&self, address: StorageAddress) -> Option<LentArea> {
        self.0.lock().get(&address).map(|entry| Arc::clone(&entry.area))
    }

    /// How long the area at an address is, if pointers to it mean the same in all tasks.
    pub fn everybodys(&self, address: StorageAddress) -> Option<usize> {
        let area = {
            let all = self.0.lock();
            let entry = all.get(&address).filter(|entry| entry.is_everybodys)?;
            Arc::clone(&entry.area)
        };
        Some(area.lock().len())
    }
}
