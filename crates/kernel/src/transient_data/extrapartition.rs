//! Extrapartition queues: files of lines.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use spec::cond;

use crate::private;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::statistics::ResourceRequests;

/// A file as a queue. It is opened by its first use: for appending by a write, for reading by a read. Closed by command,
/// it stays closed until it is opened by command.
pub struct Extrapartition {
    /// What programs have asked of it.
    pub requests: ResourceRequests,
    path: PathBuf,
    records: RecordShape,
    bytes_max: Option<u64>,
    enabled: AtomicBool,
    open: AtomicBool,
    state: Mutex<State>,
}

/// What records the definition of a file allows: RECORDFORMAT, RECORDSIZE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordShape {
    /// Any.
    #[default]
    Any,
    /// Of this length at most.
    Variable(usize),
    /// Of this length.
    Fixed(usize),
}

impl RecordShape {
    /// Whether a record of this length can be written.
    fn takes(self, length: usize) -> bool {
        match self {
            Self::Any => true,
            Self::Variable(longest) => length <= longest,
            Self::Fixed(all) => length == all,
        }
    }

    /// A line as a record: lines may have lost their last blanks, which a record of fixed length has.
    fn complete(self, line: &mut Vec<u8>) {
        if let Self::Fixed(length) = self {
            line.resize(length.max(line.len()), b' ');
        }
    }
}

#[derive(Default)]
enum State {
    #[default]
    Closed,
    Writing(File),
    Reading(BufReader<File>),
}

impl Extrapartition {
    /// The queue of a file.
    pub fn new(path: PathBuf, records: RecordShape) -> Self {
        Self {
            requests: ResourceRequests::new(&super::COUNTED),
            path,
            records,
            bytes_max: None,
            enabled: AtomicBool::new(true),
            open: AtomicBool::new(true),
            state: Mutex::default(),
        }
    }

    /// The same, of a file that begins again when it has so many bytes: what was in it is in `….1` then.
    #[must_use]
    pub fn bounded(self, bytes_max: u64) -> Self {
        Self { bytes_max: Some(bytes_max), ..self }
    }

    /// Whether programs may use it.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    /// SET TDQUEUE ENABLED or DISABLED.
    pub fn enable(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }

    /// Whether it is open, or will be by its next use.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    /// SET TDQUEUE OPEN or CLOSED. A file that is read begins again after it was closed.
    pub fn open(&self, open: bool) {
        self.open.store(open, Ordering::Relaxed);
        if !open {
            *self.state.lock() = State::Closed;
        }
    }

    fn check_open(&self) -> Outcome {
        if self.is_open() { Ok(()) } else { Err(cond::NOTOPEN.raise(0)) }
    }

    /// Appends a record as a line.
    ///
    /// # Errors
    /// NOTOPEN, LENGERR, NOSPACE, IOERR, and INVREQ for a queue that is being read.
    pub fn write(&self, record: &[u8]) -> Outcome {
        self.check_open()?;
        if !self.records.takes(record.len()) {
            return Err(cond::LENGERR.raise(0));
        }
        let mut state = self.state.lock();
        if matches!(*state, State::Closed) {
            let file = private::file().create(true).append(true).open(&self.path);
            *state = State::Writing(file.map_err(|error| self.failed("opened", &error))?);
        }
        let State::Writing(file) = &mut *state else { return Err(cond::INVREQ.raise(0)) };
        // One call, so that lines of several regions never mix.
        let line = [record, b"\n"].concat();
        file.write_all(&line).map_err(|error| self.failed("written", &error))?;
        if self.is_full(file) {
            *state = State::Closed;
            let mut old = self.path.clone().into_os_string();
            old.push(".1");
            std::fs::rename(&self.path, old).map_err(|error| self.failed("put aside", &error))?;
        }
        Ok(())
    }

    fn is_full(&self, file: &File) -> bool {
        self.bytes_max.is_some_and(|max| file.metadata().is_ok_and(|file| file.len() >= max))
    }

    /// The next line.
    ///
    /// # Errors
    /// NOTOPEN, QZERO at the end, IOERR, and INVREQ for a queue that is being written.
    pub fn read(&self) -> Outcome<Vec<u8>> {
        self.check_open()?;
        let mut state = self.state.lock();
        if matches!(*state, State::Closed) {
            let file = File::open(&self.path).map_err(|error| self.failed("opened", &error))?;
            *state = State::Reading(BufReader::new(file));
        }
        let State::Reading(file) = &mut *state else { return Err(cond::INVREQ.raise(0)) };
        let mut line = Vec::new();
        let length = file.read_until(b'\n', &mut line).map_err(|error| self.failed("read", &error))?;
        if length == 0 {
            return Err(cond::QZERO.raise(0));
        }
        if line.ends_with(b"\n") {
            line.pop();
        }
        self.records.complete(&mut line);
        Ok(line)
    }

    fn failed(&self, what: &str, error: &io::Error) -> Raise {
        tracing::error!(target: "TD", "{} cannot be {what}: {error}", self.path.display());
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => cond::NOSPACE.raise(0),
            _ => cond::IOERR.raise(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounded_file_begins_again_and_what_was_in_it_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("MSGUSR");
        let queue = Extrapartition::new(path.clone(), RecordShape::Any).bounded(8);
        for record in [b"FIRST", b"OTHER", b"THIRD"] {
            assert_eq!(queue.write(record), Ok(()));
        }
        let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a file");
        assert_eq!(text(&path), "THIRD\n");
        assert_eq!(text(&folder.path().join("MSGUSR.1")), "FIRST\nOTHER\n");
    }
}
