//! A file that may be sealed: the same calls either way.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::beginning::{begins_as_sealed, is_sealed, read_some};
use crate::block::{BEFORE, BEHIND, BLOCK_MAX, Blocks, HEAD, Head, damaged};
use crate::ring::{any_protected, key_for, key_numbered, passing_key};

/// The end of a file's name while it is being sealed.
pub(crate) const SEALING: &str = ".sealing";
/// A file that is made is its owner's alone.
const PRIVATE: u32 = 0o600;

/// An open file.
pub struct File(Inner);

enum Inner {
    Clear(fs::File),
    Sealed(Box<Sealed>),
}

/// A block: where its plain bytes begin, where it lies in the file, and how many plain bytes it has.
#[derive(Clone, Copy)]
struct Entry {
    start: u64,
    at: u64,
    length: usize,
}

impl Entry {
    fn end(&self) -> u64 {
        self.start + self.length as u64
    }

    fn file_end(&self) -> u64 {
        self.at + (BEFORE + self.length + BEHIND) as u64
    }
}

struct Sealed {
    file: fs::File,
    blocks: Blocks,
    index: Vec<Entry>,
    /// Behind the last whole block there is half of one, which a crash has left.
    is_torn: bool,
    /// The place at which the next byte is read, and in update mode written.
    position: u64,
    /// True if what is written replaces what is there.
    in_place: bool,
    /// The block that was opened last: its place in the index, and its plain bytes.
    opened: Option<(usize, Vec<u8>)>,
}

impl File {
    /// Opens a file to read it.
    ///
    /// # Errors
    /// The system's own; the key of a sealed one is not at hand.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(path, fs::File::open(path)?, false)
    }

    /// Opens a file to append to it; it is made if it is not there. Half a block that a crash has left goes. A file in clear in
    /// a protected folder is sealed first.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn append(path: &Path) -> io::Result<Self> {
        if let Some(key) = key_for(path)? {
            let length = fs::metadata(path).map_or(0, |file| file.len());
            if length > 0 && !is_sealed(path) {
                if length < HEAD && begins_as_sealed(path) {
                    // Its very beginning was cut off by a crash: nothing was in it.
                    fs::remove_file(path)?;
                } else {
                    seal_file(path)?;
                }
            }
            if fs::metadata(path).map_or(0, |file| file.len()) == 0 {
                let file = options().read(true).write(true).create(true).truncate(true).open(path)?;
                return Sealed::begin(file, &key.key, key.number)
                    .map(|sealed| Self(Inner::Sealed(Box::new(sealed))));
            }
        } else if !is_sealed(path) {
            return options().append(true).create(true).open(path).map(|file| Self(Inner::Clear(file)));
        }
        let file = options().read(true).write(true).open(path)?;
        let mut opened = Self::of(path, file, false)?;
        if let Inner::Sealed(sealed) = &mut opened.0 {
            sealed.drop_torn()?;
        }
        Ok(opened)
    }

    /// Makes a file, or empties one.
    ///
    /// # Errors
    /// The system's own.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::create_as_in(path, path)
    }

    /// Makes a file elsewhere, or empties one, as if it lay in a folder: sealed where that is protected.
    ///
    /// # Errors
    /// The system's own.
    pub fn create_as_in(folder: &Path, path: &Path) -> io::Result<Self> {
        let key = key_for(folder)?;
        let file = options().read(true).write(true).create(true).truncate(true).open(path)?;
        let Some(key) = key else { return Ok(Self(Inner::Clear(file))) };
        Sealed::begin(file, &key.key, key.number).map(|sealed| Self(Inner::Sealed(Box::new(sealed))))
    }

    /// Opens a file to read it and to replace bytes of it by as many others.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn update(path: &Path) -> io::Result<Self> {
        Self::of(path, OpenOptions::new().read(true).write(true).open(path)?, true)
    }

    /// A file that belongs to the caller alone and goes with it: sealed with a key that is not kept, where this process has
    /// protected any folder.
    ///
    /// # Errors
    /// The system's own.
    pub fn scratch(file: fs::File) -> io::Result<Self> {
        if !any_protected() {
            return Ok(Self(Inner::Clear(file)));
        }
        let key = passing_key()?;
        Sealed::begin(file, &key.key, key.number).map(|sealed| Self(Inner::Sealed(Box::new(sealed))))
    }

    fn of(path: &Path, file: fs::File, in_place: bool) -> io::Result<Self> {
        let mut head = [0; HEAD as usize];
        let is_file = file.metadata()?.is_file();
        let read = if is_file { read_some(&file, &mut head)? } else { 0 };
        match Head::read(&head[..read]).filter(|_| read == head.len()) {
            None => Ok(Self(Inner::Clear(file))),
            Some(head) => {
                let key = key_numbered(path, head.ring_key)?;
                let blocks = Blocks::of(&key.key, &head)?;
                Sealed::open(file, blocks, in_place).map(|sealed| Self(Inner::Sealed(Box::new(sealed))))
            }
        }
    }

    /// Returns true if it is sealed.
    pub fn is_sealed(&self) -> bool {
        matches!(self.0, Inner::Sealed(_))
    }

    /// The number of its plain bytes.
    ///
    /// # Errors
    /// The system's own.
    pub fn length(&self) -> io::Result<u64> {
        match &self.0 {
            Inner::Clear(file) => Ok(file.metadata()?.len()),
            Inner::Sealed(sealed) => Ok(sealed.length()),
        }
    }

    /// Leaves only so many of its plain bytes.
    ///
    /// # Errors
    /// The system's own.
    pub fn truncate(&mut self, length: u64) -> io::Result<()> {
        match &mut self.0 {
            Inner::Clear(file) => file.set_len(length),
            Inner::Sealed(sealed) => sealed.truncate(length),
        }
    }

    /// Waits until what was written is on the disk.
    ///
    /// # Errors
    /// The system's own.
    pub fn sync_data(&self) -> io::Result<()> {
        self.disk().sync_data()
    }

    /// The file of the operating system.
    pub fn disk(&self) -> &fs::File {
        match &self.0 {
            Inner::Clear(file) => file,
            Inner::Sealed(sealed) => &sealed.file,
        }
    }
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Clear(file) => file.read(into),
            Inner::Sealed(sealed) => sealed.read(into),
        }
    }
}

