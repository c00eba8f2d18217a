//! Compiled programs as a file, which the next start maps instead of compiling them.
//!
//! ```text
//! mark, form, check sum, length │ key │ contents │ programs … │ code, from a page on …
//! ```
//!
//! The key says what made the file: compiler, options, processor. A file is taken as a whole or not at all: another key or form,
//! another length, a wrong check sum, the file of another user, or one that others may write to is none.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use cobol_ir::program::BlockId;
use serde::{Deserialize, Serialize};

use crate::code::{code_of, mapped};
use crate::kept::KeptProgram;
use crate::{Loaded, Unit};

/// The first bytes of such a file.
const MARK: &[u8; 8] = b"SPNATIVE";
/// The form of the file.
const FORM: u32 = 8;
/// Bytes in front of the key: mark, form, check sum, length of the file, length of the key, length of the contents.
const FRONT: usize = 32;
/// The check sum is that of everything from here on.
const SUMMED_FROM: usize = 16;
/// Code begins at a multiple of this, for it is mapped by itself: the largest page of the machines of a kind.
const PAGE: usize = if cfg!(target_arch = "x86_64") { 4 << 10 } else { 64 << 10 };
/// Bytes of a file, at most: a program that takes more is compiled at each start.
pub const FILE_MAX: usize = 256 << 20;
/// Rights of others to change a file: they may not change one of code.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The contents of a file.
#[derive(Serialize, Deserialize)]
struct Contents {
    source: String,
    programs: Vec<Part>,
    /// Facts that the keeper of the file needs to know of it.
    more: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Part {
    program: Range<usize>,
    code: Range<usize>,
    entries: Vec<BlockId>,
    storage_min: usize,
    counts: bool,
}

/// The reason why there is no file of code.
#[derive(Debug)]
pub enum NotKept {
    /// A program has no form in bytes: a mistake of ours.
    Form(String),
    /// It would be longer than [`FILE_MAX`].
    TooLong(usize),
}

/// The reason why a file is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// There is none, or it cannot be read.
    Absent,
    /// It is no file of this user alone.
    NotOurs,
    /// It is not whole, or has been changed.
    Damaged,
    /// It was made by another compiler, with other options, or for another processor.
    Other,
}

/// A file of code, mapped.
#[derive(Debug)]
pub struct Mapped {
    /// Its programs.
    pub unit: Unit,
    /// Facts that its keeper has put there.
    pub more: Vec<u8>,
}

impl Unit {
    /// The unit as a file, with its key and what else is to be found again with it.
    ///
    /// # Errors
    /// There can be no such file.
    pub fn to_file(&self, key: &str, more: Vec<u8>) -> Result<Vec<u8>, NotKept> {
        let form = |error: &dyn std::fmt::Display| NotKept::Form(error.to_string());
        let mut bodies: Vec<(Vec<u8>, &[u8])> = Vec::new();
        for own in self.programs() {
            let program = match own.kept().bytes() {
                Some(bytes) => bytes.to_vec(),
                None => own.program().to_bytes().map_err(|error| form(&error))?,
            };
            bodies.push((program, own.code()));
        }
        // Where the parts lie depends on the length of the contents, which names them: they are counted from behind it.
        let mut end = 0;
        let mut place = |length: usize, alignment: usize| {
            let at = usize::next_multiple_of(end, alignment);
            end = at + length;
            at..end
        };
        let programs: Vec<Range<usize>> = bodies.iter().map(|(program, _)| place(program.len(), 1)).collect();
        let mut code_at = 0;
        let parts = bodies.iter().zip(programs).zip(self.programs()).map(|(((_, code), program), own)| {
            let at = usize::next_multiple_of(code_at, PAGE);
            code_at = at + code.len();
            let (entries, storage_min) = (own.entries().to_vec(), own.storage_min());
            Part { program, code: at..code_at, entries, storage_min, counts: !own.counters().is_empty() }
        });
        let programs: Vec<Part> = parts.collect();
        let contents = Contents { source: self.source().to_owned(), programs, more };
        let contents_bytes = postcard::to_allocvec(&contents).map_err(|error| form(&error))?;
        let body = FRONT + key.len() + contents_bytes.len();
        let code_base = usize::next_multiple_of(body + end, PAGE);
        let length = code_base + code_at;
        if length > FILE_MAX {
            return Err(NotKept::TooLong(length));
        }
        let mut file = Vec::with_capacity(length);
        file.extend_from_slice(MARK);
        file.extend_from_slice(&FORM.to_le_bytes());
        file.extend_from_slice(&[0; 4]);
        file.extend_from_slice(&(length as u64).to_le_bytes());
        file.extend_from_slice(&(key.len() as u32).to_le_bytes());
        file.extend_from_slice(&(contents_bytes.len() as u32).to_le_bytes());
        file.extend_from_slice(key.as_bytes());
        file.extend_from_slice(&contents_bytes);
        bodies.iter().for_each(|(program, _)| file.extend_from_slice(program));
        for ((_, code), part) in bodies.iter().zip(&contents.programs) {
            file.resize(code_base + part.code.start, 0);
            file.extend_from_slice(code);
        }
        file.resize(length, 0);
        let sum = crc32fast::hash(&file[SUMMED_FROM..]);
        file[12..16].copy_from_slice(&sum.to_le_bytes());
        Ok(file)
    }
}

