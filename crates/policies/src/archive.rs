//! Zips: a bundle as one file. What no zip of a bundle needs is refused, and nothing is read that could lie outside of it.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::limits::{ARCHIVE_BYTES_MAX, ARCHIVE_FILES_MAX, ARCHIVE_NAME_MAX};

/// The files of a zip, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive(BTreeMap<String, Vec<u8>>);

/// The reason why bytes are no zip that is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no zip that can be taken: {0}")]
pub struct NoArchive(String);

/// The record at the end: its signature, and its bytes without the comment.
const END: (u32, usize) = (0x0605_4b50, 22);
/// Bytes of the longest comment.
const COMMENT_MAX: usize = 0xFFFF;
/// An entry of the directory: its signature, and its bytes without name, extra fields and comment.
const ENTRY: (u32, usize) = (0x0201_4b50, 46);
/// The head of a file: the same.
const HEAD: (u32, usize) = (0x0403_4b50, 30);

/// The bit of an entry that is encrypted, and that of a name in UTF-8.
const ENCRYPTED: u16 = 1;
const UTF_8: u16 = 1 << 11;
/// The type of a file in the upper half of its attributes, a plain one and a folder.
const FILE_TYPE: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

impl Archive {
    /// Reads a zip.
    ///
    /// # Errors
    /// It is damaged, encrypted or too large, or has an entry that is no plain file below its folder.
    pub fn read(bytes: &[u8]) -> Result<Self, NoArchive> {
        let (count, at) = end(bytes).ok_or_else(|| wrong("it has no directory at its end"))?;
        if count > ARCHIVE_FILES_MAX {
            return Err(wrong(format!("it has more than {ARCHIVE_FILES_MAX} entries (ARCHIVE_FILES_MAX)")));
        }
        let cut = || wrong("its directory is cut off");
        let mut rest = bytes.get(at..).ok_or_else(cut)?;
        let (mut files, mut total) = (BTreeMap::new(), 0);
        for _ in 0..count {
            let (entry, behind) = Entry::read(rest).ok_or_else(cut)?;
            rest = behind;
            let Some(name) = entry.plain_name()? else { continue };
            total += entry.length;
            if total > ARCHIVE_BYTES_MAX {
                return Err(wrong(format!(
                    "its files have more than {ARCHIVE_BYTES_MAX} bytes (ARCHIVE_BYTES_MAX)"
                )));
            }
            let content = entry.content(bytes, &name)?;
            if files.insert(name.clone(), content).is_some() {
                return Err(wrong(format!("it has two files {name}")));
            }
        }
        let archive = Self(files);
        archive.has_no_file_within_a_file()?;
        Ok(archive)
    }

    fn has_no_file_within_a_file(&self) -> Result<(), NoArchive> {
        let folders = |name: &str| -> Vec<String> {
            name.match_indices('/').map(|(at, _)| name[..at].to_owned()).collect()
        };
        let both = self.0.keys().flat_map(|name| folders(name)).find(|folder| self.0.contains_key(folder));
        both.map_or(Ok(()), |name| Err(wrong(format!("{name} is a file and a folder"))))
    }

    /// A file.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// All files with their paths, in the order of these.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, content)| (name.as_str(), content.as_slice()))
    }
}

fn wrong(why: impl Into<String>) -> NoArchive {
    NoArchive(why.into())
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The number of entries of the directory, and its place.
fn end(bytes: &[u8]) -> Option<(usize, usize)> {
    let last = bytes.len().checked_sub(END.1)?;
    let is_end = |at: &usize| {
        let comment = short(bytes, at + 20).map(usize::from);
        long(bytes, *at) == Some(END.0) && comment == Some(bytes.len() - at - END.1)
    };
    let at = (last.saturating_sub(COMMENT_MAX)..=last).rev().find(is_end)?;
    // A part of a zip in several files, and one of the form for large zips, has other numbers here.
    let (disks, here, all) = (long(bytes, at + 4)?, short(bytes, at + 8)?, short(bytes, at + 10)?);
    let offset = long(bytes, at + 16)?;
    if disks != 0 || here != all || all == u16::MAX || offset == u32::MAX {
        return None;
    }
    Some((usize::from(all), usize::try_from(offset).ok()?))
}

/// An entry of the directory.
struct Entry<'z> {
    name: &'z [u8],
    flags: u16,
    method: u16,
    crc: u32,
    packed: usize,
    length: usize,
    attributes: u32,
    head: usize,
}

