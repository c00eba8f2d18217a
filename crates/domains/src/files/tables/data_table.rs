//! An open table: its data set, and how far it is loaded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use records::{Memory, Replaced, Table, UnitOfWork, Version};
use vsam::{Cluster, Dataset, Error, Found, Key, Search};

use super::{TableAttributes, TableKind, UpdateModel};

/// A user-maintained or coupling-facility data table.
pub struct DataTable {
    /// Its records, as a data set.
    pub dataset: Arc<Dataset>,
    /// Which of the two.
    pub kind: TableKind,
    /// The way in which changes are made.
    pub update_model: UpdateModel,
    records: Arc<Table>,
    memory: Arc<Memory>,
    is_loading: AtomicBool,
    loading: Mutex<Loading>,
}

/// The progress of loading a table.
#[derive(Default)]
struct Loading {
    /// The data set that it is loaded from, until loading ends.
    source: Option<Arc<Dataset>>,
    /// The last key that was loaded.
    last: Key,
}

/// The parts of a new table.
pub(super) struct Parts<'a> {
    pub name: &'a str,
    pub cluster: Cluster,
    pub attributes: TableAttributes,
    /// The data set to load it from.
    pub source: Option<Arc<Dataset>>,
}

impl DataTable {
    /// An empty table, waiting to be loaded if it has a source.
    pub(super) fn new(memory: &Arc<Memory>, parts: Parts<'_>) -> vsam::Result<Arc<Self>> {
        let TableAttributes { kind, update_model, records_max, .. } = parts.attributes;
        let (store, records) = memory.create(parts.name, parts.cluster.recovery, records_max.map(u64::from));
        Ok(Arc::new(Self {
            dataset: Dataset::table(parts.cluster, store)?,
            kind,
            update_model,
            records,
            memory: Arc::clone(memory),
            is_loading: AtomicBool::new(parts.source.is_some()),
            loading: Mutex::new(Loading { source: parts.source, last: Key::new() }),
        }))
    }

    /// Returns true while it is being loaded.
    pub fn is_loading(&self) -> bool {
        self.is_loading.load(Ordering::Acquire)
    }

    /// Returns the data set that it is loaded from, until loading ends.
    pub fn source(&self) -> Option<Arc<Dataset>> {
        self.loading.lock().source.clone()
    }

    /// Returns true if loading has passed this key: a record with it, if there is one, is in the table.
    pub fn has_come_to(&self, key: &[u8]) -> bool {
        let loading = self.loading.lock();
        loading.source.is_none() || *key <= *loading.last
    }

    /// A record has come from the source. One that a reader has brought already stays.
    pub(super) fn loaded(&self, key: &[u8], record: &[u8]) -> records::Result<()> {
        self.records.add(key, record)?;
        self.loading.lock().last = Key::from_slice(key);
        Ok(())
    }

    /// Reads a record from the source to which the loading task has not come yet, and adds it.
    pub async fn bring(
        &self,
        unit: &mut dyn UnitOfWork,
        key: &[u8],
        record: &mut Vec<u8>,
    ) -> vsam::Result<Found> {
        let Some(source) = self.source() else { return Err(Error::NotFound) };
        let found = source.read(unit, Search::equal(key), record).await?;
        // If there is no room for it, it is not in the table: so it is with any record that comes too late.
        let _ = self.records.add(key, record);
        Ok(found)
    }

    /// There is nothing more to come: the source is not needed any longer.
    pub(super) fn end_loading(&self) {
        self.loading.lock().source = None;
        self.is_loading.store(false, Ordering::Release);
    }

    /// Returns the number of its records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns the greatest number of records that it takes.
    pub fn records_max(&self) -> Option<u64> {
        self.records.limit()
    }

    /// Returns true if a change is made only if no other task has changed the record since it was read.
    pub fn is_contended(&self) -> bool {
        self.update_model == UpdateModel::Contention
    }

    /// Reads a record under the contention model.
    pub fn read(&self, key: &[u8], record: &mut Vec<u8>) -> Option<Version> {
        self.records.read(key, record)
    }

    /// Replaces a record, or deletes it, under the contention model.
    ///
    /// # Errors
    /// What is wrong with the record.
    pub fn replace(&self, key: &[u8], version: Version, record: Option<&[u8]>) -> vsam::Result<Replaced> {
        if let Some(record) = record {
            self.dataset.cluster().check_record(record)?;
            if self.dataset.key_field().and_then(|field| field.of(record)) != Some(key) {
                return Err(Error::KeyChanged);
            }
        }
        Ok(self.records.replace(key, version, record))
    }
}

impl Drop for DataTable {
    fn drop(&mut self) {
        self.memory.remove(self.dataset.store());
    }
}
