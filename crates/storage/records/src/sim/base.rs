//! The simulated base: a map whose batches are there as a whole or not at all, as LMDB promises.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::RwLock;

use super::power::{Power, power_cut};
use crate::base::{Base, Batch, Patience, Raw, Space, Verified, full_key};
use crate::position::Position;
use crate::record::{Record, verified};
use crate::{Direction, Error, Origin, Result};

type Records = BTreeMap<(Space, Vec<u8>), Vec<u8>>;

/// Bytes that a batch writes, besides its changes.
const BATCH: u64 = 4096;

/// Of so many reads, one is of what is not in main storage.
const COLD: u64 = 8;

#[derive(Default)]
struct Resting {
    records: Records,
    position: Position,
    runs: Vec<Vec<u8>>,
}

pub(crate) struct SimBase {
    power: Arc<Power>,
    resting: RwLock<Resting>,
}

impl SimBase {
    pub(super) fn new(power: Arc<Power>) -> Self {
        Self { power, resting: RwLock::default() }
    }

    /// Now and then it would have to wait for its disk.
    fn begin_read(&self, patience: Patience) -> Result<()> {
        if patience == Patience::AtOnce && self.power.chance(COLD) == 0 {
            return Err(Error::NotAtOnce);
        }
        self.power.begin_read().map_err(|error| Error::io("the base", &error))
    }

    fn begin_change(&self) -> Result<()> {
        self.power.begin_change(false).map_err(|error| Error::io("the base", &error))
    }
}

impl Base for SimBase {
    fn get(&self, space: Space, key: &[u8], record: &mut Vec<u8>, patience: Patience) -> Result<bool> {
        self.begin_read(patience)?;
        record.clear();
        let resting = self.resting.read();
        let found = resting.records.get(&(space, key.to_vec()));
        let found = found.map(|bytes| verified(key, bytes).ok_or_else(damaged)).transpose()?;
        record.extend_from_slice(found.unwrap_or_default());
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
        self.begin_read(patience)?;
        let (first, end) = ((space, Vec::new()), (Space(space.0 + 1), Vec::new()));
        let resting = self.resting.read();
        let from = match origin {
            Origin::Start => None,
            Origin::At(key) => Some(Bound::Included((space, key.to_vec()))),
            Origin::Beyond(key) => Some(Bound::Excluded((space, key.to_vec()))),
        };
        let mut outcome = Ok(());
        let mut show = |((_, key), bytes): (&(Space, Vec<u8>), &Vec<u8>)| match verified(key, bytes) {
            Some(record) => visit(key, record),
            None => {
                outcome = Err(damaged());
                false
            }
        };
        match direction {
            Direction::Forward => {
                let from = from.unwrap_or(Bound::Included(first));
                resting.records.range((from, Bound::Excluded(end))).all(&mut show);
            }
            Direction::Backward => {
                let to = from.unwrap_or(Bound::Excluded(end));
                resting.records.range((Bound::Included(first), to)).rev().all(&mut show);
            }
        }
        outcome
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        self.begin_change()?;
        let whole = self.power.spend(BATCH);
        if whole || self.power.chance(2) == 0 {
            let mut resting = self.resting.write();
            resting.records.retain(|(space, _), _| !batch.cleared.contains(space));
            for (space, map) in &batch.changes {
                for (key, record) in map.iter() {
                    match record {
                        Some(record) => drop(
                            resting.records.insert((*space, key.to_vec()), record.with_its_sum().to_vec()),
                        ),
                        None => drop(resting.records.remove(&(*space, key.to_vec()))),
                    }
                }
            }
            resting.position = batch.position;
        }
        if whole { Ok(()) } else { Err(Error::io("the base", &power_cut())) }
    }

    fn fill(&self, space: Space, records: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<u64> {
        let mut count = 0;
        for (key, record) in records {
            self.begin_change()?;
            if !self.power.spend(record.len() as u64) {
                return Err(Error::io("the base", &power_cut()));
            }
            let record = Record::new(&key, &record).with_its_sum().to_vec();
            self.resting.write().records.insert((space, key), record);
            count += 1;
        }
        Ok(count)
    }

    fn position(&self) -> Result<Position> {
        self.begin_read(Patience::Waits)?;
        Ok(self.resting.read().position)
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        self.begin_read(Patience::Waits)?;
        let mut spaces: Vec<_> = self.resting.read().records.keys().map(|(space, _)| *space).collect();
        spaces.dedup();
        Ok(spaces)
    }

    fn runs(&self) -> Result<Vec<Vec<u8>>> {
        self.begin_read(Patience::Waits)?;
        Ok(self.resting.read().runs.clone())
    }

    fn note_runs(&self, notes: &[(u32, Vec<u8>)]) -> Result<()> {
        self.begin_change()?;
        let whole = self.power.spend(BATCH);
        if whole || self.power.chance(2) == 0 {
            let runs = &mut self.resting.write().runs;
            for (number, note) in notes {
                let number = *number as usize;
                runs.resize(runs.len().max(number + 1), Vec::new());
                runs[number].clone_from(note);
            }
        }
        if whole { Ok(()) } else { Err(Error::io("the base", &power_cut())) }
    }

    fn verify(&self, space: Space) -> Result<Verified> {
        let mut found = Verified::default();
        for ((of, key), bytes) in &self.resting.read().records {
            if *of == space {
                found.expected += 1;
                match verified(key, bytes) {
                    Some(_) => found.records += 1,
                    None => found.problems.push(damaged().to_string()),
                }
            }
        }
        Ok(found)
    }

    fn each(&self, begun: &mut dyn FnMut(), visit: Raw<'_>) -> Result<()> {
        begun();
        let resting = self.resting.read();
        resting.records.iter().try_for_each(|((space, key), bytes)| visit(&full_key(*space, key), bytes))
    }

    fn put_raw(&self, _: &[(&[u8], &[u8])]) -> Result<()> {
        Err(Error::Unsupported("a copy of a simulated base"))
    }
}

fn damaged() -> Error {
    Error::damaged("a record of the simulated base is not what was written")
}

impl SimBase {
    /// Flips a bit of some record, if there is any.
    pub(super) fn flip(&self) -> bool {
        let mut resting = self.resting.write();
        let count = resting.records.len() as u64;
        if count == 0 {
            return false;
        }
        let chosen = self.power.chance(count) as usize;
        let Some(record) = resting.records.values_mut().nth(chosen) else { return false };
        let bit = self.power.chance(record.len() as u64 * 8) as usize;
        record[bit / 8] ^= 1 << (bit % 8);
        true
    }
}
