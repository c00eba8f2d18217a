//! Memory of the system, in safe hands: the one file of this crate with unsafe code.
//!
//! Addresses are reserved first, and closed: the process fails if it touches them. [`Addresses::open`] makes bytes of them, which one owner has.
//! [`Run`] makes words of them that machine code of several threads reads and writes at once, so they are atomic.
//!
//! Out of scope: which part of it is whose (`own`, `arena`, and the slots of windows in `native`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{ptr, slice};

/// Parts of reserved addresses are multiples of this: the largest page of the machines that this runs on.
const UNIT: usize = 64 << 10;
/// Bytes of a page of the machine.
const PAGE: usize = if cfg!(target_arch = "x86_64") { 4 << 10 } else { 64 << 10 };

/// Addresses of the process that nothing else has, closed: memory comes to them when they are opened and touched. They are given back
/// when this is dropped.
#[derive(Debug)]
pub struct Addresses {
    start: usize,
    bytes: usize,
}

impl Addresses {
    /// Reserves addresses for so many bytes, rounded up to whole pages. `None` if the system has none.
    pub fn reserve(bytes: usize) -> Option<Self> {
        let bytes = bytes.checked_next_multiple_of(UNIT)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: an anonymous mapping at an address of the system's choice touches nothing that is there.
        let first = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        if first == libc::MAP_FAILED {
            return None;
        }
        // A page of two megabytes would hold much unused memory, and a dump of the process what users typed. Where the
        // system knows neither, it is as well.
        for advice in [libc::MADV_NOHUGEPAGE, libc::MADV_DONTDUMP] {
            // SAFETY: the mapping that was made just now, and advice that changes no byte of it.
            unsafe { libc::madvise(first, bytes, advice) };
        }
        Some(Self { start: first.expose_provenance(), bytes })
    }

    /// The first of them.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The number of them.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Takes so many from the front. `None` if there are fewer, or they are not whole pages of every machine.
    pub fn split_to(&mut self, bytes: usize) -> Option<Self> {
        if bytes > self.bytes || !bytes.is_multiple_of(UNIT) {
            return None;
        }
        let front = Self { start: self.start, bytes };
        (self.start, self.bytes) = (self.start + bytes, self.bytes - bytes);
        Some(front)
    }

    /// Opens so many from the front: their bytes, zeros, for as long as the process. `None`, and all stay closed, if there are fewer,
    /// they are not whole pages of every machine, or the system does not open them.
    pub fn open(&mut self, bytes: usize) -> Option<&'static mut [u8]> {
        let first = ptr::with_exposed_provenance_mut::<u8>(self.start);
        let are_there = bytes <= self.bytes && bytes.is_multiple_of(UNIT);
        let may = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: whole pages of a mapping of ours that have not been touched: they are closed, and this value is their only owner.
        if !are_there || unsafe { libc::mprotect(first.cast(), bytes, may) } != 0 {
            return None;
        }
        (self.start, self.bytes) = (self.start + bytes, self.bytes - bytes);
        // SAFETY: open and zeros; they have left their only owner just now, so no other code makes bytes of them or gives them back.
        Some(unsafe { slice::from_raw_parts_mut(first, bytes) })
    }
}

impl Drop for Addresses {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: whole pages of a mapping of ours, given back by their only owner; no code looks at closed addresses.
            unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.start), self.bytes) };
        }
    }
}

/// Runs that are mappings of their own: the first address of each, and its bytes.
static ALONE: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// A run of at least so many bytes, zeros, as a mapping of its own. `None` if the system has no addresses.
pub fn alone(bytes: usize) -> Option<&'static mut [u8]> {
    let mut addresses = Addresses::reserve(bytes)?;
    let run = addresses.open(addresses.len())?;
    ALONE.lock().unwrap_or_else(PoisonError::into_inner).insert(run.as_ptr().addr(), run.len());
    Some(run)
}

/// Gives such a run back to the system. Bytes that are no run, or only a part of one, stay as they are.
pub fn give_back(run: &'static mut [u8]) {
    let (start, bytes) = (run.as_ptr().addr(), run.len());
    let mut alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if alone.get(&start) == Some(&bytes) {
        alone.remove(&start);
        drop(Addresses { start, bytes });
    }
}

/// Makes zeros of bytes behind which no file stands. The system takes the memory of whole pages until they are touched.
pub fn give_to_system(part: &mut [u8]) {
    let front = part.as_ptr().align_offset(PAGE).min(part.len());
    let whole = (part.len() - front) / PAGE * PAGE;
    let (first, rest) = part.split_at_mut(front);
    let (pages, last) = rest.split_at_mut(whole);
    first.fill(0);
    last.fill(0);
    if pages.is_empty() {
        return;
    }
    // SAFETY: whole pages, all of them within bytes that are borrowed to be changed, so no other code has them; they stay mapped, and
    // what the system does is as if zeros were stored.
    let done = unsafe { libc::madvise(pages.as_mut_ptr().cast(), pages.len(), libc::MADV_DONTNEED) };
    if done != 0 {
        pages.fill(0);
    }
}

/// Words that are shared with machine code, for as long as the process. They are opened from the front on, and never closed again.
#[derive(Debug)]
pub(crate) struct Run {
    start: usize,
    open: AtomicUsize,
    closed: Mutex<Addresses>,
}

