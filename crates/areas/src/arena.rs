//! Storage that the tasks of a region share: the CWA, GETMAIN SHARED, event control areas, what LOAD gives.
//!
//! ```text
//! addresses of the process: [ arena of a region: page nobody has | pages … | page nobody has ] [ arena of another one … ]
//! beside them:              what each page is for, and how long each block is
//! ```
//!
//! Programs work on these bytes where they are. So nothing else lies in an arena, a block that is given back stays
//! where it is, and what the allocator knows of blocks lies apart: whatever a program does by an address of its own making, it
//! finds storage that tasks share, or nothing.
//!
//! A page has blocks of one size, or is a part of a longer block: where an address lies is found without a search.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::area::{Area, CHECK_ZONE, CHECK_ZONES};
use crate::blocks::{Element, make_writable, map};
use crate::words;

/// Bytes of an arena.
const ARENA: usize = 1 << 30;
/// Bytes of a page of it: whole pages of every machine.
const PAGE: usize = 64 << 10;
/// Pages of an arena.
const PAGES: usize = ARENA / PAGE;
/// Bytes that are opened at once.
const OPENED: usize = 1 << 20;
/// The smallest block; each size is twice the one before, and a block begins at a multiple of its size.
const SMALLEST: usize = 64;
/// The number of sizes in pages of several blocks: up to 32 KiB.
const SIZES: usize = 10;
/// Arenas of the process, at most, and at least.
const ARENAS_MAX: usize = 64;

/// A page of a longer block is so much and the number of pages in front of it that are the block's, too.
const LONG: u32 = 1 << 16;

/// The books about the blocks of an arena, for as long as the process.
struct Books {
    /// For what each page is: nothing, blocks of a size (its place, from 1), or a part of a longer block.
    pages: Box<[AtomicU32]>,
    /// The length of the block that begins at each multiple of the smallest one; 0: none begins there, or nobody has it.
    lengths: Box<[AtomicU32]>,
    /// The number of changes to any of it.
    changes: AtomicU64,
}

static BOOKS: [OnceLock<Books>; ARENAS_MAX] = [const { OnceLock::new() }; ARENAS_MAX];

/// The beginning of the first arena, and the bytes of all; 0 as long as there are none.
static START: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Places of arenas.
struct Places {
    /// Those that a region has given back.
    free: Vec<usize>,
    /// The first that was never used.
    fresh: usize,
}

static PLACES: Mutex<Places> = Mutex::new(Places { free: Vec::new(), fresh: 0 });

/// So many numbers, of which memory comes as they are touched.
fn zeros(count: usize) -> Box<[AtomicU32]> {
    let numbers = Box::into_raw(vec![0_u32; count].into_boxed_slice());
    // SAFETY: an atomic number lies as a number does, and the box has this owner alone.
    unsafe { Box::from_raw(numbers as *mut [AtomicU32]) }
}

impl Books {
    fn new() -> Self {
        Self { pages: zeros(PAGES), lengths: zeros(ARENA / SMALLEST), changes: AtomicU64::new(0) }
    }

    /// The block that so many bytes behind the beginning of the arena lie in: where it begins there, and its length.
    #[inline]
    fn block(&self, at: usize) -> Option<(usize, usize)> {
        let page = at / PAGE;
        let start = match self.pages.get(page)?.load(Ordering::Acquire) {
            0 => return None,
            long @ LONG.. => (page - (long - LONG) as usize) * PAGE,
            size => at & !((SMALLEST << (size - 1)) - 1),
        };
        let length = self.lengths.get(start / SMALLEST)?.load(Ordering::Acquire) as usize;
        (at - start < length).then_some((start, length))
    }

    /// A block has another length.
    fn set_length(&self, block: usize, length: usize) {
        self.lengths[block / SMALLEST].store(length as u32, Ordering::Release);
        self.changes.fetch_add(1, Ordering::Release);
    }
}

/// The storage that the tasks of a region share.
pub struct Arena {
    place: usize,
    start: usize,
    books: &'static Books,
    free: Mutex<Free>,
}

/// The free parts of an arena, by places in it.
struct Free {
    /// Blocks, by size.
    blocks: [Vec<usize>; SIZES],
    /// The part of the last page of a size that was never used.
    cut: [(usize, usize); SIZES],
    /// Pages: the first of some side by side, and how many.
    pages: BTreeMap<usize, usize>,
    /// The first page that was never used, and the first byte that is closed.
    fresh: usize,
    closed: usize,
}

