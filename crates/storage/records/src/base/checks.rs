//! Checksum of every page of the base, from the transaction that wrote it on.
//!
//! ```text
//! checks = magic:8 state:112 stores:4 pages:8 (space:4 records:8)* checksum:4* own-checksum:4
//! ```
//!
//! A page's checksum is 0 where no tree has the page. The file is written as a whole after each transaction of the base
//! and takes the place of the former one, and once more as its twin, in case it is damaged. So it belongs to the transaction that the base names, or, after a crash, to
//! the one before, which LMDB can open as well. It is read where it lies: nothing in this process can change it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use memmap2::Mmap;

use super::pages::{BaseState, STATE_BYTES};
use super::{Space, raw};
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"SPCHECK2";
const NAME: &str = "checks";
/// The same once more, written behind it: without the checks nothing of the base can be read.
const TWIN: &str = "checks.twin";
/// The file while it is written.
const NEXT: &str = "checks.new";
/// Bytes before the numbers of records.
const HEAD: usize = MAGIC.len() + STATE_BYTES + 12;
/// Bytes of a space and its number of records.
const COUNT: usize = 12;

/// Number of records in each space.
pub(super) type Counts = BTreeMap<Space, u64>;

/// The file.
pub(super) struct Checks {
    pub(super) state: BaseState,
    pub(super) counts: Counts,
    map: Mmap,
    /// Place of the pages' checksums.
    table: std::ops::Range<usize>,
}

impl Checks {
    /// Opens the file of `folder`; `None` if there is no such file. If it is damaged or gone, its twin takes its place.
    pub(super) fn open(folder: &Path) -> Result<Option<Self>> {
        let found = Self::open_file(folder, NAME);
        if let Ok(Some(_)) = found {
            return found;
        }
        let Ok(Some(twin)) = Self::open_file(folder, TWIN) else { return found };
        tracing::warn!(target: "RM", "base/{NAME} is missing or not what was written: base/{TWIN} takes its place");
        put(folder, NAME, &twin.map)
            .and_then(|()| File::open(folder)?.sync_all())
            .map_err(|e| Error::io("the base", &e))?;
        Ok(Some(twin))
    }

    fn open_file(folder: &Path, name: &str) -> Result<Option<Self>> {
        let file = match File::open(folder.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|e| Error::io("the base's checks", &e))?,
        };
        let map = raw::map(&file, None).map_err(|e| Error::io("the base's checks", &e))?;
        Self::read(map)
            .map(Some)
            .ok_or_else(|| Error::damaged("neither base/checks nor its twin is what was written"))
    }

    fn read(map: Mmap) -> Option<Self> {
        let (bytes, known) = map.split_last_chunk::<4>()?;
        if crc32fast::hash(bytes).to_le_bytes() != *known || !bytes.starts_with(MAGIC) {
            return None;
        }
        let state = BaseState(bytes.get(8..8 + STATE_BYTES)?.try_into().ok()?);
        let stores = u32::from_le_bytes(bytes.get(HEAD - 12..HEAD - 8)?.try_into().ok()?) as usize;
        let pages = u64::from_le_bytes(bytes.get(HEAD - 8..HEAD)?.try_into().ok()?) as usize;
        let start = HEAD + stores * COUNT;
        let counts = bytes.get(HEAD..start)?.chunks_exact(COUNT).map(|entry| {
            let (space, records) = entry.split_first_chunk::<4>()?;
            Some((Space(u32::from_le_bytes(*space)), u64::from_le_bytes(records.try_into().ok()?)))
        });
        let counts = counts.collect::<Option<_>>()?;
        let table = start..start + 4 * pages;
        (table.end == bytes.len()).then_some(Self { state, counts, map, table })
    }

    /// Rewrites the file, durably.
    pub(super) fn write(folder: &Path, state: &BaseState, counts: &Counts, table: &[u32]) -> Result<()> {
        let mut bytes = Vec::with_capacity(HEAD + counts.len() * COUNT + table.len() * 4 + 4);
        bytes.extend(MAGIC);
        bytes.extend(state.0);
        bytes.extend((counts.len() as u32).to_le_bytes());
        bytes.extend((table.len() as u64).to_le_bytes());
        for (space, records) in counts {
            bytes.extend(space.0.to_le_bytes());
            bytes.extend(records.to_le_bytes());
        }
        table.iter().for_each(|check| bytes.extend(check.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        let write = || {
            put(folder, NAME, &bytes)?;
            put(folder, TWIN, &bytes)?;
            File::open(folder)?.sync_all()
        };
        write().map_err(|e| Error::io("the base", &e))
    }

    /// The checksum of a page; 0 if no tree has it.
    #[inline]
    pub(super) fn of(&self, page: u64) -> u32 {
        let at = self.table.start + page as usize * 4;
        match self.map.get(at..at + 4) {
            Some(&[a, b, c, d]) if at < self.table.end => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        }
    }

    /// Pages that it knows of, from 0.
    pub(super) fn pages(&self) -> usize {
        self.table.len() / 4
    }

    /// The checksums of all pages, to be changed for the next file.
    pub(super) fn to_table(&self) -> Vec<u32> {
        let entries = self.map[self.table.clone()].chunks_exact(4);
        entries.map(|entry| u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]])).collect()
    }
}

/// Puts a file in the place of another.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let next = folder.join(NEXT);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&next)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(next, folder.join(name))
}

/// The checksum of a page, which is never 0.
pub(super) fn check(page: &[u8]) -> u32 {
    crc32fast::hash(page).max(1)
}