impl<'z> Entry<'z> {
    /// The first entry, and what stands behind it.
    fn read(bytes: &'z [u8]) -> Option<(Self, &'z [u8])> {
        if long(bytes, 0)? != ENTRY.0 {
            return None;
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| short(bytes, at).map(usize::from));
        let (name_end, end) = (ENTRY.1 + name?, ENTRY.1 + name? + extra? + comment?);
        let size = |at| long(bytes, at).and_then(|size| usize::try_from(size).ok());
        let entry = Self {
            name: bytes.get(ENTRY.1..name_end)?,
            flags: short(bytes, 8)?,
            method: short(bytes, 10)?,
            crc: long(bytes, 16)?,
            packed: size(20)?,
            length: size(24)?,
            attributes: long(bytes, 38)?,
            head: size(42)?,
        };
        Some((entry, bytes.get(end..)?))
    }

    /// The path of a file below the folder of the bundle; `None` for a folder.
    fn plain_name(&self) -> Result<Option<String>, NoArchive> {
        let shown = String::from_utf8_lossy(self.name).escape_default().to_string();
        let refused = |why: &str| wrong(format!("the entry '{shown}' {why}"));
        let name = std::str::from_utf8(self.name).map_err(|_| refused("has no name in UTF-8"))?;
        if !name.is_ascii() && self.flags & UTF_8 == 0 {
            return Err(refused("does not say that its name is in UTF-8"));
        }
        if name.len() > ARCHIVE_NAME_MAX {
            return Err(refused("has too long a name (ARCHIVE_NAME_MAX)"));
        }
        let (path, is_folder) = name.strip_suffix('/').map_or((name, false), |path| (path, true));
        let is_bad = |c: char| c == '\\' || c == ':' || c.is_control();
        if path.split('/').any(|step| ["", ".", ".."].contains(&step)) || path.contains(is_bad) {
            return Err(refused("leads out of the bundle"));
        }
        match (self.attributes >> 16) & FILE_TYPE {
            0 | PLAIN if !is_folder => {}
            0 | FOLDER if is_folder => return Ok(None),
            _ => return Err(refused("is no plain file")),
        }
        if self.flags & ENCRYPTED != 0 {
            return Err(refused("is encrypted"));
        }
        Ok(Some(path.to_owned()))
    }

    /// The content of the file.
    fn content(&self, zip: &[u8], name: &str) -> Result<Vec<u8>, NoArchive> {
        let damaged = || wrong(format!("the file {name} is damaged"));
        let packed = self.packed_bytes(zip).ok_or_else(damaged)?;
        let content = match self.method {
            0 => packed.to_vec(),
            8 => {
                let mut content = Vec::new();
                // One byte more than it says shows that it says too little.
                let limit = self.length as u64 + 1;
                DeflateDecoder::new(packed).take(limit).read_to_end(&mut content).map_err(|_| damaged())?;
                content
            }
            other => return Err(wrong(format!("the file {name} is packed by method {other}"))),
        };
        let mut crc = Crc::new();
        crc.update(&content);
        if content.len() == self.length && crc.sum() == self.crc { Ok(content) } else { Err(damaged()) }
    }

