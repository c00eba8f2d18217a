//! Storage that programs and the region share: EIBs, COMMAREAs, areas got with GETMAIN.
//!
//! It lies apart from the region's heap, and what is known of it lies apart from it: a program that writes beyond its
//! area spoils other areas of programs, never the allocator or the region's own data. A check zone behind each area
//! tells afterwards.

mod arena;

use std::marker::PhantomData;

/// Storage with a stable address, zeroed at first.
///
/// Programs write to it behind the compiler's back, so it is only ever copied in and out.
#[derive(Debug)]
pub struct Area {
    start: usize,
    length: usize,
}

/// What stands behind every area.
const CHECK_ZONE: [u8; 16] = *b"\xf0\xe1\xd2\xc3\xb4\xa5\x96\x87CHECKZON";

impl Area {
    /// A zeroed area of at least one byte.
    ///
    /// # Panics
    /// If the system has no memory left for it.
    pub fn new(length: usize) -> Self {
        let length = length.max(1);
        let start = arena::allocate(length + CHECK_ZONE.len()).expect("memory for an area");
        // SAFETY: the block has room for the area and its check zone, and nobody else has it.
        unsafe {
            (start as *mut u8).add(length).copy_from_nonoverlapping(CHECK_ZONE.as_ptr(), CHECK_ZONE.len())
        };
        Self { start, length }
    }

    /// An area with these bytes.
    pub fn with(bytes: &[u8]) -> Self {
        let mut area = Self::new(bytes.len());
        area.write(0, bytes);
        area
    }

    /// Its address, as a program sees it.
    pub fn address(&self) -> usize {
        self.start
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Never: an area has at least one byte.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether nobody wrote beyond its end: if not, a program has violated storage.
    pub fn is_intact(&self) -> bool {
        let mut zone = [0; CHECK_ZONE.len()];
        // SAFETY: the check zone lies in the area's block.
        unsafe {
            (self.start as *const u8).add(self.length).copy_to_nonoverlapping(zone.as_mut_ptr(), zone.len())
        };
        zone == CHECK_ZONE
    }

    /// Copies bytes out of it.
    ///
    /// # Panics
    /// If the range is not within the area.
    #[inline]
    pub fn read(&self, at: usize, into: &mut [u8]) {
        check(self.length, at, into.len());
        // SAFETY: the range is within the area, and no reference to it exists anywhere.
        unsafe { (self.start as *const u8).add(at).copy_to_nonoverlapping(into.as_mut_ptr(), into.len()) }
    }

    /// All its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length];
        self.read(0, &mut bytes);
        bytes
    }

    /// Copies bytes into it.
    ///
    /// # Panics
    /// If the range is not within the area.
    #[inline]
    pub fn write(&mut self, at: usize, bytes: &[u8]) {
        self.writer().write(at, bytes);
    }

    /// For several writes in a row, whose ranges are then checked together.
    #[inline]
    pub fn writer(&mut self) -> Writer<'_> {
        Writer { start: self.start, length: self.length, area: PhantomData }
    }
}

/// Writes to an area.
pub struct Writer<'a> {
    start: usize,
    length: usize,
    area: PhantomData<&'a mut Area>,
}

impl Writer<'_> {
    /// Copies bytes into the area.
    ///
    /// # Panics
    /// If the range is not within the area.
    #[inline]
    pub fn write(&self, at: usize, bytes: &[u8]) {
        check(self.length, at, bytes.len());
        // SAFETY: the range is within the area, and no reference to it exists anywhere.
        unsafe { (self.start as *mut u8).add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }
}

#[inline]
fn check(size: usize, at: usize, length: usize) {
    assert!(at.checked_add(length).is_some_and(|end| end <= size), "a range within the area");
}

impl Drop for Area {
    fn drop(&mut self) {
        arena::release(self.start, self.length + CHECK_ZONE.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_keeps_what_is_written_and_comes_back_zeroed() {
        for length in [1, 40, 48, 49, 4096, 1 << 20, 3 << 20] {
            for _ in 0..3 {
                let mut area = Area::new(length);
                assert!(area.to_vec().iter().all(|b| *b == 0), "{length} bytes, zeroed");
                assert_eq!(area.address() % 16, 0);
                area.write(0, &vec![0xff; length]);
                assert!(area.is_intact() && area.to_vec() == vec![0xff; length]);
            }
        }
    }

    #[test]
    fn areas_that_another_thread_has_given_back_are_whole_and_nobody_elses() {
        for round in 1..=3 {
            let areas: Vec<_> = (0..100).map(|_| Area::with(&[round; 100])).collect();
            let given_back = std::thread::spawn(|| drop(areas)).join();
            assert!(given_back.is_ok());
            let areas: Vec<_> = (0..100).map(|n| Area::with(&[n; 100])).collect();
            assert!((0..).zip(&areas).all(|(n, area)| area.is_intact() && area.to_vec() == [n; 100]));
        }
    }

    #[test]
    fn writing_beyond_the_end_is_seen_and_harms_no_other_area() {
        let (first, second) = (Area::new(100), Area::with(&[7; 100]));
        // SAFETY: within the block: what a program might do.
        unsafe { (first.address() as *mut u8).add(100).write_bytes(0, 8) };
        assert!(!first.is_intact() && second.is_intact());
        assert_eq!(second.to_vec(), [7; 100]);
    }
}
