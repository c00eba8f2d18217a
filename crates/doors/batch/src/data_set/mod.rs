//! A data set of the region as a COBOL file.
//!
//! ```text
//!          OPEN ──► Start ──READ, START──► Reading ──end──► AtEnd ──READ──► (46)
//!                      START that finds nothing ──► Lost ──READ──► (46)
//! ```
//!
//! Open for changes, a record that is read is locked until it is changed, until the next statement about the file, or
//! until a commit. After a commit a record can be changed all the same, if no other program has changed it meanwhile.

mod reading;
mod writing;

use std::collections::VecDeque;

use access::{AccessError, Client, Failure, Found, Opened, Organization, Reply, Request, Search};

use crate::control::{AccessMode, FileControl, FileOrganization, OpenMode};
use crate::status::Status;

/// Characters of a record number and of an address as keys.
const NUMBER: usize = 4;

/// Result of a statement: a status that is no error of the file handler, or one with words for the job's log.
pub(crate) type Outcome<T = Status> = Result<T, (Status, String)>;

/// Whence READ NEXT goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Reading,
    AtEnd,
    Lost,
}

/// A record that was read for update.
struct Held {
    base: Vec<u8>,
    record: Vec<u8>,
    /// True if it is still locked.
    locked: bool,
}

/// An open data set.
pub(crate) struct DataSetFile {
    opened: Opened,
    /// A handle for each key: the data set itself, and a path for each alternate key.
    handles: Vec<u32>,
    mode: OpenMode,
    access: AccessMode,
    /// Which key it is read by now.
    key: usize,
    place: Place,
    backward: bool,
    ahead: VecDeque<Found>,
    held: Option<Held>,
    /// The statement before was a READ that found a record.
    just_read: Option<Vec<u8>>,
    last_written: Option<Vec<u8>>,
}

fn status_of(error: &AccessError) -> (Status, String) {
    (Status::from(error), error.to_string())
}

/// A status without words.
fn plain<T>(status: Status) -> Outcome<T> {
    Err((status, String::new()))
}

impl DataSetFile {
    /// Opens a data set for a program.
    pub fn open(client: &mut Client, name: &str, mode: OpenMode, control: &FileControl) -> Outcome<Self> {
        let opened = match client.ask(Request::Open { name: name.to_owned() }) {
            Ok(Reply::Opened(opened)) => opened,
            Ok(_) => return plain(Status::PERMANENT),
            Err(error) => return Err(status_of(&error)),
        };
        let mut file = Self {
            handles: vec![opened.handle],
            opened,
            mode,
            access: control.access,
            key: 0,
            place: Place::Start,
            backward: false,
            ahead: VecDeque::new(),
            held: None,
            just_read: None,
            last_written: None,
        };
        match file.prepare(client, control) {
            Ok(()) => Ok(file),
            Err(refused) => {
                file.close_handles(client);
                Err(refused)
            }
        }
    }

    fn prepare(&mut self, client: &mut Client, control: &FileControl) -> Outcome<()> {
        if let Some(why) = conflict(&self.opened, control) {
            return Err((Status::CONFLICT, why));
        }
        for key in control.keys.iter().skip(1) {
            let wanted = key.parts.first().map(|&(offset, length)| (offset as u32, length as u32));
            let index = self.opened.indexes.iter().find(|index| Some(index.key) == wanted);
            let Some(path) = index.and_then(|index| index.path.clone()) else {
                let text = format!("no path leads through an alternate index with the key {wanted:?}");
                return Err((Status::CONFLICT, text));
            };
            match client.ask(Request::Open { name: path }) {
                Ok(Reply::Opened(opened)) => self.handles.push(opened.handle),
                Ok(_) => return plain(Status::PERMANENT),
                Err(error) => return Err(status_of(&error)),
            }
        }
        if !self.opened.loaded {
            self.make(client, control.optional)?;
        }
        if self.mode == OpenMode::Output && !self.opened.empty {
            return match client.done(Request::Empty { handle: self.opened.handle }) {
                Ok(()) => Ok(()),
                Err(AccessError::Failed(Failure::InUse(name))) => {
                    Err((Status::IN_USE, format!("{name} is in use: it cannot be emptied")))
                }
                Err(error) => Err((Status::NOT_REUSABLE, error.to_string())),
            };
        }
        if self.mode == OpenMode::Extend {
            self.find_end(client)?;
        }
        Ok(())
    }