impl Run {
    /// All of it closed.
    pub(crate) fn of(addresses: Addresses) -> Self {
        Self { start: addresses.start, open: AtomicUsize::new(0), closed: Mutex::new(addresses) }
    }

    /// The address of its first byte.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// The number of bytes that are open.
    pub(crate) fn opened(&self) -> usize {
        self.open.load(Ordering::Acquire)
    }

    /// Opens it up to a place, if it is not open so far. False if it has no such place, or the system does not open it.
    pub(crate) fn open(&self, to: usize) -> bool {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        let more = to.saturating_sub(self.opened()).next_multiple_of(UNIT);
        // No code has them as bytes: from here on they are only ever words.
        // Not every system takes a call about no bytes: qemu's does not.
        let is_open = more == 0 || closed.open(more).is_some();
        if is_open {
            self.open.fetch_add(more, Ordering::Release);
        }
        is_open
    }

    /// Words from a place on.
    ///
    /// # Panics
    /// If not all of them are open, or place or bytes are not whole words.
    #[inline]
    pub(crate) fn words(&self, from: usize, bytes: usize) -> &'static [AtomicU64] {
        let is_open = from.checked_add(bytes).is_some_and(|end| end <= self.opened());
        assert!(is_open && (from | bytes).is_multiple_of(size_of::<u64>()), "words that are open");
        let first = ptr::with_exposed_provenance(self.start + from);
        // SAFETY: whole words, at multiples of a word, of pages that are open and are never closed or given back. No code has a reference
        // to their bytes (`open` drops that which it gets), and each access of code to a word of them is one
        // instruction of the machine, as an atomic one is. A race tears between words, and does no other harm.
        unsafe { slice::from_raw_parts(first, bytes / size_of::<u64>()) }
    }

    /// Makes zeros of whole pages, and the system has their memory until they are touched.
    ///
    /// # Panics
    /// As of [`Self::words`].
    pub(crate) fn give_to_system(&self, from: usize, bytes: usize) {
        let words = self.words(from, bytes);
        let is_pages = (from | bytes).is_multiple_of(UNIT) && bytes > 0;
        let first = ptr::with_exposed_provenance_mut(self.start + from);
        // SAFETY: whole pages that are open, as `words` has found; they stay mapped, and what the system does is as if zeros were
        // stored in their words, which others may do at any time.
        if !is_pages || unsafe { libc::madvise(first, bytes, libc::MADV_DONTNEED) } != 0 {
            words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
    }
}

/// So many numbers, all zero, of which memory comes as they are touched.
pub(crate) fn zeros(count: usize) -> Box<[AtomicU32]> {
    let numbers = Box::into_raw(vec![0_u32; count].into_boxed_slice());
    // SAFETY: an atomic number lies as a number does, and the box has this owner alone.
    unsafe { Box::from_raw(numbers as *mut [AtomicU32]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_split_and_opened_once_by_one_owner() {
        let mut all = Addresses::reserve(3 * UNIT).expect("addresses");
        assert!(all.split_to(4 * UNIT).is_none() && all.split_to(100).is_none());
        let start = all.start();
        let mut front = all.split_to(UNIT).expect("so many");
        assert_eq!((front.start(), all.start(), all.len()), (start, start + UNIT, 2 * UNIT));
        assert!(front.open(2 * UNIT).is_none() && front.open(100).is_none());
        let bytes = front.open(UNIT).expect("it opens");
        assert!(front.is_empty() && front.open(UNIT).is_none());
        assert!(bytes.len() == UNIT && bytes.iter().all(|byte| *byte == 0));
        bytes.fill(7);
        give_to_system(&mut bytes[100..]);
        assert!(bytes[..100].iter().all(|byte| *byte == 7) && bytes[100..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn only_a_whole_run_of_its_own_is_given_back() {
        let run = alone(100).expect("addresses");
        let at = run.as_ptr().addr();
        let is_known = || ALONE.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&at);
        run[99] = 7;
        let (part, _) = run.split_at_mut(50);
        give_back(part);
        assert!(is_known());
        give_back(Box::leak(Box::new([0; 8])));
        let other = alone(100).expect("addresses");
        let other_at = other.as_ptr().addr();
        give_back(other);
        assert!(!ALONE.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&other_at) && is_known());
    }

    #[test]
    fn words_are_open_from_the_front_on() {
        let run = Run::of(Addresses::reserve(4 * UNIT).expect("addresses"));
        assert!(run.open(100) && run.opened() == UNIT && run.open(50) && run.opened() == UNIT);
        assert!(!run.open(5 * UNIT));
        assert!(run.open(4 * UNIT));
        run.words(8, 16)[1].store(u64::MAX, Ordering::Relaxed);
        assert_eq!(run.words(16, 8)[0].load(Ordering::Relaxed), u64::MAX);
        run.give_to_system(0, UNIT);
        assert_eq!(run.words(16, 8)[0].load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_is_closed_gives_no_words() {
        let run = Run::of(Addresses::reserve(2 * UNIT).expect("addresses"));
        assert!(run.open(UNIT));
        for (from, bytes) in [(UNIT, 8), (UNIT - 8, 16), (4, 8), (0, 4), (usize::MAX - 7, 16)] {
            let tried =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.words(from, bytes).len()));
            assert!(tried.is_err(), "{from} {bytes}");
        }
    }
}
