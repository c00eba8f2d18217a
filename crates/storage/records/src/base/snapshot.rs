//! The base as the last transaction left it, read without LMDB: a page is compared with its checksum before the first
//! byte of it is used, so that a damaged page is an error, whether it holds records or leads to them.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use smallvec::SmallVec;

use super::checks::{Checks, check};
use super::pages::{BaseState, HEADER, Page, Value};
use super::{FullKey, Patience, Raw, Space, Verified, full_key, raw};
use crate::record::{shown, verified};
use crate::{Direction, Error, Origin, Result};

/// The system maps no file of that size.
pub(super) const NO_ADDRESSES: Error =
    Error::NoSpace("the base: the system does not map so large a file (ulimit -v)");
/// No tree is so deep; what seems to be is damaged.
const DEEPEST: usize = 32;

/// The file of the base, mapped.
pub(super) struct Mapped {
    map: Mmap,
    file: File,
    pub(super) page_bytes: usize,
}

impl Mapped {
    /// Maps a file that can grow to `bytes`.
    pub(super) fn open(path: &Path, bytes: usize, page_bytes: usize) -> Result<Self> {
        let failed = |error| Error::io("the base", &error);
        let file = File::open(path).map_err(failed)?;
        let map = raw::map(&file, Some(bytes));
        let map =
            map.map_err(|error| if refuses_addresses(&error) { NO_ADDRESSES } else { failed(error) })?;
        Ok(Self { map, file, page_bytes })
    }

    /// Reads a page from the file; an error if it is not there.
    pub(super) fn fetch(&self, page: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.page_bytes];
        self.file.read_exact_at(&mut bytes, page * self.page_bytes as u64).map_err(|error| {
            match error.kind() {
                ErrorKind::UnexpectedEof => damaged(page),
                _ => Error::io("read the base", &error),
            }
        })?;
        Ok(bytes)
    }

    /// Returns true if the system has a page in memory. If the system gives no answer, the page counts as in memory.
    fn is_resident(&self, page: u64) -> bool {
        self.bytes(page, 0, self.page_bytes).is_none_or(raw::is_resident)
    }

    #[inline]
    fn bytes(&self, page: u64, skipped: usize, length: usize) -> Option<&[u8]> {
        let start = usize::try_from(page).ok()?.checked_mul(self.page_bytes)? + skipped;
        self.map.get(start..start.checked_add(length)?)
    }
}

/// That a page is not what it was.
pub(super) fn damaged(page: u64) -> Error {
    Error::damaged(&format!("page {page} of base/data.mdb is not what was written"))
}

/// State that one transaction has left.
pub(super) struct Snapshot {
    pub(super) file: Arc<Mapped>,
    pub(super) checks: Checks,
    /// A bit for each page: it was compared with its checksum.
    known: Box<[AtomicU64]>,
}

impl Snapshot {
    /// The state that `checks` describes. `known` says which pages need not be compared again.
    pub(super) fn new(file: Arc<Mapped>, checks: Checks, known: impl Fn(usize) -> u64) -> Self {
        let words = checks.pages().div_ceil(64);
        let known = (0..words).map(|word| AtomicU64::new(known(word))).collect();
        Self { file, checks, known }
    }

    /// Which of 64 pages were compared.
    pub(super) fn known(&self, word: usize) -> u64 {
        self.known.get(word).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    pub(super) fn state(&self) -> &BaseState {
        &self.checks.state
    }

    /// One who reads it.
    #[inline]
    pub(super) fn reader(&self, patience: Patience) -> Reader<'_> {
        Reader { snapshot: self, patience }
    }

    /// A page, which is what it was when it was written.
    pub(super) fn page(&self, number: u64) -> Result<&[u8]> {
        self.reader(Patience::Waits).page(number)
    }

