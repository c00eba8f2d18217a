//! Which bytes of others' storage a program may change, by what its operations say.
//!
//! A place of fixed offset and length changes these bytes. Where a place varies, or is long, the program notes what it stores to as it
//! goes ([`Place::is_noted`]), and nothing of it is here.

use std::ops::Range;

use crate::program::{Place, Program, Segment};
use crate::verify;

/// The bytes, by the linkage record, from its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stores {
    records: Vec<Vec<Range<u32>>>,
    strays: bool,
}

impl Stores {
    /// These ranges of each record.
    pub fn new(records: Vec<Vec<Range<u32>>>) -> Self {
        Self { records, strays: false }.joined()
    }

    /// Those of a program, which has been verified.
    pub fn of(program: &Program) -> Self {
        verify::stores(program)
    }

    /// Of each record of the linkage section: where it may be changed, in order, none beside another.
    pub fn records(&self) -> &[Vec<Range<u32>>] {
        &self.records
    }

    /// Whether it uses a place that varies without bounds, to look at or to change: that may be anywhere in the task's storage.
    pub fn may_stray(&self) -> bool {
        self.strays
    }

    pub(crate) fn of_none(records: usize) -> Self {
        Self { records: vec![Vec::new(); records], strays: false }
    }

    pub(crate) fn of_all(records: usize) -> Self {
        Self { records: vec![vec![0..u32::MAX]; records], strays: true }
    }

    pub(crate) fn strays(&mut self) {
        self.strays = true;
    }

    /// A place is stored to.
    pub(crate) fn note(&mut self, place: &Place) {
        let Segment::Linkage(index) = place.segment else { return };
        let fixed = place.as_fixed().filter(|_| !place.is_noted());
        if let (Some(record), Some((at, length))) = (self.records.get_mut(index as usize), fixed) {
            record.push(at..at.saturating_add(length));
        }
    }

    /// The same, each record's ranges in order and as few as possible.
    pub(crate) fn joined(mut self) -> Self {
        for record in &mut self.records {
            record.retain(|range| !range.is_empty());
            record.sort_by_key(|range| (range.start, range.end));
            record.dedup_by(|next, before| {
                let touches = next.start <= before.end;
                if touches {
                    before.end = before.end.max(next.end);
                }
                touches
            });
        }
        self
    }
}
