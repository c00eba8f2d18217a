//! An open table: its data set, and how far it is loaded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use records::{Memory, Replaced, Table, UnitOfWork};
use vsam::{Cluster, Dataset, Error, Found, Key, Search};

use super::shared::{Description, SharedTable, Was};
use crate::files::attributes::{TableAttributes, TableKind, UpdateModel};

/// A user-maintained or coupling-facility data table.
pub struct DataTable {
    /// Its records, as a data set.
    pub dataset: Arc<Dataset>,
    /// Which of the two.
    pub kind: TableKind,
    /// The way in which changes are made.
    pub update_model: UpdateModel,
    place: Place,
    /// False for good once it is loaded.
    is_loading: AtomicBool,
    loading: Mutex<Loading>,
}

/// The place of a table's records.
enum Place {
    /// In this process.
    Here(Arc<Table>, Arc<Memory>),
    /// At a server that other regions use, too.
    Shared(SharedTable),
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
    /// An empty table in this process, waiting to be loaded if it has a source.
    pub(super) fn new(memory: &Arc<Memory>, parts: Parts<'_>) -> vsam::Result<Arc<Self>> {
        let TableAttributes { kind, update_model, records_max, .. } = parts.attributes;
        let (store, records) = memory.create(parts.name, parts.cluster.recovery, records_max.map(u64::from));
        Ok(Arc::new(Self {
            dataset: Dataset::table(parts.cluster, store)?,
            kind,
            update_model,
            place: Place::Here(records, Arc::clone(memory)),
            is_loading: AtomicBool::new(parts.source.is_some()),
            loading: Mutex::new(Loading { source: parts.source, last: Key::new() }),
        }))
    }

    /// A table that other regions use, too, and the data set that it is loaded from if it is not loaded yet.
    pub(super) fn shared(
        table: SharedTable,
        description: &Description,
        source: Option<Arc<Dataset>>,
    ) -> vsam::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            dataset: Dataset::shared_table(description.cluster()?, description.store)?,
            kind: TableKind::Coupling,
            update_model: description.update_model,
            place: Place::Shared(table),
            is_loading: AtomicBool::new(!description.is_loaded),
            loading: Mutex::new(Loading { source, last: Key::new() }),
        }))
    }

    /// The table, if other regions use it, too.
    pub(in crate::files) fn elsewhere(&self) -> Option<&SharedTable> {
        match &self.place {
            Place::Here(..) => None,
            Place::Shared(table) => Some(table),
        }
    }

    /// Returns true while it is being loaded.
    pub fn is_loading(&self) -> bool {
        if !self.is_loading.load(Ordering::Acquire) {
            return false;
        }
        let is_loaded = self.elsewhere().is_some_and(|table| table.known().is_none_or(|is| is.is_loaded));
        if is_loaded {
            self.end_loading();
        }
        !is_loaded
    }

    /// Returns the data set that it is loaded from, until loading ends.
    pub fn source(&self) -> Option<Arc<Dataset>> {
        self.loading.lock().source.clone()
    }

    /// Returns true if loading has passed this key: a record with it, if there is one, is in the table.
    pub fn has_come_to(&self, key: &[u8]) -> bool {
        if let Some(table) = self.elsewhere() {
            return table.known().is_none_or(|is| is.is_loaded || *key <= *is.last);
        }
        let loading = self.loading.lock();
        loading.source.is_none() || *key <= *loading.last
    }

    /// A record has come from the source. One that a reader has brought already stays.
    pub(super) fn loaded(&self, key: &[u8], record: &[u8]) -> records::Result<()> {
        if let Place::Here(records, _) = &self.place {
            records.add(key, record)?;
        }
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
        let (Place::Here(records, _), Some(source)) = (&self.place, self.source()) else {
            return Err(Error::NotFound);
        };
        let found = source.read(unit, Search::equal(key), record).await?;
        // If there is no room for it, it is not in the table: so it is with any record that comes too late.
        let _ = records.add(key, record);
        Ok(found)
    }

    /// There is nothing more to come: the source is not needed any longer.
    pub(super) fn end_loading(&self) {
        self.loading.lock().source = None;
        self.is_loading.store(false, Ordering::Release);
    }

    /// Returns the number of its records, if they are here.
    pub fn len(&self) -> Option<usize> {
        match &self.place {
            Place::Here(records, _) => Some(records.len()),
            Place::Shared(_) => None,
        }
    }

    /// Returns the greatest number of records that it takes.
    pub fn records_max(&self) -> Option<u64> {
        match &self.place {
            Place::Here(records, _) => records.limit(),
            Place::Shared(table) => table.known().and_then(|is| is.records_max),
        }
    }

    /// Returns true if a change is made only if no other task has changed the record since it was read.
    pub fn is_contended(&self) -> bool {
        self.update_model == UpdateModel::Contention
    }

    /// Reads a record under the contention model, if the records are here.
    pub fn read(&self, key: &[u8], record: &mut Vec<u8>) -> Option<Was> {
        match &self.place {
            Place::Here(records, _) => records.read(key, record).map(Was::Here),
            Place::Shared(_) => None,
        }
    }

    /// Replaces a record that was checked, or deletes it, under the contention model, if the records are here.
    pub fn replace(&self, key: &[u8], was: &Was, record: Option<&[u8]>) -> Replaced {
        match (&self.place, was) {
            (Place::Here(records, _), Was::Here(version)) => records.replace(key, *version, record),
            _ => Replaced::Changed,
        }
    }

    /// Checks a record that is to replace one with this key.
    ///
    /// # Errors
    /// Its mistakes.
    pub fn check(&self, key: &[u8], record: Option<&[u8]>) -> vsam::Result<()> {
        let Some(record) = record else { return Ok(()) };
        self.dataset.cluster().check_record(record)?;
        match self.dataset.key_field().and_then(|field| field.of(record)) == Some(key) {
            true => Ok(()),
            false => Err(Error::KeyChanged),
        }
    }
}

impl Drop for DataTable {
    fn drop(&mut self) {
        if let Place::Here(_, memory) = &self.place {
            memory.remove(self.dataset.store());
        }
    }
}
