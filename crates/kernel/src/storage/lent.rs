//! Small areas that the region gives out and keeps: event control areas. Any task may be told where one is.

use std::collections::BTreeMap;
use std::sync::Arc;

use cobol::Area;
use parking_lot::Mutex;

use super::StorageAddress;

/// An area that somebody of the region and programs write.
pub type LentArea = Arc<Mutex<Area>>;

/// Those of a region, by their addresses.
#[derive(Default)]
pub struct Lent(Mutex<BTreeMap<StorageAddress, LentArea>>);

impl Lent {
    /// An area is given out: programs may be told its address.
    pub fn give_out(&self, area: &LentArea) -> StorageAddress {
        let address = StorageAddress::of(&area.lock());
        self.0.lock().insert(address, Arc::clone(area));
        address
    }

    /// It is nobody's any more.
    pub fn take_back(&self, address: StorageAddress) {
        self.0.lock().remove(&address);
    }

    /// The area at an address, if one is given out there.
    pub fn at(&self, address: StorageAddress) -> Option<LentArea> {
        self.0.lock().get(&address).cloned()
    }
}
