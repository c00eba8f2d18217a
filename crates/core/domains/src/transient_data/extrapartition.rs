//! Extrapartition queues: files of lines.

use ebcdic::Characters;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use sealed::File;
use spec::cond;

use kernel::lines::often;
use kernel::meters::ResourceRequests;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::words::escaped;

/// A message as people read it: it does not end its line, nor move about on a screen.
fn one_line(message: &[u8]) -> Cow<'_, [u8]> {
    let text = Characters::default().text(message);
    match escaped(&text) {
        Cow::Borrowed(_) => Cow::Borrowed(message),
        Cow::Owned(shown) => Cow::Owned(Characters::default().bytes(&shown)),
    }
}

/// A file as a queue. It is opened by its first use: for appending by a write, for reading by a read. Closed by command,
/// it stays closed until it is opened by command.
pub struct Extrapartition {
    /// The requests of programs so far.
    pub requests: ResourceRequests,
    path: PathBuf,
    records: RecordShape,
    access: FileAccess,
    bytes_max: Option<u64>,
    enabled: AtomicBool,
    open: AtomicBool,
    state: Mutex<State>,
}

/// The commands that a queue of a file takes: TYPEFILE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileAccess {
    /// Either, as its first use opens it.
    #[default]
    Either,
    /// READQ TD: INPUT, RDBACK.
    Input,
    /// WRITEQ TD: OUTPUT.
    Output,
}

/// The records that the definition of a file allows: RECORDFORMAT, RECORDSIZE.
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
    /// Returns true if a record of this length can be written.
    fn takes(self, length: usize) -> bool {
        match self {
            Self::Any => true,
            Self::Variable(longest) => length <= longest,
            Self::Fixed(all) => length == all,
        }
    }

    /// Finds the framing of the records in a file that is about to be read.
    fn framing(self, file: &mut BufReader<File>) -> io::Result<Framing> {
        let Self::Fixed(length) = self else { return Ok(Framing::Lines) };
        let size = file.get_ref().length()?;
        let framing = framing(file, length, size)?;
        file.rewind()?;
        Ok(framing)
    }

    /// A line as a record: lines may have lost their last blanks, which a record of fixed length has.
    fn complete(self, line: &mut Vec<u8>) {
        if let Self::Fixed(length) = self {
            line.resize(length.max(line.len()), b' ');
        }
    }
}

/// The way in which the records of a file that is read are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// Each is a line.
    Lines,
    /// Each has a length, and a line feed after it: its own bytes may be anything.
    Length(usize),
    /// Each has a length, and the next follows at once.
    Bare(usize),
}

/// The greatest number of records that are examined to find the framing.
const LOOKED_AT_MAX: u64 = 1_000;

/// Returns the framing of records of one length in a file of so many bytes: by length, if all of the first ones end
/// where they must. A person's text file, whose lines have lost their last blanks, does not look like that.
fn framing(file: &mut impl BufRead, length: usize, size: u64) -> io::Result<Framing> {
    let (bytes, whole) = (length as u64, length as u64 + 1);
    let mut record = vec![0; length + 1];
    let mut by_length = size.is_multiple_of(whole) || size % whole == bytes;
    let mut bare = size.is_multiple_of(bytes.max(1));
    for at in 0..(size / whole).min(LOOKED_AT_MAX) {
        file.read_exact(&mut record)?;
        by_length &= record[length] == b'\n';
        bare &= at > 0 || !record.contains(&b'\n');
    }
    Ok(match (by_length, bare) {
        (true, _) => Framing::Length(length),
        (false, true) => Framing::Bare(length),
        (false, false) => Framing::Lines,
    })
}

/// The next record; empty at the end of the file.
fn next_record(file: &mut impl BufRead, framing: Framing) -> io::Result<Option<Vec<u8>>> {
    let mut record = Vec::new();
    match framing {
        Framing::Lines => file.read_until(b'\n', &mut record)?,
        Framing::Length(length) => file.take(length as u64 + 1).read_to_end(&mut record)?,
        Framing::Bare(length) => file.take(length as u64).read_to_end(&mut record)?,
    };
    if record.is_empty() {
        return Ok(None);
    }
    let has_feed = match framing {
        Framing::Lines => record.ends_with(b"\n"),
        Framing::Length(length) => record.len() > length,
        Framing::Bare(_) => false,
    };
    if has_feed {
        record.pop();
    }
    Ok(Some(record))
}

#[derive(Default)]
enum State {
    #[default]
    Closed,
    Writing(File),
    Reading(BufReader<File>, Framing),
}

impl Extrapartition {
    /// The queue of a file.
    pub fn new(path: PathBuf, records: RecordShape) -> Self {
        Self {
            requests: ResourceRequests::new(&super::COUNTED),
            path,
            records,
            access: FileAccess::default(),
            bytes_max: None,
            enabled: AtomicBool::new(true),
            open: AtomicBool::new(true),
            state: Mutex::default(),
        }
    }

    /// The same, for messages that people read: each is one line, and the file begins again when it has so many bytes; what was
    /// in it is in `….1` then.
    #[must_use]
    pub fn for_messages(self, bytes_max: u64) -> Self {
        Self { bytes_max: Some(bytes_max), ..self }
    }

    /// The same, for one direction.
    #[must_use]
    pub fn for_access(self, access: FileAccess) -> Self {
        Self { access, ..self }
    }

