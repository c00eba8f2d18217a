//! What a program has changed of others' storage, besides what its operations say ([`crate::Stores`]): where it has noted that it
//! stores to places that vary, and which addresses its records had before.
//!
//! Code notes in the frame, in two numbers behind a program's own: how far its stores reach down and up. Both only grow, from zero.

use std::ops::Range;

use smallvec::SmallVec;

/// Numbers of a frame behind a program's own.
pub const NOTED: usize = 2;
/// What the first of them is counted down from: no address is as high.
pub const HIGHEST: i64 = 1 << 32;

/// Records that get another address from one time to the next, at most. More might be anywhere.
const MOVED_MAX: usize = 16;

/// Records, and the addresses that they had.
pub type Moved = SmallVec<[(u32, u32); 4]>;

/// Changes since these were last taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// All that was noted lies in there.
    pub noted: Range<u32>,
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
    if let [.., down, up] = slots {
        *down = (*down).max(HIGHEST - place.start as i64);
        *up = (*up).max(place.end as i64);
    }
}

/// What was noted since this was last asked.
pub(super) fn take(slots: &mut [i64]) -> Range<u32> {
    let [.., down, up] = slots else { return 0..0 };
    let (down, up) = (std::mem::take(down), std::mem::take(up));
    let address = |at: i64| u32::try_from(at).unwrap_or(u32::MAX);
    if up == 0 { 0..0 } else { address(HIGHEST - down)..address(up) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_reach_from_the_lowest_to_the_highest_byte() {
        let mut slots = vec![7, 0, 0];
        assert_eq!(take(&mut slots), 0..0);
        note(&mut slots, &(5000..5010));
        note(&mut slots, &(4990..4991));
        assert_eq!((take(&mut slots), take(&mut slots), slots[0]), (4990..5010, 0..0, 7));
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