    fn packed_bytes(&self, zip: &'z [u8]) -> Option<&'z [u8]> {
        let head = zip.get(self.head..)?;
        if long(head, 0)? != HEAD.0 {
            return None;
        }
        let from = HEAD.1 + usize::from(short(head, 26)?) + usize::from(short(head, 28)?);
        head.get(from..from.checked_add(self.packed)?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    /// One entry to be written.
    struct Given<'g> {
        name: &'g str,
        content: &'g [u8],
        mode: u32,
        flags: u16,
        method: u16,
        length: Option<u32>,
    }

    fn plain<'g>(name: &'g str, content: &'g [u8]) -> Given<'g> {
        Given { name, content, mode: PLAIN | 0o644, flags: 0, method: 8, length: None }
    }

    fn zip(entries: &[Given<'_>]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for it in entries {
            let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
            deflated.write_all(it.content).expect("written");
            let packed =
                if it.method == 8 { deflated.finish().expect("packed") } else { it.content.to_vec() };
            let mut crc = Crc::new();
            crc.update(it.content);
            let length = it.length.unwrap_or(it.content.len() as u32);
            let mut common = Vec::new();
            common.extend(20u16.to_le_bytes());
            common.extend(it.flags.to_le_bytes());
            common.extend(it.method.to_le_bytes());
            common.extend([0; 4]);
            common.extend(crc.sum().to_le_bytes());
            common.extend((packed.len() as u32).to_le_bytes());
            common.extend(length.to_le_bytes());
            common.extend((it.name.len() as u16).to_le_bytes());
            common.extend([0; 2]);
            let at = bytes.len() as u32;
            bytes.extend(HEAD.0.to_le_bytes());
            bytes.extend(&common);
            bytes.extend(it.name.as_bytes());
            bytes.extend(packed);
            directory.extend(ENTRY.0.to_le_bytes());
            directory.extend([20, 3]);
            directory.extend(&common);
            directory.extend([0; 6]);
            directory.extend((it.mode << 16).to_le_bytes());
            directory.extend(at.to_le_bytes());
            directory.extend(it.name.as_bytes());
        }
        let (at, count) = (bytes.len() as u32, (entries.len() as u16).to_le_bytes());
        bytes.extend(&directory);
        bytes.extend(END.0.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(count);
        bytes.extend(count);
        bytes.extend((directory.len() as u32).to_le_bytes());
        bytes.extend(at.to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    }

    #[test]
    fn files_are_read_packed_or_not() {
        let folder = Given { mode: FOLDER | 0o755, method: 0, ..plain("META-INF/", b"") };
        let stored = Given { method: 0, mode: 0, ..plain("a.program", b"<a/>") };
        let long = vec![b'x'; 100_000];
        let read =
            Archive::read(&zip(&[folder, plain("META-INF/cics.xml", b"<m/>"), stored, plain("long", &long)]));
        let read = read.expect("a zip");
        let names: Vec<_> = read.files().map(|(name, content)| (name, content.len())).collect();
        assert_eq!(names, [("META-INF/cics.xml", 4), ("a.program", 4), ("long", 100_000)]);
        assert_eq!(read.file("a.program"), Some(b"<a/>".as_slice()));
        assert_eq!(Archive::read(&zip(&[])), Ok(Archive::default()));
    }

    #[test]
    fn a_hostile_zip_is_refused() {
        let too_long = "n".repeat(ARCHIVE_NAME_MAX + 1);
        for (given, why) in [
            (plain("../evil", b"x"), "the entry '../evil' leads out of the bundle"),
            (plain("/etc/passwd", b"x"), "the entry '/etc/passwd' leads out of the bundle"),
            (plain("a/../../b", b"x"), "the entry 'a/../../b' leads out of the bundle"),
            (plain("a\\..\\b", b"x"), "the entry 'a\\\\..\\\\b' leads out of the bundle"),
            (plain("a\0b", b"x"), "the entry 'a\\u{0}b' leads out of the bundle"),
            (plain("", b"x"), "the entry '' leads out of the bundle"),
            (Given { mode: 0o120_777, ..plain("link", b"/etc") }, "the entry 'link' is no plain file"),
            (Given { mode: 0o010_644, ..plain("pipe", b"") }, "the entry 'pipe' is no plain file"),
            (Given { flags: ENCRYPTED, ..plain("a", b"x") }, "the entry 'a' is encrypted"),
            (Given { method: 12, ..plain("a", b"x") }, "the file a is packed by method 12"),
            (Given { length: Some(3), ..plain("a", b"xxxx") }, "the file a is damaged"),
            (Given { length: Some(5), ..plain("a", b"xxxx") }, "the file a is damaged"),
            (
                Given { length: Some(u32::MAX - 1), ..plain("bomb", b"x") },
                "its files have more than 67108864 bytes (ARCHIVE_BYTES_MAX)",
            ),
            (plain("\u{e9}", b"x"), "the entry '\\u{e9}' does not say that its name is in UTF-8"),
            (
                plain(&too_long, b"x"),
                &format!("the entry '{too_long}' has too long a name (ARCHIVE_NAME_MAX)"),
            ),
        ] {
            let refused = Archive::read(&zip(&[given])).expect_err(why);
            assert_eq!(refused.0, why);
        }
        let twice = Archive::read(&zip(&[plain("a", b"1"), plain("a", b"2")])).expect_err("two");
        assert_eq!(twice.0, "it has two files a");
        let within = Archive::read(&zip(&[plain("a", b"1"), plain("a/b", b"2")])).expect_err("both");
        assert_eq!(within.0, "a is a file and a folder");
    }

    #[test]
    fn damage_anywhere_is_no_panic_and_no_other_content() {
        let whole = zip(&[plain("META-INF/cics.xml", b"<manifest/>"), plain("b", b"two")]);
        let read = Archive::read(&whole).expect("a zip");
        for at in 0..whole.len() {
            assert!(Archive::read(&whole[..at]).is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                if let Ok(other) = Archive::read(&damaged) {
                    // Names, times and attributes have no sum; contents have.
                    let all: Vec<_> = read.files().map(|(_, content)| content).collect();
                    assert!(other.files().all(|(_, content)| all.contains(&content)), "{at}.{bit}");
                }
            }
        }
    }
}
