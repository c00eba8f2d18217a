//! The file of a backup: numbered chunks, each with its checksum, so that whatever is missing, moved or changed is
//! noticed before anything is restored.
//!
//! ```text
//! backup = title chunk* end
//! chunk  = kind:1 length:4 checksum:4 bytes            the checksum covers the chunk's number, its kind and its bytes
//! kinds  = 1 entries of the base: (key-length:2 length:4 key bytes)*
//!        | 2 a piece of the log: segment-size:8 place:8 bytes
//!        | 3 how far the log goes: segment-size:8 position:12
//!        | 4 the name of a file | 5 bytes of it
//!        | 9 the end
//! ```
//!
//! A file that is encrypted in the folder is encrypted here: entries and pieces are copied as they lie there.

use std::io::{self, Read, Write};

use crc32fast::Hasher;

use crate::{Error, Result};

const TITLE: &[u8] = b"Syncpoint backup, format 1\n";
/// Bytes of a chunk at most, and a piece of a file.
const CHUNK_MAX: usize = 64 << 20;
const PIECE: usize = 1 << 20;

/// Kinds of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Entries = 1,
    Log = 2,
    LogEnd = 3,
    Name = 4,
    Bytes = 5,
    End = 9,
}

impl Kind {
    fn of(number: u8) -> Option<Self> {
        let all = [Self::Entries, Self::Log, Self::LogEnd, Self::Name, Self::Bytes, Self::End];
        all.into_iter().find(|kind| *kind as u8 == number)
    }
}

fn failed(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::NoSpace("the backup"),
        _ => Error::Io(format!("the backup: {error}")),
    }
}

fn sum(number: u64, kind: u8, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(&[kind]);
    hasher.update(bytes);
    hasher.finalize()
}

/// A backup that is being written.
pub struct Archive<'a> {
    out: &'a mut dyn Write,
    chunks: u64,
}

impl<'a> Archive<'a> {
    /// Begins one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(out: &'a mut dyn Write) -> Result<Self> {
        out.write_all(TITLE).map_err(|e| failed(&e))?;
        Ok(Self { out, chunks: 0 })
    }

    pub(crate) fn add(&mut self, kind: Kind, bytes: &[u8]) -> Result<()> {
        let kind = kind as u8;
        let check = sum(self.chunks, kind, bytes);
        let head = [&[kind][..], &(bytes.len() as u32).to_le_bytes(), &check.to_le_bytes()].concat();
        self.out.write_all(&head).and_then(|()| self.out.write_all(bytes)).map_err(|e| failed(&e))?;
        self.chunks += 1;
        Ok(())
    }

    /// Adds a file under a name of the caller's choice.
    ///
    /// # Errors
    /// If it cannot be read, or the backup not be written.
    pub fn add_file(&mut self, name: &str, content: &mut dyn Read) -> Result<()> {
        self.add(Kind::Name, name.as_bytes())?;
        let mut piece = Vec::with_capacity(PIECE);
        loop {
            piece.clear();
            content.take(PIECE as u64).read_to_end(&mut piece).map_err(|e| failed(&e))?;
            if piece.is_empty() {
                return Ok(());
            }
            self.add(Kind::Bytes, &piece)?;
        }
    }

    /// Says that it is the backup of a record server: what several regions share. It comes first.
    ///
    /// # Errors
    /// If the backup cannot be written.
    pub fn add_server_mark(&mut self) -> Result<()> {
        self.add(Kind::Name, SERVER_MARK.as_bytes())
    }

    /// Ends it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self) -> Result<()> {
        self.add(Kind::End, &[])?;
        self.out.flush().map_err(|e| failed(&e))
    }
}

/// Reads a backup, chunk by chunk.
pub(crate) struct Chunks<'a> {
    input: &'a mut dyn Read,
    number: u64,
    bytes: Vec<u8>,
}

impl<'a> Chunks<'a> {
    pub(crate) fn open(input: &'a mut dyn Read) -> Result<Self> {
        let mut title = vec![0; TITLE.len()];
        let read = input.read_exact(&mut title);
        if read.is_err() || title != TITLE {
            return Err(Error::Corrupt("the file is no backup of this version of Syncpoint".into()));
        }
        Ok(Self { input, number: 0, bytes: Vec::new() })
    }

    /// The next chunk; nothing behind the last one.
    pub(crate) fn next(&mut self) -> Result<Option<(Kind, &[u8])>> {
        let damaged =
            || Error::Corrupt(format!("chunk {} of the backup is not what was written", self.number));
        let read = |input: &mut dyn Read, bytes: &mut [u8]| {
            input.read_exact(bytes).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Error::Corrupt("the backup is cut off".into()),
                _ => failed(&error),
            })
        };
        let mut head = [0; 9];
        read(self.input, &mut head)?;
        let [kind, length @ .., _, _, _, _] = head;
        let length = u32::from_le_bytes(length) as usize;
        let check = u32::from_le_bytes([head[5], head[6], head[7], head[8]]);
        if length > CHUNK_MAX {
            return Err(damaged());
        }
        self.bytes.resize(length, 0);
        read(self.input, &mut self.bytes)?;
        let kind = Kind::of(kind).filter(|kind| sum(self.number, *kind as u8, &self.bytes) == check);
        let kind = kind.ok_or_else(damaged)?;
        self.number += 1;
        Ok((kind != Kind::End).then_some((kind, &self.bytes)))
    }
}

/// The name of the file that a backup of a record server has first, and no other backup.
const SERVER_MARK: &str = "/record server";

/// Returns true if a backup is that of a record server.
///
/// # Errors
/// [`Error::Corrupt`] if it is none.
pub fn backup_of_server(input: &mut dyn Read) -> Result<bool> {
    let mut chunks = Chunks::open(input)?;
    Ok(chunks.next()?.is_some_and(|(kind, name)| kind == Kind::Name && name == SERVER_MARK.as_bytes()))
}

/// Reads a whole backup and compares its checksums. `progress` hears how many bytes were read.
///
/// # Errors
/// [`Error::Corrupt`] if it is not what was written.
pub fn check_backup(input: &mut dyn Read, progress: &mut dyn FnMut(u64)) -> Result<()> {
    let (mut chunks, mut total) = (Chunks::open(input)?, 0);
    while let Some((_, bytes)) = chunks.next()? {
        total += bytes.len() as u64;
        progress(total);
    }
    Ok(())
}
