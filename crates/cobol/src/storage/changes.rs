//! Where an area was changed last: whoever has a copy of it brings that up to date without looking at all of it.
//!
//! The last changes are known by their places. And an area is so many blocks, of which each says which change was its last one: a
//! copy that is further behind takes the blocks that have changed since.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many changes are known by their places.
const LAST_MAX: usize = 16;
/// Bytes of a block, at least.
const BLOCK_MIN: usize = 256;
/// Blocks of an area, at most: a longer one has longer blocks.
const BLOCKS_MAX: usize = 256;

/// The count of an area that is gone.
const GONE: u64 = u64::MAX;

/// How many changes of an area there were, for whoever wants to know without the area. An area that is gone has changed, too.
#[derive(Clone, Debug, Default)]
pub struct ChangeCount(Arc<AtomicU64>);

impl ChangeCount {
    /// So many. A copy is as new as the count at the time that it was made.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Whether the area is gone.
    #[inline]
    pub fn is_of_none(&self) -> bool {
        self.get() == GONE
    }

    /// Whether both are of the same area.
    pub fn is_of_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The changes of an area.
#[derive(Debug)]
pub struct Changes {
    count: ChangeCount,
    /// The places of the last ones.
    last: [(usize, usize); LAST_MAX],
    /// The last change of each block.
    blocks: Box<[u64]>,
    /// Bytes of a block.
    block: usize,
    /// Bytes of the area.
    length: usize,
}

impl Changes {
    /// Of an area of so many bytes, none so far.
    pub(super) fn of(length: usize) -> Self {
        let block = length.div_ceil(BLOCKS_MAX).max(BLOCK_MIN);
        let blocks = vec![0; length.div_ceil(block)].into_boxed_slice();
        Self { count: ChangeCount::default(), last: [(0, 0); LAST_MAX], blocks, block, length }
    }

    /// How many there were.
    pub fn count(&self) -> &ChangeCount {
        &self.count
    }

    /// Does something with each place where the area was changed since there were so many.
    pub fn since(&self, count: u64, mut each: impl FnMut(Range<usize>)) {
        let now = self.count.get();
        if now.saturating_sub(count) <= LAST_MAX as u64 {
            for number in count..now {
                let (at, length) = self.last[(number % LAST_MAX as u64) as usize];
                each(at..at + length);
            }
            return;
        }
        for (at, last) in self.blocks.iter().enumerate() {
            if *last > count {
                each(at * self.block..((at + 1) * self.block).min(self.length));
            }
        }
    }

    pub(super) fn note(&mut self, at: usize, length: usize) {
        if length == 0 {
            return;
        }
        let before = self.count.get();
        self.last[(before % LAST_MAX as u64) as usize] = (at, length);
        let count = before + 1;
        let behind = (at + length).div_ceil(self.block);
        if let Some(blocks) = self.blocks.get_mut(at / self.block..behind) {
            blocks.fill(count);
        }
        self.count.0.store(count, Ordering::Release);
    }

    /// Somebody writes, and where is not told.
    pub(super) fn forget(&mut self) {
        self.note(0, self.length);
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.count.0.store(GONE, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(changes: &Changes, count: u64) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        changes.since(count, |range| found.push(range));
        found
    }

    #[test]
    fn the_last_changes_are_known_by_their_places() {
        let mut changes = Changes::of(1000);
        changes.note(3, 2);
        changes.note(600, 1);
        changes.note(255, 2);
        assert_eq!(since(&changes, 0), [3..5, 600..601, 255..257]);
        assert_eq!(since(&changes, 2), Vec::from_iter(std::iter::once(255..257)));
        assert_eq!(since(&changes, 3), []);
    }

    #[test]
    fn older_ones_are_known_by_their_blocks() {
        let mut changes = Changes::of(1000);
        changes.note(255, 2);
        (0..LAST_MAX).for_each(|_| changes.note(999, 1));
        assert_eq!(since(&changes, 0), [0..256, 256..512, 768..1000]);
        assert_eq!(since(&changes, 1), vec![999..1000; LAST_MAX]);
    }

    #[test]
    fn changes_that_nobody_has_told_of_are_everywhere() {
        let mut changes = Changes::of(1000);
        changes.forget();
        assert_eq!(since(&changes, 0), Vec::from_iter(std::iter::once(0..1000)));
    }

    #[test]
    fn a_long_area_has_as_many_blocks_as_others() {
        let mut changes = Changes::of(16 << 20);
        (0..=LAST_MAX).for_each(|_| changes.note((16 << 20) - 1, 1));
        assert_eq!(changes.blocks.len(), BLOCKS_MAX);
        assert_eq!(since(&changes, 0), Vec::from_iter(std::iter::once((16 << 20) - (64 << 10)..16 << 20)));
    }

    #[test]
    fn an_area_that_is_gone_has_changed() {
        let changes = Changes::of(10);
        let count = changes.count().clone();
        drop(changes);
        assert!(count.get() > 0 && !count.is_of_same(Changes::of(10).count()));
    }
}