    /// A data set that never had records. OPEN makes it where it may write; one for INPUT or I-O must be OPTIONAL.
    fn make(&mut self, client: &mut Client, optional: bool) -> Outcome<()> {
        match self.mode {
            OpenMode::Input | OpenMode::InputOutput if !optional => {
                let text = format!(
                    "{} never had a record: OPEN OUTPUT or IDCAMS REPRO loads it, or SELECT OPTIONAL",
                    self.opened.cluster
                );
                Err((Status::ABSENT, text))
            }
            OpenMode::Input => Ok(()),
            _ => client.done(Request::Made { handle: self.opened.handle }).map_err(|error| status_of(&error)),
        }
    }

    /// EXTEND: the next record comes behind the last.
    fn find_end(&mut self, client: &mut Client) -> Outcome<()> {
        let end = Search { backward: true, ..Search::from([]) };
        match client.ask(Request::Place { handle: self.opened.handle, search: end }) {
            Ok(Reply::Found(found)) => {
                self.last_written = Some(found.base);
                Ok(())
            }
            Err(AccessError::Failed(Failure::NotFound)) => Ok(()),
            Ok(_) => plain(Status::PERMANENT),
            Err(error) => Err(status_of(&error)),
        }
    }

    /// Returns true if it never had records when it was opened: then it is absent, by the published rule.
    pub fn was_absent(&self) -> bool {
        !self.opened.loaded
    }

    pub fn close_handles(&self, client: &mut Client) {
        for handle in &self.handles {
            // A handle that the other side has lost needs no closing.
            let _ = client.done(Request::Close { handle: *handle });
        }
    }

    /// Returns true if a record is locked that may still be changed.
    pub fn holds_lock(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.locked)
    }

    /// Forgets its locks, after a commit or a backout.
    pub fn forget_locks(&mut self) {
        if let Some(held) = &mut self.held {
            held.locked = false;
        }
    }

    fn changes(&self) -> bool {
        self.mode == OpenMode::InputOutput
    }

    /// Gives back the lock of a record that was read and not changed.
    fn release(&mut self, client: &mut Client) -> Outcome<()> {
        match self.held.take() {
            Some(Held { base, locked: true, .. }) => client
                .done(Request::Unlock { handle: self.opened.handle, base })
                .map_err(|error| status_of(&error)),
            _ => Ok(()),
        }
    }

    /// The key that a statement means: in the record area, or the number.
    fn key_in(&self, control: &FileControl, record: &[u8], partial: bool) -> Outcome<Vec<u8>> {
        match self.opened.organization {
            Organization::Relative => Ok(self.number(control)?.to_vec()),
            Organization::Entry => plain(Status::NOT_FOUND),
            Organization::Keyed(..) => {
                let key = control.keys.get(control.key_of_reference).and_then(|key| key.parts.first());
                let Some(&(offset, length)) = key else { return plain(Status::CONFLICT) };
                let given = control.key_length;
                let length = if partial && given > 0 { given.min(length) } else { length };
                Ok(record.get(offset..offset + length).unwrap_or_default().to_vec())
            }
        }
    }

    fn number(&self, control: &FileControl) -> Outcome<[u8; NUMBER]> {
        match u32::try_from(control.relative_key) {
            Ok(number) if number > 0 => Ok(number.to_be_bytes()),
            _ => plain(Status::NOT_FOUND),
        }
    }

    /// The number of a record of an RRDS.
    pub fn number_of(&self, found: &Found) -> Option<u64> {
        (self.opened.organization == Organization::Relative).then(|| u64::from(number_of(&found.base)))
    }
}

fn number_of(key: &[u8]) -> u32 {
    key.try_into().map_or(0, u32::from_be_bytes)
}

/// In what a data set is another than the program says.
fn conflict(opened: &Opened, control: &FileControl) -> Option<String> {
    let fits = match (control.organization, opened.organization) {
        (FileOrganization::Indexed, Organization::Keyed(offset, length)) => {
            let own = control.keys.first().map(|key| key.parts.as_slice());
            let expected = [(offset as usize, length as usize)];
            if own != Some(&expected[..]) {
                let (offset, length) = expected[0];
                return Some(format!("the key has {length} bytes at offset {offset}"));
            }
            true
        }
        (FileOrganization::Relative, Organization::Relative) => true,
        (FileOrganization::Sequential | FileOrganization::LineSequential, Organization::Entry) => true,
        _ => false,
    };
    let longest = opened.lengths.1 as usize;
    if !fits {
        return Some("the data set has another organization".into());
    }
    (control.lengths.1 != longest).then(|| format!("its longest record has {longest} bytes"))
}