impl Free {
    /// The first of so many pages side by side, all zeros.
    fn take_pages(&mut self, arena: usize, count: usize) -> Option<usize> {
        if let Some((first, all)) =
            self.pages.iter().find(|(_, all)| **all >= count).map(|(at, all)| (*at, *all))
        {
            self.pages.remove(&first);
            if all > count {
                self.pages.insert(first + count, all - count);
            }
            return Some(first);
        }
        let first = self.fresh;
        // The last page is nobody's.
        let end = first.checked_add(count).filter(|end| *end < PAGES)?;
        if end * PAGE > self.closed {
            let opened = (end * PAGE).next_multiple_of(OPENED).min(ARENA - PAGE);
            make_writable(arena + self.closed, opened - self.closed).then_some(())?;
            self.closed = opened;
        }
        self.fresh = end;
        Some(first)
    }

    /// Pages are nobody's again; those side by side become one run.
    fn give_pages(&mut self, first: usize, count: usize) {
        let (mut first, mut count) = (first, count);
        if let Some(more) = self.pages.remove(&(first + count)) {
            count += more;
        }
        if let Some((before, own)) = self.pages.range(..first).next_back().map(|(at, own)| (*at, *own))
            && before + own == first
        {
            self.pages.remove(&before);
            (first, count) = (before, count + own);
        }
        self.pages.insert(first, count);
    }
}

/// The place among the sizes of the smallest block that holds so many bytes; `None` beyond the largest.
fn size_of(length: usize) -> Option<usize> {
    let index = length.max(SMALLEST).next_power_of_two().trailing_zeros() - SMALLEST.trailing_zeros();
    Some(index as usize).filter(|index| *index < SIZES)
}

/// Addresses for all arenas: where they begin; `None` if the system has none.
fn reserve() -> Option<usize> {
    let mut count = ARENAS_MAX;
    while count > 0 {
        if let Some(start) = map((count + 1) * ARENA, libc::PROT_NONE) {
            let start = start.next_multiple_of(ARENA);
            // A page of two megabytes would hold much that nobody uses, and a dump of the process what users typed. Where the
            // system knows neither, it is as well.
            for advice in [libc::MADV_NOHUGEPAGE, libc::MADV_DONTDUMP] {
                // SAFETY: a part of a mapping that nobody has looked at.
                unsafe { libc::madvise(start as *mut _, count * ARENA, advice) };
            }
            BYTES.store(count * ARENA, Ordering::Relaxed);
            START.store(start, Ordering::Release);
            return Some(start);
        }
        count /= 2;
    }
    None
}

impl Places {
    /// A place that no region has, and where it begins.
    fn take(&mut self) -> Option<(usize, usize)> {
        let start = match START.load(Ordering::Relaxed) {
            0 => reserve()?,
            start => start,
        };
        let fresh = self.fresh;
        let place = self.free.pop().or_else(|| {
            self.fresh += 1;
            Some(fresh).filter(|fresh| (fresh + 1) * ARENA <= BYTES.load(Ordering::Relaxed))
        })?;
        Some((place, start + place * ARENA))
    }
}

/// The element of shared storage that an address is in. `margin`: bytes at either end of a block that are not the area's.
#[inline]
pub(crate) fn element(address: usize, margin: usize) -> Element {
    let behind = address.wrapping_sub(START.load(Ordering::Relaxed));
    if behind >= BYTES.load(Ordering::Relaxed) {
        return Element::Elsewhere;
    }
    let block = BOOKS[behind / ARENA].get().and_then(|books| books.block(behind % ARENA));
    let within = block.map(|(block, length)| block + margin..block + length - margin);
    match within.filter(|within| within.contains(&(behind % ARENA))) {
        Some(within) => Element::Until(address - behind % ARENA + within.end),
        None => Element::Nobodys,
    }
}

impl Arena {
    /// One for a region; `None` if the process has no more addresses for it.
    pub fn new() -> Option<Arc<Self>> {
        let (place, start) = places().take()?;
        let books = BOOKS[place].get_or_init(Books::new);
        let free = Free {
            blocks: [const { Vec::new() }; SIZES],
            cut: [(0, 0); SIZES],
            pages: BTreeMap::new(),
            // The first page is nobody's.
            fresh: 1,
            closed: PAGE,
        };
        Some(Arc::new(Self { place, start, books, free: Mutex::new(free) }))
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A zeroed area of at least one byte; `None` if there is no room for it.
    pub fn area(self: &Arc<Self>, length: usize) -> Option<Area> {
        let length = length.max(1);
        let block = self.allocate(length.checked_add(CHECK_ZONES)?)?;
        Some(Area::in_block(block, length, Some(Arc::clone(self))))
    }

    /// The number of bytes from the beginning to an address of the process; `None` if it lies elsewhere.
    #[inline]
    pub fn place_of(&self, address: usize) -> Option<u32> {
        let behind = address.wrapping_sub(self.start);
        (behind < ARENA).then_some(behind as u32)
    }

    /// The address of the process of a place.
    #[inline]
    pub fn address_of(&self, place: u32) -> Option<usize> {
        ((place as usize) < ARENA).then(|| self.start + place as usize)
    }

    /// The address of the process of a place in an area, and how many bytes there are to the end of that; `None` if it lies in none.
    #[inline]
    pub fn room(&self, place: u32) -> Option<(usize, usize)> {
        let (block, length) = self.books.block(place as usize)?;
        let behind = (place as usize).checked_sub(block + CHECK_ZONE.len())?;
        let room = (length - CHECK_ZONES).checked_sub(behind)?;
        Some((self.start + place as usize, room))
    }

    /// The number of areas that have come or gone: as long as that is the same, so is what [`Self::room`] says.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.books.changes.load(Ordering::Acquire)
    }

