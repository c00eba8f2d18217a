//! A data set of the region as a COBOL file.
//!
//! ```text
//!          OPEN ──► Start ──READ, START──► Reading ──end──► AtEnd ──READ──► (46)
//!                      START that finds nothing ──► Lost ──READ──► (46)
//! ```
//!
//! Open for changes, a record that is read is locked until it is changed, until the next statement about the file, or
//! until a commit. After a commit a record can be changed all the same, if nobody else has changed it meanwhile.

use std::collections::VecDeque;

use access::{AccessError, Client, Failure, Found, Opened, Organization, Reply, Request, Search};
use cobol::{AccessMode, FileControl, FileOrganization, OpenMode, Relation};

use crate::status::Status;

/// Bytes of records that are read ahead where nothing is locked.
const AHEAD_BYTES: usize = 64 * 1024;
/// Records that are read ahead at most.
const AHEAD_MAX: usize = 1000;
/// Characters of a record number and of an address as keys.
const NUMBER: usize = 4;

/// What a statement came to: a status that is no error of the file handler, or one with words for the job's log.
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
    /// Whether it is still locked.
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

    pub fn close_handles(&self, client: &mut Client) {
        for handle in &self.handles {
            // A handle that the other side has lost needs no closing.
            let _ = client.done(Request::Close { handle: *handle });
        }
    }

    /// Whether a record is locked that may still be changed.
    pub fn holds_lock(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.locked)
    }

    /// Locks are gone: somebody has committed or backed out.
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

    fn may_read(&self) -> Outcome<()> {
        match self.mode {
            OpenMode::Input | OpenMode::InputOutput => Ok(()),
            OpenMode::Output | OpenMode::Extend => plain(Status::NOT_INPUT),
        }
    }

    /// Remembers a record that was found.
    fn take(&mut self, found: Found) -> Found {
        self.just_read = Some(found.base.clone());
        if self.changes() {
            let (base, record) = (found.base.clone(), found.record.clone());
            self.held = Some(Held { base, record, locked: true });
        }
        found
    }

    /// READ NEXT and READ PREVIOUS.
    pub fn read_on(&mut self, client: &mut Client, backward: bool) -> Outcome<Found> {
        self.may_read()?;
        self.release(client)?;
        self.just_read = None;
        if matches!(self.place, Place::AtEnd | Place::Lost) {
            return plain(Status::NO_PLACE);
        }
        if backward != self.backward {
            self.turn(client, backward)?;
        }
        if let Some(found) = self.ahead.pop_front() {
            return Ok(self.take(found));
        }
        let ahead = (AHEAD_BYTES / (self.opened.lengths.1 as usize).max(1)).clamp(1, AHEAD_MAX);
        let update = self.changes();
        let count = if update { 1 } else { ahead as u32 };
        let handle = self.handles[self.key];
        match client.ask(Request::Next { handle, backward, count, update }) {
            Ok(Reply::Records(records)) => self.ahead = records.into(),
            Ok(_) => return plain(Status::PERMANENT),
            Err(error) => return Err(status_of(&error)),
        }
        match self.ahead.pop_front() {
            Some(found) => {
                self.place = Place::Reading;
                Ok(self.take(found))
            }
            None => {
                self.place = Place::AtEnd;
                plain(Status::AT_END)
            }
        }
    }

    /// The other direction: from the record that was read last, the next one read is the one beside it.
    fn turn(&mut self, client: &mut Client, backward: bool) -> Outcome<()> {
        self.backward = backward;
        let unread = self.ahead.drain(..).count();
        // Turning round reads the same record again; what was read ahead lies between.
        let again = if self.place == Place::Reading { unread + 1 } else { unread };
        if again == 0 {
            return Ok(());
        }
        let handle = self.handles[self.key];
        let request = Request::Next { handle, backward, count: again as u32, update: false };
        client.done(request).map_err(|error| status_of(&error))
    }

    /// READ by key or number.
    pub fn read(&mut self, client: &mut Client, control: &FileControl, record: &[u8]) -> Outcome<Found> {
        self.may_read()?;
        self.release(client)?;
        self.just_read = None;
        let key = self.key_in(control, record, false)?;
        let number = control.key_of_reference.min(self.handles.len() - 1);
        let (handle, update) = (self.handles[number], self.changes());
        let search = Search::equal(key.clone());
        let found = match client.ask(Request::Read { handle, search: search.clone(), update }) {
            Ok(Reply::Found(found)) => found,
            Ok(_) => return plain(Status::PERMANENT),
            Err(error) => return Err(status_of(&error)),
        };
        if self.access == AccessMode::Dynamic {
            self.stand_behind(client, number, search)?;
        }
        Ok(self.take(found))
    }

    /// READ NEXT goes on behind a record that was read by its key.
    fn stand_behind(&mut self, client: &mut Client, number: usize, search: Search) -> Outcome<()> {
        (self.key, self.backward) = (number, false);
        self.ahead.clear();
        let handle = self.handles[number];
        client.done(Request::Place { handle, search }).map_err(|error| status_of(&error))?;
        let passed = Request::Next { handle, backward: false, count: 1, update: false };
        client.done(passed).map_err(|error| status_of(&error))?;
        self.place = Place::Reading;
        Ok(())
    }

    /// START.
    pub fn start(
        &mut self,
        client: &mut Client,
        control: &FileControl,
        record: &[u8],
        relation: Relation,
    ) -> Outcome {
        self.may_read()?;
        self.release(client)?;
        self.just_read = None;
        self.ahead.clear();
        self.place = Place::Lost;
        self.key = control.key_of_reference.min(self.handles.len() - 1);
        let key = match relation {
            Relation::First | Relation::Last => Vec::new(),
            _ => self.key_in(control, record, true)?,
        };
        let search = self.search(key, relation);
        let Some(search) = search else { return plain(Status::NOT_FOUND) };
        let handle = self.handles[self.key];
        match client.ask(Request::Place { handle, search }) {
            Ok(_) => {
                (self.place, self.backward) = (Place::Start, false);
                Ok(Status::DONE)
            }
            Err(error) => Err(status_of(&error)),
        }
    }

    /// What START looks for; none if there can be nothing.
    fn search(&self, key: Vec<u8>, relation: Relation) -> Option<Search> {
        let from = Search::from(key.clone());
        Some(match relation {
            Relation::Equal => Search { at_least: false, ..from },
            Relation::GreaterOrEqual | Relation::First => from,
            Relation::Greater => Search::from(beyond(key)?),
            Relation::Less => Search { at_least: false, backward: true, ..from },
            Relation::LessOrEqual | Relation::Last => Search { backward: true, ..from },
        })
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

    /// WRITE: the status, and the number of the slot where the program does not give it.
    pub fn write(
        &mut self,
        client: &mut Client,
        control: &FileControl,
        record: &[u8],
    ) -> Outcome<(Status, Option<u32>)> {
        self.just_read = None;
        let sequential = self.access == AccessMode::Sequential;
        match self.mode {
            OpenMode::Output | OpenMode::Extend => {}
            OpenMode::InputOutput if !sequential => {}
            _ => return plain(Status::NOT_OUTPUT),
        }
        let (least, most) = control.lengths;
        if record.len() < least || record.len() > most {
            return plain(Status::LENGTH);
        }
        let mut slot = None;
        match self.opened.organization {
            Organization::Keyed(offset, length) => {
                let (offset, length) = (offset as usize, length as usize);
                let key = record.get(offset..offset + length).unwrap_or_default();
                if sequential && self.last_written.as_deref().is_some_and(|last| last >= key) {
                    let same = self.last_written.as_deref() == Some(key);
                    return plain(if same { Status::DUPLICATE } else { Status::SEQUENCE });
                }
            }
            Organization::Relative if sequential => {
                let last = self.last_written.as_deref().map_or(0, number_of);
                slot = Some(last.checked_add(1).ok_or((Status::BOUNDARY, String::new()))?);
            }
            Organization::Relative => slot = Some(u32::from_be_bytes(self.number(control)?)),
            Organization::Entry => {}
        }
        let handle = self.opened.handle;
        match client.ask(Request::Write { handle, slot, record: record.to_vec() }) {
            Ok(Reply::Written { base, duplicate }) => {
                self.last_written = Some(base);
                Ok((if duplicate { Status::DUPLICATE_KEY } else { Status::DONE }, slot))
            }
            Ok(_) => plain(Status::PERMANENT),
            Err(error) => Err(status_of(&error)),
        }
    }

    /// REWRITE.
    pub fn rewrite(&mut self, client: &mut Client, control: &FileControl, record: &[u8]) -> Outcome {
        let base = self.changed(client, control, record)?;
        if let Organization::Keyed(offset, length) = self.opened.organization {
            let (offset, length) = (offset as usize, length as usize);
            if record.get(offset..offset + length) != Some(base.as_slice()) {
                return plain(Status::SEQUENCE);
            }
        }
        let handle = self.opened.handle;
        let answer = client.ask(Request::Rewrite { handle, base, record: record.to_vec() });
        self.held = None;
        match answer {
            Ok(Reply::Written { duplicate: true, .. }) => Ok(Status::DUPLICATE_KEY),
            Ok(_) => Ok(Status::DONE),
            Err(error) => Err(status_of(&error)),
        }
    }

    /// DELETE.
    pub fn delete(&mut self, client: &mut Client, control: &FileControl, record: &[u8]) -> Outcome {
        let base = self.changed(client, control, record)?;
        let answer = client.done(Request::Delete { handle: self.opened.handle, base });
        self.held = None;
        answer.map(|()| Status::DONE).map_err(|error| status_of(&error))
    }

    /// The record that REWRITE and DELETE mean, locked, and as it was read.
    fn changed(&mut self, client: &mut Client, control: &FileControl, record: &[u8]) -> Outcome<Vec<u8>> {
        if !self.changes() {
            return plain(Status::NOT_CHANGE);
        }
        let just_read = self.just_read.take();
        let base = match (self.access, just_read) {
            (AccessMode::Sequential, Some(base)) => base,
            (AccessMode::Sequential, None) => return plain(Status::NO_READ),
            _ => {
                let mut prime = control.clone();
                (prime.key_of_reference, prime.key_length) = (0, 0);
                self.key_in(&prime, record, false)?
            }
        };
        match self.held.take() {
            Some(held) if held.base == base && held.locked => {}
            Some(held) if held.base == base => self.lock_again(client, held)?,
            held => {
                self.held = held;
                self.release(client)?;
            }
        }
        Ok(base)
    }

    /// Locks a record again whose lock went with a commit. If another has changed it meanwhile, this program must not.
    fn lock_again(&self, client: &mut Client, held: Held) -> Outcome<()> {
        let (handle, search) = (self.opened.handle, Search::equal(held.base));
        match client.ask(Request::Read { handle, search, update: true }) {
            Ok(Reply::Found(found)) if found.record == held.record => Ok(()),
            Ok(_) | Err(AccessError::Failed(Failure::NotFound)) => {
                Err((Status::LOGIC, "the record was changed by another after it was read".into()))
            }
            Err(error) => Err(status_of(&error)),
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

/// The least key that is greater than all that begin like this; none where there is none.
fn beyond(mut key: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = key.pop() {
        if last < u8::MAX {
            key.push(last + 1);
            return Some(key);
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::beyond;

    #[test]
    fn the_next_key_is_greater_than_all_that_begin_so() {
        for (key, next) in [(&b"AB"[..], Some(&b"AC"[..])), (b"A\xFF", Some(b"B")), (b"\xFF\xFF", None)] {
            assert_eq!(beyond(key.to_vec()).as_deref(), next);
        }
    }
}
