//! WRITE, REWRITE and DELETE: which record is meant, and its lock.

use access::{AccessError, Client, Failure, Organization, Reply, Request, Search};

use super::{DataSetFile, Held, Outcome, number_of, plain, status_of};
use crate::control::{AccessMode, FileControl, OpenMode};
use crate::status::Status;

impl DataSetFile {
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
}
