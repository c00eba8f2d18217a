//! Units of work that no task waits for, kept beside the log until they are in it: they outlive the process from the moment in which they
//! were acknowledged, though not a power cut.
//!
//! ```text
//! file   = entry*                                           two files in turn: one is emptied when all that it has is in the log
//! entry  = length:4 checksum:4 number:8 kind:1 body         the checksum covers the start of the system, too
//! kind 0 = behind:8 unit                                    a unit of work (encrypted where the folder is), and the end of the log then
//! kind 1 = before:8 after:8 up-to:8                         units up to this number are in the log if that ends at *after*, not if at *before*
//! ```
//!
//! The log that a start finds counts only if the log ends where it must, and if the system has not been started since: after a power cut it is
//! unknown which part of the two files is old.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::format::{Logged, decode_unit, encode_unit, take};
use crate::blocks::Blocks;
use crate::change::Changes;
use crate::disk::Disk;
use crate::seal::{BEFORE, BEHIND, Vault};
use crate::{Error, Result};

/// The two files.
const FILES: [&str; 2] = ["unforced.0", "unforced.1"];
/// Length and checksum of an entry.
const HEAD: usize = 8;
/// The kinds of entries.
const UNIT: u8 = 0;
const WRITTEN: u8 = 1;
/// The bytes by which the system names the time since it was started.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// One of the two files.
struct Part {
    file: File,
    /// The end of what counts of it.
    length: u64,
    /// The number of its last unit of work; 0: it has none.
    last: u64,
}

/// The units of work beside the log.
pub(crate) struct Aside {
    parts: [Part; 2],
    current: usize,
    /// The number of the last entry.
    number: u64,
    /// The end of the log.
    end: u64,
    boot: Vec<u8>,
    vault: Option<Arc<Vault>>,
    scratch: Blocks,
    entry: Vec<u8>,
}

/// A unit of work that is not in the log, and its number.
pub(crate) struct Left {
    pub(crate) number: u64,
    pub(crate) unit: Logged,
}

/// An entry of a file.
enum Entry {
    Unit { behind: u64, bytes: Vec<u8> },
    Written(Written),
}

/// A group of the log that is being written, or is.
#[derive(Clone, Copy)]
struct Written {
    before: u64,
    after: u64,
    up_to: u64,
}

fn failed(error: &io::Error) -> Error {
    Error::io("what lies beside the log", error)
}

impl Aside {
    /// Opens the files of a log that ends at `end`, with the units of work that are in them and not in the log. `None` where the disk has no
    /// such files.
    pub(crate) fn open(
        disk: &dyn Disk,
        end: u64,
        vault: Option<Arc<Vault>>,
    ) -> Result<Option<(Self, Vec<Left>)>> {
        let Ok(boot) = fs::read(BOOT) else { return Ok(None) };
        let mut parts = Vec::with_capacity(FILES.len());
        for name in FILES {
            let Some(file) = disk.beside(name).map_err(|error| failed(&error))? else { return Ok(None) };
            parts.push(Part { file, length: 0, last: 0 });
        }
        let Ok(parts) = <[Part; 2]>::try_from(parts) else { return Ok(None) };
        let scratch = Blocks::zeroed(0);
        let mut aside = Self { parts, current: 0, number: 0, end, boot, vault, scratch, entry: Vec::new() };
        let left = aside.read()?;
        if left.is_empty() {
            for part in &mut aside.parts {
                part.empty()?;
            }
        }
        Ok(Some((aside, left)))
    }

    /// The units of work that a killed process has left. They stay until they are in the log.
    fn read(&mut self) -> Result<Vec<Left>> {
        let mut entries = Vec::new();
        for part in &mut self.parts {
            let mut bytes = Vec::new();
            io::Read::read_to_end(&mut part.file, &mut bytes).map_err(|error| failed(&error))?;
            let mut rest = &bytes[..];
            let mut last = None;
            while let Some((number, entry)) = read_entry(&mut rest, &self.boot) {
                if last.is_some_and(|last| last >= number) {
                    break;
                }
                last = Some(number);
                if matches!(entry, Entry::Unit { .. }) {
                    part.last = number;
                }
                part.length = (bytes.len() - rest.len()) as u64;
                entries.push((number, entry));
            }
        }
        entries.sort_by_key(|(number, _)| *number);
        self.number = entries.last().map_or(0, |(number, _)| *number);
        self.current = usize::from(self.parts[1].last > self.parts[0].last);
        left(entries, self.end)
            .into_iter()
            .map(|(number, bytes)| Ok(Left { number, unit: self.opened(number, bytes)? }))
            .collect()
    }

    fn opened(&self, number: u64, mut bytes: Vec<u8>) -> Result<Logged> {
        let mut plain = match &self.vault {
            Some(vault) => vault.open_sealed(&number.to_le_bytes(), &mut bytes)?,
            None => &bytes,
        };
        decode_unit(&mut plain).ok_or_else(|| Error::Corrupt("a unit of work beside the log".into()))
    }

