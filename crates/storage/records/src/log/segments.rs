//! The files of the log: segments of equal size, used one after the other, and spares to be used again.
//!
//! `log.N` holds the log from byte N × segment size on. A segment that no restart needs any longer becomes `spare.N`:
//! it has its size and its blocks already, so that writing to it costs no allocation. What it still holds does no harm
//! (see the module's head).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::aside::{Aside, Left};
use super::format::Mark;
use super::queue::Group;
use crate::disk::{Disk, DiskFile};
use crate::position::Position;
use crate::seal::Vault;
use crate::{Error, Result};

const LOG: &str = "log.";
const SPARE: &str = "spare.";
/// Spare segments that are kept.
const SPARES: usize = 4;

/// The folder of the log.
pub(crate) struct Segments {
    disk: Arc<dyn Disk>,
    pub(crate) segment_bytes: u64,
    spares: Mutex<Vec<String>>,
    /// The first segment that is still there.
    oldest: AtomicU64,
    next_spare: AtomicU64,
    /// The number of the last note of how far the log was forced.
    last_mark: Mutex<u64>,
}

impl Segments {
    /// Looks at what is in the folder. A log that is there keeps its segment size; a new one gets `segment_bytes`.
    pub(crate) fn open(disk: Arc<dyn Disk>, segment_bytes: u64) -> Result<Self> {
        let names = disk.list().map_err(|e| Error::io("list the log", &e))?;
        let logs = names.iter().filter(|name| numbered(name, LOG).is_some());
        let size = |name: &String| disk.open(name).and_then(|file| file.size());
        let sizes = logs.map(size).collect::<std::io::Result<Vec<u64>>>();
        // One that is cut off is the damage, not the others.
        let known = sizes.map_err(|e| Error::io("open the log", &e))?.into_iter().max();
        let segment_bytes = known.filter(|bytes| *bytes > 0).unwrap_or(segment_bytes);
        let mut spares = Vec::new();
        let mut next_spare = 0;
        for name in &names {
            let Some(number) = numbered(name, SPARE) else { continue };
            next_spare = next_spare.max(number + 1);
            let whole = disk.open(name).and_then(|file| file.size()).is_ok_and(|size| size == segment_bytes);
            if whole {
                spares.push(name.clone());
            } else {
                // A crash interrupted its making.
                disk.remove(name).map_err(|e| Error::io("remove a spare segment", &e))?;
            }
        }
        let oldest = names.iter().filter_map(|name| numbered(name, LOG)).min().unwrap_or(0);
        Ok(Self {
            disk,
            segment_bytes,
            spares: Mutex::new(spares),
            oldest: AtomicU64::new(oldest),
            next_spare: AtomicU64::new(next_spare),
            last_mark: Mutex::new(0),
        })
    }

    /// Returns true if there is a log in the folder.
    pub(crate) fn exist(disk: &dyn Disk) -> Result<bool> {
        let names = disk.list().map_err(|e| Error::io("list the log", &e))?;
        Ok(names.iter().any(|name| numbered(name, LOG).is_some()))
    }

    /// The number of the segment that holds `lsn`.
    pub(super) fn number_of(&self, lsn: u64) -> u64 {
        lsn / self.segment_bytes
    }

