//! The bytes of a task's storage: its own, or lent by a lender that has many such runs ready.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};

/// Lends runs of bytes.
pub trait Lender: Sync {
    /// A run of at least so many bytes, all zeros; `None` if there is none of that length.
    fn lend(&self, length: usize) -> Option<&'static mut [u8]>;

    /// Takes a run back, of which only the first bytes may be something else than zeros: so many as were used, and so many that a program
    /// could have written to by mistake.
    fn take_back(&self, bytes: &'static mut [u8], used: usize, visible: usize);

    /// Makes zeros of what lies behind so many bytes, up to so many. Both are of a run that was lent, and it may take whole pages.
    fn clear(&self, bytes: &mut [u8], used: usize, visible: usize);
}

/// Bytes that are cleared one by one, at most.
const CLEARED_MAX: usize = 256 << 10;
/// A lender clears up to a multiple of this: it may take whole pages.
const WHOLE: usize = 64 << 10;

/// Bytes, of which a program sees all.
#[derive(Debug)]
pub(super) enum Memory {
    Own(Vec<u8>),
    Lent(Lent),
}

/// A run that is given back when it is dropped. Bytes after its visible part were never written to, and are zeros.
pub(super) struct Lent {
    bytes: &'static mut [u8],
    /// Bytes that areas lie in.
    used: usize,
    /// Bytes that programs may look at: not less.
    visible: usize,
    lender: &'static dyn Lender,
}

impl Memory {
    /// So many zeros, lent if possible.
    pub fn lent(lender: &'static dyn Lender, length: usize) -> Self {
        match lender.lend(length).filter(|bytes| bytes.len() >= length) {
            Some(bytes) => Self::Lent(Lent { bytes, used: length, visible: length, lender }),
            None => Self::Own(vec![0; length]),
        }
    }

    /// Returns true if it is lent, with zeros behind the visible bytes.
    pub fn is_lent(&self) -> bool {
        matches!(self, Self::Lent(_))
    }

    /// Makes it longer, by zeros.
    pub fn lengthen(&mut self, length: usize) {
        match self {
            Self::Own(bytes) => bytes.resize(length.max(bytes.len()), 0),
            Self::Lent(lent) if length <= lent.bytes.len() => {
                lent.used = lent.used.max(length);
                lent.visible = lent.visible.max(length);
            }
            Self::Lent(lent) => {
                let mut longer = Self::lent(lent.lender, length);
                let common = lent.visible.min(longer.len());
                longer[..common].copy_from_slice(&lent.bytes[..common]);
                *self = longer;
            }
        }
    }

    /// Shows so many bytes: of a run that is lent, no more than there are already. They are still not used.
    pub fn show(&mut self, length: usize) {
        match self {
            Self::Own(bytes) => bytes.resize(length.max(bytes.len()), 0),
            Self::Lent(lent) => lent.visible = lent.visible.max(length.min(lent.bytes.len())),
        }
    }

    /// Shows no more than is used: what lies behind that is zeros again.
    pub fn hide(&mut self) {
        if let Self::Lent(lent) = self
            && lent.visible > lent.used
        {
            lent.lender.clear(lent.bytes, lent.used, lent.visible);
            lent.visible = lent.used;
        }
    }

    /// All of it behind the first bytes is zeros from now on, and so many bytes of it are used. False, and nothing is done, if it was not
    /// lent, or not with so many bytes.
    pub fn begin_again(&mut self, first: usize, length: usize) -> bool {
        let Self::Lent(lent) = self else { return false };
        if length > lent.bytes.len() {
            return false;
        }
        let used = lent.used.min(lent.visible);
        lent.bytes[first.min(used)..used].fill(0);
        lent.lender.clear(lent.bytes, used, lent.visible);
        (lent.used, lent.visible) = (length, length);
        true
    }

    /// Makes zeros of a part; the memory of a long one goes back to its lender.
    pub fn clear(&mut self, range: Range<usize>) {
        let Self::Lent(lent) = self else { return self[range].fill(0) };
        let whole = range.end / WHOLE * WHOLE;
        let rest = if range.len() > CLEARED_MAX && range.end <= lent.visible && whole > range.start {
            lent.lender.clear(lent.bytes, range.start, whole);
            whole..range.end
        } else {
            range
        };
        self[rest].fill(0);
    }

    /// Bytes that may lie behind the visible ones; `None` if there are none.
    pub fn beyond(&self, range: Range<usize>) -> Option<&[u8]> {
        match self {
            Self::Own(bytes) => bytes.get(range),
            Self::Lent(lent) => lent.bytes.get(range),
        }
    }
}

impl Deref for Memory {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Lent(lent) => &lent.bytes[..lent.visible],
        }
    }
}

impl DerefMut for Memory {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Lent(lent) => &mut lent.bytes[..lent.visible],
        }
    }
}

