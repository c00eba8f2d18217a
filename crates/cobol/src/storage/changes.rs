//! Where an area was changed last: whoever has a copy of it brings that up to date without looking at all of it.

use std::ops::Range;

/// How many changes are known by their places. A copy that is further behind is made anew.
pub const CHANGES_KEPT: usize = 32;

/// The changes of an area.
#[derive(Debug, Default)]
pub struct Changes {
    count: u64,
    last: [(usize, usize); CHANGES_KEPT],
}

impl Changes {
    /// How many there were. A copy is as new as the count at the time that it was made.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Where the area was changed since there were so many; none where that is known no more.
    pub fn since(&self, count: u64) -> Option<impl Iterator<Item = Range<usize>> + '_> {
        let behind = self.count.checked_sub(count)?;
        let is_known = behind <= CHANGES_KEPT as u64;
        let place = |number: u64| {
            let (at, length) = self.last[(number % CHANGES_KEPT as u64) as usize];
            at..at + length
        };
        is_known.then(|| (count..self.count).map(place))
    }

    pub(super) fn note(&mut self, at: usize, length: usize) {
        self.last[(self.count % CHANGES_KEPT as u64) as usize] = (at, length);
        self.count += 1;
    }

    /// Somebody writes, and where is not told.
    pub(super) fn forget(&mut self) {
        self.count += CHANGES_KEPT as u64 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(changes: &Changes, count: u64) -> Option<Vec<Range<usize>>> {
        changes.since(count).map(Iterator::collect)
    }

    #[test]
    fn the_last_changes_are_known_by_their_places() {
        let mut changes = Changes::default();
        changes.note(3, 2);
        changes.note(10, 1);
        assert_eq!(since(&changes, 0), Some(vec![3..5, 10..11]));
        assert_eq!(since(&changes, 1), Some(Vec::from_iter(std::iter::once(10..11))));
        assert_eq!(since(&changes, 2), Some(vec![]));
    }

    #[test]
    fn who_is_too_far_behind_is_told_so() {
        let mut changes = Changes::default();
        (0..CHANGES_KEPT).for_each(|at| changes.note(at, 1));
        assert_eq!(since(&changes, 0).map(|all| all.len()), Some(CHANGES_KEPT));
        changes.note(100, 1);
        assert_eq!(since(&changes, 0), None);
        let before = changes.count();
        changes.forget();
        assert_eq!(since(&changes, before), None);
        assert_eq!(since(&changes, changes.count() + 1), None, "a copy of another area");
    }
}
