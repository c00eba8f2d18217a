//! ALLOCATE and FREE, for the owner of the storage: the areas that a program has, and the bytes that they count for.

use std::collections::BTreeMap;

/// Bytes that an area counts for beside its own: many small ones are not for nothing.
pub const AREA_BYTES: usize = 128;

/// The storage that areas are taken from.
pub trait Heap {
    /// Takes an area of zeros that counts for so many bytes; `None` if there is no storage.
    fn take(&mut self, length: usize, counts: usize) -> Option<u32>;
    /// Gives one back.
    fn give(&mut self, at: u32, length: usize, counts: usize);
}

/// The areas that ALLOCATE has given, and FREE has not taken back.
#[derive(Debug, Default)]
pub struct Areas {
    areas: BTreeMap<u32, usize>,
    counted: usize,
}

impl Areas {
    /// ALLOCATE of so many bytes, as long as all areas count for no more than `limit`: the address, NULL if there is none.
    pub fn allocate(&mut self, heap: &mut dyn Heap, wanted: i64, limit: usize) -> u32 {
        let mut allocated = || {
            let length = usize::try_from(wanted).ok().filter(|length| *length > 0)?;
            let counts = length.checked_add(AREA_BYTES)?;
            let counted = self.counted.checked_add(counts).filter(|counted| *counted <= limit)?;
            let at = heap.take(length, counts)?;
            self.counted = counted;
            self.areas.insert(at, length);
            Some(at)
        };
        allocated().unwrap_or(0)
    }

    /// FREE; false if there is no area at that address, which is not NULL.
    pub fn free(&mut self, heap: &mut dyn Heap, address: i64) -> bool {
        if address == 0 {
            return true;
        }
        let area = u32::try_from(address).ok().and_then(|at| self.areas.remove_entry(&at));
        let Some((at, length)) = area else { return false };
        self.counted -= length + AREA_BYTES;
        heap.give(at, length, length + AREA_BYTES);
        true
    }

    /// Gives all of them back.
    pub fn end(&mut self, heap: &mut dyn Heap) {
        self.counted = 0;
        for (at, length) in std::mem::take(&mut self.areas) {
            heap.give(at, length, length + AREA_BYTES);
        }
    }

    /// Bytes that they count for.
    pub fn counted(&self) -> usize {
        self.counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of two areas, and some more.
    const SMALL: usize = 2 * AREA_BYTES + 36;

    /// Storage of so many bytes.
    #[derive(Default)]
    struct Small {
        next: u32,
        used: usize,
    }

    impl Heap for Small {
        fn take(&mut self, _: usize, counts: usize) -> Option<u32> {
            self.used = Some(self.used + counts).filter(|used| *used <= SMALL)?;
            self.next += 100;
            Some(self.next)
        }

        fn give(&mut self, _: u32, _: usize, counts: usize) {
            self.used -= counts;
        }
    }

    #[test]
    fn areas_are_counted_and_given_back() {
        let (mut heap, mut areas) = (Small::default(), Areas::default());
        assert_eq!(areas.allocate(&mut heap, 10, 1000), 100);
        assert_eq!(areas.allocate(&mut heap, 8, 1000), 200);
        let both = 18 + 2 * AREA_BYTES;
        assert_eq!((heap.used, areas.counted()), (both, both));
        for (wanted, limit) in [(0, 1000), (-1, 1000), (i64::MAX, 1000), (10, 1000), (1, both)] {
            assert_eq!(areas.allocate(&mut heap, wanted, limit), 0, "{wanted}");
        }
        assert!(areas.free(&mut heap, 0) && areas.free(&mut heap, 100));
        assert!(!areas.free(&mut heap, 100) && !areas.free(&mut heap, 201) && !areas.free(&mut heap, -1));
        assert_eq!(heap.used, 8 + AREA_BYTES);
        areas.end(&mut heap);
        assert_eq!((heap.used, areas.counted()), (0, 0));
    }
}
