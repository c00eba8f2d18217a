//! The internal trace: a table in main storage for each TCB, of which its thread alone writes, and anybody reads.
//!
//! ```text
//! end of a dispatch ──► one entry            notes of commands ──► an entry each, when 31 are there, at a wait, at the end
//!                          └──► entries[head % ENTRIES] ◄── readers: what the writer may have reached meanwhile is dropped
//! ```
//!
//! Invariants: an entry is written without a lock, an allocation or a system call; a reader never holds the writer up, and
//! shows no entry that was half written.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use crate::limits::TRACE_ENTRIES;

/// The words of an entry.
const WORDS: usize = 4;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Traced {
    /// A task begins. `name`: its transaction, `detail`: 0.
    Begins = 1,
    /// A dispatch was over. `code`: the place of the kind of wait and one more, 0 at the end; `detail`: nanoseconds of
    /// processor time.
    Dispatched = 2,
    /// A command was answered. `name`: the program; `code`: its number; `detail`: statement, RESP and RESP2.
    Command = 3,
    /// A program has asked for an entry. `name`: its RESOURCE; `code`: the number; `detail`: the first bytes of FROM.
    User = 4,
    /// A task has ended. `name`: its abend, or blank.
    Ends = 5,
}

impl Traced {
    fn of(number: u64) -> Option<Self> {
        [Self::Begins, Self::Dispatched, Self::Command, Self::User, Self::Ends]
            .into_iter()
            .find(|traced| *traced as u64 == number)
    }
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// Nanoseconds of the region's clock. Of commands: when they were brought into the table.
    pub at: u64,
    /// The task.
    pub task: u32,
    /// Its kind.
    pub traced: Traced,
    /// A number whose meaning [`Traced`] says.
    pub code: u16,
    /// The same of a name.
    pub name: [u8; 8],
    /// The same of a further number.
    pub detail: u64,
}

impl TraceEntry {
    fn words(self) -> [u64; WORDS] {
        let head = u64::from(self.task) << 32 | (self.traced as u64) << 16 | u64::from(self.code);
        [self.at, head, u64::from_ne_bytes(self.name), self.detail]
    }

    fn of([at, head, name, detail]: [u64; WORDS]) -> Option<Self> {
        let traced = Traced::of(head >> 16 & 0xff)?;
        Some(Self {
            at,
            task: (head >> 32) as u32,
            traced,
            code: head as u16,
            name: name.to_ne_bytes(),
            detail,
        })
    }
}

/// The table of a TCB.
#[derive(Debug)]
pub struct TraceTable {
    entries: Box<[[AtomicU64; WORDS]]>,
    /// Entries that were written so far.
    head: AtomicU64,
    on: AtomicBool,
}

thread_local! {
    /// The table of this thread's TCB.
    static HERE: RefCell<Option<Arc<TraceTable>>> = const { RefCell::new(None) };
}

impl Default for TraceTable {
    fn default() -> Self {
        let entries = (0..TRACE_ENTRIES).map(|_| Default::default()).collect();
        Self { entries, head: AtomicU64::new(0), on: AtomicBool::new(true) }
    }
}

impl TraceTable {
    /// From now on, this thread writes it.
    pub(super) fn is_written_here(self: &Arc<Self>) {
        HERE.set(Some(Arc::clone(self)));
    }

    /// Uses the table of this thread's TCB, if it has one and entries are made.
    pub(crate) fn here(use_it: impl FnOnce(&Self)) {
        HERE.with_borrow(|table| {
            if let Some(table) = table.as_ref().filter(|table| table.is_on()) {
                use_it(table);
            }
        });
    }

    /// Returns true if entries are made.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Entries are made from now on, or not.
    pub fn set_on(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// Bytes of the table.
    pub fn bytes(&self) -> usize {
        self.entries.len() * WORDS * size_of::<u64>()
    }

    /// Writes an entry. Only the TCB's thread may.
    #[inline]
    pub(crate) fn add(&self, entry: TraceEntry) {
        let head = self.head.load(Ordering::Relaxed);
        let place = &self.entries[head as usize % TRACE_ENTRIES];
        // A reader that sees a word of this entry sees, too, that the one before it is whole.
        fence(Ordering::Release);
        for (word, value) in place.iter().zip(entry.words()) {
            word.store(value, Ordering::Relaxed);
        }
        self.head.store(head.wrapping_add(1), Ordering::Release);
    }

    /// The last entries, at most so many, the oldest first.
    pub fn latest(&self, most: usize) -> Vec<TraceEntry> {
        let head = self.head.load(Ordering::Acquire);
        let first = head.saturating_sub(most.min(TRACE_ENTRIES) as u64);
        let read = |number: u64| {
            let place = &self.entries[number as usize % TRACE_ENTRIES];
            (number, std::array::from_fn(|word| place[word].load(Ordering::Relaxed)))
        };
        let read: Vec<(u64, [u64; WORDS])> = (first..head).map(read).collect();
        fence(Ordering::Acquire);
        // The writer may be at work on the place of the next one.
        let reached = self.head.load(Ordering::Relaxed) + 1;
        let is_whole = |number: u64| number + TRACE_ENTRIES as u64 >= reached;
        let whole = read.into_iter().filter(|(number, _)| is_whole(*number));
        whole.filter_map(|(_, words)| TraceEntry::of(words)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64) -> TraceEntry {
        let code = number as u16;
        TraceEntry {
            at: number,
            task: code.into(),
            traced: Traced::Command,
            code,
            name: *b"PROGRAM ",
            detail: number,
        }
    }

    #[test]
    fn the_last_entries_are_there_in_their_order_however_many_came_before() {
        let table = TraceTable::default();
        assert_eq!(table.latest(10), []);
        let all = TRACE_ENTRIES as u64 + 5;
        (0..all).for_each(|number| table.add(entry(number)));
        assert_eq!(table.latest(3), [all - 3, all - 2, all - 1].map(entry));
        // One place is the writer's.
        assert_eq!(table.latest(usize::MAX).len(), TRACE_ENTRIES - 1);
    }

    #[test]
    fn a_reader_beside_the_writer_sees_whole_entries_only() {
        let table = Arc::new(TraceTable::default());
        let (written, over) = (Arc::clone(&table), Arc::new(AtomicBool::new(false)));
        let ends = Arc::clone(&over);
        let writer = std::thread::spawn(move || {
            (0..).take_while(|_| !ends.load(Ordering::Relaxed)).for_each(|number| written.add(entry(number)));
        });
        let mut seen = 0;
        while seen < 200_000 {
            for read in table.latest(TRACE_ENTRIES) {
                assert_eq!(read, entry(read.at));
                seen += 1;
            }
        }
        over.store(true, Ordering::Relaxed);
        writer.join().expect("it ends");
    }
}
