//! Storage that the tasks of a region share: the CWA, GETMAIN SHARED, event control areas, what LOAD gives.
//!
//! ```text
//! addresses of the process: [ arena of a region: unused page | pages … | unused page ] [ arena of another one … ]
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

use crate::error::StorageFault;
use crate::raw::{Addresses, Run, zeros};
use crate::words::{self, WORD};

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

/// Bytes in front of every area that tasks share, and behind it: programs that have its address store there themselves.
pub(crate) const CHECK_ZONE: [u8; 16] = *b"\xf0\xe1\xd2\xc3\xb4\xa5\x96\x87CHECKZON";
/// Bytes of both check zones of an area.
pub(crate) const CHECK_ZONES: usize = 2 * CHECK_ZONE.len();

/// A page of a longer block is so much and the number of pages in front of it that are the block's, too.
const LONG: u32 = 1 << 16;

/// The books about the blocks of an arena, for as long as the process.
struct Books {
    /// Its bytes, but for its first page.
    run: Run,
    /// For what each page is: nothing, blocks of a size (its place, from 1), or a part of a longer block.
    pages: Box<[AtomicU32]>,
    /// The length of the block that begins at each multiple of the smallest one; 0: none begins there, or it is free.
    lengths: Box<[AtomicU32]>,
    /// The number of changes to blocks of each page.
    changes: Box<[AtomicU32]>,
}

static BOOKS: [OnceLock<Books>; ARENAS_MAX] = [const { OnceLock::new() }; ARENAS_MAX];

/// The beginning of the first arena, and the bytes of all; 0 as long as there are none.
static START: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Places of arenas.
struct Places {
    /// The addresses of those that were never used.
    closed: Option<Addresses>,
    /// Those that a region has given back.
    free: Vec<usize>,
    /// The first that was never used.
    fresh: usize,
}

static PLACES: Mutex<Places> = Mutex::new(Places { closed: None, free: Vec::new(), fresh: 0 });

impl Books {
    fn new(run: Run) -> Self {
        Self { run, pages: zeros(PAGES), lengths: zeros(ARENA / SMALLEST), changes: zeros(PAGES) }
    }

    /// The words in which bytes of a block lie, and the place of the first byte in the first word.
    #[inline]
    fn words(&self, at: usize, bytes: usize) -> (&'static [AtomicU64], usize) {
        let (from, to) = (at / WORD * WORD, (at + bytes).next_multiple_of(WORD));
        (self.run.words(from - PAGE, to - from), at - from)
    }

    /// Makes zeros of whole pages, and the system has their memory until they are touched.
    fn give_to_system(&self, first: usize, pages: usize) {
        self.run.give_to_system((first - 1) * PAGE, pages * PAGE);
    }

