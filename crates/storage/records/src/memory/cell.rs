//! A record that threads read without writing anything, and change one after the other.
//!
//! A lock that lies beside a record has to be written to by everyone who reads, and comes from another processor's cache
//! when that one has read before. So a short record is read as it is, and once more if a writer has changed it meanwhile: its version is
//! odd during a change. A long record, seldom, has a lock.
//!
//! Out of scope: the record's key, and who may change it when.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use crossbeam_utils::Backoff;
use parking_lot::RwLock;

/// Bytes of a word.
const WORD: usize = size_of::<u64>();
/// Words of a record that lies in its cell.
const WORDS: usize = 9;

/// A record and its version, which rises with every change.
pub(super) enum Cell {
    Short(Short),
    Long(RwLock<Long>),
}

/// Results of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    Done,
    /// It is not of the version that was asked for.
    Changed,
    /// It needs a cell of another kind.
    Misfit,
}

/// A record in words that are read and written one by one; the version says whether they belong together.
pub(super) struct Short {
    version: AtomicU64,
    length: AtomicU64,
    words: [AtomicU64; WORDS],
}

pub(super) struct Long {
    version: u64,
    record: Vec<u8>,
}

impl Cell {
    /// A cell whose versions begin beyond this one.
    pub(super) fn new(record: &[u8], beyond: u64) -> Self {
        let version = next(beyond);
        if is_short(record) {
            let short = Short {
                version: AtomicU64::new(version),
                length: AtomicU64::new(0),
                words: Default::default(),
            };
            short.write(record);
            Self::Short(short)
        } else {
            Self::Long(RwLock::new(Long { version, record: record.to_vec() }))
        }
    }

    /// Adds the record to `record`, and tells its version.
    pub(super) fn read(&self, record: &mut Vec<u8>) -> u64 {
        match self {
            Self::Short(short) => short.read(record),
            Self::Long(long) => {
                let long = long.read();
                record.extend_from_slice(&long.record);
                long.version
            }
        }
    }

    /// Replaces the record; if `version` is given, only if it is that one still.
    pub(super) fn set(&self, record: &[u8], version: Option<u64>) -> Set {
        let is_wanted = |now| version.is_none_or(|wanted| wanted == now);
        match self {
            Self::Short(short) => short.set(record, is_wanted),
            Self::Long(long) => {
                let mut long = long.write();
                match (is_wanted(long.version), is_short(record)) {
                    (false, _) => return Set::Changed,
                    (true, true) => return Set::Misfit,
                    (true, false) => {}
                }
                long.record.clear();
                long.record.extend_from_slice(record);
                long.version = next(long.version);
                Set::Done
            }
        }
    }

    pub(super) fn version(&self) -> u64 {
        match self {
            Self::Short(short) => short.version.load(Ordering::Acquire),
            Self::Long(long) => long.read().version,
        }
    }
}

impl Short {
    fn read(&self, record: &mut Vec<u8>) -> u64 {
        let start = record.len();
        let others = Backoff::new();
        loop {
            let before = self.version.load(Ordering::Acquire);
            if is_whole(before) {
                self.copy_to(record);
                fence(Ordering::Acquire);
                if self.version.load(Ordering::Relaxed) == before {
                    return before;
                }
                record.truncate(start);
            }
            others.snooze();
        }
    }

    fn copy_to(&self, record: &mut Vec<u8>) {
        // During a change its length may belong to another record than its words; it is never too long.
        let length = self.length.load(Ordering::Relaxed) as usize;
        let words: [[u8; WORD]; WORDS] =
            std::array::from_fn(|at| self.words[at].load(Ordering::Relaxed).to_ne_bytes());
        record.extend_from_slice(&words.as_flattened()[..length]);
    }

