//! Zips: a bundle as one file. Features that no zip of a bundle needs are refused, and so is a path that leads out of it.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::ops::Range;

use zip::read::{ArchiveOffset, Config, ZipFileEntry};
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;
use zip::{CompressionMethod, ZipReadOptions};

use crate::limits::{ARCHIVE_BYTES_MAX, ARCHIVE_FILES_MAX, ARCHIVE_NAME_MAX};

/// The files of a zip, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive(BTreeMap<String, Vec<u8>>);

/// The reason why bytes are no zip that is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no zip that can be taken: {0}")]
pub struct NoArchive(String);

/// The bit of an entry whose name is in UTF-8.
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
        let config = Config { archive_offset: ArchiveOffset::Known(0) };
        let zip = ZipIterable::try_new(Cursor::new(bytes), config).map_err(|why| no_directory(&why))?;
        // A head that says something else than its entry would be another bundle to another reader.
        let mut zip = zip.enforce_header_consistency(true);
        if zip.len() > ARCHIVE_FILES_MAX {
            return Err(wrong(format!("it has more than {ARCHIVE_FILES_MAX} entries (ARCHIVE_FILES_MAX)")));
        }
        let (mut files, mut taken, mut total) = (BTreeMap::new(), Vec::new(), 0);
        for entry in zip.files().map_err(|why| no_directory(&why))? {
            let entry = entry.map_err(|why| no_directory(&why))?;
            let Some(name) = plain_name(&entry)? else { continue };
            total += entry.size();
            if total > ARCHIVE_BYTES_MAX as u64 {
                return Err(wrong(format!(
                    "its files have more than {ARCHIVE_BYTES_MAX} bytes (ARCHIVE_BYTES_MAX)"
                )));
            }
            let (content, range) = content(entry, bytes, &name)?;
            taken.push(range);
            if files.insert(name.clone(), content).is_some() {
                return Err(wrong(format!("it has two files {name}")));
            }
        }
        has_no_shared_bytes(taken)?;
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

fn no_directory(why: &ZipError) -> NoArchive {
    wrong(format!("its directory is damaged ({why})"))
}

