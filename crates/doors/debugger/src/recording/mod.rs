//! A recording: what programs ask for, in which order, with which arguments, and what they hold then, as a file.
//!
//! A line of it is a record of some program's storage, as a dump shows it, or a *stop*: a program at a command or at the CALL
//! of a service. A stop names the records that its program holds by their places in the file, so that what does not change
//! from one command to the next is there once. Behind the stop of a CALL its arguments follow, as the service has left them. Two
//! recordings of the same work can be compared.
//!
//! Out of scope: which of two recordings is right.

mod reader;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use kernel::debugging::{storage_at_command, storage_at_service};
use kernel::exec::{Call, Content, Parcel, ServiceSeen, Waiting, Watcher};
use kernel::raise::Outcome;
use kernel::storage::StorageAddress;
use kernel::task::Task;
use kernel::transactions::Supplied;
use parking_lot::Mutex;
use sealed::File;
use serde_json::{Value, json};

pub use reader::{Recording, Unreadable};

/// Bytes of a recording, at most. A recording that is full ends with a line that says so.
pub const RECORDING_BYTES_MAX: u64 = 1 << 30;

/// Bytes that are written, and sealed, at once.
const PIECE: usize = 64 << 10;

/// The line after which nothing was recorded any more.
const FULL: &str = "full";

/// A program at a command or at the CALL of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Its task.
    pub task: u32,
    /// When that was attached, in milliseconds since 1970: after a restart numbers come again.
    pub begun: i64,
    /// The task's transaction.
    pub transaction: String,
    /// Its name.
    pub program: String,
    /// The line of its source; 0 if it is not known.
    pub line: u32,
    /// The command, or the service.
    pub asks: String,
    /// Option and content; of a service, place and bytes.
    pub arguments: Vec<(String, String)>,
    /// The arguments as a service has left them; empty if it has not answered.
    pub answered: Vec<(String, String)>,
    /// The records of its storage, by their places in the recording.
    pub storage: Vec<u32>,
}

impl Stop {
    fn of(task: &Task, program: String, asks: &str) -> Self {
        Self {
            task: task.number,
            begun: task.attached.unix_ms,
            transaction: task.transaction.name.to_string(),
            program,
            line: 0,
            asks: asks.to_owned(),
            arguments: Vec::new(),
            answered: Vec::new(),
            storage: Vec::new(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "task": self.task, "begun": self.begun, "transaction": self.transaction, "program": self.program, "line": self.line,
            "asks": self.asks, "arguments": self.arguments, "storage": self.storage,
        })
    }
}

/// Records what the programs of a region ask for. The region's own transactions are left out.
pub struct Recorder(Mutex<Writer>);

struct Writer {
    file: BufWriter<File>,
    /// The places of the records that are there, by their digests.
    known: HashMap<u128, u32>,
    left: u64,
    /// The reason why nothing is written any more.
    ended: Option<String>,
}

impl Recorder {
    /// Begins a file for its owner alone: it holds all that programs do.
    ///
    /// # Errors
    /// As the system says.
    pub fn begin(path: &Path) -> io::Result<Self> {
        File::create(path).map(Self::new)
    }

    /// Begins a recording in an empty file.
    pub fn new(file: File) -> Self {
        let writer = Writer {
            file: BufWriter::with_capacity(PIECE, file),
            known: HashMap::new(),
            left: RECORDING_BYTES_MAX,
            ended: None,
        };
        Self(Mutex::new(writer))
    }

    /// All is in the file.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn end(&self) -> Result<(), String> {
        let mut writer = self.0.lock();
        if let Err(error) = writer.file.flush() {
            writer.fails(&error);
        }
        writer.ended.clone().map_or(Ok(()), Err)
    }

    fn record(&self, mut stop: Stop, storage: &str) {
        let mut writer = self.0.lock();
        if writer.ended.is_some() {
            return;
        }
        stop.storage = records(storage).iter().map(|record| writer.place(record)).collect();
        writer.line(&json!({"stop": stop.json()}));
    }

    fn answered(&self, task: u32, arguments: &[(String, String)]) {
        self.0.lock().line(&json!({"answered": {"task": task, "arguments": arguments}}));
    }
}

impl Writer {
    /// Returns the place of a record, which is written first if it is not there.
    fn place(&mut self, record: &str) -> u32 {
        let digest = digest(record);
        if let Some(place) = self.known.get(&digest) {
            return *place;
        }
        let place = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.line(&json!({"record": record}));
        self.known.insert(digest, place);
        place
    }

    fn line(&mut self, value: &Value) {
        if self.ended.is_some() {
            return;
        }
        let text = format!("{value}\n");
        let written = match self.left.checked_sub(text.len() as u64) {
            Some(left) => {
                self.left = left;
                self.file.write_all(text.as_bytes())
            }
            None => {
                let why = format!("the recording is full: it has {} MB", RECORDING_BYTES_MAX >> 20);
                tracing::warn!(target: "DB", "{why}");
                self.ended = Some(why);
                writeln!(self.file, "{}", json!(FULL))
            }
        };
        if let Err(error) = written {
            self.fails(&error);
        }
    }

    fn fails(&mut self, error: &io::Error) {
        let why = format!("the recording cannot be written: {error}");
        tracing::error!(target: "DB", "{why}");
        self.ended = Some(why);
    }
}

/// Tells records apart: two that differ have the same digest as good as never.
fn digest(record: &str) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, record).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// The records of a program's storage, as a dump shows them: a record's line is indented by two blanks, those of its items by
/// more.
fn records(storage: &str) -> Vec<String> {
    let mut records: Vec<String> = Vec::new();
    for line in storage.lines().filter(|line| line.starts_with("  ")) {
        match records.last_mut() {
            Some(record) if line.starts_with("   ") => {
                record.push('\n');
                record.push_str(line);
            }
            _ => records.push(line.to_owned()),
        }
    }
    records
}

