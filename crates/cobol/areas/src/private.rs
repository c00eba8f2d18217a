//! Areas that are not shared: bytes of the region's own, which no program sees by an address of the process.
//!
//! ```text
//! address = mark │ number of a slot │ place in its area
//! ```
//!
//! A program works on a copy in its task's window, so an address here only says which area the program means: it is looked up, and one
//! of an area that was given back is none. Each thread keeps a few slots of each size at hand, so that tasks of different TCBs seldom
//! contend for them; what it gets back beyond those goes to all. Bytes that are kept are cleared when they are given back, up to the last
//! one that was written to: a long area of which little is used costs little.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::raw;

/// Set in every address of such an area: no address of the process has it, and none of a window.
const MARK: usize = 1 << 61;
/// The number of the slot begins at this bit of an address.
const NUMBER_AT: u32 = 32;
/// Slots of the first table; each table has twice as many as the one before.
const FIRST: usize = 1024;
/// Tables of slots, at most: their numbers have fewer bits than there are between the place and the mark.
const TABLES: usize = 19;
/// The smallest number of bytes that is kept; each size is twice the one before.
const SMALLEST: usize = 64;
/// The number of sizes that are kept: up to 32 KiB, which hold the longest COMMAREA.
const SIZES: usize = 10;
/// Slots of a size that a thread keeps at hand, and their bytes, at most.
const AT_HAND: usize = 32;
const AT_HAND_BYTES: usize = 256 << 10;
/// Bytes of slots of a size that are kept for all threads, at most.
const KEPT_MAX: usize = 4 << 20;
/// Bytes that are cleared one by one, at most: of more the system takes the pages, and gives zeros.
const CLEARED_MAX: usize = 256 << 10;
/// Longer areas are mappings of their own: the system has their memory as soon as they are given back.
const LONG: usize = 1 << 20;

const _: () = assert!(FIRST << TABLES <= 1 << (usize::BITS - 3 - NUMBER_AT));

/// A place for an area.
#[derive(Debug)]
pub(crate) struct Slot {
    number: u32,
    content: Mutex<Content>,
}

/// The content of a slot: its bytes, and how many of them its area has; zero if it is free.
#[derive(Debug, Default)]
pub(crate) struct Content {
    bytes: Bytes,
    length: usize,
    /// All bytes from here on are zeros.
    touched: usize,
}

/// Bytes that are compared with zeros at once.
const CHUNK: usize = 64;

/// The length of bytes without the zeros at their end.
fn without_zeros(bytes: &[u8]) -> usize {
    let mut length = bytes.len();
    for chunk in bytes.rchunks(CHUNK) {
        if chunk.iter().fold(0, |all, byte| all | byte) != 0 {
            break;
        }
        length -= chunk.len();
    }
    bytes[..length].iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

impl Content {
    /// The number of bytes of the area behind a place.
    pub(crate) fn room(&self, at: usize) -> usize {
        self.length.saturating_sub(at)
    }

    /// Bytes of the area from a place on, up to the last one that was written to: all others are zeros.
    pub(crate) fn touched(&self, at: usize) -> &[u8] {
        self.bytes.get(at..self.touched).unwrap_or_default()
    }

    /// Copies bytes into the area. False, and nothing is written, if it ends before the last of them.
    pub(crate) fn put(&mut self, at: usize, from: &[u8]) -> bool {
        if from.len() > self.room(at) {
            return false;
        }
        // Zeros behind all that was written are there already.
        let known = self.touched.saturating_sub(at).min(from.len());
        let length = known + without_zeros(&from[known..]);
        if length > 0 {
            self.bytes[at..at + length].copy_from_slice(&from[..length]);
            self.touched = self.touched.max(at + length);
        }
        true
    }

    /// Makes zeros of all that lies behind a place.
    pub(crate) fn clear(&mut self, from: usize) {
        if let Some(behind) = self.bytes.get_mut(from..self.touched) {
            if behind.len() > CLEARED_MAX {
                raw::give_to_system(behind)
            } else {
                behind.fill(0)
            }
            self.touched = from;
        }
    }
}

/// Bytes, from the heap or as a mapping.
#[derive(Debug)]
enum Bytes {
    Heap(Box<[u8]>),
    Mapped(&'static mut [u8]),
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Heap(Box::default())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::Mapped(bytes) => bytes,
        }
    }
}

