//! Areas that are not shared: bytes of the region's own, which no program sees by an address of the process.
//!
//! ```text
//! address = mark │ number of a slot │ place in its area
//! ```
//!
//! A program works on a copy in its task's window, so an address here only says which area somebody means: it is looked up, and one
//! of an area that was given back is none. Each thread keeps a few slots of each size at hand, so that tasks of different TCBs seldom
//! contend for them; what it gets back beyond those goes to all. Bytes that are kept are cleared when they are given back.

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
/// The number of sizes that are kept: up to 8 KiB.
const SIZES: usize = 8;
/// Slots of a size that a thread keeps at hand.
const AT_HAND: usize = 32;
/// Bytes of slots of a size that are kept for all threads, at most.
const KEPT_MAX: usize = 4 << 20;
/// Longer areas are mappings of their own: the system has their memory as soon as they are given back.
const LONG: usize = 1 << 20;

const _: () = assert!(FIRST << TABLES <= 1 << (usize::BITS - 3 - NUMBER_AT));

/// A place for an area.
#[derive(Debug)]
pub(crate) struct Slot {
    number: u32,
    content: Mutex<Content>,
}

/// The content of a slot: its bytes, and how many of them its area has; zero if nobody has it.
#[derive(Debug, Default)]
struct Content {
    bytes: Bytes,
    length: usize,
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

/// Slots that nobody has.
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
        *slot.content() = Content { bytes, length };
        Some(slot)
    }

    /// Takes back what an area had.
    pub(crate) fn give_back(&'static self) {
        let mut content = self.content();
        let length = std::mem::take(&mut content.length);
        let size = size_of(length);
        if let Some(size) = size {
            content.bytes[..length].fill(0);
            drop(content);
            let keep = |near: &mut Vec<&'static Self>| {
                let has_room = near.len() < AT_HAND;
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

    /// Does something with the bytes of its area.
    #[inline]
    pub(crate) fn with<T>(&self, what: impl FnOnce(&mut [u8]) -> T) -> T {
        let content = &mut *self.content();
        what(&mut content.bytes[..content.length])
    }
}

/// Does something with the bytes of an area from an address on. `None` if it lies in none.
pub(crate) fn within<T>(address: usize, what: impl FnOnce(&mut [u8]) -> T) -> Option<T> {
    let number = u32::try_from((address ^ MARK) >> NUMBER_AT).ok()?;
    let place = address as u32 as usize;
    slot(number)?.with(|bytes| bytes.get_mut(place..).filter(|behind| !behind.is_empty()).map(what))
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
            let room = |address| within(address, |bytes| bytes.len());
            let start = slot.address();
            assert_eq!([start, start + length - 1].map(room), [Some(length), Some(1)], "{length} bytes");
            assert_eq!([start - 1, start + length].map(room), [None, None], "{length} bytes");
            slot.give_back();
            assert_eq!(room(start), None, "{length} bytes, given back");
        }
        for address in [0, 4096, MARK - 1, 1 << 62, (1 << 62) | MARK, usize::MAX] {
            assert_eq!(within(address, |_| ()), None, "{address:#x}");
        }
    }

    #[test]
    fn what_was_given_back_comes_again_all_zeros() {
        for length in [100, 8000] {
            let slot = Slot::take(length).expect("memory");
            slot.with(|bytes| bytes.fill(b'X'));
            slot.give_back();
            assert!(slot.content().bytes.iter().all(|byte| *byte == 0), "{length}");
            let again = Slot::take(length).expect("memory");
            assert_eq!(again.address(), slot.address());
            assert!(again.with(|bytes| bytes.len() == length && bytes.iter().all(|byte| *byte == 0)));
            again.give_back();
        }
    }
}
