//! The simulated disk.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use super::power::{Power, power_cut};
use crate::disk::{BLOCK, Disk, DiskFile};

/// Unit of a torn write: a power cut leaves some of its sectors.
const SECTOR: usize = 512;
/// Bytes that a change of the folder writes.
const FOLDER_CHANGE: u64 = 512;

type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;
/// The life of the power in which something was noted, and what.
type Note = (u64, Vec<u8>);
/// A file, and the bytes of it.
type Place = (String, Range<usize>);

#[derive(Clone)]
pub(super) struct SimDisk {
    files: Files,
    /// Write that went to a wrong place.
    misplaced: Arc<Mutex<Option<Place>>>,
    /// The notes of each slot, from the last durable note on, and in which life of the power.
    notes: Arc<Mutex<[Vec<Note>; 2]>>,
    power: Arc<Power>,
}

impl SimDisk {
    pub(super) fn new(power: Arc<Power>) -> Self {
        Self { files: Files::default(), misplaced: Arc::default(), notes: Arc::default(), power }
    }

    /// Changes the folder; if the power fails meanwhile, perhaps.
    fn change_folder(
        &self,
        makes_file: bool,
        change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>),
    ) -> io::Result<()> {
        self.power.begin_change(makes_file)?;
        let whole = self.power.spend(FOLDER_CHANGE);
        if whole || self.power.chance(2) == 0 {
            change(&mut self.files.lock());
        }
        if whole { Ok(()) } else { Err(power_cut()) }
    }

    /// Some other place of the log, for a write of this length.
    fn wrong_place(&self, length: usize) -> Option<(String, usize)> {
        let files = self.files.lock();
        let large: Vec<_> = files.iter().filter(|(_, file)| file.len() >= length).collect();
        let (name, file) = large.get(self.power.chance(large.len().max(1) as u64) as usize)?;
        let places = (file.len() - length) / BLOCK + 1;
        Some(((*name).clone(), self.power.chance(places as u64) as usize * BLOCK))
    }

    /// Writes what the power lasts for. Of a write over what lies in a wrong place nothing is left if it does not last:
    /// the one trouble would hide the other.
    fn put(&self, name: &str, offset: usize, bytes: &[u8]) -> io::Result<()> {
        let whole = self.power.spend(bytes.len() as u64);
        let hides = self.misplaced.lock().as_ref().is_some_and(|(file, place)| {
            file == name && place.start < offset + bytes.len() && offset < place.end
        });
        let mut files = self.files.lock();
        let file = files.get_mut(name).ok_or(io::ErrorKind::NotFound)?;
        for (number, sector) in bytes.chunks(SECTOR).enumerate() {
            if whole || !hides && self.power.chance(2) == 0 {
                let at = offset + number * SECTOR;
                file.get_mut(at..at + sector.len())
                    .ok_or(io::ErrorKind::UnexpectedEof)?
                    .copy_from_slice(sector);
            }
        }
        if whole { Ok(()) } else { Err(power_cut()) }
    }
}

impl SimDisk {
    /// Damages the file of the log that was written last: takes it away, fills its last groups with zeros, or flips a bit
    /// of what was written to it. False if there is none.
    pub(super) fn damage(&self, damage: Damage) -> bool {
        let mut files = self.files.lock();
        let Some(name) = files.keys().rfind(|name| name.starts_with("log.")).cloned() else { return false };
        let Some(file) = files.get_mut(&name) else { return false };
        let Some(last) = file.iter().rposition(|byte| *byte != 0) else { return false };
        match damage {
            Damage::Missing => drop(files.remove(&name)),
            Damage::ZeroTail => file[last / BLOCK * BLOCK..].fill(0),
            Damage::Flip => {
                let block = last / BLOCK * BLOCK;
                let bit = self.power.chance((last - block + 1) as u64 * 8) as usize;
                file[block + bit / 8] ^= 1 << (bit % 8);
            }
        }
        true
    }
}

/// Damage to the log while no engine runs.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// Its newest file is gone.
    Missing,
    /// The end of what was written is zeros.
    ZeroTail,
    /// A bit of the last block that was written is another.
    Flip,
}