impl Mapped {
    /// Maps a file that was made with this key.
    ///
    /// # Errors
    /// There is no such file that may be taken.
    pub fn open(path: &Path, key: &str) -> Result<Self, NotTaken> {
        let file = File::open(path).map_err(|_| NotTaken::Absent)?;
        let metadata = file.metadata().map_err(|_| NotTaken::Absent)?;
        let is_ours = metadata.is_file()
            && metadata.uid() == rustix::process::geteuid().as_raw()
            && metadata.mode() & WRITABLE_BY_OTHERS == 0;
        if !is_ours {
            return Err(NotTaken::NotOurs);
        }
        if metadata.len() < FRONT as u64 || metadata.len() > FILE_MAX as u64 {
            return Err(NotTaken::Damaged);
        }
        let bytes = mapped(&file).map_err(|_| NotTaken::Absent)?;
        let (contents, body) = contents(&bytes, key)?;
        let programs_end = contents.programs.iter().map(|part| part.program.end).max().unwrap_or(0);
        let code_base = body.checked_add(programs_end).ok_or(NotTaken::Damaged)?.next_multiple_of(PAGE);
        let bytes = Arc::new(bytes);
        let mut programs = Vec::with_capacity(contents.programs.len());
        for part in contents.programs {
            let program = within(&bytes, body, &part.program)?;
            let code = within(&bytes, code_base, &part.code)?;
            if code.is_empty() || code.start % PAGE != 0 {
                return Err(NotTaken::Damaged);
            }
            let code = code_of(&file, code).map_err(|_| NotTaken::Absent)?;
            let program = KeptProgram::stored(&bytes, program);
            programs.push(Loaded::mapped(program, code, part.entries, part.storage_min, part.counts));
        }
        Ok(Self { unit: Unit::of(contents.source, programs), more: contents.more })
    }
}

/// The contents of a file that is whole and has this key, and where what they name begins.
fn contents(bytes: &[u8], key: &str) -> Result<(Contents, usize), NotTaken> {
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let length = u64::from(word(16)) | u64::from(word(20)) << 32;
    if !bytes.starts_with(MARK) || length != bytes.len() as u64 {
        return Err(NotTaken::Damaged);
    }
    if word(8) != FORM {
        return Err(NotTaken::Other);
    }
    if word(12) != crc32fast::hash(&bytes[SUMMED_FROM..]) {
        return Err(NotTaken::Damaged);
    }
    let key_end = FRONT + word(24) as usize;
    let body = key_end + word(28) as usize;
    let (Some(own_key), Some(contents)) = (bytes.get(FRONT..key_end), bytes.get(key_end..body)) else {
        return Err(NotTaken::Damaged);
    };
    if own_key != key.as_bytes() {
        return Err(NotTaken::Other);
    }
    Ok((postcard::from_bytes(contents).map_err(|_| NotTaken::Damaged)?, body))
}

/// A range behind a base, in the file.
fn within(bytes: &[u8], base: usize, range: &Range<usize>) -> Result<Range<usize>, NotTaken> {
    let moved = || Some(base.checked_add(range.start)?..base.checked_add(range.end)?);
    moved().filter(|range| bytes.get(range.clone()).is_some()).ok_or(NotTaken::Damaged)
}
