//! Runs of bytes for the storage of tasks: slots of one reservation of addresses, whose memory comes as it is touched.
//!
//! One mapping holds all slots, for a process may have some 65,000 only. A slot that is given back is cleared as far as it was
//! visible, so no task finds what another has left. The one that was given back last is lent first: its memory is still in the
//! processor's cache, and what is not used goes back to the system.

use std::cell::RefCell;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use areas::{Addresses, alone, give_back, give_to_system};
use cobol_run::{Lender, RESERVED};

/// Slots of one length.
struct Class {
    length: usize,
    /// Their number.
    slots: usize,
    /// Free ones that keep their memory, at most.
    warm_max: usize,
}

/// From short to long: most tasks need one of the first kind. A longer one has a mapping of its own, and one that comes when
/// all slots are lent has memory of its own. Free slots keep 64 MiB, 16 MiB and 1 MiB at most.
const CLASSES: [Class; 3] = [
    Class { length: 128 << 10, slots: 128 << 10, warm_max: 512 },
    Class { length: 1 << 20, slots: 32 << 10, warm_max: 64 },
    Class { length: 16 << 20, slots: 1 << 10, warm_max: 4 },
];
/// Bytes that are cleared one by one, at most: beyond them the system takes the memory and gives zeros.
const CLEARED_MAX: usize = 256 << 10;
/// Addresses of slots that are opened at once: a program that stores to where it must not finds the rest closed.
const OPENED: usize = 64 << 20;
/// Memory that the system takes back begins at a multiple of this: the largest page of the machines of a kind.
const PAGE: usize = if cfg!(target_arch = "x86_64") { 4 << 10 } else { 64 << 10 };
/// Short slots that a thread has at hand, at most.
const NEAR_MAX: usize = 32;

/// Bytes of a run that lie there for as long as the process.
type Slot = &'static mut [u8];

/// The slots of a class that are free.
#[derive(Default)]
struct Free {
    /// They have memory, which is cleared.
    warm: Vec<Slot>,
    /// They have none.
    cold: Vec<Slot>,
    /// The bytes of what was never lent yet and is open.
    fresh: Slot,
    /// The addresses behind that, which are closed.
    closed: Option<Addresses>,
}

impl Free {
    /// A slot that was never lent, of so many bytes.
    fn fresh(&mut self, length: usize) -> Option<Slot> {
        if self.fresh.len() < length {
            self.fresh = self.opens(length)?;
        }
        let (slot, rest) = std::mem::take(&mut self.fresh).split_at_mut(length);
        self.fresh = rest;
        Some(slot)
    }

    /// Opens more of what was never lent. `None` if there is none, or the system does not.
    fn opens(&mut self, length: usize) -> Option<Slot> {
        let closed = self.closed.as_mut()?;
        let more = OPENED.next_multiple_of(length).min(closed.len());
        if more < length { None } else { closed.open(more) }
    }
}

/// All slots.
pub struct Windows {
    classes: [Mutex<Free>; CLASSES.len()],
}

/// The reservation is halved so often, at most, where the system refuses it.
const HALVED_MAX: usize = 6;

static WINDOWS: LazyLock<Windows> =
    LazyLock::new(|| (0..=HALVED_MAX).find_map(Windows::reserve).unwrap_or_else(Windows::none));

thread_local! {
    /// Slots of the first class that this thread was given back.
    static NEAR: RefCell<Near> = const { RefCell::new(Near(Vec::new())) };
}

/// Slots that a thread has at hand go back to all when it ends.
struct Near(Vec<Slot>);

impl Drop for Near {
    fn drop(&mut self) {
        self.0.drain(..).for_each(|slot| WINDOWS.keep(0, slot));
    }
}

/// The slots of this process. If the system refuses the reservation, there are none, and every task has memory of its own.
pub fn windows() -> &'static Windows {
    &WINDOWS
}

