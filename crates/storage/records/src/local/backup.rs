//! A backup while others work, and a folder from a backup.
//!
//! The copy is the base as one checkpoint left it, and the log from there up to a moment: the start of an engine
//! makes of both the state of that moment. All that was acknowledged before the backup began is in it, and nothing half.

use std::io::Read;
use std::path::Path;

use super::core::Core;
use super::open::{check_format, lock_folder};
use crate::backup::{Archive, Chunks, Kind};
use crate::base::{Base, Lmdb};
use crate::blocks::Blocks;
use crate::disk::{BLOCK, Disk, RealDisk};
use crate::log::{Mark, Segments, log_name};
use crate::position::Position;
use crate::{Error, Limits, Result};

/// Bytes of entries that one chunk holds.
const ENTRIES: usize = 8 << 20;
/// Bytes of the log that one chunk holds, whole blocks.
const PIECE: usize = 1 << 20;
/// Bytes of a position.
const POSITION: usize = 12;

impl Core {
    /// Copies everything into an archive. `fixed` hears that its moment has come, `progress` how many records were copied.
    pub(super) fn backup(
        &self,
        archive: &mut Archive<'_>,
        fixed: &mut dyn FnMut(),
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        // The log that has to be copied is short then.
        self.checkpoint()?;
        let mut no_checkpoint = Some(self.checkpointing.lock());
        let start = self.base.position()?;
        self.flush_log()?;
        let end = self.writer.lock().position();
        fixed();
        copy_log(&self.segments, start, end, archive)?;
        let (mut entries, mut count) = (Vec::with_capacity(ENTRIES), 0);
        self.base.each(&mut || drop(no_checkpoint.take()), &mut |key, bytes| {
            entries.extend((key.len() as u16).to_le_bytes());
            entries.extend((bytes.len() as u32).to_le_bytes());
            entries.extend(key);
            entries.extend(bytes);
            count += 1;
            if entries.len() >= ENTRIES {
                progress(count);
                archive.add(Kind::Entries, &entries)?;
                entries.clear();
            }
            Ok(())
        })?;
        progress(count);
        archive.add(Kind::Entries, &entries)
    }
}

/// Copies the log between two places.
fn copy_log(segments: &Segments, start: Position, end: Position, archive: &mut Archive<'_>) -> Result<()> {
    let size = segments.segment_bytes;
    let mut from = start.lsn;
    while from < end.lsn {
        let number = from / size;
        let to = end.lsn.min((number + 1) * size);
        let file = segments.existing(number)?;
        let file = file.ok_or_else(|| Error::damaged(&format!("log segment {number} is missing")))?;
        while from < to {
            let length = (to - from).min(PIECE as u64) as usize;
            let mut piece = Blocks::zeroed(length.next_multiple_of(BLOCK));
            file.read_at(from % size, piece.as_mut_slice()).map_err(|e| Error::io("read the log", &e))?;
            let head = [size.to_le_bytes(), from.to_le_bytes()].concat();
            archive.add(Kind::Log, &[&head, piece.as_slice()].concat())?;
            from += length as u64;
        }
    }
    archive.add(Kind::LogEnd, &[&size.to_le_bytes()[..], &end.to_bytes()].concat())
}

/// Makes a folder from a backup: [`crate::Local::open`] goes on from there. `folder` must be empty or not be there.
/// `files` takes the pieces of other files that the backup holds, with their names; `progress` hears how many records
/// were written. The backup must have been compared with its checksums before ([`crate::check_backup`]).
///
/// # Errors
/// If the folder is in use or the backup is none.
pub fn restore(
    folder: &Path,
    input: &mut dyn Read,
    files: &mut dyn FnMut(&str, &[u8]) -> std::io::Result<()>,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let _folder = lock_folder(folder)?;
    check_format(folder)?;
    let disk = RealDisk::new(folder.join("log")).map_err(|e| Error::io("the log's folder", &e))?;
    let base = Lmdb::open(&folder.join("base"), Limits::default().base_bytes)?;
    if !base.spaces()?.is_empty() || Segments::exist(&disk)? {
        return Err(Error::Io(format!("{} holds data already", folder.display())));
    }
    let (mut chunks, mut name, mut count) = (Chunks::open(input)?, String::new(), 0);
    let torn = || Error::Corrupt("the backup contradicts itself".into());
    while let Some((kind, bytes)) = chunks.next()? {
        match kind {
            Kind::Entries => {
                let entries = entries(bytes).ok_or_else(torn)?;
                base.put_raw(&entries)?;
                count += entries.len() as u64;
                progress(count);
            }
            Kind::Log => restore_log(&disk, bytes).ok_or_else(torn)??,
            Kind::LogEnd => end_log(&disk, bytes).ok_or_else(torn)??,
            Kind::Name => {
                name = String::from_utf8(bytes.to_vec()).map_err(|_| torn())?;
                files(&name, &[]).map_err(|e| Error::io("a file of the backup", &e))?;
            }
            Kind::Bytes => files(&name, bytes).map_err(|e| Error::io("a file of the backup", &e))?,
            Kind::End => {}
        }
    }
    Ok(())
}

/// The entries of a chunk.
fn entries(mut bytes: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_first_chunk::<6>()?;
        let key = usize::from(u16::from_le_bytes([head[0], head[1]]));
        let length = u32::from_le_bytes([head[2], head[3], head[4], head[5]]) as usize;
        let (key, rest) = rest.split_at_checked(key)?;
        let (entry, rest) = rest.split_at_checked(length)?;
        entries.push((key, entry));
        bytes = rest;
    }
    Some(entries)
}

/// Two numbers, and what follows them.
fn numbers(bytes: &[u8]) -> Option<(u64, u64, &[u8])> {
    let (size, rest) = bytes.split_first_chunk::<8>()?;
    let (place, _) = rest.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*size), u64::from_le_bytes(*place), rest))
}

/// Writes a piece of the log to its place.
fn restore_log(disk: &RealDisk, bytes: &[u8]) -> Option<Result<()>> {
    let (size, place, rest) = numbers(bytes)?;
    let mut piece = Blocks::zeroed(0);
    piece.extend(rest.get(8..)?);
    Some(write_log(disk, size, place, piece.as_slice()))
}

/// Notes where the log ends. Its last segment is there even if nothing is in it.
fn end_log(disk: &RealDisk, bytes: &[u8]) -> Option<Result<()>> {
    let (size, place, rest) = numbers(bytes)?;
    let end = Position::from_bytes(rest.get(..POSITION)?)?;
    let mark = Mark { number: 1, position: end };
    let noted = write_log(disk, size, place, &[])
        .and_then(|()| disk.note(mark.slot(), &mark.to_bytes(), true).map_err(|e| Error::io("the log", &e)));
    Some(noted)
}

fn write_log(disk: &RealDisk, size: u64, place: u64, bytes: &[u8]) -> Result<()> {
    let name = log_name(place / size.max(1));
    let failed = |error| Error::io("the log", &error);
    let mut file = match disk.open(&name) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            disk.create(&name, size).map_err(failed)?
        }
        Err(error) => return Err(failed(error)),
    };
    if bytes.is_empty() { Ok(()) } else { file.write_at(place % size.max(1), bytes).map_err(failed) }
}
