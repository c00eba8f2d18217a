//! Blocks of a few sizes, cut from mappings that are kept; larger ones are mappings of their own.
//!
//! Each thread keeps a few blocks of each size at hand, so that tasks of different TCBs seldom contend for the arena; what it
//! gets back beyond those goes to all.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::elf::PAGE;

/// The smallest block; each size is twice the one before. All blocks are aligned to it.
const SMALLEST: usize = 64;
/// How many sizes there are: up to 1 MiB.
const SIZES: usize = 15;
/// Bytes of address space that are mapped at once.
const MAPPING: usize = 16 << 20;
/// Blocks of a size that a thread keeps at hand, and the largest size of which it does.
const AT_HAND: usize = 32;
const AT_HAND_SIZES: usize = 7;

/// Blocks that nobody has, by size.
type Free<const SIZES: usize> = [Vec<usize>; SIZES];

struct Arena {
    free: Free<SIZES>,
    /// What of the last mapping was never used.
    fresh: (usize, usize),
}

static ARENA: Mutex<Arena> = Mutex::new(Arena { free: [const { Vec::new() }; SIZES], fresh: (0, 0) });

fn arena() -> MutexGuard<'static, Arena> {
    ARENA.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a thread has at hand; all get it when the thread ends.
#[derive(Default)]
struct AtHand(Free<AT_HAND_SIZES>);

impl Drop for AtHand {
    fn drop(&mut self) {
        let mut arena = arena();
        arena.free.iter_mut().zip(&mut self.0).for_each(|(all, own)| all.append(own));
    }
}

thread_local! {
    static OWN: RefCell<AtHand> = RefCell::default();
}

/// The blocks of a size that this thread has at hand. `None`: it keeps none of that size, or it ends.
fn at_hand<T>(size: usize, with: impl FnOnce(&mut Vec<usize>) -> T) -> Option<T> {
    OWN.try_with(|own| own.borrow_mut().0.get_mut(size).map(with)).ok().flatten()
}

/// The place among the sizes of the smallest block that holds so many bytes; `None` beyond the largest.
fn size_of(length: usize) -> Option<usize> {
    let index = length.max(SMALLEST).next_power_of_two().trailing_zeros() - SMALLEST.trailing_zeros();
    Some(index as usize).filter(|i| *i < SIZES)
}

/// A zeroed block; `None` if the system has no memory.
pub(super) fn allocate(length: usize) -> Option<usize> {
    let Some(size) = size_of(length) else { return map(length) };
    if let Some(block) = at_hand(size, Vec::pop).flatten().or_else(|| arena().free[size].pop()) {
        // SAFETY: a block of this size that nobody has.
        unsafe { (block as *mut u8).write_bytes(0, length) };
        return Some(block);
    }
    let mut arena = arena();
    let bytes = SMALLEST << size;
    if arena.fresh.1 - arena.fresh.0 < bytes {
        // The rest of the last mapping is left: address space, not memory.
        let mapping = map(MAPPING)?;
        arena.fresh = (mapping, mapping + MAPPING);
    }
    let block = arena.fresh.0;
    arena.fresh.0 += bytes;
    Some(block)
}

/// Bytes of free blocks of a size that keep their memory, at most; that of others goes back to the system.
const WARM_MAX: usize = 4 << 20;

/// Takes a block back that was allocated with this length.
pub(super) fn release(block: usize, length: usize) {
    let Some(size) = size_of(length) else {
        // SAFETY: a mapping of this length, given back by its only owner.
        unsafe { libc::munmap(block as *mut _, length) };
        return;
    };
    let keep = |own: &mut Vec<usize>| {
        let has_room = own.len() < AT_HAND;
        if has_room {
            own.push(block);
        }
        has_room
    };
    if at_hand(size, keep) != Some(true) {
        let mut arena = arena();
        let bytes = SMALLEST << size;
        if bytes >= PAGE && arena.free[size].len() * bytes >= WARM_MAX {
            // SAFETY: nobody has the block.
            unsafe { give_to_system(block, bytes) };
        }
        arena.free[size].push(block);
    }
}

/// Bytes that are cleared one by one, at most: of more the system takes the pages, and gives zeros.
const CLEARED_MAX: usize = 256 << 10;

/// Makes zeros of a part of a block.
///
/// # Safety
/// The part lies in a block that the caller has, and nobody looks at it meanwhile.
pub(super) unsafe fn clear(part: usize, length: usize) {
    let taken = match length > CLEARED_MAX {
        // SAFETY: as the caller says.
        true => unsafe { give_to_system(part, length) },
        false => part..part,
    };
    for range in [part..taken.start, taken.end..part + length] {
        // SAFETY: within the part.
        unsafe { (range.start as *mut u8).write_bytes(0, range.len()) };
    }
}

/// The system takes the whole pages of a part, which are zeros then: those pages; an empty range if it does not.
///
/// # Safety
/// As of [`clear`].
unsafe fn give_to_system(part: usize, length: usize) -> std::ops::Range<usize> {
    let pages = part.next_multiple_of(PAGE)..(part + length) / PAGE * PAGE;
    // SAFETY: whole pages of an anonymous mapping, all of them within the part.
    let is_done = !pages.is_empty()
        && unsafe { libc::madvise(pages.start as *mut _, pages.len(), libc::MADV_DONTNEED) } == 0;
    if is_done { pages } else { part..part }
}

fn map(length: usize) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: an anonymous mapping at an address of the system's choice touches nothing of ours.
    let mapping = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0) };
    (mapping != libc::MAP_FAILED).then_some(mapping as usize)
}