impl DerefMut for Bytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::Mapped(bytes) => bytes,
        }
    }
}

impl Bytes {
    /// So many zeros. `None` if the system has no memory.
    fn new(length: usize) -> Option<Self> {
        if length > LONG {
            return raw::alone(length).map(Self::Mapped);
        }
        Some(Self::Heap(vec![0; length].into_boxed_slice()))
    }
}

static TABLE: [OnceLock<Box<[Slot]>>; TABLES] = [const { OnceLock::new() }; TABLES];

/// The table of a slot, and its place there.
#[inline]
fn place_of(number: u32) -> (usize, usize) {
    let number = number as usize + FIRST;
    let table = (number.ilog2() - FIRST.ilog2()) as usize;
    (table, number - (FIRST << table))
}

/// A slot by its number. `None` if there is no such slot yet.
#[inline]
fn slot(number: u32) -> Option<&'static Slot> {
    let (table, place) = place_of(number);
    TABLE.get(table)?.get()?.get(place)
}

/// Free slots.
struct Free {
    /// Those with bytes, all zero, by size.
    kept: [Vec<&'static Slot>; SIZES],
    /// Those without.
    empty: Vec<&'static Slot>,
    /// The number of the first one that was never used.
    fresh: u32,
}

static FREE: Mutex<Free> =
    Mutex::new(Free { kept: [const { Vec::new() }; SIZES], empty: Vec::new(), fresh: 0 });

fn free() -> MutexGuard<'static, Free> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Slots that a thread has at hand; they go to all when the thread ends.
#[derive(Default)]
struct AtHand([Vec<&'static Slot>; SIZES]);

impl Drop for AtHand {
    fn drop(&mut self) {
        let mut free = free();
        free.kept.iter_mut().zip(&mut self.0).for_each(|(all, own)| all.append(own));
    }
}

thread_local! {
    static NEAR: RefCell<AtHand> = RefCell::default();
}

/// The slots of a size that this thread has at hand. `None` if it ends.
fn at_hand<T>(size: usize, with: impl FnOnce(&mut Vec<&'static Slot>) -> T) -> Option<T> {
    NEAR.try_with(|near| near.borrow_mut().0.get_mut(size).map(with)).ok().flatten()
}

/// The place among the sizes of the smallest one that holds so many bytes. `None` beyond the largest.
fn size_of(length: usize) -> Option<usize> {
    let index = length.max(SMALLEST).next_power_of_two().trailing_zeros() - SMALLEST.trailing_zeros();
    Some(index as usize).filter(|index| *index < SIZES)
}

impl Free {
    /// A slot without bytes. `None` if there are as many as there may be.
    fn take_empty(&mut self) -> Option<&'static Slot> {
        if let Some(slot) = self.empty.pop() {
            return Some(slot);
        }
        let (table, place) = place_of(self.fresh);
        let slots = TABLE.get(table)?.get_or_init(|| {
            let first = self.fresh;
            (0..(FIRST << table) as u32)
                .map(|behind| Slot { number: first + behind, content: Mutex::default() })
                .collect()
        });
        self.fresh += 1;
        slots.get(place)
    }
}

impl Slot {
    /// A slot for an area of so many bytes, at least one, all zero. `None` if the system has no memory.
    pub(crate) fn take(length: usize) -> Option<&'static Self> {
        let size = size_of(length);
        let kept =
            size.and_then(|size| at_hand(size, Vec::pop).flatten().or_else(|| free().kept[size].pop()));
        if let Some(slot) = kept {
            slot.content().length = length;
            return Some(slot);
        }
        let bytes = Bytes::new(size.map_or(length, |size| SMALLEST << size))?;
        let slot = free().take_empty()?;
        *slot.content() = Content { bytes, length, touched: 0 };
        Some(slot)
    }

    /// Takes back what an area had.
    pub(crate) fn give_back(&'static self) {
        let mut content = self.content();
        let length = std::mem::take(&mut content.length);
        let size = size_of(length);
        if let Some(size) = size {
            content.clear(0);
            drop(content);
            let keep = |near: &mut Vec<&'static Self>| {
                let has_room = near.len() < AT_HAND.min(AT_HAND_BYTES / (SMALLEST << size));
                if has_room {
                    near.push(self);
                }
                has_room
            };
            if at_hand(size, keep) == Some(true) {
                return;
            }
            let mut free = free();
            if free.kept[size].len() < KEPT_MAX / (SMALLEST << size) {
                return free.kept[size].push(self);
            }
            content = self.content();
        }
        match std::mem::take(&mut content.bytes) {
            Bytes::Heap(bytes) => drop(bytes),
            Bytes::Mapped(run) => raw::give_back(run),
        }
        drop(content);
        free().empty.push(self);
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of its area.
    pub(crate) fn address(&self) -> usize {
        MARK | (self.number as usize) << NUMBER_AT
    }

    /// Does something with its area.
    #[inline]
    pub(crate) fn with<T>(&self, what: impl FnOnce(&mut Content) -> T) -> T {
        what(&mut self.content())
    }
}

/// Does something with the area that an address lies in, and its place there. `None` if it lies in none.
pub(crate) fn within<T>(address: usize, what: impl FnOnce(&mut Content, usize) -> T) -> Option<T> {
    let number = u32::try_from((address ^ MARK) >> NUMBER_AT).ok()?;
    let place = address as u32 as usize;
    slot(number)?.with(|content| (place < content.length).then(|| what(content, place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_one_place_and_every_place_is_a_slots() {
        let mut expected = (0, 0);
        for number in 0..100_000 {
            assert_eq!(place_of(number), expected);
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(place_of(u32::MAX).0 >= TABLES && slot(u32::MAX).is_none());
    }

    #[test]
    fn an_address_says_which_area_it_is_in() {
        for length in [1, 64, 65, 1000, 8192, 8193, LONG, LONG + 10] {
            let slot = Slot::take(length).expect("memory");
            let room = |address| within(address, |content, at| content.room(at));
            let start = slot.address();
            assert_eq!([start, start + length - 1].map(room), [Some(length), Some(1)], "{length} bytes");
            assert_eq!([start - 1, start + length].map(room), [None, None], "{length} bytes");
            slot.give_back();
            assert_eq!(room(start), None, "{length} bytes, given back");
        }
        for address in [0, 4096, MARK - 1, 1 << 62, (1 << 62) | MARK, usize::MAX] {
            assert_eq!(within(address, |_, _| ()), None, "{address:#x}");
        }
    }

    #[test]
    fn what_was_given_back_comes_again_all_zeros() {
        for length in [100, 8000, 32_763] {
            let slot = Slot::take(length).expect("memory");
            assert!(slot.with(|content| content.put(0, &vec![b'X'; length]) && content.put(0, b"YY")));
            slot.give_back();
            assert!(slot.content().bytes.iter().all(|byte| *byte == 0), "{length}");
            let again = Slot::take(length).expect("memory");
            assert_eq!(again.address(), slot.address());
            assert!(again.with(|content| content.room(0) == length && content.touched(0).is_empty()));
            again.give_back();
        }
    }

    #[test]
    fn zeros_at_the_end_are_not_written_where_they_are_already() {
        let slot = Slot::take(1000).expect("memory");
        slot.with(|content| {
            let mut bytes = vec![0; 1000];
            assert!(content.put(0, &bytes) && content.touched(0).is_empty());
            bytes[99] = 1;
            assert!(content.put(0, &bytes) && content.touched(0) == &bytes[..100]);
            assert!(content.put(200, &[0; 800]) && content.touched(0).len() == 100);
            // Over bytes that were written, zeros count.
            assert!(content.put(90, &[0; 500]) && *content.touched(0) == [0; 100]);
            assert!(content.put(998, &[0, 1]) && content.touched(997) == [0, 0, 1]);
            assert!(!content.put(999, &[0, 0]));
            content.clear(50);
            assert!(*content.touched(0) == [0; 50] && content.touched(50).is_empty());
            content.clear(70);
            assert_eq!(content.touched(0).len(), 50);
        });
        slot.give_back();
    }

    #[test]
    fn a_length_ends_with_the_last_byte_that_is_not_zero() {
        for last in [0, 1, 63, 64, 65, 127, 128, 999] {
            let mut bytes = vec![0; 1000];
            assert_eq!(without_zeros(&bytes[..last]), 0);
            bytes[last] = 1;
            assert_eq!(without_zeros(&bytes), last + 1);
        }
    }
}
