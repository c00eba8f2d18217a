//! The storage that all tasks of a region share, as the region and its programs have it.
//!
//! An area there (the CWA, GETMAIN SHARED, event control areas, an image of LOAD) has two addresses: the process's, and that of
//! programs, which has four bytes.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use areas::Area;
use cobol_run::{SHARED, Shared};

use super::StorageAddress;

/// The storage. `None`: the process had no addresses for it, and areas are no storage of programs.
#[derive(Debug)]
pub struct Arena(Option<Arc<areas::Arena>>);

impl Default for Arena {
    fn default() -> Self {
        Self(areas::Arena::new())
    }
}

impl Arena {
    /// A zeroed area; `None` if there is no room for it.
    pub fn area(&self, length: usize) -> Option<Area> {
        match &self.0 {
            Some(arena) => arena.area(length),
            None => Some(Area::new(length)),
        }
    }

    /// An area with these bytes. Without room for it, programs do not see it.
    pub fn hold(&self, bytes: &[u8]) -> Area {
        let mut area = self.area(bytes.len()).unwrap_or_else(|| Area::new(bytes.len()));
        area.write(0, bytes);
        area
    }

    /// An address as programs have it; `None` if it lies elsewhere.
    #[inline]
    pub(crate) fn at(&self, address: StorageAddress) -> Option<u32> {
        self.0.as_ref()?.place_of(address.in_host()).map(|place| SHARED + place)
    }

    /// An address of programs as the region has it; `None` if it lies elsewhere.
    #[inline]
    pub(crate) fn address(&self, at: u32) -> Option<StorageAddress> {
        let place = at.checked_sub(SHARED)?;
        self.0.as_ref()?.address_of(place).map(StorageAddress::of_host)
    }

    /// Fills bytes from an address in one of its areas on; false if it lies in none.
    pub fn read_at(&self, address: StorageAddress, into: &mut [u8]) -> bool {
        self.0.as_ref().is_some_and(|arena| {
            arena.place_of(address.in_host()).is_some_and(|place| arena.read(place, into))
        })
    }
}

impl Shared for Arena {
    #[inline]
    fn room(&self, place: u32) -> Option<(usize, usize)> {
        self.0.as_ref()?.room(place)
    }

    fn read(&self, place: u32, into: &mut [u8]) -> bool {
        self.0.as_ref().is_some_and(|arena| arena.read(place, into))
    }

    fn write(&self, place: u32, from: &[u8]) -> bool {
        self.0.as_ref().is_some_and(|arena| arena.write(place, from))
    }

    #[inline]
    fn changes_at(&self, place: u32) -> Option<&'static AtomicU32> {
        self.0.as_ref()?.changes_at(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_has_two_addresses_and_means_nothing_to_another_region() {
        let (arena, other) = (Arena::default(), Arena::default());
        let area = arena.hold(b"SHARED");
        let address = StorageAddress::of(&area);
        let at = arena.at(address).expect("it lies there");
        assert_eq!((at >= SHARED, arena.address(at), other.at(address)), (true, Some(address), None));
        let mut bytes = [0; 6];
        assert!(arena.read_at(address, &mut bytes) && !other.read_at(address, &mut bytes));
        assert_eq!((&bytes, other.room(at - SHARED)), (b"SHARED", None));
        assert_eq!((arena.at(StorageAddress::of_host(4096)), arena.address(4096)), (None, None));
    }

    #[test]
    fn a_process_without_addresses_for_it_has_areas_all_the_same() {
        let arena = Arena(None);
        let area = arena.hold(b"SHARED");
        assert_eq!((area.to_vec(), arena.at(StorageAddress::of(&area))), (b"SHARED".to_vec(), None));
    }
}
