//! Copies of storage that others see, in a task's window: what the task's programs have changed goes out, what others have
//! changed comes in.
//!
//! ```text
//! window: bytes ─ where they differ from what was seen ─► area        at each rest and resume
//!         bytes, seen ◄─ where it was changed since ───── area
//! ```
//!
//! What differs is looked for only where it may: a program's operations say which bytes it may store to
//! ([`cobol_ir::Stores`]), it notes what they cannot say ([`cobol_run::Changed`]), and of commands every write is noted. An area
//! says where it was changed ([`cobol::Changes`]); one that programs of the hosted compiler write to themselves is compared as a
//! whole. Where neither has changed anything, nobody asks for the area.

use std::ops::Range;

use cobol::{Area, ChangeCount};
use cobol_ir::Stores;
use cobol_run::{Moved, RecordSet};
use smallvec::SmallVec;

/// Writes of commands into one copy that are known by their places, from one exchange to the next.
const WRITES_KEPT: usize = 8;

/// Bytes that are compared at once.
const BLOCK: usize = 256;

/// Ranges that have changed since a copy was exchanged, mostly: more of them ask for memory.
const RANGES_USUAL: usize = 8;

/// A copy of an area.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    /// The area's bytes as they were when both were the same.
    seen: Vec<u8>,
    /// How many changes the area has by now, and how many of them are in it.
    changes: ChangeCount,
    count: u64,
    /// Where commands have written.
    written: SmallVec<[Range<usize>; WRITES_KEPT]>,
}

/// Where a program may have stored to since the last exchange.
#[derive(Clone, Copy)]
pub enum Stored<'p> {
    /// Nowhere: no program has run.
    Nowhere,
    /// Where it has noted, and where its operations say, with its records of the linkage section at these addresses.
    At(&'p Stores, Records<'p>, &'p Range<u32>),
    /// Anywhere: its records had too many addresses.
    Anywhere,
}

/// Where the records of a linkage section lie.
#[derive(Clone, Copy)]
pub struct Records<'p> {
    pub now: &'p [u32],
    /// Those that lay elsewhere before.
    pub before: &'p Moved,
    /// Those that were stored to.
    pub stored: RecordSet,
}

/// A part of the window, or several: from an address up to another.
pub type Span = Range<u32>;

/// What lies in both, from the beginning of the first.
fn common(span: &Span, from: i64, to: i64) -> Option<Range<usize>> {
    let (start, end) = (i64::from(span.start), i64::from(span.end));
    if to <= start || from >= end || from >= to {
        return None;
    }
    Some((from.max(start) - start) as usize..(to.min(end) - start) as usize)
}

/// Does something with each range of a record at an address that lies in a span; whether all of them had it go on.
#[inline]
fn of_record(
    ranges: &[Range<u32>],
    base: u32,
    span: &Span,
    each: &mut impl FnMut(Range<usize>) -> bool,
) -> bool {
    let ([first, ..], [.., last]) = (ranges, ranges) else { return true };
    let base = i64::from(base);
    // Most records lie elsewhere.
    if base == 0 || common(span, base + i64::from(first.start), base + i64::from(last.end)).is_none() {
        return true;
    }
    for range in ranges {
        if let Some(range) = common(span, base + i64::from(range.start), base + i64::from(range.end))
            && !each(range)
        {
            return false;
        }
    }
    true
}

impl Stored<'_> {
    /// Does something with each range that lies in a span, from its beginning; whether all of them had it go on.
    fn within(self, span: &Span, mut each: impl FnMut(Range<usize>) -> bool) -> bool {
        let (stores, records, noted) = match self {
            Self::Nowhere => return true,
            Self::Anywhere => return each(0..span.len()),
            Self::At(stores, records, noted) => (stores.records(), records, noted),
        };
        if let Some(range) = common(span, noted.start.into(), noted.end.into())
            && !each(range)
        {
            return false;
        }
        if records.stored.is_empty() {
            return true;
        }
        for (record, (ranges, base)) in stores.iter().zip(records.now).enumerate() {
            if records.stored.contains(record as u32) && !of_record(ranges, *base, span, &mut each) {
                return false;
            }
        }
        records.before.iter().filter(|(record, _)| records.stored.contains(*record)).all(|(record, base)| {
            let ranges = stores.get(*record as usize).map_or(&[][..], Vec::as_slice);
            of_record(ranges, *base, span, &mut each)
        })
    }

    /// Whether anything lies in a span.
    pub fn touches(self, span: &Span) -> bool {
        !self.within(span, |_| false)
    }
}

