//! A window between two tasks: what a task has had of its own goes, and copies of storage that all tasks see stay, asleep, for
//! the next task that asks for their areas. It brings them up to date; to copy a long table for each task would cost more than
//! many tasks do.
//!
//! A copy that is asleep belongs to nobody: no pointer leads there, and what a program stores there by mistake is found when the
//! copy wakes. One that a task has not woken goes with that task.

use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::{Kind, Owners, SeenCopy, Shared, Whose, Window, rounded};
use crate::limits::{CLEARED_WINDOW_BYTES_MAX, KEPT_WINDOW_BYTES_MAX};
use crate::storage::StorageAddress;

/// A copy that a task has left.
#[derive(Debug)]
pub(super) struct Asleep {
    at: u32,
    length: usize,
    area: StorageAddress,
    whose: Whose,
    copy: SeenCopy,
    /// What pointers to it hold.
    name: u32,
}

/// Windows of a region that no task has, each with copies.
#[derive(Default)]
pub struct KeptWindows(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    #[expect(clippy::vec_box, reason = "a task has its window in this box, too")]
    windows: Vec<Box<Window>>,
    /// What all of them see.
    bytes: usize,
}

impl KeptWindows {
    /// A window for a task.
    pub fn take(&self) -> Box<Window> {
        let mut kept = self.0.lock();
        let Some(mut window) = kept.windows.pop() else { return Box::default() };
        kept.bytes -= window.storage.memory().len();
        drop(kept);
        window.forget_gone();
        window
    }

    /// The window of a task that is over.
    pub fn keep(&self, mut window: Box<Window>) {
        if !window.sleeps() {
            return;
        }
        let bytes = window.storage.memory().len();
        let mut kept = self.0.lock();
        if kept.bytes + bytes <= KEPT_WINDOW_BYTES_MAX {
            kept.bytes += bytes;
            kept.windows.push(window);
        }
    }
}

impl Window {
    /// Its task is over: nothing of that is left in it. Whether it has anything to keep for another task.
    fn sleeps(&mut self) -> bool {
        self.asleep.clear();
        if self.seen.is_empty() || !self.storage.is_lent() {
            return false;
        }
        for shared in std::mem::take(&mut self.shared) {
            let Shared { at, length, area, kind } = shared;
            let Kind::Seen(whose @ (Whose::Region | Whose::Everybody), copy) = kind else { continue };
            if copy.is_settled() {
                let name = self.storage.named(at);
                self.asleep.push(Asleep { at, length, area, whose, copy, name });
            }
        }
        let asleep: usize = self.asleep.iter().map(|asleep| asleep.length).sum();
        if asleep == 0 || self.storage.extent() - asleep > CLEARED_WINDOW_BYTES_MAX {
            return false;
        }
        self.asleep.sort_unstable_by_key(|asleep| asleep.at);
        self.storage.forget_names();
        (self.seen, self.tells_nobody, self.reach, self.strays) = (0..0, false, 0, false);
        self.storage.hide();
        self.clear_between();
        true
    }

    /// Copies of areas that are gone are so, too.
    fn forget_gone(&mut self) {
        while let Some(place) = self.asleep.iter().position(|asleep| asleep.copy.is_of_none()) {
            let Asleep { at, length, .. } = self.asleep.remove(place);
            self.give(at, length);
        }
    }

    /// Clears all but what is asleep, which is free from now on.
    fn clear_between(&mut self) {
        self.free.clear();
        let (end, mut from) = (self.storage.extent(), cobol_run::RESERVED);
        let visible = self.storage.memory().len();
        let parts = self.asleep.iter().map(|asleep| (asleep.at as usize, asleep.length));
        for (at, length) in parts.chain([(end, visible - end)]) {
            if from < at {
                self.storage.memory_mut()[from..at].fill(0);
                self.free.push((from as u32, at - from));
            }
            from = at + rounded(length);
        }
        self.storage.memory_mut()[end..].fill(0);
    }

    /// Where a copy of an area lies that was asleep, and is the task's now; none where none is.
    pub(super) fn wake(&mut self, address: StorageAddress, owners: &mut Owners<'_>) -> Option<u32> {
        let place = self.asleep.iter().position(|asleep| asleep.area == address)?;
        let Asleep { at, length, area, whose, mut copy, name } = self.asleep.remove(place);
        let (bytes, direct) = (self.storage.bytes_mut(at, length), owners.direct.load(Ordering::Relaxed));
        let wakes = owners.with(whose, address, |area| copy.wakes(bytes, area, direct)) == Some(true);
        if !wakes {
            self.give(at, length);
            return None;
        }
        self.storage.name(at, length as u32, name);
        self.shares_copy(Shared { at, length, area, kind: Kind::Seen(whose, copy) });
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use cobol::Area;

    use super::*;
    use crate::storage::{Dsa, Lent, Names, Stored, TaskStorage};

    /// Bytes of the CWA.
    const LENGTH: usize = 3000;

    /// What a region has.
    struct Region {
        cwa: Mutex<Area>,
        everybodys: Mutex<TaskStorage>,
        names: Mutex<Names>,
        lent: Lent,
        storage: TaskStorage,
        twa: Area,
        direct: AtomicBool,
        kept: KeptWindows,
    }

    impl Region {
        fn new() -> Self {
            let dsa = Dsa::new(1 << 20);
            Self {
                cwa: Mutex::new(Area::with(&[b'C'; LENGTH])),
                everybodys: Mutex::new(TaskStorage::of(&dsa)),
                names: Mutex::default(),
                lent: Lent::default(),
                storage: TaskStorage::of(&dsa),
                twa: Area::new(1),
                direct: AtomicBool::new(false),
                kept: KeptWindows::default(),
            }
        }

        fn owners(&mut self) -> Owners<'_> {
            Owners {
                cwa: &self.cwa,
                cwa_length: LENGTH,
                everybodys: &self.everybodys,
                names: &self.names,
                lent: &self.lent,
                storage: &self.storage,
                twa: &mut self.twa,
                direct: &self.direct,
            }
        }

        fn cwa(&self) -> StorageAddress {
            StorageAddress::of(&self.cwa.lock())
        }

        /// A task addresses an area, and changes a byte of it; some storage of its own it has, too. Where the area lies.
        fn task(&mut self, address: StorageAddress) -> u32 {
            let mut window = self.kept.take();
            window.hold(b"OWN STORAGE").expect("there is room");
            let at = window.address_of(address, &mut self.owners()).expect("there is room").expect("an area");
            window.write(at + 7, 1).expect("it is there")[0] = b'7';
            window.exchange(&mut self.owners(), Stored::Nowhere);
            self.kept.keep(window);
            at
        }
    }