    fn set(&self, record: &[u8], is_wanted: impl Fn(u64) -> bool) -> Set {
        let others = Backoff::new();
        let mut before = self.version.load(Ordering::Relaxed);
        loop {
            if !is_whole(before) {
                others.snooze();
                before = self.version.load(Ordering::Relaxed);
                continue;
            }
            if !is_wanted(before) {
                return Set::Changed;
            }
            if !is_short(record) {
                return Set::Misfit;
            }
            match self.version.compare_exchange_weak(before, before + 1, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => break,
                Err(now) => before = now,
            }
        }
        fence(Ordering::Release);
        self.write(record);
        self.version.store(next(before), Ordering::Release);
        Set::Done
    }

    fn write(&self, record: &[u8]) {
        let mut bytes = [[0; WORD]; WORDS];
        bytes.as_flattened_mut()[..record.len()].copy_from_slice(record);
        let words = record.len().div_ceil(WORD);
        self.words.iter().zip(bytes).take(words).for_each(|(word, bytes)| {
            word.store(u64::from_ne_bytes(bytes), Ordering::Relaxed);
        });
        self.length.store(record.len() as u64, Ordering::Relaxed);
    }
}

/// Returns true if a record lies in its cell.
fn is_short(record: &[u8]) -> bool {
    record.len() <= WORDS * WORD
}

/// Returns true if no thread changes the record whose version this is.
fn is_whole(version: u64) -> bool {
    version.is_multiple_of(2)
}

/// The version after this one.
fn next(version: u64) -> u64 {
    version + 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cell: &Cell) -> (u64, Vec<u8>) {
        let mut record = Vec::new();
        (cell.read(&mut record), record)
    }

    #[test]
    fn a_record_of_any_length_is_read_as_it_was_set() {
        for length in 0..2 * WORDS * WORD {
            let record: Vec<u8> = (1..).take(length).collect();
            let cell = Cell::new(&record, 0);
            assert_eq!(read(&cell), (2, record.clone()), "{length}");
            let other: Vec<u8> = record.iter().map(|byte| byte ^ 0xff).collect();
            assert_eq!(cell.set(&other, None), Set::Done, "{length}");
            assert_eq!(read(&cell), (4, other), "{length}");
        }
    }

    #[test]
    fn a_shorter_record_leaves_nothing_of_the_longer_one() {
        let cell = Cell::new(b"a record of some length", 0);
        cell.set(b"short", None);
        assert_eq!(read(&cell).1, b"short");
    }

    #[test]
    fn a_change_may_ask_for_a_version_and_for_a_cell_of_its_kind() {
        let (short, long) = ([1; 8], [2; 100]);
        for (at_first, wrong_kind) in [(&short[..], &long[..]), (&long, &short)] {
            let cell = Cell::new(at_first, 6);
            assert_eq!(cell.version(), 8);
            assert_eq!(cell.set(at_first, Some(6)), Set::Changed);
            assert_eq!(cell.set(wrong_kind, Some(8)), Set::Misfit);
            assert_eq!(cell.set(at_first, Some(8)), Set::Done);
            assert_eq!(read(&cell), (10, at_first.to_vec()));
        }
    }

    /// Every record that a writer sets is one byte, so many times as the byte says: a reader who saw half of one change
    /// and half of another would see two bytes, or the wrong number of them.
    #[test]
    fn who_reads_while_others_change_sees_one_change_whole() {
        const CHANGES: usize = 20_000;
        let cell = Cell::new(&[1; 1], 0);
        let change = |first: usize| {
            (0..CHANGES).map(|n| (first + n) % (WORDS * WORD) + 1).for_each(|length| {
                assert_eq!(cell.set(&vec![length as u8; length], None), Set::Done);
            });
        };
        std::thread::scope(|scope| {
            let writers = [scope.spawn(|| change(0)), scope.spawn(|| change(40))];
            let mut latest = 0;
            while !writers.iter().all(|writer| writer.is_finished()) {
                let (version, record) = read(&cell);
                assert!(version >= latest);
                assert!(record.iter().all(|byte| usize::from(*byte) == record.len()), "{record:?}");
                latest = version;
            }
        });
        assert_eq!(cell.version(), 2 + 2 * 2 * CHANGES as u64);
    }
}