impl Copy {
    /// One of an area, which the window has from now on in these bytes.
    pub fn of(area: &mut Area, bytes: &mut [u8]) -> Self {
        area.read(0, bytes);
        let changes = area.keep_changes().count().clone();
        let count = changes.get();
        Self { seen: bytes.to_vec(), changes, count, written: SmallVec::new() }
    }

    /// Whether nobody has changed the area, and no command has written into the copy: what programs have stored is another question.
    #[inline]
    pub fn is_up_to_date(&self) -> bool {
        self.written.is_empty() && self.changes.get() == self.count
    }

    /// Whether nothing differs where programs have stored.
    pub fn is_same(&self, part: u32, bytes: &[u8], stored: Stored<'_>) -> bool {
        let part = part..part + bytes.len() as u32;
        stored.within(&part, |range| bytes[range.clone()] == self.seen[range])
    }

    /// Whether all that was written into it is the area's, too.
    pub fn is_settled(&self) -> bool {
        self.written.is_empty()
    }

    /// Whether its area is gone.
    pub fn is_of_none(&self) -> bool {
        self.changes.is_of_none()
    }

    /// Nobody has looked after it for some time: it is brought up to date. False where the area is another one by now.
    ///
    /// What was stored to meanwhile, by mistake, is as if it had not been.
    pub fn wakes(&mut self, bytes: &mut [u8], area: &mut Area, direct: bool) -> bool {
        if area.len() != bytes.len() || !area.keep_changes().count().is_of_same(&self.changes) {
            return false;
        }
        if bytes != self.seen {
            bytes.copy_from_slice(&self.seen);
        }
        self.takes_in(bytes, area, direct);
        true
    }

    /// A command writes into it.
    pub fn is_written(&mut self, range: Range<usize>) {
        if self.written.len() < WRITES_KEPT {
            self.written.push(range);
        } else {
            self.written.clear();
            self.written.push(0..self.seen.len());
        }
    }

    /// Exchanges a part of the window at an address with its area, which is as long. `direct`: not all changes of the area are told.
    pub fn exchange(
        &mut self,
        part: u32,
        bytes: &mut [u8],
        area: &mut Area,
        stored: Stored<'_>,
        direct: bool,
    ) {
        let is_latest = {
            let count = area.keep_changes().count();
            !direct && count.is_of_same(&self.changes) && count.get() == self.count
        };
        let seen = &mut self.seen;
        let mut give = |range: Range<usize>| {
            gives_out(&bytes[range.clone()], &mut seen[range.clone()], range.start, area);
            true
        };
        self.written.drain(..).all(&mut give);
        stored.within(&(part..part + bytes.len() as u32), give);
        if is_latest {
            self.count = self.changes.get();
        } else {
            self.takes_in(bytes, area, direct);
        }
    }

    /// What has changed of the area comes in, what was just given out included.
    fn takes_in(&mut self, bytes: &mut [u8], area: &mut Area, direct: bool) {
        let changes = area.keep_changes();
        let is_same = changes.count().is_of_same(&self.changes);
        let count = changes.count().get();
        if is_same && !direct && count == self.count {
            return;
        }
        if is_same && !direct {
            let mut known: SmallVec<[Range<usize>; RANGES_USUAL]> = SmallVec::new();
            changes.since(self.count, |range| known.push(range));
            known.into_iter().for_each(|range| self.take_in(bytes, area, range));
        } else {
            self.changes = changes.count().clone();
            self.take_in(bytes, area, 0..bytes.len());
        }
        self.count = count;
    }

    fn take_in(&mut self, bytes: &mut [u8], area: &Area, range: Range<usize>) {
        area.read(range.start, &mut bytes[range.clone()]);
        self.seen[range.clone()].copy_from_slice(&bytes[range]);
    }
}

/// What differs from what was seen goes to the area, behind a place, and is seen now. Blocks are compared as a whole first: mostly a
/// few bytes of a large table have changed.
fn gives_out(bytes: &[u8], seen: &mut [u8], behind: usize, area: &mut Area) {
    let blocks = bytes.chunks(BLOCK).zip(seen.chunks_mut(BLOCK)).enumerate();
    for (block, (bytes, seen)) in blocks.filter(|(_, (bytes, seen))| bytes != seen) {
        let behind = behind + block * BLOCK;
        let mut at = 0;
        while at < bytes.len() {
            let differs = |(own, seen): &(&u8, &u8)| own != seen;
            at += bytes[at..].iter().zip(&seen[at..]).take_while(|pair| !differs(pair)).count();
            let changed = bytes[at..].iter().zip(&seen[at..]).take_while(differs).count();
            if changed > 0 {
                area.write(behind + at, &bytes[at..at + changed]);
                seen[at..at + changed].copy_from_slice(&bytes[at..at + changed]);
            }
            at += changed;
        }
    }
}

#[cfg(test)]
mod tests;
