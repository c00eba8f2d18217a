//! A base in a [`Depot`]: records lie there with their checksums; here is what was read of them lately.
//!
//! Only this engine changes the depot, so what is known here is current: a batch changes it when the depot has it. Until then the
//! overlay lies over both.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::cache::{Cache, Walked};
use super::{Base, Batch, FullKey, Patience, Raw, Space, Verified, full_key};
use crate::depot::{Depot, StoredEntry};
use crate::position::Position;
use crate::record::{Record, shown, verified};
use crate::{Direction, Error, Origin, Result};

/// Records that are asked for together: at first, and at most.
const FEWEST: usize = 32;
const MOST: usize = 1024;

/// The space of the base's own notes.
const NOTES: Space = Space(0);
const POSITION: &[u8] = b"position";
/// Before the number of a start of the engine.
const RUN: &[u8] = b"run ";

fn failed(error: &io::Error) -> Error {
    Error::io("the base", error)
}

fn checked<'a>(key: &[u8], bytes: &'a [u8]) -> Result<&'a [u8]> {
    verified(key, bytes).ok_or_else(|| {
        Error::damaged(&format!("the record with key {} in the database is not what was written", shown(key)))
    })
}

/// The first key behind a key.
fn behind(full: &[u8]) -> FullKey {
    let mut behind = FullKey::from_slice(full);
    behind.push(0);
    behind
}

/// The first key behind a space.
fn end_of(space: Space) -> FullKey {
    full_key(Space(space.0 + 1), &[])
}

/// The key without its space.
fn own(full: &[u8]) -> &[u8] {
    full.get(4..).unwrap_or_default()
}

/// A change of a record: its space, its key, and its bytes; `None` where it is to be deleted.
type Change<'a> = (Space, &'a [u8], Option<&'a [u8]>);

/// A base.
pub(crate) struct KeptBase {
    depot: Arc<dyn Depot>,
    cache: Mutex<Cache>,
    /// Bytes that the cache may take.
    limit: usize,
}

impl KeptBase {
    pub(crate) fn new(depot: Arc<dyn Depot>, limit: usize) -> Self {
        Self { depot, cache: Mutex::default(), limit }
    }

    /// Reads what lies between two full keys of a space, from one end on, and learns it.
    fn fetch(
        &self,
        space: Space,
        (low, high): (&[u8], &[u8]),
        direction: Direction,
        limit: usize,
    ) -> Result<Vec<StoredEntry>> {
        let generation = self.cache.lock().generation();
        let before = (high != end_of(space).as_slice()).then(|| own(high));
        let entries = self.depot.read(space.0, own(low), before, direction, limit).map_err(|e| failed(&e))?;
        let (mut from, mut to) = (FullKey::from_slice(low), FullKey::from_slice(high));
        if entries.len() >= limit
            && let Some((last, _)) = entries.last()
        {
            match direction {
                Direction::Forward => to = behind(&full_key(space, last)),
                Direction::Backward => from = full_key(space, last),
            }
        }
        let records = entries.iter().map(|(key, record)| (full_key(space, key), record.as_slice()));
        self.cache.lock().learn(generation, (&from, &to), records, self.limit);
        Ok(entries)
    }

    /// Writes changes, and knows them then.
    fn change(&self, cleared: &[Space], changes: &[Change<'_>]) -> Result<()> {
        let spaces: Vec<u32> = cleared.iter().map(|space| space.0).collect();
        let each = |visit: crate::depot::VisitEntry<'_>| {
            changes.iter().try_for_each(|(space, key, record)| visit(space.0, key, *record))
        };
        self.depot.write(&spaces, &each).map_err(|e| failed(&e))?;
        let mut cache = self.cache.lock();
        cache.is_written();
        for space in cleared {
            cache.forget(&full_key(*space, &[]), &end_of(*space));
        }
        for (space, key, record) in changes {
            cache.change(&full_key(*space, key), *record);
        }
        Ok(())
    }
}

impl Base for KeptBase {
    fn get(&self, space: Space, key: &[u8], record: &mut Vec<u8>, patience: Patience) -> Result<bool> {
        record.clear();
        let full = full_key(space, key);
        if let Some(found) = self.cache.lock().get(&full) {
            record.extend_from_slice(found.map_or(Ok(&[][..]), |bytes| checked(key, bytes))?);
            return Ok(found.is_some());
        }
        if patience == Patience::AtOnce {
            return Err(Error::NotAtOnce);
        }
        // The next record says how far there is none.
        let next = self.fetch(space, (&full, &end_of(space)), Direction::Forward, 1)?;
        let found = next.first().filter(|(found, _)| *found == key);
        record.extend_from_slice(found.map_or(Ok(&[][..]), |(_, bytes)| checked(key, bytes))?);
        Ok(found.is_some())
    }

