//! Where an area was changed last: whoever has a copy of it brings that up to date without looking at all of it.
//!
//! An area is so many blocks, and each says which change was its last one. A copy that is as old as some change takes the blocks
//! that have changed since, however many changes that were.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a block, at least.
const BLOCK_MIN: usize = 256;
/// Blocks of an area, at most: a longer one has longer blocks.
const BLOCKS_MAX: usize = 256;

/// How many changes of an area there were, for whoever wants to know without the area. An area that is gone has changed, too.
#[derive(Clone, Debug, Default)]
pub struct ChangeCount(Arc<AtomicU64>);

impl ChangeCount {
    /// So many. A copy is as new as the count at the time that it was made.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
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
        Self { count: ChangeCount::default(), blocks, block, length }
    }

    /// How many there were.
    pub fn count(&self) -> &ChangeCount {
        &self.count
    }

    /// Where the area was changed since there were so many: whole blocks, as few ranges as possible.
    pub fn since(&self, count: u64) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut rest = self.blocks.iter().enumerate();
        std::iter::from_fn(move || {
            let (first, _) = rest.find(|(_, last)| **last > count)?;
            let behind = rest.find(|(_, last)| **last <= count).map_or(self.blocks.len(), |(at, _)| at);
            Some(first * self.block..(behind * self.block).min(self.length))
        })
    }

    pub(super) fn note(&mut self, at: usize, length: usize) {
        if length == 0 {
            return;
        }
        let count = self.count.get() + 1;
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
        self.count.0.store(u64::MAX, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(changes: &Changes, count: u64) -> Vec<Range<usize>> {
        changes.since(count).collect()
    }

    #[test]
    fn blocks_that_have_changed_since_are_told() {
        let mut changes = Changes::of(1000);
        changes.note(3, 2);
        changes.note(600, 1);
        changes.note(255, 2);
        assert_eq!(since(&changes, 0), [0..768]);
        assert_eq!(since(&changes, 1), [0..768]);
        assert_eq!(since(&changes, 2), Vec::from_iter(std::iter::once(0..512)));
        assert_eq!(since(&changes, 3), []);
        changes.note(999, 1);
        assert_eq!(since(&changes, 3), Vec::from_iter(std::iter::once(768..1000)));
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
        changes.note((16 << 20) - 1, 1);
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