    /// A page of a tree.
    pub(super) fn node(&self, number: u64) -> Result<Page<'_>> {
        self.reader(Patience::Waits).node(number)
    }

    /// A record with its checksum.
    pub(super) fn value<'a>(&'a self, value: Value<'a>) -> Result<&'a [u8]> {
        self.reader(Patience::Waits).value(value)
    }

    /// Compares a page with its checksum.
    #[cold]
    pub(super) fn compare(&self, number: u64, patience: Patience) -> Result<()> {
        if patience == Patience::AtOnce && !self.file.is_resident(number) {
            return Err(Error::NotAtOnce);
        }
        let known = self.checks.of(number);
        let same = known != 0 && check(&self.file.fetch(number)?) == known;
        if same { Ok(()) } else { Err(damaged(number)) }
    }

    /// Shows all that there is, with its checksum, until `visit` returns an error.
    pub(super) fn each(&self, visit: Raw<'_>) -> Result<()> {
        let mut cursor = Cursor::new(self.reader(Patience::Waits));
        cursor.seek(&[])?;
        let mut entry = cursor.here()?;
        while let Some((key, bytes)) = entry {
            visit(key, bytes)?;
            entry = cursor.step(Direction::Forward)?;
        }
        Ok(())
    }

    /// Reads all of a space from the file, beyond what is damaged, and counts.
    pub(super) fn verify(&self, space: Space) -> Verified {
        let mut found = Verified {
            expected: self.checks.counts.get(&space).copied().unwrap_or(0),
            ..Verified::default()
        };
        let bounds = (full_key(space, &[]), full_key(Space(space.0 + 1), &[]));
        if let Some(root) = self.state().main() {
            self.verify_page(root, DEEPEST, &bounds, &mut found);
        }
        if found.records != found.expected && found.problems.is_empty() {
            found.problems.push(format!("{} records where there were {}", found.records, found.expected));
        }
        found
    }

    fn verify_page(&self, number: u64, depth: usize, bounds: &(FullKey, FullKey), found: &mut Verified) {
        let page = self.compare(number, Patience::Waits).and_then(|()| self.node(number));
        let page = match page {
            Ok(page) if depth > 0 => page,
            Ok(_) => return found.problems.push(damaged(number).to_string()),
            Err(error) => return found.problems.push(error.to_string()),
        };
        let (from, to) = bounds;
        for at in 0..page.count {
            let key = page.key(at).unwrap_or_default();
            if page.is_leaf {
                if from.as_slice() <= key && key < to.as_slice() {
                    self.verify_record((number, page), at, key, found);
                }
                continue;
            }
            let next = if at + 1 < page.count { page.key(at + 1) } else { None };
            let before = next.is_some_and(|next| next <= from.as_slice());
            if !before && (at == 0 || key < to.as_slice()) {
                match page.child(at) {
                    Some(child) => self.verify_page(child, depth - 1, bounds, found),
                    None => found.problems.push(damaged(number).to_string()),
                }
            }
        }
    }

    fn verify_record(&self, (number, page): (u64, Page<'_>), at: usize, key: &[u8], found: &mut Verified) {
        let value = page.value(at).ok_or_else(|| damaged(number));
        if let Ok(Value::Long { page, length }) = value {
            let pages = (HEADER + length).div_ceil(self.file.page_bytes) as u64;
            if let Err(error) =
                (page..page + pages).try_for_each(|number| self.compare(number, Patience::Waits))
            {
                return found.problems.push(error.to_string());
            }
        }
        match value
            .and_then(|value| self.value(value))
            .and_then(|bytes| sound(key.get(4..).unwrap_or_default(), bytes))
        {
            Ok(_) => found.records += 1,
            Err(error) => found.problems.push(error.to_string()),
        }
    }
}

/// One who reads a snapshot, and waits for the disk or does not.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    snapshot: &'a Snapshot,
    patience: Patience,
}

impl<'a> Reader<'a> {
    /// A page, which is what it was when it was written.
    #[inline]
    fn page(self, number: u64) -> Result<&'a [u8]> {
        let Snapshot { known, file, .. } = self.snapshot;
        let word = known.get((number / 64) as usize).ok_or_else(|| damaged(number))?;
        let bit = 1 << (number % 64);
        if word.load(Ordering::Relaxed) & bit == 0 {
            self.snapshot.compare(number, self.patience)?;
            word.fetch_or(bit, Ordering::Relaxed);
        }
        file.bytes(number, 0, file.page_bytes).ok_or_else(|| damaged(number))
    }

    /// A page of a tree.
    #[inline]
    fn node(self, number: u64) -> Result<Page<'a>> {
        Page::read(self.page(number)?).ok_or_else(|| damaged(number))
    }

    /// A long record.
    fn long(self, page: u64, length: usize) -> Result<&'a [u8]> {
        let file = &self.snapshot.file;
        let pages = (HEADER + length).div_ceil(file.page_bytes) as u64;
        (page..page + pages).try_for_each(|number| self.page(number).map(drop))?;
        file.bytes(page, HEADER, length).ok_or_else(|| damaged(page))
    }

    /// A record with its checksum.
    #[inline]
    fn value(self, value: Value<'a>) -> Result<&'a [u8]> {
        match value {
            Value::Here(bytes) => Ok(bytes),
            Value::Long { page, length } => self.long(page, length),
        }
    }

    /// Reads a record into `record`, which is empty; false when there is none.
    pub(super) fn get(self, space: Space, key: &[u8], record: &mut Vec<u8>) -> Result<bool> {
        let full = full_key(space, key);
        let Some(mut number) = self.snapshot.state().main() else { return Ok(false) };
        for _ in 0..DEEPEST {
            let page = self.node(number)?;
            let torn = || damaged(number);
            if page.is_leaf {
                let (at, found) = page.search(&full).ok_or_else(torn)?;
                if found {
                    let bytes = self.value(page.value(at).ok_or_else(torn)?)?;
                    record.extend_from_slice(sound(key, bytes)?);
                }
                return Ok(found);
            }
            number = page.way_to(&full).and_then(|at| page.child(at)).ok_or_else(torn)?;
        }
        Err(damaged(number))
    }

    /// Shows records to `visit` until it returns false or the space ends.
    pub(super) fn scan(
        self,
        space: Space,
        origin: Origin<'_>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<()> {
        let prefix = space.0.to_be_bytes();
        let start: FullKey = match (origin, direction) {
            (Origin::Start, Direction::Forward) => full_key(space, &[]),
            (Origin::Start, Direction::Backward) => full_key(Space(space.0 + 1), &[]),
            (Origin::At(key) | Origin::Beyond(key), _) => full_key(space, key),
        };
        let mut cursor = Cursor::new(self);
        let found = cursor.seek(&start)?;
        let mut entry = match (direction, found, origin) {
            (Direction::Forward, true, Origin::Beyond(_)) => cursor.step(Direction::Forward)?,
            (Direction::Forward, _, _) | (Direction::Backward, true, Origin::At(_)) => cursor.here()?,
            (Direction::Backward, _, _) => cursor.step(Direction::Backward)?,
        };
        while let Some((full, bytes)) = entry {
            let Some(key) = full.strip_prefix(&prefix) else { break };
            if !visit(key, sound(key, bytes)?) {
                break;
            }
            entry = cursor.step(direction)?;
        }
        Ok(())
    }
}

