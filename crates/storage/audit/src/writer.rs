//! Writing the audit.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::Timestamp;
use parking_lot::Mutex;
use sealed::File;

use crate::chain::{BEGINNING, Head, hash, split};
use crate::repeats::Repeats;
use crate::verify::{files, name};
use crate::{Kind, Record};

/// The amount of an audit that is kept, and its durability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Files that are kept.
    pub files: usize,
    /// True if a record is on disk when it is recorded.
    pub forced: bool,
}

/// The result for the file of a recorded record: the same file, or the next one and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turned {
    /// It has not.
    No,
    /// The file before is full, and ends so.
    Full(Head),
    /// The file was harmed: the part up to this end is not where it belongs any more.
    Harmed {
        /// Its name.
        name: String,
        /// The harm that was done to it.
        harm: &'static str,
        /// The end of the chain before the next file.
        end: Head,
    },
}

/// An audit that is written. One process writes a folder at a time: the state's own lock sees to that.
pub struct Audit {
    limits: Limits,
    state: Mutex<State>,
    harmed: Option<String>,
}

struct State {
    folder: PathBuf,
    file: File,
    /// The number of the file, from 1.
    ordinal: u64,
    bytes: u64,
    /// Bytes of the file on the disk after the last record.
    disk_bytes: u64,
    head: Head,
    repeats: Repeats,
}

impl Audit {
    /// Goes on with the audit in a folder, or begins one.
    ///
    /// # Errors
    /// The folder or its newest file cannot be used.
    pub fn open(folder: &Path, limits: Limits) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let newest = files(folder)?.pop();
        let ordinal = newest.as_ref().map_or(1, |(ordinal, _)| *ordinal);
        let beginning = || Head { number: 0, hash: BEGINNING.to_owned() };
        let (head, dropped, harmed) = match newest.as_ref().map(|(_, path)| mend(path)) {
            None => (beginning(), 0, None),
            Some(Ok((head, dropped))) => (head, dropped, None),
            // A damaged file is kept for inspection; the next file begins a chain of its own.
            Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
                (beginning(), 0, Some(format!("{} cannot be read: {error}", name(ordinal))))
            }
            Some(Err(error)) => return Err(error),
        };
        let ordinal = ordinal + u64::from(harmed.is_some());
        let file = open(folder, ordinal)?;
        let bytes = file.length()?;
        let mut state = State {
            folder: folder.to_owned(),
            file,
            ordinal,
            bytes,
            disk_bytes: 0,
            head,
            repeats: Repeats::new(),
        };
        let mut begun = Record::new(Kind::Begun).with("previous", &state.head.hash);
        if dropped > 0 {
            begun = begun.with("unfinished-bytes", &dropped.to_string());
        }
        if let Some(harmed) = &harmed {
            begun = begun.with("harmed", harmed);
        }
        state.append(&begun, 0, limits)?;
        Ok(Self { limits, state: Mutex::new(state), harmed })
    }

    /// The fault of the file that was written last before the start; `None` if it can be read.
    pub fn harmed(&self) -> Option<&str> {
        self.harmed.as_deref()
    }

    /// Records. The same again within a second is only counted, and the count goes with the next.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn record(&self, record: &Record) -> io::Result<Turned> {
        let mut state = self.state.lock();
        let Some(repeated) = state.repeats.admits(record, Instant::now()) else { return Ok(Turned::No) };
        let turned = match state.harm() {
            Some(harm) => {
                let (end, name) = (state.head.clone(), name(state.ordinal));
                state.turn(self.limits, Some((&name, harm)))?;
                Turned::Harmed { name, harm, end }
            }
            None if state.bytes >= self.limits.file_bytes => Turned::Full(state.turn(self.limits, None)?),
            None => Turned::No,
        };
        state.append(record, repeated, self.limits)?;
        Ok(turned)
    }

    /// The end of the chain now.
    pub fn head(&self) -> Head {
        self.state.lock().head.clone()
    }

    /// All that is recorded is on disk.
    ///
    /// # Errors
    /// It is not.
    pub fn force(&self) -> io::Result<()> {
        self.state.lock().file.sync_data()
    }
}

impl State {
    fn append(&mut self, record: &Record, repeated: u64, limits: Limits) -> io::Result<()> {
        let number = self.head.number + 1;
        let json = record.json(number, &Timestamp::now().to_string(), repeated);
        let hash = hash(&self.head.hash, &json);
        let line = format!("{hash} {json}\n");
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // Half a line would spoil the next one.
            let _ = self.file.truncate(self.bytes);
            return Err(error);
        }
        if limits.forced {
            self.file.sync_data()?;
        }
        self.bytes += line.len() as u64;
        self.disk_bytes = self.file.disk().metadata().map_or(0, |file| file.len());
        self.head = Head { number, hash };
        Ok(())
    }

    /// The harm done from outside to the file that is being written.
    fn harm(&self) -> Option<&'static str> {
        let written = self.file.disk().metadata().ok()?;
        match fs::metadata(self.folder.join(name(self.ordinal))) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some("was removed"),
            Ok(there) if (there.dev(), there.ino()) != (written.dev(), written.ino()) => Some("was replaced"),
            Ok(_) if written.len() < self.disk_bytes => Some("was cut off"),
            _ => None,
        }
    }

    /// Begins the next file, and removes the oldest ones. The end of the file before.
    fn turn(&mut self, limits: Limits, harmed: Option<(&str, &str)>) -> io::Result<Head> {
        let end = self.head.clone();
        if harmed.is_none() {
            self.file.sync_data()?;
        }
        // An intruder who replaces files may have put one in the place of the next.
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let last = files(&self.folder)?.last().map_or(0, |(ordinal, _)| *ordinal);
        let next = self.ordinal.max(last) + 1;
        self.file = open(&self.folder, next)?;
        (self.ordinal, self.bytes) = (next, 0);
        let mut kept = files(&self.folder)?;
        let mut begun = Record::new(Kind::Begun).with("previous", &end.hash);
        if let Some((name, harm)) = harmed {
            begun = begun.with("harmed", &format!("{name} {harm}"));
        }
        while kept.len() > limits.files.max(2) {
            let (ordinal, path) = kept.remove(0);
            fs::remove_file(path)?;
            begun = begun.with("removed", &name(ordinal));
        }
        self.append(&begun, 0, limits)?;
        Ok(end)
    }
}

fn open(folder: &Path, ordinal: u64) -> io::Result<File> {
    File::append(&folder.join(name(ordinal)))
}

/// Takes an unfinished line off a file. Its end, and how many bytes were taken off.
fn mend(path: &Path) -> io::Result<(Head, u64)> {
    let bytes = sealed::read(path)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let dropped = (bytes.len() - whole) as u64;
    if dropped > 0 {
        File::append(path)?.truncate(whole as u64)?;
    }
    let text = String::from_utf8_lossy(&bytes[..whole]);
    let last = text.lines().next_back().and_then(split);
    let number = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok()?.get("n")?.as_u64();
    let head = last.and_then(|(hash, json)| Some(Head { number: number(json)?, hash: hash.to_owned() }));
    // A malformed last line stays: verify reports it. The next records begin a chain of their own.
    Ok((head.unwrap_or(Head { number: 0, hash: BEGINNING.to_owned() }), dropped))
}
