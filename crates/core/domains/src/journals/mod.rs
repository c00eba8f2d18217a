//! Journals: records that programs write down for others to read, after the region or beside it.
//!
//! A journal's name leads to a *log stream* by the JOURNALMODEL that fits, or by the published default; a log stream is
//! a file of the state folder, to which records are appended. WRITE JOURNALNAME returns when the operating system has
//! the record; with WAIT, and from WAIT JOURNALNAME, when the disk has.
//!
//! States of a journal: *enabled* ↔ *disabled* by command; enabled → *failed* by an error → enabled by command.
//!
//! Out of scope: the system log. No program writes to it.

mod commands;
pub mod definition;
pub mod format;
mod model;
mod statistics;
mod stream;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use spec::cond;

pub(crate) use commands::HANDLERS;
pub use model::{Model, StreamType};
pub use statistics::Teller;

use kernel::limits::JOURNAL_BYTES_MAX;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use stream::Stream;

/// The system log and its overflow: no program's journals.
pub const SYSTEM_LOGS: [&str; 2] = ["DFHLOG", "DFHSHUNT"];

/// The status of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Yes.
    Enabled,
    /// No, by command.
    Disabled,
    /// No: its stream has failed.
    Failed,
}

/// A journal.
pub struct Journal {
    /// Its name.
    pub name: Name8,
    /// The name of its log stream; empty where there is none.
    pub stream_name: String,
    status: Mutex<Status>,
    /// None for a journal whose records go nowhere.
    stream: Option<Arc<Stream>>,
    /// Records that were written to it, and their bytes.
    records: AtomicU64,
    bytes: AtomicU64,
}

impl Journal {
    /// Returns its status.
    pub fn status(&self) -> Status {
        *self.status.lock()
    }

    /// SET JOURNALNAME ENABLED, which opens the file, or DISABLED, which closes it.
    ///
    /// # Errors
    /// IOERR: the file cannot be opened, or what was written cannot be brought to the disk.
    pub fn enable(&self, enabled: bool) -> Outcome {
        *self.status.lock() = if enabled { Status::Enabled } else { Status::Disabled };
        if !enabled {
            return self.close();
        }
        let opened = self.stream.as_ref().map_or(Ok(()), |stream| stream.connect());
        opened.or_else(|error| self.failed(&error))
    }

    /// Returns true if its file is open.
    pub fn is_connected(&self) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.is_connected())
    }

    /// SET JOURNALNAME RESET: the file is closed, and opened by the next record.
    ///
    /// # Errors
    /// IOERR.
    pub fn reset(&self) -> Outcome {
        *self.status.lock() = Status::Enabled;
        self.close()
    }

    fn close(&self) -> Outcome {
        let closed = self.stream.as_ref().map_or(Ok(()), |stream| stream.close());
        closed.or_else(|error| self.failed(&error))
    }

    /// Appends a record: its number.
    fn append(&self, record: &format::Record) -> Outcome<u32> {
        self.check()?;
        let Some(stream) = &self.stream else { return Ok(0) };
        let bytes = record.to_bytes();
        let number = stream.append(&bytes).or_else(|error| self.failed(&error))?;
        self.records.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(number)
    }

    /// Waits until a record, or without a number everything, is on the disk.
    pub async fn force(&self, number: Option<u32>) -> Outcome {
        self.check()?;
        let Some(stream) = &self.stream else { return Ok(()) };
        if !stream.is_written() {
            return Err(cond::NOTOPEN.raise(0));
        }
        let last = stream.appended();
        // A number that was not given out yet means everything, too.
        let number = number.filter(|number| (1..=last).contains(number)).unwrap_or(last);
        stream.force(number).await.or_else(|error| self.failed(&error))
    }

    fn check(&self) -> Outcome {
        match self.status() {
            Status::Enabled => Ok(()),
            Status::Disabled => Err(cond::NOTOPEN.raise(0)),
            Status::Failed => Err(cond::IOERR.raise(0)),
        }
    }

    fn failed<T>(&self, error: &std::io::Error) -> Outcome<T> {
        *self.status.lock() = Status::Failed;
        let path = self.stream.as_ref().map(|stream| stream.path.display().to_string()).unwrap_or_default();
        tracing::error!(
            target: "LG",
            "journal {} has failed: {path}: {error}; then SET JOURNALNAME({}) RESET",
            self.name, self.name
        );
        Err(cond::IOERR.raise(0))
    }
}