/// The path of a file below the folder of the bundle; `None` for a folder.
fn plain_name(entry: &ZipFileEntry<'_>) -> Result<Option<String>, NoArchive> {
    let shown = String::from_utf8_lossy(entry.name_raw()).escape_default().to_string();
    let refused = |why: &str| wrong(format!("the entry '{shown}' {why}"));
    let name = std::str::from_utf8(entry.name_raw()).map_err(|_| refused("has no name in UTF-8"))?;
    if !name.is_ascii() && entry.flags().as_u16() & UTF_8 == 0 {
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
    match (entry.external_attributes() >> 16) & FILE_TYPE {
        0 | PLAIN if !is_folder => {}
        0 | FOLDER if is_folder => return Ok(None),
        _ => return Err(refused("is no plain file")),
    }
    if entry.encrypted() {
        return Err(refused("is encrypted"));
    }
    if ![CompressionMethod::Stored, CompressionMethod::Deflated].contains(&entry.compression()) {
        return Err(refused("is packed by another method than deflate"));
    }
    Ok(Some(path.to_owned()))
}

/// The content of a file, and the place of its head and its packed bytes in the zip.
fn content(entry: ZipFileEntry<'_>, zip: &[u8], name: &str) -> Result<(Vec<u8>, Range<u64>), NoArchive> {
    let damaged = || wrong(format!("the file {name} is damaged"));
    let (from, packed, size) = (entry.header_start(), entry.compressed_size(), entry.size());
    let mut bytes = Cursor::new(zip);
    let mut file = entry.with_reader(&mut bytes, ZipReadOptions::new()).map_err(|_| damaged())?;
    let to = file.data_start().and_then(|at| at.checked_add(packed)).ok_or_else(damaged)?;
    let mut content = Vec::new();
    // The library ends a file that is longer than its entry says, and compares its sum.
    file.read_to_end(&mut content).map_err(|_| damaged())?;
    if content.len() as u64 == size && to <= zip.len() as u64 {
        Ok((content, from..to))
    } else {
        Err(damaged())
    }
}

/// Refuses files whose places in the zip overlap: few bytes would become many files.
fn has_no_shared_bytes(mut taken: Vec<Range<u64>>) -> Result<(), NoArchive> {
    taken.sort_unstable_by_key(|range| (range.start, range.end));
    match taken.windows(2).any(|two| two[0].end > two[1].start) {
        true => Err(wrong("two of its files have bytes in common")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::DeflateEncoder;
    use flate2::{Compression, Crc};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    const HEAD: [u8; 4] = *b"PK\x03\x04";
    const ENTRY: [u8; 4] = *b"PK\x01\x02";
    const END: [u8; 4] = *b"PK\x05\x06";
    /// Bytes of a head without its name.
    const HEAD_LENGTH: usize = 30;
    const ENCRYPTED: u16 = 1;

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
            bytes.extend(HEAD);
            bytes.extend(&common);
            bytes.extend(it.name.as_bytes());
            bytes.extend(packed);
            directory.extend(ENTRY);
            directory.extend([20, 3]);
            directory.extend(&common);
            directory.extend([0; 6]);
            directory.extend((it.mode << 16).to_le_bytes());
            directory.extend(at.to_le_bytes());
            directory.extend(it.name.as_bytes());
        }
        let (at, count) = (bytes.len() as u32, (entries.len() as u16).to_le_bytes());
        bytes.extend(&directory);
        bytes.extend(END);
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
    fn a_zip_that_was_written_as_a_stream_is_read() {
        let mut writer = ZipWriter::new_stream(Vec::new());
        writer.add_directory("META-INF/", SimpleFileOptions::default()).expect("a folder");
        for (name, text) in [("META-INF/cics.xml", "<m/>"), ("\u{e9}.program", "<a/>")] {
            writer.start_file(name, SimpleFileOptions::default()).expect("a file");
            writer.write_all(text.as_bytes()).expect("written");
        }
        let bytes = writer.finish().expect("a zip").into_inner();
        let read = Archive::read(&bytes).expect("a zip");
        let files: Vec<_> = read.files().collect();
        assert_eq!(files, [("META-INF/cics.xml", &b"<m/>"[..]), ("\u{e9}.program", b"<a/>")]);
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
            (
                Given { method: 12, ..plain("a", b"x") },
                "the entry 'a' is packed by another method than deflate",
            ),
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
    fn files_that_share_bytes_are_refused() {
        let inner = zip(&[plain("b", b"x")]);
        let head = &inner[..inner.windows(4).position(|four| four == ENTRY).expect("a directory")];
        let mut outer = zip(&[Given { method: 0, ..plain("a", head) }, plain("b", b"x")]);
        assert!(Archive::read(&outer).is_ok(), "a file may look like a zip");
        let second = outer.windows(4).rposition(|four| four == ENTRY).expect("the entry of b");
        // The head of b is looked for in the content of a.
        outer[second + 42..second + 46].copy_from_slice(&(HEAD_LENGTH as u32 + 1).to_le_bytes());
        assert_eq!(Archive::read(&outer).expect_err("shared").0, "two of its files have bytes in common");
    }

    #[test]
    fn a_head_that_differs_from_its_entry_is_refused() {
        let mut bytes = zip(&[plain("good", b"x")]);
        bytes[HEAD_LENGTH..HEAD_LENGTH + 4].copy_from_slice(b"evil");
        let refused = Archive::read(&bytes).expect_err("two names").0;
        assert!(refused.starts_with("its directory is damaged (invalid Zip archive"), "{refused}");
    }

    #[test]
    fn a_zip_with_too_many_entries_is_refused_before_they_are_read() {
        let names: Vec<String> = (0..=ARCHIVE_FILES_MAX).map(|number| number.to_string()).collect();
        let given: Vec<Given<'_>> =
            names.iter().map(|name| Given { method: 0, ..plain(name, b"") }).collect();
        assert_eq!(Archive::read(&zip(&given[1..])).map(|read| read.files().count()), Ok(ARCHIVE_FILES_MAX));
        let refused = Archive::read(&zip(&given)).expect_err("too many").0;
        assert_eq!(refused, "it has more than 10000 entries (ARCHIVE_FILES_MAX)");
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