impl Watcher for Recorder {
    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        Box::pin(async move {
            if task.transaction.supplied == Supplied::No
                && let Some(place) = call.place()
            {
                let storage = storage_at_command(task, call).unwrap_or_default();
                let stop = Stop {
                    line: place.line.map_or(0, |line| line.line),
                    arguments: arguments(&Parcel::copy_of(call)),
                    ..Stop::of(task, place.program, spec::command(call.command()).name)
                };
                self.record(stop, &storage);
            }
            Ok(())
        })
    }

    fn after<'a>(&'a self, _: &'a mut Task, _: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        Box::pin(async move { outcome })
    }

    fn before_service<'a>(&'a self, task: &'a mut Task, seen: &'a ServiceSeen<'_>) -> Waiting<'a> {
        Box::pin(async move {
            if task.transaction.supplied == Supplied::No {
                let storage = storage_at_service(task).unwrap_or_default();
                let asks = format!("CALL {}", seen.name());
                let program = seen.program().to_string().trim_end().to_owned();
                let stop = Stop { arguments: passed(task, seen), ..Stop::of(task, program, &asks) };
                self.record(stop, &storage);
            }
            Ok(())
        })
    }

    fn after_service<'a>(&'a self, task: &'a mut Task, seen: &'a ServiceSeen<'_>) -> Waiting<'a> {
        Box::pin(async move {
            if task.transaction.supplied == Supplied::No {
                self.answered(task.number, &passed(task, seen));
            }
            Ok(())
        })
    }
}

/// The arguments of a CALL by their places.
fn passed(task: &Task, seen: &ServiceSeen<'_>) -> Vec<(String, String)> {
    let bytes = seen.arguments(task).into_iter();
    let shown = bytes.map(|bytes| bytes.map_or_else(|| String::from("-"), |bytes| hexadecimal(&bytes)));
    (1..).zip(shown).map(|(place, shown): (usize, String)| (place.to_string(), shown)).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{digits}'")
}

fn arguments(parcel: &Parcel) -> Vec<(String, String)> {
    let text = |content| match content {
        Content::Nothing => String::from("-"),
        Content::Bytes(bytes) => hexadecimal(&bytes),
        Content::Number(number) => number.to_string(),
        // An address means nothing beside another.
        Content::Pointer(address) if address == StorageAddress::NULL => String::from("NULL"),
        Content::Pointer(_) => String::from("an address"),
    };
    let given = parcel.contents().map(|(option, content)| (option.name().to_owned(), text(content)));
    let keywords = parcel.keywords().map(|option| (option.name().to_owned(), String::new()));
    given.chain(keywords).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(line: u32) -> Stop {
        Stop {
            task: 7,
            begun: 1_700_000_000_000,
            transaction: String::from("WORK"),
            program: String::from("P"),
            line,
            asks: String::from("READ"),
            arguments: vec![(String::from("FILE"), String::from("X'C1'"))],
            answered: Vec::new(),
            storage: Vec::new(),
        }
    }

    #[test]
    fn a_record_that_does_not_change_is_written_once_and_read_back_at_every_stop() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("recording");
        let recorder = Recorder::begin(&path).expect("a file");
        recorder.record(stop(1), "\nWORKING-STORAGE OF P\n  77 N   5\n  01 R\n      A  7\n");
        recorder.record(stop(2), "\nWORKING-STORAGE OF P\n  77 N   6\n  01 R\n      A  7\n");
        recorder.end().expect("written");
        let recording = Recording::read(&path).expect("a recording");
        assert_eq!(recording.records, ["  77 N   5", "  01 R\n      A  7", "  77 N   6"]);
        assert_eq!(recording.stops[0], Stop { storage: vec![0, 1], ..stop(1) });
        assert_eq!(recording.stops[1], Stop { storage: vec![2, 1], ..stop(2) });
        assert!(!recording.is_full);
    }

    #[test]
    fn what_a_service_answers_belongs_to_the_last_stop_of_its_task() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("recording");
        let recorder = Recorder::begin(&path).expect("a file");
        let answer = vec![(String::from("1"), String::from("X'C2'"))];
        recorder.record(stop(1), "");
        recorder.record(Stop { task: 8, ..stop(2) }, "");
        recorder.answered(7, &answer);
        recorder.end().expect("written");
        let recording = Recording::read(&path).expect("a recording");
        let answers: Vec<usize> = recording.stops.iter().map(|stop| stop.answered.len()).collect();
        assert_eq!((answers, &recording.stops[0].answered), (vec![1, 0], &answer));
        std::fs::write(&path, "{\"answered\":{\"task\":1,\"arguments\":[]}}\n").expect("a file");
        assert!(Recording::read(&path).is_err());
    }

    #[test]
    fn a_recording_that_is_full_says_so_and_takes_no_more() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("recording");
        let recorder = Recorder::begin(&path).expect("a file");
        recorder.0.lock().left = 200;
        (0..9).for_each(|line| recorder.record(stop(line), ""));
        assert!(recorder.end().is_err_and(|why| why.contains("full")));
        let recording = Recording::read(&path).expect("a recording");
        assert!(recording.is_full && recording.stops.len() == 1, "{recording:?}");
    }

    #[test]
    fn a_file_that_is_no_recording_is_refused_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("recording");
        std::fs::write(&path, "{\"record\":\"  77 N 5\"}\n{\"stop\":{\"task\":1}}\n").expect("a file");
        let why = Recording::read(&path).expect_err("no recording").to_string();
        assert!(why.contains("line 2"), "{why}");
    }
}
