//! Names of storage that tasks share, as pointers of natively compiled programs hold them: the CWA, areas of GETMAIN SHARED.
//!
//! A name is the same in every task, and lies above all that is a task's own. What it means is looked up when a pointer becomes
//! the address of a record; an area that is gone has no name any more.

use std::collections::BTreeMap;

use cobol_ir::program::SHARED_NAMES;

use super::StorageAddress;

/// Names are as far from each other at least.
const GAP: u32 = 4096;
/// Behind the last name: pointers have 31 bits.
const END: u32 = 0x8000_0000;

/// The names of a region, each with where its area begins and how long that is.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<u32, (StorageAddress, usize)>);

impl Names {
    /// The name of an area; it gets one if it has none. `lives` says how long the area at an address is, if there is one.
    /// `None` where there are no more names.
    pub fn of(
        &mut self,
        area: (StorageAddress, usize),
        lives: impl Fn(StorageAddress) -> Option<usize>,
    ) -> Option<u32> {
        if let Some((name, _)) = self.0.iter().find(|(_, own)| **own == area) {
            return Some(*name);
        }
        self.0.retain(|_, (address, length)| lives(*address) == Some(*length));
        let needs =
            |length: usize| u32::try_from(length).ok()?.checked_next_multiple_of(GAP)?.checked_add(GAP);
        let needed = needs(area.1)?;
        let mut name = SHARED_NAMES;
        for (own, (_, length)) in &self.0 {
            if own.checked_sub(name).is_some_and(|room| room >= needed) {
                break;
            }
            name = own.checked_add(needs(*length)?)?;
        }
        if name.checked_add(needed)? > END {
            return None;
        }
        self.0.insert(name, area);
        Some(name)
    }

    /// The area that a pointer leads into: its name, where it begins, its length.
    pub fn find(&self, pointer: u32) -> Option<(u32, StorageAddress, usize)> {
        let (name, (address, length)) = self.0.range(..=pointer).next_back()?;
        ((pointer - name) as usize <= *length).then_some((*name, *address, *length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_apart_and_are_given_again_when_their_areas_are_gone() {
        let mut names = Names::default();
        let at = StorageAddress::of_host;
        let lives = |_: StorageAddress| Some(5000);
        let first = names.of((at(8), 5000), lives).expect("a name");
        let second = names.of((at(16), 5000), lives).expect("a name");
        assert_eq!((first, second), (SHARED_NAMES, SHARED_NAMES + 3 * GAP));
        assert_eq!(names.of((at(8), 5000), lives), Some(first));
        assert_eq!(names.find(first + 10), Some((first, at(8), 5000)));
        assert_eq!(names.find(first + 6000), None);
        let third = names.of((at(24), 100), |address| (address != at(8)).then_some(5000));
        assert_eq!(third, Some(first));
        assert_eq!(names.of((at(32), 2 << 30), lives), None);
    }
}
