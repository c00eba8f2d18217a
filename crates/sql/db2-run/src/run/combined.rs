//! EXCEPT and INTERSECT: the rows of queries, counted in the order in which the queries come.

use std::collections::BTreeMap;

use db2_syntax::tree::SetOperator;
use db2_values::Value;

use super::room::{Room, size_of};
use crate::failed::Refused;

/// Bytes of memory that a row takes beside its key and its values.
const ENTRY: usize = 64;

/// Rows by their keys, each with the number of times that it counts.
#[derive(Default)]
pub(super) struct Combined(BTreeMap<Box<[u8]>, Counted>);

struct Counted {
    row: Vec<Value>,
    /// The number of times that it counted before a block, and how often the block has it.
    before: u64,
    block: usize,
    seen: u64,
}

impl Counted {
    /// The number of times that it counts behind a block.
    fn behind(&self, block: usize, sets: &[(SetOperator, bool)]) -> u64 {
        let blocks = sets.iter().enumerate().take(block + 1).skip(self.block);
        blocks.fold(self.before, |count, (at, (operator, keeps_all))| {
            let seen = if at == self.block { self.seen } else { 0 };
            match (operator, keeps_all) {
                (SetOperator::Union, true) => count + seen,
                (SetOperator::Union, false) => (count + seen).min(1),
                (SetOperator::Except, true) => count.saturating_sub(seen),
                (SetOperator::Except, false) => {
                    if seen > 0 {
                        0
                    } else {
                        count.min(1)
                    }
                }
                (SetOperator::Intersect, true) => count.min(seen),
                (SetOperator::Intersect, false) => count.min(seen).min(1),
            }
        })
    }
}

impl Combined {
    /// Counts a row of a block.
    pub(super) fn add(
        &mut self,
        key: Vec<u8>,
        row: Vec<Value>,
        block: usize,
        sets: &[(SetOperator, bool)],
        room: &mut Room,
    ) -> Result<(), Refused> {
        if let Some(counted) = self.0.get_mut(key.as_slice()) {
            if counted.block < block {
                let before = counted.behind(block - 1, sets);
                (counted.before, counted.block, counted.seen) = (before, block, 0);
            }
            counted.seen += 1;
        } else if sets.get(block).is_some_and(|(operator, _)| *operator == SetOperator::Union) {
            room.take(key.len() + size_of(&row) + ENTRY)?;
            self.0.insert(key.into(), Counted { row, before: 0, block, seen: 1 });
        }
        Ok(())
    }

    /// Takes a row out, with the number of times that it counts, and the bytes of memory that are free then.
    pub(super) fn take(
        &mut self,
        sets: &[(SetOperator, bool)],
        room: &mut Room,
    ) -> Option<(Vec<Value>, u64, usize)> {
        let (key, counted) = self.0.pop_first()?;
        let size = key.len() + size_of(&counted.row) + ENTRY;
        room.give(size);
        let count = counted.behind(sets.len().saturating_sub(1), sets);
        Some((counted.row, count, size))
    }
}
