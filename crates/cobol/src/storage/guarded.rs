//! Blocks that end at a guard: what a program gets for one run, such as its LOCAL-STORAGE and EXTERNAL items.
//!
//! A block ends where memory begins that can be read and not written: a program that writes beyond its last table faults
//! at that statement, and one that looks there, as programs do, finds zeros. The same lies before the block's pages; what a
//! program writes in between is found by the check zone in front of the block.

use std::cell::RefCell;
use std::sync::Arc;

use super::supply::{NoStorage, Share, Supply};
use super::{Bytes, CHECK_ZONE, Overlay, check_zone};
use crate::elf::PAGE;

/// Bytes on both sides that can be read and not written.
const MARGIN: usize = 64 * 1024;
/// As a C compiler lays out what has any type.
const ALIGNMENT: usize = 16;
/// Bytes of the largest block.
const BLOCK_BYTES_MAX: usize = 1 << 30;
/// Bytes of pages that a thread keeps for the next blocks.
const KEPT_BYTES_MAX: usize = 8 << 20;
/// Sizes of which pages are kept: 1, 2, 4 … pages.
const KEPT_SIZES: usize = 8;

/// A block of storage that a program may write from its first byte to its last; up to fifteen more are padding.
#[derive(Debug)]
pub struct Guarded {
    address: usize,
    /// The pages that it lies in.
    pages: Pages,
    /// What it counts for.
    _share: Option<Share>,
}

/// Writable pages between two margins.
#[derive(Clone, Copy, Debug)]
struct Pages {
    start: usize,
    bytes: usize,
}

/// Pages that no block lies in, by size.
#[derive(Default)]
struct Kept {
    pages: [Vec<Pages>; KEPT_SIZES],
    bytes: usize,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

impl Guarded {
    /// A zeroed block, counted by who supplies it.
    pub fn new(size: usize, supply: Option<&Arc<dyn Supply>>) -> Result<Self, NoStorage> {
        if size > BLOCK_BYTES_MAX {
            return Err(NoStorage::NoMemory);
        }
        let share = Share::of(supply, Self::pages_of(size) * PAGE)?;
        let size = padded(size);
        let pages = Pages::take(size + CHECK_ZONE.len()).ok_or(NoStorage::NoMemory)?;
        let address = pages.start + pages.bytes - size;
        // SAFETY: the pages are writable, nobody else has them, and the block and its check zone lie in them.
        unsafe {
            (address as *mut u8).write_bytes(0, size);
            ((address - CHECK_ZONE.len()) as *mut u8)
                .copy_from_nonoverlapping(CHECK_ZONE.as_ptr(), CHECK_ZONE.len());
        }
        Ok(Self { address, pages, _share: share })
    }

    /// Pages that a block of this size lies in.
    pub fn pages_of(size: usize) -> usize {
        pages_for(padded(size) + CHECK_ZONE.len())
    }

    /// The address of its first byte.
    pub fn address(&self) -> usize {
        self.address
    }

    /// Bytes of the pages that it lies in.
    pub fn size(&self) -> usize {
        self.pages.bytes
    }

    /// What was written in front of it, if something was.
    pub fn overlay(&self) -> Option<Overlay> {
        // SAFETY: the check zone lies in the block's pages.
        unsafe { check_zone(self.address - CHECK_ZONE.len(), Bytes::Own) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.pages.give_back();
    }
}

/// A block's bytes, with those that fill it up.
fn padded(size: usize) -> usize {
    size.max(1).next_multiple_of(ALIGNMENT)
}

/// Pages that so many bytes take.
fn pages_for(bytes: usize) -> usize {
    bytes.div_ceil(PAGE).next_power_of_two()
}

impl Pages {
    /// Pages for so many bytes: such as were used before, if there are some.
    fn take(bytes: usize) -> Option<Self> {
        let pages = pages_for(bytes);
        let kept = KEPT.try_with(|kept| kept.borrow_mut().take(pages)).ok().flatten();
        kept.or_else(|| Self::map(pages * PAGE))
    }

    fn map(bytes: usize) -> Option<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let length = MARGIN + bytes + MARGIN;
        // SAFETY: an anonymous mapping at an address of the system's choice touches nothing of ours; what is made writable
        // lies within it.
        unsafe {
            let mapping = libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, flags, -1, 0);
            if mapping == libc::MAP_FAILED {
                return None;
            }
            let pages = Self { start: mapping as usize + MARGIN, bytes };
            let writable = libc::PROT_READ | libc::PROT_WRITE;
            if libc::mprotect(pages.start as *mut _, bytes, writable) != 0 {
                pages.unmap();
                return None;
            }
            Some(pages)
        }
    }

    fn give_back(self) {
        if KEPT.try_with(|kept| kept.borrow_mut().keep(self)) != Ok(true) {
            self.unmap();
        }
    }

    fn unmap(self) {
        // SAFETY: our own mapping, given back by its only owner.
        unsafe { libc::munmap((self.start - MARGIN) as *mut _, MARGIN + self.bytes + MARGIN) };
    }
}

impl Kept {
    fn take(&mut self, pages: usize) -> Option<Pages> {
        let pages = self.pages.get_mut(pages.trailing_zeros() as usize)?.pop()?;
        self.bytes -= pages.bytes;
        Some(pages)
    }

    /// Whether it keeps them.
    fn keep(&mut self, pages: Pages) -> bool {
        let size = (pages.bytes / PAGE).trailing_zeros() as usize;
        let keeps = size < KEPT_SIZES && self.bytes + pages.bytes <= KEPT_BYTES_MAX;
        if keeps {
            self.bytes += pages.bytes;
            self.pages[size].push(pages);
        }
        keeps
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.pages.iter().flatten().for_each(|pages| pages.unmap());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{memory, signals};

    #[test]
    fn a_block_is_zeroed_aligned_and_ends_at_its_guard() {
        signals::install().expect("handlers");
        for size in [1, 100, 144, 4080, 4081, 4096, 70_000, 3 << 20] {
            for _ in 0..2 {
                let block = Guarded::new(size, None).expect("memory");
                assert_eq!(block.address() % ALIGNMENT, 0);
                let end = block.pages.start + block.pages.bytes;
                assert!((size..size + ALIGNMENT).contains(&(end - block.address())), "{size} bytes");
                let mut bytes = vec![1; size];
                memory::read(block.address(), &mut bytes).expect("storage");
                assert!(bytes.iter().all(|byte| *byte == 0), "{size} bytes, zeroed");
                // SAFETY: what lies behind the block is nobody's.
                let beyond = unsafe { memory::write(end, &[1]) };
                assert!(beyond.is_err(), "{size} bytes");
                memory::read(block.address() + size, &mut [0; 1000]).expect("it can be read");
                // SAFETY: within the block.
                unsafe { memory::write(block.address(), &vec![0xff; size]) }.expect("storage");
                assert_eq!(block.overlay(), None);
            }
        }
        signals::leave();
    }

    #[test]
    fn what_is_written_in_front_is_seen() {
        let block = Guarded::new(144, None).expect("memory");
        // SAFETY: within the block's pages: what a program might do with element 0 of a table.
        unsafe { memory::write(block.address() - 10, b"ELEMENT  0") }.expect("storage");
        let overlay = block.overlay().expect("an overlay");
        assert_eq!(overlay.address, block.address() - 16);
        assert_eq!(&overlay.found[6..], b"ELEMENT  0");
        assert_eq!(Guarded::new(BLOCK_BYTES_MAX + 1, None).err(), Some(NoStorage::NoMemory));
    }
}
