//! What a program has changed of others' storage: where it has noted that it stores to places that vary, which records it has
//! stored to otherwise, where its operations say ([`cobol_ir::Stores`]), and which addresses its records had before.
//!
//! Code notes in the frame, in three numbers behind a program's own: how far its stores reach down and up, which only grow, from
//! zero; and, by a bit for each, the records of which it has stored to bytes that its operations say.

use std::ops::Range;

use smallvec::SmallVec;

/// Numbers of a frame behind a program's own.
pub const NOTED: usize = 3;
/// Which of them has the records.
pub const RECORDS: u32 = 2;
/// What the first of them is counted down from: no address is as high.
pub const HIGHEST: i64 = 1 << 32;

/// Records that get another address from one time to the next, at most. More might be anywhere.
const MOVED_MAX: usize = 16;

/// Records, and the addresses that they had.
pub type Moved = SmallVec<[(u32, u32); 4]>;

/// Some records of a linkage section; one among several that share a bit is as if all of them were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordSet(u64);

impl RecordSet {
    /// All records.
    pub const ALL: Self = Self(u64::MAX);

    /// One of them.
    pub fn of(record: u32) -> Self {
        Self(1 << (record % u64::BITS))
    }

    /// One more.
    pub fn insert(&mut self, record: u32) {
        self.0 |= Self::of(record).0;
    }

    /// The same as a number of a frame.
    pub fn bits(self) -> i64 {
        self.0 as i64
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a record might be one of them.
    #[inline]
    pub fn contains(self, record: u32) -> bool {
        self.0 & Self::of(record).0 != 0
    }
}

/// Changes since these were last taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// All that was noted lies in there.
    pub noted: Range<u32>,
    /// Records that were stored to where the program's operations say.
    pub records: RecordSet,
    /// Records that have another address; none where these were too many.
    pub moved: Option<Moved>,
}

/// Records of the linkage section get other addresses.
#[derive(Clone, Debug)]
pub(super) struct Moves(Option<Moved>);

impl Default for Moves {
    fn default() -> Self {
        Self(Some(Moved::new()))
    }
}

impl Moves {
    /// A record has had this address.
    pub fn note(&mut self, record: u32, address: u32) {
        if let Some(moved) = self.0.as_mut().filter(|_| address != 0) {
            moved.push((record, address));
            if moved.len() > MOVED_MAX {
                self.0 = None;
            }
        }
    }

    pub fn take(&mut self) -> Option<Moved> {
        std::mem::take(self).0
    }
}

/// A place is stored to.
pub(super) fn note(slots: &mut [i64], place: &Range<usize>) {
    if let [.., down, up, _] = slots {
        *down = (*down).max(HIGHEST - place.start as i64);
        *up = (*up).max(place.end as i64);
    }
}

/// A record is stored to where the program's operations say.
pub(super) fn note_record(slots: &mut [i64], record: u32) {
    if let [.., records] = slots {
        *records |= RecordSet::of(record).bits();
    }
}

/// What was noted since this was last asked.
#[inline]
pub(super) fn take(slots: &mut [i64]) -> (Range<u32>, RecordSet) {
    let [.., down, up, records] = slots else { return (0..0, RecordSet::ALL) };
    let records = RecordSet(std::mem::take(records) as u64);
    if *up == 0 {
        return (0..0, records);
    }
    let (down, up) = (std::mem::take(down), std::mem::take(up));
    let address = |at: i64| u32::try_from(at).unwrap_or(u32::MAX);
    (address(HIGHEST - down)..address(up), records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_reach_from_the_lowest_to_the_highest_byte() {
        let mut slots = vec![7, 0, 0, 0];
        assert_eq!(take(&mut slots).0, 0..0);
        note(&mut slots, &(5000..5010));
        note(&mut slots, &(4990..4991));
        assert_eq!((take(&mut slots).0, take(&mut slots).0, slots[0]), (4990..5010, 0..0, 7));
    }

    #[test]
    fn records_are_known_by_their_bits() {
        let mut slots = vec![0; NOTED];
        note_record(&mut slots, 1);
        note_record(&mut slots, 64);
        let (_, records) = take(&mut slots);
        assert_eq!([0, 1, 2, 64].map(|record| records.contains(record)), [true, true, false, true]);
        assert!(take(&mut slots).1.is_empty());
    }

    #[test]
    fn a_record_without_an_address_is_nowhere_and_many_records_are_anywhere() {
        let mut moves = Moves::default();
        moves.note(0, 0);
        moves.note(1, 4096);
        assert_eq!(moves.take().map(|moved| moved.to_vec()), Some(vec![(1, 4096)]));
        (0..=MOVED_MAX).for_each(|at| moves.note(0, at as u32 + 1));
        assert_eq!((moves.take(), moves.take()), (None, Some(Moved::new())));
    }
}