    /// The bytes of a window, from its first part on.
    fn all(window: &Window) -> &[u8] {
        &window.storage.memory()[cobol_run::RESERVED..]
    }

    #[test]
    fn the_next_task_finds_the_area_as_it_is_by_then_and_nothing_else() {
        let mut region = Region::new();
        let cwa = region.cwa();
        let at = region.task(cwa);
        region.cwa.lock().write(2000, b"NEW");
        let mut window = region.kept.take();
        let own = (at as usize - cobol_run::RESERVED, LENGTH);
        assert!(
            all(&window)
                .iter()
                .enumerate()
                .all(|(at, byte)| *byte == 0 || (own.0..own.0 + own.1).contains(&at))
        );
        assert!(window.within(cwa).is_none() && window.pointer_to(at) == at, "it is nobody's yet");
        assert_eq!(window.address_of(cwa, &mut region.owners()), Ok(Some(at)));
        assert_ne!(window.pointer_to(at), at);
        let bytes = window.read(at, LENGTH).expect("it is there");
        assert_eq!((&bytes[6..9], &bytes[1999..2004]), (&b"C7C"[..], &b"CNEWC"[..]));
    }

    #[test]
    fn a_window_that_has_shown_more_than_its_parts_is_kept_all_the_same() {
        let mut region = Region::new();
        let cwa = region.cwa();
        let mut window = region.kept.take();
        window.strays = true;
        window.goes_on(0, 0);
        window.hold(&[b'X'; 3 << 12]).expect("there is room");
        let at = window.address_of(cwa, &mut region.owners()).expect("there is room").expect("an area");
        let (end, visible) = (window.storage.extent(), window.storage.memory().len());
        window.storage.memory_mut()[visible - 1] = b'X';
        region.kept.keep(window);
        let mut window = region.kept.take();
        window.strays = true;
        window.goes_on(0, 0);
        assert!(window.storage.memory()[end..].iter().all(|byte| *byte == 0));
        assert_eq!(window.address_of(cwa, &mut region.owners()), Ok(Some(at)));
    }

    #[test]
    fn what_strays_into_a_copy_that_is_asleep_is_as_if_it_had_not_been() {
        let mut region = Region::new();
        let cwa = region.cwa();
        let at = region.task(cwa);
        let mut window = region.kept.take();
        window.storage.bytes_mut(at, LENGTH).fill(b'X');
        assert_eq!(window.address_of(cwa, &mut region.owners()), Ok(Some(at)));
        assert_eq!(window.read(at + 6, 3), Some(&b"C7C"[..]));
    }

    #[test]
    fn a_copy_that_a_task_has_not_woken_goes_with_it() {
        let mut region = Region::new();
        let cwa = region.cwa();
        region.task(cwa);
        let window = region.kept.take();
        region.kept.keep(window);
        assert!(all(&region.kept.take()).iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_copy_of_an_area_that_is_gone_is_gone_too() {
        let mut region = Region::new();
        let area = region.everybodys.lock().get(64, b'S').expect("there is room");
        region.task(area);
        drop(region.everybodys.lock().free(area));
        assert!(all(&region.kept.take()).iter().all(|byte| *byte == 0));
    }

    #[test]
    fn another_area_at_the_same_address_is_not_the_old_one() {
        let mut region = Region::new();
        let cwa = region.cwa();
        let at = region.task(cwa);
        // Its changes are counted from the beginning, as of one that has just come.
        let bytes = [b'D'; LENGTH];
        let mut window = region.kept.take();
        window.asleep[0].copy = SeenCopy::of(&mut Area::with(&bytes), window.storage.bytes_mut(at, LENGTH));
        let at = window.address_of(cwa, &mut region.owners()).expect("there is room").expect("an area");
        assert_eq!(window.read(at + 6, 3), Some(&b"C7C"[..]));
    }

    #[test]
    fn windows_that_have_no_copies_are_not_kept() {
        let region = Region::new();
        let mut window = region.kept.take();
        window.hold(b"OWN STORAGE").expect("there is room");
        region.kept.keep(window);
        assert!(region.kept.0.lock().windows.is_empty());
    }
}
