//! A base whose records are sealed. Their keys are not: they must keep their order.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{BEFORE, Vault};
use crate::base::{Base, Batch, Patience, Raw, Space, Verified};
use crate::change::{Map, Record};
use crate::key::Key;
use crate::position::Position;
use crate::{Direction, Origin, Result};

/// Greatest length of a record's purpose that is built on the stack.
const INLINE: usize = 64;

/// Bytes that are sealed again in one write of the base, and records that are looked at for it.
const BYTES_AT_ONCE: usize = 8 << 20;
const SEEN_AT_ONCE: usize = 200_000;

/// Place of a walk through all records.
#[derive(Clone, Debug)]
pub(crate) struct SealPlace {
    space: Space,
    /// Beyond this key; `None`: from the first.
    key: Option<Vec<u8>>,
}

impl SealPlace {
    /// Before everything.
    pub(crate) const BEGINNING: Self = Self { space: Space(0), key: None };
}

/// Results of one step of the walk.
#[derive(Debug)]
pub(crate) struct Sealed {
    /// Records that were sealed again.
    pub(crate) records: u64,
    /// Place where the next step goes on; `None` at the end.
    pub(crate) next: Option<SealPlace>,
}

/// A base around a base.
pub(crate) struct SealedBase {
    inner: Arc<dyn Base>,
    vault: Arc<Vault>,
}

impl SealedBase {
    pub(crate) fn new(inner: Arc<dyn Base>, vault: Arc<Vault>) -> Self {
        Self { inner, vault }
    }

    /// The vault that seals and opens.
    pub(crate) fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The base whose records are sealed.
    pub(crate) fn inner(&self) -> &dyn Base {
        &*self.inner
    }

    /// Seals some records under a former key with the present one, from a place on. No other thread may write a batch
    /// meanwhile.
    pub(crate) fn seal_some(&self, from: &SealPlace) -> Result<Sealed> {
        let mut spaces = self.inner.spaces()?;
        spaces.sort_unstable();
        let Some(space) = spaces.into_iter().find(|space| *space >= from.space) else {
            return Ok(Sealed { records: 0, next: None });
        };
        let origin = match &from.key {
            Some(key) if from.space == space => Origin::Beyond(key),
            _ => Origin::Start,
        };
        let (mut map, mut bytes, mut seen) = (Map::new(), 0, 0);
        let (mut last, mut outcome) = (None, Ok(()));
        self.inner.scan(space, origin, Direction::Forward, Patience::Waits, &mut |key, sealed| {
            seen += 1;
            if self.vault.is_former(sealed) {
                let mut opened = sealed.to_vec();
                match self.vault.open_sealed(&place(space, key), &mut opened) {
                    Ok(record) => {
                        bytes += key.len() + record.len();
                        let key = Key::from_slice(key);
                        let record = Record::new(&key, record);
                        map.insert(key, Some(record));
                    }
                    Err(error) => outcome = Err(error),
                }
            }
            let goes_on = outcome.is_ok() && bytes < BYTES_AT_ONCE && seen < SEEN_AT_ONCE;
            if !goes_on {
                last = Some(key.to_vec());
            }
            goes_on
        })?;
        outcome?;
        let records = map.len() as u64;
        if records > 0 {
            let changes = vec![(space, Arc::new(map))];
            self.write(&Batch { cleared: Vec::new(), changes, position: self.inner.position()? })?;
        }
        let next = match last {
            Some(key) => SealPlace { space, key: Some(key) },
            None => SealPlace { space: Space(space.0 + 1), key: None },
        };
        Ok(Sealed { records, next: Some(next) })
    }

    fn seal_map(&self, space: Space, map: &Map) -> Result<Map> {
        let mut sealed = Vec::new();
        let seal = |(key, record): (&Key, &Option<Record>)| {
            let Some(record) = record else { return Ok((key.clone(), None)) };
            sealed.clear();
            self.vault.seal_record(&place(space, key), record.verified(key)?, &mut sealed)?;
            Ok((key.clone(), Some(Record::new(key, &sealed))))
        };
        map.iter().map(seal).collect()
    }
}

/// Place that a record belongs to: moved elsewhere it cannot be opened.
fn place(space: Space, key: &[u8]) -> SmallVec<[u8; INLINE]> {
    let mut place = SmallVec::from_slice(&space.0.to_be_bytes());
    place.extend_from_slice(key);
    place
}

impl Base for SealedBase {
    fn get(&self, space: Space, key: &[u8], record: &mut Vec<u8>, patience: Patience) -> Result<bool> {
        if !self.inner.get(space, key, record, patience)? {
            return Ok(false);
        }
        let length = self.vault.open_sealed(&place(space, key), record)?.len();
        record.copy_within(BEFORE..BEFORE + length, 0);
        record.truncate(length);
        Ok(true)
    }

    fn scan(
        &self,
        space: Space,
        origin: Origin<'_>,
        direction: Direction,
        patience: Patience,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<()> {
        let (mut opened, mut outcome) = (Vec::new(), Ok(()));
        self.inner.scan(space, origin, direction, patience, &mut |key, sealed| {
            opened.clear();
            opened.extend_from_slice(sealed);
            match self.vault.open_sealed(&place(space, key), &mut opened) {
                Ok(record) => visit(key, record),
                Err(error) => {
                    outcome = Err(error);
                    false
                }
            }
        })?;
        outcome
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        let seal = |(space, map): &(Space, Arc<Map>)| Ok((*space, Arc::new(self.seal_map(*space, map)?)));
        let changes = batch.changes.iter().map(seal).collect::<Result<_>>()?;
        self.inner.write(&Batch { cleared: batch.cleared.clone(), changes, position: batch.position })
    }

    fn fill(&self, space: Space, records: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<u64> {
        let mut failure = None;
        let mut sealed = records.map_while(|(key, record)| {
            let mut sealed = Vec::with_capacity(record.len() + BEFORE + super::BEHIND);
            let done = self.vault.seal_record(&place(space, &key), &record, &mut sealed);
            done.map_err(|error| failure = Some(error)).ok().map(|()| (key, sealed))
        });
        let filled = self.inner.fill(space, &mut sealed);
        failure.map_or(filled, Err)
    }

    fn position(&self) -> Result<Position> {
        self.inner.position()
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        self.inner.spaces()
    }

    fn runs(&self) -> Result<Vec<Vec<u8>>> {
        self.inner.runs()
    }

    fn note_runs(&self, notes: &[(u32, Vec<u8>)]) -> Result<()> {
        self.inner.note_runs(notes)
    }

    fn verify(&self, space: Space) -> Result<Verified> {
        let mut found = self.inner.verify(space)?;
        if found.problems.is_empty()
            && let Err(error) =
                self.scan(space, Origin::Start, Direction::Forward, Patience::Waits, &mut |_, _| true)
        {
            found.problems.push(error.to_string());
        }
        Ok(found)
    }

    fn each(&self, begun: &mut dyn FnMut(), visit: Raw<'_>) -> Result<()> {
        self.inner.each(begun, visit)
    }

    fn put_raw(&self, entries: &[(&[u8], &[u8])]) -> Result<()> {
        self.inner.put_raw(entries)
    }
}