impl Disk for SimDisk {
    fn list(&self) -> io::Result<Vec<String>> {
        self.power.check()?;
        Ok(self.files.lock().keys().cloned().collect())
    }

    fn create(&self, name: &str, bytes: u64) -> io::Result<Box<dyn DiskFile>> {
        let made = self.change_folder(true, |files| {
            files.insert(name.to_owned(), vec![0; bytes as usize]);
        });
        if made.is_err() && self.power.is_off() && self.power.chance(2) == 0 {
            // It was still being filled.
            let half = self.power.chance(bytes) as usize;
            self.files.lock().insert(name.to_owned(), vec![0; half]);
        }
        made.and_then(|()| self.open(name))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        self.power.check()?;
        if !self.files.lock().contains_key(name) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Box::new(SimFile { name: name.to_owned(), disk: self.clone() }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        if !self.files.lock().contains_key(from) {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.change_folder(false, |files| {
            if let Some(file) = files.remove(from) {
                files.insert(to.to_owned(), file);
            }
            if let Some((name, _)) = self.misplaced.lock().as_mut().filter(|(name, _)| name == from) {
                to.clone_into(name);
            }
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.change_folder(false, |files| drop(files.remove(name)))
    }

    fn note(&self, slot: usize, bytes: &[u8], durable: bool) -> io::Result<()> {
        self.power.check()?;
        let whole = self.power.spend(bytes.len() as u64);
        let mut notes = self.notes.lock();
        let kept = if whole { bytes.len() } else { self.power.chance(bytes.len() as u64) as usize };
        // What is torn has some bytes of the note and some of the one before.
        let mut note = notes[slot].last().map(|(_, note)| note.clone()).unwrap_or_default();
        note.resize(note.len().max(kept), 0);
        note[..kept].copy_from_slice(&bytes[..kept]);
        notes[slot].push((self.power.life(), note));
        if durable && whole {
            notes.iter_mut().for_each(|notes| drop(notes.drain(..notes.len().saturating_sub(1))));
        }
        if whole { Ok(()) } else { Err(power_cut()) }
    }

    fn noted(&self) -> io::Result<Option<[Vec<u8>; 2]>> {
        self.power.check()?;
        let mut notes = self.notes.lock();
        if notes.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        for notes in notes.iter_mut() {
            // A power cut may have taken the last ones; the end of a process takes none.
            let certain = notes.iter().rposition(|(life, _)| *life == self.power.life());
            let chosen = match (certain, notes.len()) {
                (_, 0) => continue,
                (Some(last), _) => last,
                (None, count) => self.power.chance(count as u64) as usize,
            };
            *notes = vec![(self.power.life(), notes[chosen].1.clone())];
        }
        let note = |slot: usize| notes[slot].first().map(|(_, note)| note.clone()).unwrap_or_default();
        Ok(Some([note(0), note(1)]))
    }
}

/// An open file. The log never renames a file that it has open for writing.
struct SimFile {
    name: String,
    disk: SimDisk,
}

impl DiskFile for SimFile {
    fn size(&self) -> io::Result<u64> {
        self.disk.power.check()?;
        Ok(self.disk.files.lock().get(&self.name).map_or(0, |file| file.len() as u64))
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.disk.power.begin_read()?;
        let files = self.disk.files.lock();
        let offset = offset as usize;
        let there = files.get(&self.name).and_then(|file| file.get(offset..offset + buffer.len()));
        buffer.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let power = &self.disk.power;
        power.begin_change(false)?;
        power.take_time();
        let wrong = if power.takes_wrong_place() { self.disk.wrong_place(bytes.len()) } else { None };
        match wrong {
            None => self.disk.put(&self.name, offset as usize, bytes),
            // Half of it in a wrong place would be two troubles at once, and no engine can survive everything.
            Some(_) if !self.disk.power.lasts(bytes.len() as u64) => {
                self.disk.put(&self.name, offset as usize, bytes)
            }
            Some((name, offset)) => {
                *self.disk.misplaced.lock() = Some((name.clone(), offset..offset + bytes.len()));
                self.disk.put(&name, offset, bytes)
            }
        }
    }
}
