//! Writing the audit.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::chain::{BEGINNING, Head, hash, split};
use crate::repeats::Repeats;
use crate::verify::{files, name};
use crate::{Kind, Record};

/// How much of an audit is kept, and how surely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Files that are kept.
    pub files: usize,
    /// Whether a record is on disk when it is recorded.
    pub forced: bool,
}

/// An audit that is written. One process writes a folder at a time: the state's own lock sees to that.
pub struct Audit {
    limits: Limits,
    state: Mutex<State>,
}

struct State {
    folder: PathBuf,
    file: File,
    /// The number of the file, from 1.
    ordinal: u64,
    bytes: u64,
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
        let (head, dropped) = match &newest {
            Some((_, path)) => mend(path)?,
            None => (Head { number: 0, hash: BEGINNING.to_owned() }, 0),
        };
        let file = open(folder, ordinal)?;
        let bytes = file.metadata()?.len();
        let mut state =
            State { folder: folder.to_owned(), file, ordinal, bytes, head, repeats: Repeats::new() };
        let mut begun = Record::new(Kind::Begun).with("previous", &state.head.hash);
        if dropped > 0 {
            begun = begun.with("unfinished-bytes", &dropped.to_string());
        }
        state.append(&begun, 0, limits)?;
        Ok(Self { limits, state: Mutex::new(state) })
    }

    /// Records. The same again within a second is only counted, and the count goes with the next.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn record(&self, record: &Record) -> io::Result<Option<Head>> {
        let mut state = self.state.lock();
        let Some(repeated) = state.repeats.admits(record, Instant::now()) else { return Ok(None) };
        let turned =
            if state.bytes >= self.limits.file_bytes { Some(state.turn(self.limits)?) } else { None };
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
            let _ = self.file.set_len(self.bytes);
            return Err(error);
        }
        if limits.forced {
            self.file.sync_data()?;
        }
        self.bytes += line.len() as u64;
        self.head = Head { number, hash };
        Ok(())
    }

    /// Begins the next file, and removes the oldest ones. The end of the file that is full.
    fn turn(&mut self, limits: Limits) -> io::Result<Head> {
        let end = self.head.clone();
        self.file.sync_data()?;
        self.file = open(&self.folder, self.ordinal + 1)?;
        (self.ordinal, self.bytes) = (self.ordinal + 1, 0);
        let mut kept = files(&self.folder)?;
        let mut begun = Record::new(Kind::Begun).with("previous", &end.hash);
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
    OpenOptions::new().create(true).append(true).mode(0o600).open(folder.join(name(ordinal)))
}

/// Takes an unfinished line off a file. Its end, and how many bytes were taken off.
fn mend(path: &Path) -> io::Result<(Head, u64)> {
    let bytes = fs::read(path)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let dropped = (bytes.len() - whole) as u64;
    if dropped > 0 {
        OpenOptions::new().write(true).open(path)?.set_len(whole as u64)?;
    }
    let text = String::from_utf8_lossy(&bytes[..whole]);
    let last = text.lines().next_back().and_then(split);
    let number = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok()?.get("n")?.as_u64();
    let head = last.and_then(|(hash, json)| Some(Head { number: number(json)?, hash: hash.to_owned() }));
    // A last line that is none stays: verify tells of it. What follows begins a chain of its own.
    Ok((head.unwrap_or(Head { number: 0, hash: BEGINNING.to_owned() }), dropped))
}