impl Windows {
    /// Addresses for all slots, or for so many times half of them, if the system has them: it may limit addresses, or count memory
    /// that is untouched.
    fn reserve(halved: usize) -> Option<Self> {
        let bytes_of = |class: &Class| class.length * (class.slots >> halved);
        let mut addresses = Addresses::reserve(CLASSES.iter().map(bytes_of).sum())?;
        let classes = CLASSES
            .each_ref()
            .map(|class| Mutex::new(Free { closed: addresses.split_to(bytes_of(class)), ..Free::default() }));
        Some(Self { classes })
    }

    fn none() -> Self {
        Self { classes: CLASSES.each_ref().map(|_| Mutex::default()) }
    }

    /// Returns true if there are slots.
    pub fn are_there(&self) -> bool {
        let free = self.free(0);
        let is_closed = free.closed.as_ref().is_some_and(|closed| !closed.is_empty());
        is_closed || !free.fresh.is_empty() || !free.warm.is_empty() || !free.cold.is_empty()
    }

    fn free(&self, class: usize) -> MutexGuard<'_, Free> {
        // Nothing that could fail is done while it is locked.
        self.classes[class].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot of a class that is all zeros.
    fn take(&self, class: usize) -> Option<Slot> {
        let near = || NEAR.try_with(|near| near.try_borrow_mut().ok()?.0.pop()).ok().flatten();
        if class == 0
            && let Some(slot) = near()
        {
            return Some(slot);
        }
        let mut free = self.free(class);
        if let Some(slot) = free.warm.pop().or_else(|| free.cold.pop()) {
            return Some(slot);
        }
        free.fresh(CLASSES[class].length)
    }

    /// Keeps a slot that is all zeros.
    fn keep(&self, class: usize, slot: Slot) {
        let is_full = self.free(class).warm.len() >= CLASSES[class].warm_max;
        if is_full {
            give_to_system(slot);
            self.free(class).cold.push(slot);
        } else {
            self.free(class).warm.push(slot);
        }
    }
}

impl Lender for Windows {
    fn lend(&self, length: usize) -> Option<&'static mut [u8]> {
        let Some(first) = CLASSES.iter().position(|class| class.length >= length) else {
            // Longer than any slot: a mapping of its own, of twice as many bytes at most. Its memory comes as it is touched.
            return alone(length.checked_add(crate::BEYOND)?.checked_next_power_of_two()?);
        };
        (first..CLASSES.len()).find_map(|class| self.take(class))
    }

    fn take_back(&self, bytes: &'static mut [u8], used: usize, visible: usize) {
        let Some(class) = CLASSES.iter().position(|class| class.length == bytes.len()) else {
            return give_back(bytes);
        };
        // What lies in front is never stored to, by anybody.
        let cleared = if used > CLEARED_MAX { RESERVED } else { used.min(visible) };
        bytes[RESERVED.min(cleared)..cleared].fill(0);
        self.clear(bytes, cleared, visible);
        let mut slot = Some(bytes);
        if class == 0 {
            let _ = NEAR.try_with(|near| {
                if let Ok(mut near) = near.try_borrow_mut()
                    && near.0.len() < NEAR_MAX
                {
                    near.0.extend(slot.take());
                }
            });
        }
        if let Some(slot) = slot {
            self.keep(class, slot);
        }
    }

    fn clear(&self, bytes: &mut [u8], used: usize, visible: usize) {
        // What lies behind what was used is seldom touched, so to look at it would cost memory in vain.
        let kept = used.next_multiple_of(PAGE).min(visible);
        if used < kept {
            bytes[used..kept].fill(0);
        }
        if visible > kept {
            give_to_system(&mut bytes[kept..visible]);
        }
    }
}

