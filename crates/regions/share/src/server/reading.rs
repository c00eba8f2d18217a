//! Reads, and changes of stores that are not recoverable: they belong to no unit of work.

use link::Asked;
use records::{Batch, Error, Result, StoreId};

use super::session::{Session, done, failed};
use crate::limits::{RANGE_BYTES, RANGE_RECORDS};
use crate::protocol::{RangeStart, Reply, direction, to_bytes};

/// The refusal of a change outside of a unit of work.
const RECOVERABLE: &str = "a change of a recoverable store outside of a unit of work";

fn record_reply(read: Result<bool>, record: &[u8]) -> Vec<u8> {
    match read {
        Ok(there) => to_bytes(&Reply::Record(there.then_some(record))),
        Err(error) => failed(&error),
    }
}

impl Session {
    pub(super) fn unit(&self) -> Box<dyn records::UnitOfWork> {
        let engine = &self.inner.engine;
        engine.begin(engine.locks().new_owner())
    }

    /// Reads a record.
    pub(super) fn get(&self, asked: Asked, store: u32, key: &[u8]) {
        let (mut unit, mut record) = (self.unit(), Vec::new());
        let read = unit.get(StoreId(store), key, &mut record).now().ok();
        if let Some(read) = read {
            return asked.reply(&record_reply(read, &record));
        }
        let key = key.to_vec();
        tokio::task::spawn_local(async move {
            let mut record = Vec::new();
            let read = unit.get(StoreId(store), &key, &mut record).await;
            asked.reply(&record_reply(read, &record));
        });
    }

    /// Reads records in order.
    pub(super) fn range(&self, asked: Asked, store: u32, origin: RangeStart<'_>, forward: bool, limit: u32) {
        let (mut unit, mut batch) = (self.unit(), Batch::default());
        let asked_for = limit as usize;
        let limit = asked_for.min(RANGE_RECORDS);
        let stamp = self.stamp_of_all(store);
        let read =
            unit.range(StoreId(store), origin.into(), direction(forward), limit, &mut batch).now().ok();
        if let Some(read) = read {
            return asked.reply(&records_reply(read, &batch, (asked_for, limit), stamp));
        }
        let (kind, key) = match origin {
            RangeStart::Start => (0, Vec::new()),
            RangeStart::At(key) => (1, key.to_vec()),
            RangeStart::Beyond(key) => (2, key.to_vec()),
        };
        tokio::task::spawn_local(async move {
            let origin = match kind {
                0 => RangeStart::Start,
                1 => RangeStart::At(&key),
                _ => RangeStart::Beyond(&key),
            };
            let mut batch = Batch::default();
            let read = unit.range(StoreId(store), origin.into(), direction(forward), limit, &mut batch).await;
            // A change may have come meanwhile.
            asked.reply(&records_reply(read, &batch, (asked_for, limit), None));
        });
    }

    /// Changes a record of a store that is not recoverable.
    pub(super) fn change(&self, asked: Asked, store: u32, key: &[u8], record: Option<&[u8]>) {
        let session = self.shared();
        let (key, record) = (key.to_vec(), record.map(<[u8]>::to_vec));
        let busy = self.begin_ending();
        let changing = match self.inner.begin_change(std::iter::once((StoreId(store), key.as_slice()))) {
            Ok(changing) => changing,
            Err(error) => return asked.reply(&failed(&error)),
        };
        tokio::task::spawn_local(async move {
            let store = StoreId(store);
            let is_made = session.changes(store, &key, record.as_deref()).await;
            drop(changing);
            if is_made.is_ok() {
                session.counts_change(store);
            }
            asked.reply(&done(is_made));
            drop(busy);
        });
    }
}

impl Session {
    /// Changes a record of a store that is not recoverable, of which a task has the lock.
    pub(super) async fn changes(&self, store: StoreId, key: &[u8], record: Option<&[u8]>) -> Result<()> {
        let entered = self.inner.enter(store).await?;
        let growth = if entered.is_some() { self.inner.growth(store, key, record).await? } else { 0 };
        if growth > 0
            && let Some(entered) = &entered
        {
            entered.add()?;
        }
        let mut unit = self.unit();
        let changed = match record {
            Some(record) => unit.put(store, key, record).await,
            None => unit.delete(store, key).await,
        };
        // Where its promise has changed meanwhile, such a change belongs to a unit of work, and this one ends here.
        let is_made = if unit.is_clean() { changed } else { Err(Error::Unsupported(RECOVERABLE)) };
        if is_made.is_ok() {
            self.inner.versions.is_changed(store, key);
        }
        if let Some(entered) = &entered {
            match is_made {
                Ok(()) if growth < 0 => entered.adds(growth),
                Ok(()) => {}
                Err(_) => entered.is_unknown(),
            }
        }
        is_made
    }
}

/// The reply to a range: as many records as fit.
fn records_reply(
    read: Result<()>,
    batch: &Batch,
    (asked_for, limit): (usize, usize),
    stamp: Option<(u32, u64)>,
) -> Vec<u8> {
    if let Err(error) = read {
        return failed(&error);
    }
    let mut bytes = 0;
    let records: Vec<_> = batch
        .iter()
        .take_while(|(key, record)| {
            let fits = bytes == 0 || bytes + key.len() + record.len() <= RANGE_BYTES;
            bytes += key.len() + record.len() + 1;
            fits
        })
        .collect();
    let more = records.len() < batch.len() || (batch.len() == limit && limit < asked_for);
    to_bytes(&Reply::Records { records, more, stamp })
}
