//! Blocks of a few sizes, cut from mappings that are kept; larger ones are mappings of their own.
//!
//! Each thread keeps a few blocks of each size at hand, so that tasks of different TCBs seldom contend for the arena; what it
//! gets back beyond those goes to all.
//!
//! ```text
//! reserved addresses: [ lengths | nobody's | blocks ] [ lengths | nobody's | blocks ] …
//! ```
//!
//! The length of each block stands apart from the blocks, so that an address says which element it is in, and where that ends.
//! A block is cleared when it is given back and when it is given out: nobody finds what another has left, also not behind
//! what was asked for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a page of the machine.
const PAGE: usize = if cfg!(target_arch = "x86_64") { 4 << 10 } else { 64 << 10 };
/// The smallest block; each size is twice the one before. All blocks are aligned to it.
const SMALLEST: usize = 64;
/// How many sizes there are: up to 1 MiB.
const SIZES: usize = 15;
/// Bytes of blocks that are mapped at once.
const MAPPING: usize = 16 << 20;
/// Bytes of addresses for them: their lengths lie at the beginning, the blocks in the second half.
const CHUNK: usize = 2 * MAPPING;
/// Bytes of the lengths of a chunk: four for each place where a block may begin.
const LENGTHS: usize = MAPPING / SMALLEST * (u32::BITS as usize / 8);
/// Bytes of addresses that are reserved for all chunks, and at least.
const RESERVED: usize = 64 << 30;
const RESERVED_MIN: usize = 2 * CHUNK;
/// Blocks of a size that a thread keeps at hand, and the largest size of which it does.
const AT_HAND: usize = 32;
const AT_HAND_SIZES: usize = 7;

/// Blocks that nobody has, by size.
type Free<const SIZES: usize> = [Vec<usize>; SIZES];

struct Arena {
    free: Free<SIZES>,
    /// The part of the last chunk that was never used.
    fresh: (usize, usize),
    /// The number of chunks, and the bytes of addresses that are reserved for them.
    chunks: usize,
    reserved: usize,
}

impl Arena {
    /// Another chunk: where its blocks begin; `None` if the system has no memory.
    fn grow(&mut self) -> Option<usize> {
        if self.reserved == 0 {
            let (start, bytes) = reserve()?;
            START.store(start, Ordering::Release);
            self.reserved = bytes;
        }
        let chunk = START.load(Ordering::Relaxed) + self.chunks * CHUNK;
        if (self.chunks + 1) * CHUNK > self.reserved {
            return None;
        }
        make_writable(chunk, LENGTHS).then_some(())?;
        make_writable(chunk + MAPPING, MAPPING).then_some(())?;
        self.chunks += 1;
        MAPPED.store(self.chunks * CHUNK, Ordering::Release);
        Some(chunk + MAPPING)
    }
}

/// Reserves addresses, which begin at a multiple of a chunk; fewer where the system does not give so many.
fn reserve() -> Option<(usize, usize)> {
    let mut bytes = RESERVED;
    while bytes >= RESERVED_MIN {
        if let Some(mapping) = map(bytes, libc::PROT_NONE) {
            return Some((mapping.next_multiple_of(CHUNK), bytes - CHUNK));
        }
        bytes /= 2;
    }
    None
}

/// The place of an address in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// It lies outside.
    Elsewhere,
    /// It lies in an area that ends here.
    Until(usize),
    /// It lies in no area.
    Nobodys,
}

/// The length of the block that begins at an address.
fn length_at(block: usize) -> &'static AtomicU32 {
    let chunk = block & !(CHUNK - 1);
    let place = (block - chunk - MAPPING) / SMALLEST;
    // SAFETY: every chunk begins with a length for each place of a block; it is never unmapped, and only ever used as atomic.
    unsafe { AtomicU32::from_ptr((chunk as *mut u32).add(place)) }
}

/// Returns true if an address lies among the chunks.
#[inline]
fn is_ours(address: usize) -> bool {
    address.wrapping_sub(START.load(Ordering::Relaxed)) < MAPPED.load(Ordering::Relaxed)
}

/// The element that an address is in. `margin`: bytes at either end of a block that are not the area's.
#[inline]
pub(crate) fn element(address: usize, margin: usize) -> Element {
    if is_ours(address) { element_within(address, margin) } else { Element::Elsewhere }
}

fn element_within(address: usize, margin: usize) -> Element {
    let first = (address & !(CHUNK - 1)) + MAPPING;
    if address < first {
        return Element::Nobodys;
    }
    let mut block = address & !(SMALLEST - 1);
    // No block is longer than the largest.
    let least = first.max((block + SMALLEST).saturating_sub(SMALLEST << (SIZES - 1)));
    while block >= least {
        let length = length_at(block).load(Ordering::Relaxed) as usize;
        if length > 0 {
            let (from, to) = (block + margin, block + length - margin);
            return if (from..to).contains(&address) { Element::Until(to) } else { Element::Nobodys };
        }
        block -= SMALLEST;
    }
    Element::Nobodys
}

static ARENA: Mutex<Arena> =
    Mutex::new(Arena { free: [const { Vec::new() }; SIZES], fresh: (0, 0), chunks: 0, reserved: 0 });

/// The address of the first chunk, and the bytes of all that are there; 0 as long as there are none.
static START: AtomicUsize = AtomicUsize::new(0);
static MAPPED: AtomicUsize = AtomicUsize::new(0);