    /// Opens a segment, if it is there.
    pub(crate) fn existing(&self, number: u64) -> Result<Option<Box<dyn DiskFile>>> {
        match self.disk.open(&log_name(number)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("open the log", &error)),
        }
    }

    /// Opens a segment, made from a spare, or from nothing if there is none.
    fn open_or_make(&self, number: u64) -> Result<Box<dyn DiskFile>> {
        if let Some(file) = self.existing(number)? {
            return Ok(file);
        }
        let spare = self.spares.lock().pop();
        let spare = match spare {
            Some(spare) => spare,
            None => self.make_spare()?,
        };
        self.disk.rename(&spare, &log_name(number)).map_err(|e| Error::io("begin a log segment", &e))?;
        self.disk.open(&log_name(number)).map_err(|e| Error::io("open the log", &e))
    }

    fn make_spare(&self) -> Result<String> {
        let name = format!("{SPARE}{:010}", self.next_spare.fetch_add(1, Ordering::Relaxed));
        match self.disk.create(&name, self.segment_bytes) {
            Ok(_) => Ok(name),
            Err(error) => {
                // It is of no use half made, and the next start would remove it anyway.
                let _ = self.disk.remove(&name);
                Err(Error::io("the log", &error))
            }
        }
    }

    /// Makes a spare if there is none, so that the writer need not.
    pub(crate) fn prepare_spare(&self) -> Result<()> {
        if self.spares.lock().is_empty() {
            let spare = self.make_spare()?;
            self.spares.lock().push(spare);
        }
        Ok(())
    }

    /// Turns the segments into spares that hold only what lies before `position`.
    pub(crate) fn trim(&self, position: Position) -> Result<()> {
        let keep = self.number_of(position.lsn);
        for number in self.oldest.load(Ordering::Relaxed)..keep {
            let name = log_name(number);
            let mut spares = self.spares.lock();
            // One that is cut off, in a log that was accepted as it is, is of no use.
            let is_whole = || {
                let size = self.disk.open(&name).and_then(|file| file.size());
                size.is_ok_and(|size| size == self.segment_bytes)
            };
            let done = if self.disk.reuses() && spares.len() < SPARES && is_whole() {
                let spare = format!("{SPARE}{:010}", self.next_spare.fetch_add(1, Ordering::Relaxed));
                self.disk.rename(&name, &spare).map(|()| spares.push(spare))
            } else {
                self.disk.remove(&name)
            };
            match done {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("trim the log", &error));
                }
                _ => self.oldest.store(number + 1, Ordering::Relaxed),
            }
        }
        Ok(())
    }

    /// The units of work beside a log that ends at `end`; see [`Aside::open`].
    pub(crate) fn aside(&self, end: u64, vault: Option<Arc<Vault>>) -> Result<Option<(Aside, Vec<Left>)>> {
        Aside::open(&*self.disk, end, vault)
    }

    /// Notes how far the log was forced. `durable`: also for a power cut that comes now.
    pub(crate) fn mark(&self, forced: Position, durable: bool) -> Result<()> {
        let mut last = self.last_mark.lock();
        let mark = Mark { number: *last + 1, position: forced };
        let noted = self.disk.note(mark.slot(), &mark.to_bytes(), durable);
        noted.map_err(|e| Error::Io(format!("force the log: {e}")))?;
        *last = mark.number;
        Ok(())
    }

    /// Notes it in both slots.
    pub(crate) fn mark_both(&self, forced: Position) -> Result<()> {
        self.mark(forced, false)?;
        self.mark(forced, true)
    }

    /// Position up to which the log was forced at least; `None` if no log was ever written.
    pub(crate) fn marked(&self) -> Result<Option<Position>> {
        let Some(slots) = self.disk.noted().map_err(|e| Error::io("read the log", &e))? else {
            return Ok(None);
        };
        let Some((mark, other_is_damaged)) = Mark::latest(&slots) else {
            return Err(Error::Log("neither note in log/forced is what was written".into()));
        };
        if other_is_damaged {
            tracing::warn!(target: "RM", "one of the two notes in log/forced is not what was written; the other one counts");
        }
        *self.last_mark.lock() = mark.number;
        Ok(Some(mark.position))
    }

    /// The first place of the log behind all segments.
    pub(super) fn behind_all(&self) -> Result<u64> {
        let names = self.disk.list().map_err(|e| Error::io("list the log", &e))?;
        let last = names.iter().filter_map(|name| numbered(name, LOG)).max();
        Ok(last.map_or(0, |last| (last + 1) * self.segment_bytes))
    }

    /// Begins to count notes as if there were none: they cannot be read.
    pub(crate) fn forget_marks(&self) {
        *self.last_mark.lock() = 0;
    }

    /// The files of the log and of spare segments, and where in the log the former begin.
    pub(super) fn files(&self) -> Result<Vec<(String, Option<u64>)>> {
        let names = self.disk.list().map_err(|e| Error::io("list the log", &e))?;
        let files = names.into_iter().filter_map(|name| {
            let base = numbered(&name, LOG).map(|number| number * self.segment_bytes);
            (base.is_some() || numbered(&name, SPARE).is_some()).then_some((name, base))
        });
        Ok(files.collect())
    }

    /// Opens a file of the log or a spare.
    pub(super) fn open_file(&self, name: &str) -> Result<Box<dyn DiskFile>> {
        self.disk.open(name).map_err(|e| Error::io("open the log", &e))
    }
}

/// The file of a segment.
pub(crate) fn log_name(number: u64) -> String {
    format!("{LOG}{number:010}")
}

fn numbered(name: &str, prefix: &str) -> Option<u64> {
    name.strip_prefix(prefix)?.parse().ok()
}

/// The one who writes.
pub(crate) struct Writer {
    segments: Arc<Segments>,
    current: Option<(u64, Box<dyn DiskFile>)>,
    position: Position,
    /// Hears what is in the log.
    aside: Option<Arc<Mutex<Aside>>>,
}

impl Writer {
    /// Goes on at `position`.
    pub(crate) fn new(segments: Arc<Segments>, position: Position) -> Self {
        Self { segments, current: None, position, aside: None }
    }

    /// From now on those units of work that are beside the log are no longer when they are in it.
    pub(crate) fn keeps(&mut self, aside: Arc<Mutex<Aside>>) {
        self.aside = Some(aside);
    }

    /// Writes a group and forces it. After [`Error::NoSpace`] nothing was written, and it may be tried again; after any other error the
    /// outcome is unknown.
    pub(crate) fn write(&mut self, group: &mut Group) -> Result<Position> {
        let size = self.segments.segment_bytes;
        let room = size - self.position.lsn % size;
        let lsn = if group.padded_bytes() <= room { self.position.lsn } else { self.position.lsn + room };
        let number = self.segments.number_of(lsn);
        let file = match &mut self.current {
            Some((current, file)) if *current == number => file,
            current => &mut current.insert((number, self.segments.open_or_make(number)?)).1,
        };
        let up_to = group.aside();
        if let Some(aside) = &self.aside {
            aside.lock().writes(self.position.lsn, lsn + group.padded_bytes(), up_to)?;
        }
        let (bytes, chain) = group.seal(Position { lsn, chain: self.position.chain })?;
        let after = Position { lsn: lsn + bytes.len() as u64, chain };
        file.write_at(lsn % size, bytes).map_err(|e| Error::Io(format!("force the log: {e}")))?;
        self.position = after;
        self.segments.mark(self.position, false)?;
        if let Some(aside) = &self.aside {
            aside.lock().wrote(after.lsn, up_to);
        }
        Ok(self.position)
    }

    /// Position of the next group.
    pub(crate) fn position(&self) -> Position {
        self.position
    }
}