    fn scan(
        &self,
        space: Space,
        origin: Origin<'_>,
        direction: Direction,
        patience: Patience,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<()> {
        let (mut low, mut high) = (full_key(space, &[]), end_of(space));
        match (direction, origin) {
            (_, Origin::Start) => {}
            (Direction::Forward, Origin::At(key)) => low = full_key(space, key),
            (Direction::Forward, Origin::Beyond(key)) => low = behind(&full_key(space, key)),
            (Direction::Backward, Origin::At(key)) => high = behind(&full_key(space, key)),
            (Direction::Backward, Origin::Beyond(key)) => high = full_key(space, key),
        }
        let mut damage = None;
        let mut show = |key: &[u8], bytes: &[u8]| match checked(key, bytes) {
            Ok(record) => visit(key, record),
            Err(error) => {
                damage = Some(error);
                false
            }
        };
        let mut limit = FEWEST;
        loop {
            let walked =
                self.cache.lock().walk(&low, &high, direction, &mut |full, bytes| show(own(full), bytes));
            let Walked::Unknown(at) = walked else { break };
            if patience == Patience::AtOnce {
                return Err(Error::NotAtOnce);
            }
            match direction {
                Direction::Forward => low = at,
                Direction::Backward => high = at,
            }
            let entries = self.fetch(space, (&low, &high), direction, limit)?;
            if !entries.iter().all(|(key, bytes)| show(key, bytes)) || entries.len() < limit {
                break;
            }
            if let Some((last, _)) = entries.last() {
                match direction {
                    Direction::Forward => low = behind(&full_key(space, last)),
                    Direction::Backward => high = full_key(space, last),
                }
            }
            limit = (limit * 2).min(MOST);
        }
        damage.map_or(Ok(()), Err)
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        let position = Record::new(POSITION, &batch.position.to_bytes());
        let changes = batch.changes.iter().flat_map(|(space, map)| {
            map.iter().map(|(key, record)| (*space, &**key, record.as_ref().map(Record::with_its_sum)))
        });
        let position = (NOTES, POSITION, Some(position.with_its_sum()));
        self.change(&batch.cleared, &changes.chain([position]).collect::<Vec<_>>())
    }

    fn fill(&self, space: Space, records: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<u64> {
        let mut count = 0;
        let mut summed = records.map(|(key, record)| {
            count += 1;
            let record = Record::new(&key, &record).with_its_sum().to_vec();
            (key, record)
        });
        self.depot.fill(space.0, &mut summed).map_err(|e| failed(&e))?;
        let mut cache = self.cache.lock();
        cache.is_written();
        cache.forget(&full_key(space, &[]), &end_of(space));
        Ok(count)
    }

    fn position(&self) -> Result<Position> {
        let mut bytes = Vec::new();
        match self.get(NOTES, POSITION, &mut bytes, Patience::Waits)? {
            false => Ok(Position::default()),
            true => Position::from_bytes(&bytes).ok_or_else(|| Error::damaged("the base's log position")),
        }
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let spaces = self.depot.spaces().map_err(|e| failed(&e))?;
        Ok(spaces.into_iter().map(Space).filter(|space| *space != NOTES).collect())
    }

    fn runs(&self) -> Result<Vec<Vec<u8>>> {
        let mut runs = Vec::new();
        self.scan(NOTES, Origin::At(RUN), Direction::Forward, Patience::Waits, &mut |key, note| {
            let is_run = key.starts_with(RUN);
            if is_run {
                runs.push(note.to_vec());
            }
            is_run
        })?;
        Ok(runs)
    }

    fn note_runs(&self, notes: &[(u32, Vec<u8>)]) -> Result<()> {
        let noted: Vec<(Vec<u8>, Record)> = notes
            .iter()
            .map(|(number, note)| {
                let key = [RUN, &number.to_be_bytes()].concat();
                let note = Record::new(&key, note);
                (key, note)
            })
            .collect();
        let changes = noted.iter().map(|(key, note)| (NOTES, key.as_slice(), Some(note.with_its_sum())));
        self.change(&[], &changes.collect::<Vec<_>>())
    }

    fn verify(&self, space: Space) -> Result<Verified> {
        let (mut found, mut low) = (Verified::default(), Vec::new());
        loop {
            let read = self.depot.read(space.0, &low, None, Direction::Forward, MOST);
            let entries = read.map_err(|e| failed(&e))?;
            for (key, bytes) in &entries {
                found.expected += 1;
                match checked(key, bytes) {
                    Ok(_) => found.records += 1,
                    Err(error) => found.problems.push(error.to_string()),
                }
            }
            let Some((last, _)) = entries.last().filter(|_| entries.len() == MOST) else { return Ok(found) };
            low = behind(last).to_vec();
        }
    }

    fn each(&self, _: &mut dyn FnMut(), _: Raw<'_>) -> Result<()> {
        Err(Error::Unsupported(BACKUP))
    }

    fn put_raw(&self, _: &[(&[u8], &[u8])]) -> Result<()> {
        Err(Error::Unsupported(BACKUP))
    }
}

/// A backup that is the database's own.
pub(crate) const BACKUP: &str = "a backup of records in a database, which has its own";

#[cfg(test)]
mod tests;