/// The journals of a region.
pub struct Journals {
    folder: PathBuf,
    /// The applid and user that replace `&APPLID` and `&USERID` in the names of streams.
    applid: Name8,
    userid: Name8,
    models: RwLock<Vec<Model>>,
    journals: RwLock<BTreeMap<Name8, Arc<Journal>>>,
    streams: Mutex<HashMap<String, Arc<Stream>>>,
}

impl Journals {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// No journals yet; their files will be in this folder.
    pub fn new(folder: PathBuf, applid: Name8, userid: Name8) -> Self {
        Self {
            folder,
            applid,
            userid,
            models: RwLock::default(),
            journals: RwLock::default(),
            streams: Mutex::default(),
        }
    }

    /// Installs a model: it counts for journals that are used for the first time from now on.
    pub fn install(&self, model: Model) {
        let mut models = self.models.write();
        models.retain(|other| other.name != model.name);
        models.push(model);
    }

    /// The models, by name.
    pub fn models(&self) -> Vec<Model> {
        let mut models = self.models.read().clone();
        models.sort_by_key(|model| model.name);
        models
    }

    /// Removes a model, if there is one.
    pub fn discard_model(&self, name: Name8) {
        self.models.write().retain(|model| model.name != name);
    }

    /// The journals that have been used, by name.
    pub fn list(&self) -> Vec<Arc<Journal>> {
        self.journals.read().values().cloned().collect()
    }

    /// The journal of a name, if it has been used.
    pub fn get(&self, name: Name8) -> Option<Arc<Journal>> {
        self.journals.read().get(&name).cloned()
    }

    /// The journal of a name; the first use makes it.
    ///
    /// # Errors
    /// JIDERR for a name that is none.
    pub fn open(&self, name: Name8) -> Outcome<Arc<Journal>> {
        if let Some(journal) = self.get(name) {
            return Ok(journal);
        }
        if !model::is_journal_name(name) {
            return Err(cond::JIDERR.raise(2));
        }
        let mut journals = self.journals.write();
        let journal = journals.entry(name).or_insert_with(|| Arc::new(self.make(name)));
        Ok(Arc::clone(journal))
    }

    fn make(&self, name: Name8) -> Journal {
        let models = self.models.read();
        let model = model::best(&models, name);
        let template = model.map_or(model::DEFAULT_STREAM, |model| model.stream_name.as_str());
        let is_dummy = model.is_some_and(|model| model.stream_type == StreamType::Dummy);
        let stream_name = if is_dummy {
            String::new()
        } else {
            model::stream_name(template, self.applid, self.userid, name)
        };
        let stream = (!is_dummy).then(|| self.stream(&stream_name));
        let (status, records, bytes) = (Mutex::new(Status::Enabled), AtomicU64::new(0), AtomicU64::new(0));
        Journal { name, stream_name, status, stream, records, bytes }
    }

    fn stream(&self, name: &str) -> Arc<Stream> {
        let path = self.folder.join(format!("{name}.journal"));
        let mut streams = self.streams.lock();
        let stream = streams.entry(name.to_owned());
        Arc::clone(stream.or_insert_with(|| Arc::new(Stream::new(path, JOURNAL_BYTES_MAX))))
    }

    /// Forgets a journal, its file closed; false if there was none. The file stays.
    pub fn discard(&self, name: Name8) -> bool {
        let journal = self.journals.write().remove(&name);
        // What cannot be brought to the disk has been told of by now.
        journal.map(|journal| journal.close().is_ok()).is_some()
    }

    /// Closes all files: the region ends.
    pub fn close(&self) {
        for journal in self.list() {
            // Failures to write to the disk are reported.
            let _ = journal.close();
        }
    }
}