/// The record in front of its checksum.
#[inline]
fn sound<'a>(key: &[u8], bytes: &'a [u8]) -> Result<&'a [u8]> {
    verified(key, bytes)
        .ok_or_else(|| Error::damaged(&format!("the record with key {} is not what was written", shown(key))))
}

/// A key and a record with its checksum.
type Entry<'a> = Option<(&'a [u8], &'a [u8])>;

/// A place in the tree of records.
struct Cursor<'a> {
    reader: Reader<'a>,
    /// The pages from the root to the leaf, and the node of each.
    way: SmallVec<[(Page<'a>, usize); 6]>,
}

impl<'a> Cursor<'a> {
    fn new(reader: Reader<'a>) -> Self {
        Self { reader, way: SmallVec::new() }
    }

    /// Goes to the first record with this key or a higher one, perhaps after the last of a leaf. Returns true if it has this key.
    fn seek(&mut self, key: &[u8]) -> Result<bool> {
        let Some(mut number) = self.reader.snapshot.state().main() else { return Ok(false) };
        while self.way.len() < DEEPEST {
            let page = self.reader.node(number)?;
            let torn = || damaged(number);
            if page.is_leaf {
                let (at, found) = page.search(key).ok_or_else(torn)?;
                self.way.push((page, at));
                return Ok(found);
            }
            let at = page.way_to(key).ok_or_else(torn)?;
            self.way.push((page, at));
            number = page.child(at).ok_or_else(torn)?;
        }
        Err(damaged(number))
    }

    /// The record at the place, or the first one behind it.
    fn here(&mut self) -> Result<Entry<'a>> {
        match self.way.last() {
            Some((page, at)) if *at < page.count => self.entry().map(Some),
            Some(_) => self.climb(Direction::Forward),
            None => Ok(None),
        }
    }

    /// The next record.
    fn step(&mut self, direction: Direction) -> Result<Entry<'a>> {
        let Some((page, at)) = self.way.last_mut() else { return Ok(None) };
        match direction {
            Direction::Forward if *at + 1 < page.count => *at += 1,
            Direction::Backward if *at > 0 => *at -= 1,
            _ => return self.climb(direction),
        }
        self.entry().map(Some)
    }

    /// From the end of a leaf to the next one.
    fn climb(&mut self, direction: Direction) -> Result<Entry<'a>> {
        loop {
            self.way.pop();
            let Some((page, at)) = self.way.last_mut() else { return Ok(None) };
            match direction {
                Direction::Forward if *at + 1 < page.count => *at += 1,
                Direction::Backward if *at > 0 => *at -= 1,
                _ => continue,
            }
            return self.descend(direction);
        }
    }

    /// From a node of a branch to the first leaf below it, or the last.
    fn descend(&mut self, direction: Direction) -> Result<Entry<'a>> {
        while let Some((page, at)) = self.way.last() {
            if page.is_leaf {
                return self.entry().map(Some);
            }
            let number = page.child(*at).ok_or_else(|| Error::damaged(TORN))?;
            let below = self.reader.node(number)?;
            if self.way.len() >= DEEPEST || below.count == 0 {
                return Err(damaged(number));
            }
            let at = if direction == Direction::Forward { 0 } else { below.count - 1 };
            self.way.push((below, at));
        }
        Ok(None)
    }

    fn entry(&self) -> Result<(&'a [u8], &'a [u8])> {
        let (page, at) = self.way.last().ok_or_else(|| Error::damaged(TORN))?;
        let key = page.key(*at).ok_or_else(|| Error::damaged(TORN))?;
        let value = page.value(*at).ok_or_else(|| Error::damaged(TORN))?;
        Ok((key, self.reader.value(value)?))
    }
}

const TORN: &str = "a page of base/data.mdb contradicts itself";

/// Returns true if an error of mapping a file means that it is too large for the process.
pub(super) fn refuses_addresses(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::OutOfMemory | ErrorKind::InvalidInput)
}
