//! READ and START: records ahead, turning round, where READ NEXT goes on.

use access::{Client, Found, Reply, Request, Search};

use super::{DataSetFile, Held, Outcome, Place, plain, status_of};
use crate::control::{AccessMode, FileControl, OpenMode, Relation};
use crate::status::Status;

/// Bytes of records that are read ahead where nothing is locked.
const AHEAD_BYTES: usize = 64 * 1024;
/// Records that are read ahead at most.
const AHEAD_MAX: usize = 1000;

impl DataSetFile {
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
        let key = self.key_in(control, record, true)?;
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

    /// Returns the search of a START; `None` if no key can match.
    fn search(&self, key: Vec<u8>, relation: Relation) -> Option<Search> {
        let from = Search::from(key.clone());
        Some(match relation {
            Relation::Equal => Search { at_least: false, ..from },
            Relation::GreaterOrEqual => from,
            Relation::Greater => Search::from(beyond(key)?),
            Relation::Less => Search { at_least: false, backward: true, ..from },
            Relation::LessOrEqual => Search { backward: true, ..from },
        })
    }
}

/// Returns the least key that is greater than all that begin like this; `None` if there is none.
fn beyond(mut key: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = key.pop() {
        if last < u8::MAX {
            key.push(last + 1);
            return Some(key);
        }
    }
    None
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
