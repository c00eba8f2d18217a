//! Which bytes of others' storage a program may change, by what its operations say.
//!
//! A place of fixed offset and length changes these bytes. One that varies changes what its bounds allow; without bounds, all
//! from its constant part on: subscripts are not negative, and tables are used beyond what they declare.

use std::ops::Range;

use crate::program::{Bounds, Place, Program, Segment};
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
        let Some(record) = self.records.get_mut(index as usize) else { return };
        let range = match (place.as_fixed(), place.bounds) {
            (Some((at, length)), _) => at..at.saturating_add(length),
            (None, Bounds::Item { from, to }) => from..to,
            (None, Bounds::Task) => lowest(place)..u32::MAX,
        };
        record.push(range);
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

/// The first byte of a place that varies. What may go below its constant part may go anywhere.
fn lowest(place: &Place) -> u32 {
    let grows = place.at.terms.iter().all(|(factor, _)| *factor >= 0);
    if grows { u32::try_from(place.at.constant).unwrap_or(0) } else { 0 }
}