    /// Returns true if programs may use it.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    /// SET TDQUEUE ENABLED or DISABLED.
    pub fn enable(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }

    /// Returns true if it is open, or will be by its next use.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    /// Another file, used and with records as this one.
    #[must_use]
    pub fn elsewhere(&self, path: PathBuf) -> Self {
        Self::new(path, self.records).for_access(self.access)
    }

    /// SET TDQUEUE OPEN or CLOSED. A file that is read begins again after it was closed.
    pub fn open(&self, open: bool) {
        self.open.store(open, Ordering::Relaxed);
        if !open {
            *self.state.lock() = State::Closed;
        }
    }

    /// Refuses a queue that is closed or serves the other direction.
    fn check_open(&self, wanted: FileAccess) -> Outcome {
        if !self.is_open() {
            return Err(cond::NOTOPEN.raise(0));
        }
        let serves = self.access == FileAccess::Either || self.access == wanted;
        if serves { Ok(()) } else { Err(cond::INVREQ.raise(0)) }
    }

    /// Appends a record as a line.
    ///
    /// # Errors
    /// NOTOPEN, LENGERR, NOSPACE, IOERR, and INVREQ for a queue of input.
    pub fn write(&self, record: &[u8]) -> Outcome {
        self.check_open(FileAccess::Output)?;
        if !self.records.takes(record.len()) {
            return Err(cond::LENGERR.raise(0));
        }
        let mut state = self.state.lock();
        if matches!(*state, State::Closed) {
            let file = File::append(&self.path);
            *state = State::Writing(file.map_err(|error| self.failed("opened", &error))?);
        }
        let State::Writing(file) = &mut *state else { return Err(cond::INVREQ.raise(0)) };
        // One call, so that lines of several regions never mix.
        let record = if self.bytes_max.is_some() { one_line(record) } else { Cow::Borrowed(record) };
        let line = [&record, b"\n".as_slice()].concat();
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
        self.bytes_max.is_some_and(|max| file.length().is_ok_and(|length| length >= max))
    }

    /// The next record: a line, or so many bytes where all have one length and the file is made of them.
    ///
    /// # Errors
    /// NOTOPEN, QZERO at the end, IOERR, and INVREQ for a queue of output.
    pub fn read(&self) -> Outcome<Vec<u8>> {
        self.check_open(FileAccess::Input)?;
        let mut state = self.state.lock();
        if matches!(*state, State::Closed) {
            let file = File::open(&self.path).map_err(|error| self.failed("opened", &error))?;
            let mut file = BufReader::new(file);
            let framing = self.records.framing(&mut file).map_err(|error| self.failed("read", &error))?;
            *state = State::Reading(file, framing);
        }
        let State::Reading(file, framing) = &mut *state else { return Err(cond::INVREQ.raise(0)) };
        let record = next_record(file, *framing).map_err(|error| self.failed("read", &error))?;
        let mut record = record.ok_or_else(|| cond::QZERO.raise(0))?;
        self.records.complete(&mut record);
        Ok(record)
    }

    fn failed(&self, what: &str, error: &io::Error) -> Raise {
        often!(error, target: "TD", "{} cannot be {what}: {error}", self.path.display());
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
    fn records_of_one_length_may_hold_any_byte() {
        /// The file's bytes, their framing, and the records.
        type Row = (&'static [u8], Framing, &'static [&'static [u8]]);
        let table: [Row; 6] = [
            (b"A\nBC\nDEF\n", Framing::Length(4), &[b"A\nBC", b"DEF\n"]),
            (b"ABCD\nEFGH\n", Framing::Length(4), &[b"ABCD", b"EFGH"]),
            (b"ABCD\nEFGH", Framing::Length(4), &[b"ABCD", b"EFGH"]),
            (b"ABCDE\nFGH\nJK", Framing::Bare(4), &[b"ABCD", b"E\nFG", b"H\nJK"]),
            (b"ABCD\nEF\nGH\n", Framing::Lines, &[b"ABCD", b"EF", b"GH"]),
            (b"", Framing::Length(4), &[]),
        ];
        for (mut bytes, expected, records) in table {
            let framing = framing(&mut { bytes }, 4, bytes.len() as u64).expect("readable");
            assert_eq!(framing, expected, "{bytes:?}");
            let mut read = Vec::new();
            while let Some(record) = next_record(&mut bytes, framing).expect("readable") {
                read.push(record);
            }
            assert_eq!(read, records);
        }
    }

    #[test]
    fn a_bounded_file_begins_again_and_what_was_in_it_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("MSGUSR");
        let queue = Extrapartition::new(path.clone(), RecordShape::Any).for_messages(8);
        for record in [b"FIRST", b"OTHER", b"THIRD"] {
            assert_eq!(queue.write(record), Ok(()));
        }
        let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a file");
        assert_eq!(text(&path), "THIRD\n");
        assert_eq!(text(&folder.path().join("MSGUSR.1")), "FIRST\nOTHER\n");
    }

    #[test]
    fn a_message_is_one_line_whatever_is_in_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("MSGUSR");
        let queue = Extrapartition::new(path.clone(), RecordShape::Any).for_messages(1000);
        assert_eq!(queue.write(b"ANNA\nFORGED \x1b[2J\x9b \xe9"), Ok(()));
        assert_eq!(std::fs::read(&path).expect("a file"), b"ANNA\\x0AFORGED \\x1B[2J\\x9B \xe9\n");
    }
}