impl Write for File {
    /// Appends bytes in one block, or several: after a crash each of them is there whole or not at all. Where it
    /// cannot be written nothing is left of it.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Clear(file) => file.write(bytes),
            Inner::Sealed(sealed) if sealed.in_place => sealed.replace(bytes),
            Inner::Sealed(sealed) => sealed.append(bytes).map(|()| bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.disk().flush()
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.0 {
            Inner::Clear(file) => file.seek(to),
            Inner::Sealed(sealed) => {
                let (base, by) = match to {
                    SeekFrom::Start(at) => (at, 0),
                    SeekFrom::End(by) => (sealed.length(), by),
                    SeekFrom::Current(by) => (sealed.position, by),
                };
                let at = base.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?;
                sealed.position = at;
                Ok(at)
            }
        }
    }
}

impl Sealed {
    fn begin(mut file: fs::File, ring_key: &[u8; crate::KEY], number: u32) -> io::Result<Self> {
        let head = Head::new(number)?;
        file.write_all(&head.to_bytes())?;
        let blocks = Blocks::of(ring_key, &head)?;
        Ok(Self {
            file,
            blocks,
            index: Vec::new(),
            is_torn: false,
            position: 0,
            in_place: false,
            opened: None,
        })
    }

    fn open(file: fs::File, blocks: Blocks, in_place: bool) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let (mut index, mut at, mut start) = (Vec::new(), HEAD, 0);
        let mut lengths = BufReader::new(&file);
        lengths.seek(SeekFrom::Start(HEAD))?;
        while at + 4 <= size {
            let mut length = [0; 4];
            lengths.read_exact(&mut length)?;
            let entry = Entry { start, at, length: u32::from_le_bytes(length) as usize };
            if entry.length > BLOCK_MAX {
                return Err(damaged());
            }
            if entry.file_end() > size {
                break;
            }
            lengths.seek_relative((entry.file_end() - at - 4) as i64)?;
            (at, start) = (entry.file_end(), entry.end());
            index.push(entry);
        }
        drop(lengths);
        Ok(Self { file, blocks, index, is_torn: at < size, position: 0, in_place, opened: None })
    }

    fn length(&self) -> u64 {
        self.index.last().map_or(0, Entry::end)
    }

    fn file_end(&self) -> u64 {
        self.index.last().map_or(HEAD, Entry::file_end)
    }

    fn drop_torn(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_torn) {
            self.file.set_len(self.file_end())?;
        }
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (mut sealed, mut made) = (Vec::with_capacity(bytes.len() + BEFORE + BEHIND), Vec::new());
        let (mut start, end) = (self.length(), self.file_end());
        for plain in bytes.chunks(BLOCK_MAX) {
            made.push(Entry { start, at: end + sealed.len() as u64, length: plain.len() });
            self.blocks.seal(start, plain, &mut sealed)?;
            start += plain.len() as u64;
        }
        if let Err(error) = self.file.write_all_at(&sealed, end) {
            // Half a block is of no use; where this fails too, the next one who appends takes it off.
            let _ = self.file.set_len(end);
            return Err(error);
        }
        self.index.extend(made);
        Ok(())
    }

    /// The place in the index of the block that has a byte.
    fn block_at(&self, position: u64) -> Option<usize> {
        let at = self.index.partition_point(|entry| entry.end() <= position);
        (at < self.index.len()).then_some(at)
    }

    /// Opens a block.
    fn opened(&mut self, at: usize) -> io::Result<&mut Vec<u8>> {
        if self.opened.as_ref().is_none_or(|(known, _)| *known != at) {
            let Entry { start, at: place, length } = self.index[at];
            let mut nonce = [0; BEFORE - 4];
            self.file.read_exact_at(&mut nonce, place + 4)?;
            let mut plain = vec![0; length + BEHIND];
            self.file.read_exact_at(&mut plain, place + BEFORE as u64)?;
            self.blocks.open(start, nonce, &mut plain)?;
            self.opened = Some((at, plain));
        }
        match &mut self.opened {
            Some((_, plain)) => Ok(plain),
            None => Err(damaged()),
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let Some(at) = self.block_at(self.position) else {
            return match self.is_torn {
                true => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends within what was sealed")),
                false => Ok(0),
            };
        };
        let behind = (self.position - self.index[at].start) as usize;
        let plain = &self.opened(at)?[behind..];
        let read = plain.len().min(into.len());
        into[..read].copy_from_slice(&plain[..read]);
        self.position += read as u64;
        Ok(read)
    }

    /// Replaces bytes from the position on, as far as one block goes.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(at) = self.block_at(self.position) else { return Ok(0) };
        let entry = self.index[at];
        let behind = (self.position - entry.start) as usize;
        let written = bytes.len().min(entry.length - behind);
        let plain = self.opened(at)?;
        plain[behind..behind + written].copy_from_slice(&bytes[..written]);
        let (plain, mut sealed) = (plain.clone(), Vec::new());
        self.blocks.seal(entry.start, &plain, &mut sealed)?;
        if let Err(error) = self.file.write_all_at(&sealed, entry.at) {
            self.opened = None;
            return Err(error);
        }
        self.position += written as u64;
        Ok(written)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let Some(at) = self.block_at(length) else { return Ok(()) };
        let entry = self.index[at];
        let kept = self.opened(at)?[..(length - entry.start) as usize].to_vec();
        (self.opened, self.is_torn) = (None, false);
        self.index.truncate(at);
        self.file.set_len(self.file_end())?;
        if kept.is_empty() { Ok(()) } else { self.append(&kept) }
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(PRIVATE);
    options
}

/// Puts a sealed file in the place of one in clear.
pub(crate) fn seal_file(path: &Path) -> io::Result<()> {
    let mut name = OsString::from(path);
    name.push(SEALING);
    let next = PathBuf::from(name);
    let copied = fs::File::open(path).and_then(|clear| {
        let mut clear = BufReader::with_capacity(1 << 16, clear);
        let mut sealed = io::BufWriter::with_capacity(1 << 16, File::create(&next)?);
        io::copy(&mut clear, &mut sealed)?;
        sealed.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()
    });
    if let Err(error) = copied.and_then(|()| fs::rename(&next, path)) {
        let _ = fs::remove_file(&next);
        return Err(error);
    }
    Ok(())
}

/// All plain bytes of a file. Half a block at its end, which a crash has left, is passed over.
///
/// # Errors
/// As [`File::open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, mut bytes) = (File::open(path)?, Vec::new());
    if let Inner::Sealed(sealed) = &mut file.0 {
        sealed.is_torn = false;
    }
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// As [`read`]; it is no UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
