//! Copies of storage that others see, in a task's window: what the task's programs have changed goes out, what others have
//! changed comes in.
//!
//! ```text
//! window: bytes ─ where they differ from what was seen ─► area        at each rest and resume
//!         bytes, seen ◄─ where it was changed since ───── area
//! ```
//!
//! What differs is looked for only where it may: a program's operations say which bytes it may store to
//! ([`cobol_ir::Stores`]), and of commands every write is noted. An area says where it was changed ([`cobol::Changes`]); one that
//! programs of the hosted compiler write to themselves is compared as a whole.

use std::ops::Range;

use cobol::Area;
use cobol_ir::Stores;
use smallvec::SmallVec;

/// Writes of commands into one copy that are known by their places, from one exchange to the next.
const WRITES_KEPT: usize = 8;

/// Bytes that are compared at once.
const BLOCK: usize = 256;

/// A copy of an area.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    /// The area's bytes as they were when both were the same.
    seen: Vec<u8>,
    /// How many changes of the area are in it.
    count: u64,
    /// Where commands have written.
    written: SmallVec<[Range<usize>; WRITES_KEPT]>,
}

/// Where a program may have stored to since the last exchange.
#[derive(Clone, Copy)]
pub enum Stored<'p> {
    /// Nowhere: no program has run.
    Nowhere,
    /// Where its operations say, with its records of the linkage section at these addresses.
    At(&'p Stores, &'p [u32]),
    /// Anywhere: it has given its records other addresses.
    Anywhere,
}

impl Stored<'_> {
    /// Does something with each range of a part of the window, from the part's beginning.
    fn within(self, part: u32, length: usize, mut each: impl FnMut(Range<usize>)) {
        match self {
            Self::Nowhere => {}
            Self::Anywhere => each(0..length),
            Self::At(stores, linkage) => {
                for (record, base) in stores.records().iter().zip(linkage) {
                    if *base == 0 {
                        continue;
                    }
                    // From the part's beginning, which may lie on either side of the record's.
                    let base = i64::from(*base) - i64::from(part);
                    let place = |at: u32| (base + i64::from(at)).clamp(0, length as i64) as usize;
                    for range in record {
                        each(place(range.start)..place(range.end));
                    }
                }
            }
        }
    }
}

impl Copy {
    /// One of an area that holds these bytes, which the window has by now.
    pub fn of(area: &mut Area) -> Self {
        let count = area.keep_changes().count();
        Self { seen: area.to_vec(), count, written: SmallVec::new() }
    }

    /// What was seen.
    pub fn bytes(&self) -> &[u8] {
        &self.seen
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
        for range in self.written.drain(..) {
            gives_out(&bytes[range.clone()], &self.seen[range.clone()], range.start, area);
        }
        let seen = &self.seen;
        stored.within(part, bytes.len(), |range| {
            gives_out(&bytes[range.clone()], &seen[range.clone()], range.start, area);
        });
        self.takes_in(bytes, area, direct);
    }

    /// What has changed of the area comes in, what was just given out included.
    fn takes_in(&mut self, bytes: &mut [u8], area: &mut Area, direct: bool) {
        let changes = area.keep_changes();
        let count = changes.count();
        if !direct && count == self.count {
            return;
        }
        let known: Option<SmallVec<[Range<usize>; cobol::CHANGES_KEPT]>> =
            changes.since(self.count).filter(|_| !direct).map(Iterator::collect);
        for range in known.unwrap_or_else(|| SmallVec::from_elem(0..bytes.len(), 1)) {
            area.read(range.start, &mut bytes[range.clone()]);
            self.seen[range.clone()].copy_from_slice(&bytes[range]);
        }
        self.count = count;
    }
}

/// What differs from what was seen goes to the area, behind a place. Blocks are compared as a whole first: mostly a few bytes of
/// a large table have changed.
fn gives_out(bytes: &[u8], seen: &[u8], behind: usize, area: &mut Area) {
    let blocks = bytes.chunks(BLOCK).zip(seen.chunks(BLOCK)).enumerate();
    for (block, (bytes, seen)) in blocks.filter(|(_, (bytes, seen))| bytes != seen) {
        let behind = behind + block * BLOCK;
        let mut at = 0;
        while at < bytes.len() {
            let differs = |(own, seen): &(&u8, &u8)| own != seen;
            at += bytes[at..].iter().zip(&seen[at..]).take_while(|pair| !differs(pair)).count();
            let changed = bytes[at..].iter().zip(&seen[at..]).take_while(differs).count();
            if changed > 0 {
                area.write(behind + at, &bytes[at..at + changed]);
            }
            at += changed;
        }
    }
}

#[cfg(test)]
mod tests;