    /// Fills bytes from a place of an area on; false if not all of them lie in it.
    #[inline]
    pub fn read(&self, place: u32, into: &mut [u8]) -> bool {
        match self.room(place).filter(|(_, room)| into.len() <= *room) {
            Some((from, _)) => {
                // SAFETY: within a block of the arena, which stays mapped as long as this is there.
                unsafe { words::read(from, into) };
                true
            }
            None => false,
        }
    }

    /// Changes bytes from a place of an area on; false, and nothing is changed, if not all of them lie in it.
    #[inline]
    pub fn write(&self, place: u32, from: &[u8]) -> bool {
        match self.room(place).filter(|(_, room)| from.len() <= *room) {
            Some((to, _)) => {
                // SAFETY: as above.
                unsafe { words::write(to, from) };
                true
            }
            None => false,
        }
    }

    /// The address of a zeroed block; `None` if there is no room for it.
    fn allocate(&self, length: usize) -> Option<usize> {
        let mut free = self.free();
        let block = match size_of(length) {
            Some(size) => {
                let bytes = SMALLEST << size;
                match free.blocks[size].pop() {
                    Some(block) => {
                        // A program that has its address from before may have written there.
                        // SAFETY: a block of this size that nobody has.
                        unsafe { words::clear(self.start + block, bytes) };
                        block
                    }
                    None => {
                        if free.cut[size].0 == free.cut[size].1 {
                            let page = free.take_pages(self.start, 1)?;
                            self.books.pages[page].store(size as u32 + 1, Ordering::Release);
                            free.cut[size] = (page * PAGE, (page + 1) * PAGE);
                        }
                        let block = free.cut[size].0;
                        free.cut[size].0 += bytes;
                        block
                    }
                }
            }
            None => {
                let count = length.div_ceil(PAGE);
                let first = free.take_pages(self.start, count)?;
                give_to_system(self.start + first * PAGE, count * PAGE);
                for (behind, page) in self.books.pages[first..first + count].iter().enumerate() {
                    page.store(LONG + behind as u32, Ordering::Release);
                }
                first * PAGE
            }
        };
        self.books.set_length(block, length);
        Some(self.start + block)
    }

    /// Takes a block back that was allocated with this length, and clears it.
    pub(crate) fn release(&self, address: usize, length: usize) {
        let block = address - self.start;
        self.books.set_length(block, 0);
        let mut free = self.free();
        match size_of(length) {
            Some(size) => {
                // SAFETY: the block has so many bytes, and its owner has given it back.
                unsafe { words::clear(address, SMALLEST << size) };
                free.blocks[size].push(block);
            }
            None => {
                let (first, count) = (block / PAGE, length.div_ceil(PAGE));
                self.books.pages[first..first + count]
                    .iter()
                    .for_each(|page| page.store(0, Ordering::Release));
                give_to_system(address, count * PAGE);
                free.give_pages(first, count);
            }
        }
    }
}

/// Makes zeros of whole pages, and the system has their memory until they are touched.
fn give_to_system(pages: usize, length: usize) {
    // SAFETY: whole pages of an anonymous mapping that nobody has; they stay mapped.
    if unsafe { libc::madvise(pages as *mut _, length, libc::MADV_DONTNEED) } != 0 {
        // SAFETY: the same.
        unsafe { words::clear(pages, length) };
    }
}

fn places() -> MutexGuard<'static, Places> {
    PLACES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Arena {
    fn drop(&mut self) {
        let free = self.free.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (used, opened) = (free.fresh, free.closed - PAGE);
        for (page, kind) in self.books.pages[..used].iter().enumerate() {
            if kind.swap(0, Ordering::Relaxed) != 0 {
                let first = page * PAGE / SMALLEST;
                let lengths = &self.books.lengths[first..first + PAGE / SMALLEST];
                lengths.iter().for_each(|length| length.store(0, Ordering::Relaxed));
            }
        }
        self.books.changes.fetch_add(1, Ordering::Release);
        if opened > 0 {
            give_to_system(self.start + PAGE, opened);
            // SAFETY: a part of the reservation that nobody has any more.
            unsafe { libc::mprotect((self.start + PAGE) as *mut _, opened, libc::PROT_NONE) };
        }
        places().free.push(self.place);
    }
}

impl std::fmt::Debug for Arena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "arena at {:#x}", self.start)
    }
}

#[cfg(test)]
#[path = "arena_tests.rs"]
mod tests;