    /// Keeps a unit of work: it outlives the process from now on. Its number.
    pub(crate) fn keep(&mut self, changes: &Changes) -> Result<u64> {
        let number = self.number + 1;
        let (before, behind) = if self.vault.is_some() { (BEFORE, BEHIND) } else { (0, 0) };
        self.scratch.truncate(0);
        self.scratch.extend(&[0; BEFORE][..before]);
        encode_unit(changes, &mut self.scratch)?;
        self.scratch.extend(&[0; BEHIND][..behind]);
        if let Some(vault) = &self.vault {
            vault.seal(&number.to_le_bytes(), self.scratch.as_mut_slice())?;
        }
        self.begin_entry(number, UNIT);
        self.entry.extend_from_slice(&self.end.to_le_bytes());
        self.entry.extend_from_slice(self.scratch.as_slice());
        self.write_entry(number)?;
        self.parts[self.current].last = number;
        Ok(number)
    }

    fn begin_entry(&mut self, number: u64, kind: u8) {
        self.entry.clear();
        self.entry.extend_from_slice(&[0; HEAD]);
        self.entry.extend_from_slice(&number.to_le_bytes());
        self.entry.push(kind);
    }

    /// Writes the entry. If that fails, the next one takes its place.
    fn write_entry(&mut self, number: u64) -> Result<()> {
        let length = u32::try_from(self.entry.len() - HEAD).map_err(|_| Error::Limit("segment_bytes"))?;
        let sum = checksum(&self.boot, &self.entry[HEAD..]);
        self.entry[..4].copy_from_slice(&length.to_le_bytes());
        self.entry[4..HEAD].copy_from_slice(&sum.to_le_bytes());
        let part = &mut self.parts[self.current];
        part.file.write_all_at(&self.entry, part.length).map_err(|error| failed(&error))?;
        part.length += self.entry.len() as u64;
        self.number = number;
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.length == 0)
    }

    fn note(&mut self, written: Written) -> Result<()> {
        let number = self.number + 1;
        self.begin_entry(number, WRITTEN);
        self.entry.extend_from_slice(&written.before.to_le_bytes());
        self.entry.extend_from_slice(&written.after.to_le_bytes());
        self.entry.extend_from_slice(&written.up_to.to_le_bytes());
        self.write_entry(number)
    }

    /// A group with the units of work up to this number is about to be written to the log.
    pub(crate) fn writes(&mut self, before: u64, after: u64, up_to: u64) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        self.note(Written { before, after, up_to })?;
        let other = 1 - self.current;
        if self.parts[other].length == 0 {
            self.current = other;
        }
        Ok(())
    }

    /// The group is in the log. If this fails, it is done after the next group: until then the note before this one says enough.
    pub(crate) fn wrote(&mut self, after: u64, up_to: u64) {
        self.end = after;
        if self.is_empty() {
            return;
        }
        let is_all = self.parts.iter().all(|part| part.last <= up_to);
        if !is_all && self.note(Written { before: after, after, up_to }).is_err() {
            return;
        }
        // The older one first: what the other one has says by itself what counts of it.
        for at in [1 - self.current, self.current] {
            if self.parts[at].last > up_to || self.parts[at].empty().is_err() {
                return;
            }
        }
    }
}

impl Part {
    fn empty(&mut self) -> Result<()> {
        self.file.set_len(0).map_err(|error| failed(&error))?;
        (self.length, self.last) = (0, 0);
        Ok(())
    }
}

fn checksum(boot: &[u8], bytes: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(boot);
    sum.update(bytes);
    sum.finalize()
}

/// Takes a whole entry of this start of the system from the front of `bytes`; `None` if there is none.
fn read_entry(bytes: &mut &[u8], boot: &[u8]) -> Option<(u64, Entry)> {
    let mut rest = *bytes;
    let length = u32::from_le_bytes(take(&mut rest)?);
    let known = u32::from_le_bytes(take(&mut rest)?);
    let mut body = rest.split_off(..length as usize)?;
    if checksum(boot, body) != known {
        return None;
    }
    let number = u64::from_le_bytes(take(&mut body)?);
    let [kind] = take(&mut body)?;
    let mut position = || take(&mut body).map(u64::from_le_bytes);
    let entry = match kind {
        UNIT => Entry::Unit { behind: position()?, bytes: body.to_vec() },
        WRITTEN => {
            let (before, after) = (position()?, position()?);
            Entry::Written(Written { before, after, up_to: u64::from_le_bytes(take(&mut body)?) })
        }
        _ => return None,
    };
    *bytes = rest;
    Some((number, entry))
}

/// The units of work of these entries that are not in a log which ends at `end`.
fn left(entries: Vec<(u64, Entry)>, end: u64) -> Vec<(u64, Vec<u8>)> {
    let mut units: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut last: Option<Written> = None;
    for (number, entry) in entries {
        match entry {
            Entry::Unit { behind, bytes } => {
                last.get_or_insert(Written { before: behind, after: behind, up_to: 0 });
                units.push((number, bytes));
            }
            Entry::Written(written) => {
                if let Some(former) = last.filter(|former| former.after == written.before) {
                    units.retain(|(number, _)| *number > former.up_to);
                }
                last = Some(written);
            }
        }
    }
    match last {
        Some(last) if last.after == end => units.retain(|(number, _)| *number > last.up_to),
        Some(last) if last.before == end => {}
        Some(_) => {
            if !units.is_empty() {
                tracing::warn!(target: "RM", "what lies beside the log is of another time than the log, and does not count");
            }
            units.clear();
        }
        None => {}
    }
    units
}
