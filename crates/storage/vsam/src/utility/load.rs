//! REPRO: filling a data set.

use std::sync::Arc;

use records::StoreId;

use super::build::Entries;
use super::walk::Walk;
use super::{Progress, SORT_MEMORY, STEP};
use crate::sphere::{Index, Key, rba, rrn};
use crate::{Cluster, Dataset, Error, Name, Organization, Result, Vsam};

/// Ways with a record whose key is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Leave the one that is there, and count the new one as refused.
    No,
    /// Replace it.
    Yes,
}

/// Counts of copied records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Records read.
    pub read: u64,
    /// Records written, new or instead of others.
    pub written: u64,
    /// Records refused as duplicates.
    pub duplicates: u64,
}

/// Records as a utility reads them, one after the other.
pub type Records<'a> = &'a mut dyn Iterator<Item = Result<Vec<u8>>>;

impl Vsam {
    /// Fills a data set with records. One that is empty (or defined with REUSE) and not open is loaded in
    /// one step, with its alternate indexes, straight to where records rest: all of it or nothing.
    /// Otherwise the records are written one by one, with a commit every so often.
    ///
    /// Records for a KSDS come in ascending order of their keys where it is loaded in one step. This blocks the thread.
    pub async fn load(
        &self,
        name: &Name,
        records: Records<'_>,
        replace: Replace,
        progress: Progress<'_>,
    ) -> Result<Copied> {
        let (cluster_name, through) = self.resolve(name)?;
        let (cluster, store) = self.cluster(&cluster_name)?;
        if through.is_none()
            && let Ok(alone) = self.enter(&cluster_name, true).await
            && let is_empty = self.is_empty(store).await?
            && (cluster.reuse || is_empty)
        {
            let indexes = self.indexes_of(&cluster_name)?;
            let mut records = records.map(|record| Ok((None, record?)));
            let read = self.load_at_once(&cluster, store, &indexes, &mut records, progress)?;
            if read == 0 && !is_empty {
                self.note_loaded(&cluster_name).await?;
            }
            self.leave(alone).await;
            return Ok(Copied { read, written: read, duplicates: 0 });
        }
        let dataset = self.dataset(name).await?;
        self.write_all(&dataset, records, replace, progress).await
    }

    pub(crate) async fn is_empty(&self, store: StoreId) -> Result<bool> {
        Ok(Walk::new(store).step(&mut *self.begin()).await?.is_empty())
    }

    /// Fills a store with these records instead of those that it has. Each brings its key, or is given the next one.
    pub(super) fn load_at_once(
        &self,
        cluster: &Cluster,
        store: StoreId,
        indexes: &[Arc<Index>],
        records: &mut dyn Iterator<Item = Result<(Option<Key>, Vec<u8>)>>,
        progress: Progress<'_>,
    ) -> Result<u64> {
        let mut numbering = Numbering { cluster, count: 0, address: 0 };
        let mut failure = None;
        let indexes: Vec<_> = indexes.iter().filter(|index| index.upgrade).collect();
        let memory = SORT_MEMORY / indexes.len().max(1);
        let mut entries: Vec<_> = indexes.iter().map(|index| Entries::new(index, memory)).collect();
        let mut keyed = records.map_while(|record| {
            let keyed = record.and_then(|(own, record)| {
                let next = numbering.key(&record)?;
                let key = own.unwrap_or(next);
                entries.iter_mut().try_for_each(|entries| entries.add(&key, &record))?;
                Ok((key.to_vec(), record))
            });
            if numbering.count.is_multiple_of(STEP as u64) {
                progress(numbering.count);
            }
            match keyed {
                Ok(keyed) => Some(Ok(keyed)),
                Err(error) => {
                    failure = Some(error);
                    // Any error of the engine's will do: it only has to stop the load.
                    Some(Err(records::Error::Cancelled))
                }
            }
        });
        let mut load = self.engine().begin_load()?;
        let loaded = load.fill(store, &mut keyed);
        let count = match (failure, loaded) {
            (Some(error), _) => return Err(error),
            (None, Err(records::Error::OutOfOrder(number))) => return Err(Error::OutOfOrder(number)),
            (None, loaded) => loaded?,
        };
        for entries in entries {
            entries.fill(&mut *load)?;
        }
        load.commit()?;
        Ok(count)
    }

    async fn write_all(
        &self,
        dataset: &Dataset,
        records: Records<'_>,
        replace: Replace,
        progress: Progress<'_>,
    ) -> Result<Copied> {
        let mut copied = Copied::default();
        let mut filling = self.fill(dataset);
        let mut numbering = Numbering { cluster: dataset.cluster(), count: 0, address: 0 };
        for record in records {
            let record = record?;
            copied.read += 1;
            let key = numbering.key(&record)?;
            let written = filling.put(&key, &record, replace).await;
            match written.map_err(|error| error.of_record(copied.read))? {
                true => copied.written += 1,
                false => copied.duplicates += 1,
            }
            if copied.read.is_multiple_of(STEP as u64) {
                progress(copied.read);
            }
        }
        filling.finish().await?;
        Ok(copied)
    }
}

/// Gives records that come one after the other their keys in a cluster.
struct Numbering<'a> {
    cluster: &'a Cluster,
    count: u64,
    address: u64,
}

impl Numbering<'_> {
    fn key(&mut self, record: &[u8]) -> Result<Key> {
        self.count += 1;
        self.cluster.check_record(record).map_err(|error| error.of_record(self.count))?;
        let address = self.address;
        self.address += record.len() as u64;
        Ok(match self.cluster.organization {
            Organization::Keyed(field) => Key::from_slice(field.of(record).unwrap_or_default()),
            Organization::EntrySequenced => rba(address),
            Organization::Relative => {
                rrn(u32::try_from(self.count)
                    .map_err(|_| Error::Invalid("more slots than an RRDS can have"))?)
            }
        })
    }
}