    /// Makes zeros of a block.
    fn clear(&self, block: usize, bytes: usize) {
        words::clear(self.words(block, bytes).0);
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

    /// The number of bytes from a place to the end of the area that it is in; zero just behind that. `None` if it is in none.
    #[inline]
    fn room(&self, at: usize) -> Option<usize> {
        let (block, length) = self.block(at)?;
        let behind = at.checked_sub(block + CHECK_ZONE.len())?;
        (length - CHECK_ZONES).checked_sub(behind)
    }

    /// A block has another length. `most`: the greater one.
    fn set_length(&self, block: usize, length: usize, most: usize) {
        self.lengths[block / SMALLEST].store(length as u32, Ordering::Release);
        let pages = block / PAGE..(block + most).div_ceil(PAGE);
        self.changes[pages].iter().for_each(has_changed);
    }
}

/// A change to blocks of a page is over.
fn has_changed(changes: &AtomicU32) {
    changes.fetch_add(1, Ordering::Release);
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
    fn take_pages(&mut self, run: &Run, count: usize) -> Option<usize> {
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
        // The last page stays unused.
        let end = first.checked_add(count).filter(|end| *end < PAGES)?;
        if end * PAGE > self.closed {
            let opened = (end * PAGE).next_multiple_of(OPENED).min(ARENA - PAGE);
            run.open(opened - PAGE).then_some(())?;
            self.closed = opened;
        }
        self.fresh = end;
        Some(first)
    }

    /// Frees pages; those side by side become one run.
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

/// Addresses for all arenas, or for fewer where the system does not give so many. `None` if it has none.
fn reserve() -> Option<Addresses> {
    let addresses =
        (0..=ARENAS_MAX.ilog2()).find_map(|halved| Addresses::reserve((ARENAS_MAX >> halved) * ARENA))?;
    BYTES.store(addresses.len(), Ordering::Relaxed);
    START.store(addresses.start(), Ordering::Release);
    Some(addresses)
}

impl Places {
    /// A place that no region has, with its books.
    fn take(&mut self) -> Option<(usize, &'static Books)> {
        if let Some(place) = self.free.pop() {
            return Some((place, BOOKS[place].get()?));
        }
        if self.closed.is_none() {
            self.closed = Some(reserve()?);
        }
        let mut addresses = self.closed.as_mut()?.split_to(ARENA)?;
        // The first page stays unused for as long as the process runs.
        std::mem::forget(addresses.split_to(PAGE)?);
        let (place, run) = (self.fresh, Run::of(addresses));
        self.fresh += 1;
        Some((place, BOOKS.get(place)?.get_or_init(|| Books::new(run))))
    }
}

/// The area of shared storage that an address is in: its arena's books, the place there, and how many bytes there are to its end.
#[inline]
fn found(address: usize) -> Option<(&'static Books, usize, usize)> {
    let behind = address.wrapping_sub(START.load(Ordering::Acquire));
    if behind >= BYTES.load(Ordering::Relaxed) {
        return None;
    }
    let (books, at) = (BOOKS.get(behind / ARENA)?.get()?, behind % ARENA);
    Some((books, at, books.room(at)?)).filter(|(_, _, room)| *room > 0)
}

/// The number of bytes from an address to the end of the area that it is in. `None` if it is in none.
pub(crate) fn room(address: usize) -> Option<usize> {
    found(address).map(|(_, _, room)| room)
}

/// Copies from an address of an area. Bytes behind its end are zeros. `None` if it is in none.
pub(crate) fn read(address: usize, into: &mut [u8]) -> Option<()> {
    let (books, at, room) = found(address)?;
    let (first, others) = into.split_at_mut(into.len().min(room));
    let (words, skip) = books.words(at, first.len());
    words::read(words, skip, first);
    others.fill(0);
    Some(())
}

/// Copies to an address of an area, if all of the bytes lie in it. `None` if it is in none.
pub(crate) fn write(address: usize, from: &[u8]) -> Option<Result<(), StorageFault>> {
    let (books, at, room) = found(address)?;
    if room < from.len() {
        return Some(Err(StorageFault { address: address + room }));
    }
    let (words, skip) = books.words(at, from.len());
    words::write(words, skip, from);
    Some(Ok(()))
}

impl Arena {
    /// One for a region; `None` if the process has no more addresses for it.
    pub fn new() -> Option<Arc<Self>> {
        let (place, books) = places().take()?;
        let start = books.run.start() - PAGE;
        let free = Free {
            blocks: [const { Vec::new() }; SIZES],
            cut: [(0, 0); SIZES],
            pages: BTreeMap::new(),
            // The first page stays unused.
            fresh: 1,
            closed: PAGE + books.run.opened(),
        };
        Some(Arc::new(Self { place, start, books, free: Mutex::new(free) }))
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
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
        Some((self.start + place as usize, self.books.room(place as usize)?))
    }

    /// Copies bytes out of a block or its check zones.
    pub(crate) fn get(&self, address: usize, into: &mut [u8]) {
        let (words, skip) = self.books.words(address - self.start, into.len());
        words::read(words, skip, into);
    }

    /// Copies bytes into a block or its check zones.
    pub(crate) fn put(&self, address: usize, from: &[u8]) {
        let (words, skip) = self.books.words(address - self.start, from.len());
        words::write(words, skip, from);
    }

    /// The number of areas around a place that have come or gone: as long as that is the same, so is what [`Self::room`] says of it.
    /// `None` if no area can lie there.
    #[inline]
    pub fn changes_at(&self, place: u32) -> Option<&'static AtomicU32> {
        self.books.changes.get(place as usize / PAGE)
    }

    /// Fills bytes from a place of an area on; false if not all of them lie in it.
    #[inline]
    pub fn read(&self, place: u32, into: &mut [u8]) -> bool {
        let is_there = self.room(place).is_some_and(|(_, room)| into.len() <= room);
        if is_there {
            self.get(self.start + place as usize, into);
        }
        is_there
    }

    /// Changes bytes from a place of an area on; false, and nothing is changed, if not all of them lie in it.
    #[inline]
    pub fn write(&self, place: u32, from: &[u8]) -> bool {
        let is_there = self.room(place).is_some_and(|(_, room)| from.len() <= room);
        if is_there {
            self.put(self.start + place as usize, from);
        }
        is_there
    }

    /// The address of a zeroed block; `None` if there is no room for it.
    pub(crate) fn allocate(&self, length: usize) -> Option<usize> {
        let mut free = self.free();
        let block = match size_of(length) {
            Some(size) => {
                let bytes = SMALLEST << size;
                match free.blocks[size].pop() {
                    Some(block) => {
                        // A program that has its address from before may have written there.
                        self.books.clear(block, bytes);
                        block
                    }
                    None => {
                        if free.cut[size].0 == free.cut[size].1 {
                            let page = free.take_pages(&self.books.run, 1)?;
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
                let first = free.take_pages(&self.books.run, count)?;
                self.books.give_to_system(first, count);
                for (behind, page) in self.books.pages[first..first + count].iter().enumerate() {
                    page.store(LONG + behind as u32, Ordering::Release);
                }
                first * PAGE
            }
        };
        self.books.set_length(block, length, length);
        Some(self.start + block)
    }

    /// Takes a block back that was allocated with this length, and clears it.
    pub(crate) fn release(&self, address: usize, length: usize) {
        let block = address - self.start;
        self.books.set_length(block, 0, length);
        let mut free = self.free();
        match size_of(length) {
            Some(size) => {
                self.books.clear(block, SMALLEST << size);
                free.blocks[size].push(block);
            }
            None => {
                let (first, count) = (block / PAGE, length.div_ceil(PAGE));
                self.books.pages[first..first + count]
                    .iter()
                    .for_each(|page| page.store(0, Ordering::Release));
                self.books.give_to_system(first, count);
                free.give_pages(first, count);
            }
        }
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
        self.books.changes[..used].iter().for_each(has_changed);
        // It stays open: a look at it later finds zeros, or no area.
        if opened > 0 {
            self.books.give_to_system(1, opened / PAGE);
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