/// A copy belongs to its owner alone.
impl Clone for Memory {
    fn clone(&self) -> Self {
        Self::Own(self.to_vec())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.lender.take_back(std::mem::take(&mut self.bytes), self.used, self.visible);
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes that are lent", self.visible, self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Lends runs of 64 bytes, twice at most, and tells what came back.
    #[derive(Default)]
    struct Few {
        lent: Mutex<usize>,
        back: Mutex<Vec<(Vec<u8>, usize, usize)>>,
    }

    impl Lender for Few {
        fn lend(&self, length: usize) -> Option<&'static mut [u8]> {
            let mut lent = self.lent.lock().expect("no thread has failed");
            *lent += 1;
            (length <= 64 && *lent <= 2).then(|| &mut *vec![0; 64].leak())
        }

        fn take_back(&self, bytes: &'static mut [u8], used: usize, visible: usize) {
            self.back.lock().expect("no thread has failed").push((bytes.to_vec(), used, visible));
        }

        fn clear(&self, bytes: &mut [u8], used: usize, visible: usize) {
            bytes[used..visible].fill(0);
        }
    }

    fn few() -> &'static Few {
        Box::leak(Box::default())
    }

    #[test]
    fn what_is_lent_shows_as_much_as_was_asked_for_and_comes_back() {
        let few = few();
        let mut memory = Memory::lent(few, 10);
        assert_eq!(memory.len(), 10);
        memory.lengthen(20);
        memory.lengthen(5);
        memory[19] = 7;
        assert_eq!(memory.len(), 20);
        drop(memory);
        let back = few.back.lock().expect("no thread has failed");
        assert_eq!((back[0].0[19], back[0].0.len(), back[0].1, back[0].2), (7, 64, 20, 20));
    }

    #[test]
    fn what_is_only_shown_is_told_apart_from_what_is_used() {
        let few = few();
        let mut memory = Memory::lent(few, 10);
        memory.show(1000);
        assert_eq!(
            (memory.len(), memory.beyond(60..64).map(<[u8]>::len), memory.beyond(60..65)),
            (64, Some(4), None)
        );
        drop(memory);
        let back = few.back.lock().expect("no thread has failed");
        assert_eq!((back[0].1, back[0].2), (10, 64));
    }

    #[test]
    fn what_is_hidden_is_zeros_when_it_is_shown_again() {
        let mut memory = Memory::lent(few(), 10);
        memory.show(64);
        (memory[9], memory[63]) = (9, 9);
        memory.hide();
        assert_eq!(memory.len(), 10);
        memory.show(64);
        assert_eq!((memory[9], memory[63]), (9, 0));
    }

    #[test]
    fn what_begins_again_is_zeros_wherever_a_program_could_write() {
        let mut memory = Memory::lent(few(), 20);
        memory.show(64);
        memory[4..].fill(7);
        assert!(!memory.begin_again(4, 65), "there are no more bytes");
        assert!(memory.begin_again(4, 10));
        assert_eq!(memory.len(), 10);
        memory.show(64);
        assert_eq!((memory.len(), memory.iter().any(|byte| *byte != 0)), (64, false));
        assert!(!Memory::Own(vec![7; 64]).begin_again(4, 10), "it is not lent");
    }

    #[test]
    fn a_part_is_cleared_and_nothing_beside_it() {
        /// Lends one run that is long.
        struct Long;

        impl Lender for Long {
            fn lend(&self, _: usize) -> Option<&'static mut [u8]> {
                Some(vec![0; 1 << 20].leak())
            }

            fn take_back(&self, _: &'static mut [u8], _: usize, _: usize) {}

            fn clear(&self, bytes: &mut [u8], used: usize, visible: usize) {
                assert!(visible.is_multiple_of(WHOLE), "a page may be taken as a whole");
                bytes[used..visible].fill(0);
            }
        }

        for range in [0..1, 5..300, 70_000..70_001, 3..1_000_000, 65_536..1 << 20, 10..10] {
            let mut memory = Memory::lent(&Long, 1 << 20);
            memory.fill(7);
            memory.clear(range.clone());
            let is_right = |(at, byte): (usize, &u8)| *byte == if range.contains(&at) { 0 } else { 7 };
            assert!(memory.iter().enumerate().all(is_right), "{range:?}");
        }
    }

    #[test]
    fn what_outgrows_its_run_keeps_its_bytes() {
        let few = few();
        let mut memory = Memory::lent(few, 10);
        memory[9] = 9;
        memory.lengthen(100);
        assert_eq!((memory.len(), memory[9], memory[99]), (100, 9, 0));
        assert!(matches!(memory, Memory::Own(_)), "there is no longer run");
        assert_eq!(few.back.lock().expect("no thread has failed")[0].1, 10);
    }

    #[test]
    fn a_copy_is_ones_own() {
        let few = few();
        let memory = Memory::lent(few, 10);
        drop(memory.clone());
        assert!(few.back.lock().expect("no thread has failed").is_empty());
    }
}