fn arena() -> MutexGuard<'static, Arena> {
    ARENA.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The blocks that are mappings of their own: where each begins, and its length.
static LONG: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

fn long() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    LONG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with the end of the long block that an address lies in; `None` if it lies in none. The block stays mapped
/// meanwhile. `margin`: bytes at either end of the block that are not the area's.
pub(crate) fn within_long<T>(address: usize, margin: usize, what: impl FnOnce(usize) -> T) -> Option<T> {
    let long = long();
    let (block, length) = long.range(..=address).next_back()?;
    let (from, to) = (block + margin, block + length - margin);
    (from..to).contains(&address).then(|| what(to))
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
pub(crate) fn allocate(length: usize) -> Option<usize> {
    let Some(size) = size_of(length) else { return map_alone(length) };
    let block = match at_hand(size, Vec::pop).flatten().or_else(|| arena().free[size].pop()) {
        Some(block) => {
            // A program may have written there after it was given back.
            // SAFETY: a block of this size that nobody has.
            unsafe { (block as *mut u8).write_bytes(0, length) };
            block
        }
        None => cut(SMALLEST << size)?,
    };
    length_at(block).store(length as u32, Ordering::Relaxed);
    Some(block)
}

/// A block that nobody has had.
fn cut(bytes: usize) -> Option<usize> {
    let mut arena = arena();
    if arena.fresh.1 - arena.fresh.0 < bytes {
        // The rest of the last chunk is left: address space, not memory.
        let blocks = arena.grow()?;
        arena.fresh = (blocks, blocks + MAPPING);
    }
    let block = arena.fresh.0;
    arena.fresh.0 += bytes;
    Some(block)
}

/// Bytes of free blocks of a size that keep their memory, at most; that of others goes back to the system.
const WARM_MAX: usize = 4 << 20;

/// Takes a block back that was allocated with this length, and clears it. `is_whole`: nobody has written behind that length.
pub(crate) fn release(block: usize, length: usize, is_whole: bool) {
    let Some(size) = size_of(length) else {
        long().remove(&block);
        // SAFETY: a mapping of this length, given back by its only owner.
        unsafe { libc::munmap(block as *mut _, pages(length) + PAGE) };
        return;
    };
    length_at(block).store(0, Ordering::Relaxed);
    let used = if is_whole { length } else { SMALLEST << size };
    // SAFETY: the block has so many bytes, and its owner has given it back.
    unsafe { (block as *mut u8).write_bytes(0, used) };
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
pub(crate) unsafe fn clear(part: usize, length: usize) {
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

/// Bytes of the pages that so many lie in.
fn pages(length: usize) -> usize {
    length.next_multiple_of(PAGE)
}

/// A mapping for one block, behind which lies a page that nobody can read.
fn map_alone(length: usize) -> Option<usize> {
    let mapping = map(pages(length) + PAGE, libc::PROT_NONE)?;
    if make_writable(mapping, pages(length)) {
        long().insert(mapping, length);
        return Some(mapping);
    }
    // SAFETY: our own mapping, which nobody has seen.
    unsafe { libc::munmap(mapping as *mut _, pages(length) + PAGE) };
    None
}

pub(crate) fn make_writable(start: usize, length: usize) -> bool {
    // SAFETY: a part of a mapping of ours.
    unsafe { libc::mprotect(start as *mut _, length, libc::PROT_READ | libc::PROT_WRITE) == 0 }
}

/// Gives the whole pages of a part to the system, which makes zeros of them. Returns them; an empty range if it refuses.
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

pub(crate) fn map(length: usize, protection: libc::c_int) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: an anonymous mapping at an address of the system's choice touches nothing of ours.
    let mapping = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0) };
    (mapping != libc::MAP_FAILED).then_some(mapping as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_which_element_it_is_in() {
        for length in [1, 65, 1000, 40_000, (1 << 20) - 1] {
            let block = allocate(length).expect("memory");
            let end = block + length;
            assert_eq!([block, end - 1].map(|at| element(at, 0)), [Element::Until(end); 2], "{length} bytes");
            assert_eq!(element(end, 0), Element::Nobodys, "{length} bytes");
            release(block, length, true);
            assert_eq!(element(block, 0), Element::Nobodys, "{length} bytes, given back");
        }
        assert_eq!(element(0, 0), Element::Elsewhere);
        assert_eq!(element((&raw const START) as usize, 0), Element::Elsewhere);
    }

    #[test]
    fn a_block_that_is_given_back_is_cleared_whole_where_somebody_has_written_behind_it() {
        let block = allocate(100).expect("memory");
        // SAFETY: the block has 128 bytes.
        unsafe { (block as *mut u8).write_bytes(b'X', 128) };
        release(block, 100, false);
        // SAFETY: chunks stay mapped.
        let left = unsafe { std::slice::from_raw_parts(block as *const u8, 128) };
        assert!(left.iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_long_block_is_known_as_long_as_it_is_there() {
        let length = (1 << 20) + 10;
        let block = allocate(length).expect("memory");
        let end = |address| within_long(address, 16, |end| end);
        assert_eq!(
            [block, block + 16, block + length - 17].map(end),
            [None, Some(block + length - 16), Some(block + length - 16)]
        );
        assert_eq!(end(block + length - 16), None);
        release(block, length, true);
        assert_eq!(end(block + 16), None);
    }
}