const _: () = {
    let mut at = 0;
    while at < CLASSES.len() {
        // The largest page of the machines that this runs on.
        assert!(CLASSES[at].length.is_multiple_of(64 << 10));
        assert!(at == 0 || CLASSES[at - 1].length < CLASSES[at].length);
        at += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that looks which slots of the longer kinds come is alone.
    static ALONE: Mutex<()> = Mutex::new(());

    fn is_clear(slot: &[u8]) -> bool {
        slot.iter().all(|byte| *byte == 0)
    }

    #[test]
    fn a_slot_comes_back_cleared_and_is_lent_again_first() {
        let windows = windows();
        let slot = windows.lend(10_000).expect("there are slots");
        let at = slot.as_ptr();
        assert!(slot.len() == CLASSES[0].length && is_clear(slot));
        slot[RESERVED..10_000].fill(7);
        slot[60_000] = 7;
        windows.take_back(slot, 10_000, 100_000);
        let again = windows.lend(1).expect("there are slots");
        assert!(again.as_ptr() == at && is_clear(again));
        windows.take_back(again, 0, 0);
    }

    #[test]
    fn a_long_slot_comes_back_without_its_memory() {
        let _alone = ALONE.lock();
        let windows = windows();
        for length in [CLASSES[0].length + 1, CLASSES[1].length + 1] {
            let slot = windows.lend(length).expect("there are slots");
            let at = slot.as_ptr();
            assert!(slot.len() > length && is_clear(&slot[..length]));
            slot[RESERVED..length].fill(7);
            windows.take_back(slot, length, length);
            let again = windows.lend(length).expect("there are slots");
            assert!(again.as_ptr() == at && is_clear(&again[..length]), "{length}");
            windows.take_back(again, 0, 0);
        }
    }

    #[test]
    fn more_than_a_slot_holds_is_a_mapping_of_its_own() {
        let windows = windows();
        let length = CLASSES[CLASSES.len() - 1].length + 1;
        let run = windows.lend(length).expect("there are addresses");
        assert!(run.len() >= length && is_clear(&run[..1 << 20]));
        run[length - 1] = 7;
        let (at, all) = (run.as_ptr() as usize, run.len());
        windows.take_back(run, length, length);
        let maps = std::fs::read_to_string("/proc/self/maps").expect("a list of mappings");
        let is_there = |line: &str| line.starts_with(&format!("{at:x}-{:x}", at + all));
        assert!(!maps.lines().any(is_there), "it is given back");
    }

    #[test]
    fn what_was_never_lent_is_closed() {
        let _alone = ALONE.lock();
        let windows = windows();
        let slot = windows.lend(CLASSES[1].length).expect("there are slots");
        windows.take_back(slot, 0, 0);
        let free = windows.free(1);
        let closed = free.closed.as_ref().map(|closed| closed.start()).expect("there are more");
        drop(free);
        let maps = std::fs::read_to_string("/proc/self/maps").expect("a list of mappings");
        let of = |line: &str| {
            let (range, rest) = line.split_once(' ')?;
            let (from, to) = range.split_once('-')?;
            let address = |text: &str| usize::from_str_radix(text, 16).ok();
            (address(from)?..address(to)?).contains(&closed).then(|| rest.starts_with("---"))
        };
        assert_eq!(maps.lines().find_map(of), Some(true));
    }

    #[test]
    fn slots_do_not_overlap_and_those_beyond_the_cap_take_no_memory() {
        let _alone = ALONE.lock();
        let none = Windows::none();
        assert!(!none.are_there() && none.lend(1).is_none());
        let windows = windows();
        let mut all: Vec<Slot> = (0..CLASSES[2].warm_max + 2)
            .map(|_| windows.lend(CLASSES[2].length).expect("there are slots"))
            .collect();
        all.iter_mut().enumerate().for_each(|(at, slot)| slot[RESERVED] = at as u8 + 1);
        assert!(all.iter().enumerate().all(|(at, slot)| slot[RESERVED] == at as u8 + 1));
        all.drain(..).for_each(|slot| windows.take_back(slot, RESERVED + 1, RESERVED + 1));
        let free = windows.free(2);
        assert!(free.warm.len() <= CLASSES[2].warm_max && !free.cold.is_empty());
        assert!(free.warm.iter().chain(&free.cold).all(|slot| slot[RESERVED] == 0));
    }

    #[test]
    fn threads_give_back_what_they_have_at_hand() {
        let at = std::thread::spawn(|| {
            let slot = windows().lend(1).expect("there are slots");
            let at = slot.as_ptr() as usize;
            windows().take_back(slot, 0, 0);
            at
        });
        let at = at.join().expect("it has not failed");
        let free = windows().free(0);
        assert!(free.warm.iter().any(|slot| slot.as_ptr() as usize == at));
    }
}
