//! Coupling-facility data tables that several regions share: their records are in a store of the record server, and one store
//! describes all tables.
//!
//! ```text
//! made ──► loading (by the region that has the table's name for that) ──► loaded
//!             ▲   └── that region dies, or the source fails: another one, or the next open, goes on behind the last record
//!             └───────┘
//! ```
//!
//! Each region hears of each change of a description. While a table is loaded, no task changes records behind the last one that has come:
//! so a load that another region goes on with loads each record once.

use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::Mutex;
use records::{
    Claim, Engine, Lifetime, Owner, Recovery, Replaced, SHARED_TABLES, Seen, StoreId, UnitOfWork, Version,
    Wait, shared_table, store_named,
};
use tokio::sync::OnceCell;
use vsam::{Cluster, Key, KeyField, Organization, Result};

use crate::files::attributes::UpdateModel;
use kernel::limits::SHARED_TABLE_DESCRIBED;

/// A record as a task has read it under the contention model.
pub enum Was {
    /// This version of it, in a table of this process.
    Here(Version),
    /// This version of it, of a table that other regions use, too.
    Shared(u64),
}

/// The format of a description.
const FORMAT: u8 = 1;
/// Bits of a description.
const RECOVERABLE: u8 = 1;
const CONTENTION: u8 = 2;
const LOADED: u8 = 4;

/// A table, as its description says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Description {
    /// The number of changes of the description so far.
    pub version: u64,
    /// The store of its records.
    pub store: StoreId,
    pub recovery: Recovery,
    pub update_model: UpdateModel,
    pub records_max: Option<u64>,
    pub key: KeyField,
    pub average: usize,
    pub maximum: usize,
    /// Nothing more is to be loaded.
    pub is_loaded: bool,
    /// The number of the load that has the table.
    pub load: u64,
    /// The last key that was loaded.
    pub last: Key,
}

impl Description {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bits = 0;
        bits |= if self.recovery == Recovery::Recoverable { RECOVERABLE } else { 0 };
        bits |= if self.update_model == UpdateModel::Contention { CONTENTION } else { 0 };
        bits |= if self.is_loaded { LOADED } else { 0 };
        let mut bytes = vec![FORMAT, bits];
        bytes.extend(self.store.0.to_be_bytes());
        let lengths =
            [self.key.offset, self.key.length, self.average, self.maximum].map(|length| length as u64);
        for number in [self.version, self.records_max.unwrap_or(u64::MAX), self.load].iter().chain(&lengths) {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend_from_slice(&self.last);
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&[FORMAT, bits], rest) = bytes.split_first_chunk()? else { return None };
        let (store, rest) = rest.split_first_chunk()?;
        let (numbers, last) = rest.split_first_chunk::<56>()?;
        let (numbers, _) = numbers.as_chunks();
        let number = |at: usize| numbers.get(at).map(|number| u64::from_be_bytes(*number));
        let length = |at: usize| number(at).and_then(|length| usize::try_from(length).ok());
        let has = |bit: u8| bits & bit != 0;
        Some(Self {
            version: number(0)?,
            store: StoreId(u32::from_be_bytes(*store)),
            recovery: if has(RECOVERABLE) { Recovery::Recoverable } else { Recovery::NonRecoverable },
            update_model: if has(CONTENTION) { UpdateModel::Contention } else { UpdateModel::Locking },
            records_max: number(1).filter(|most| *most != u64::MAX),
            key: KeyField { offset: length(3)?, length: length(4)? },
            average: length(5)?,
            maximum: length(6)?,
            is_loaded: has(LOADED),
            load: number(2)?,
            last: Key::from_slice(last),
        })
    }

    /// The shape of its records.
    pub fn cluster(&self) -> Result<Cluster> {
        Ok(Cluster {
            name: "TABLE".parse()?,
            organization: Organization::Keyed(self.key),
            average: self.average,
            maximum: self.maximum,
            recovery: self.recovery,
            reuse: false,
        })
    }
}

/// The descriptions that a region knows, by the tables' names.
#[derive(Default)]
pub(super) struct Descriptions {
    known: Mutex<HashMap<String, Description>>,
}

impl Descriptions {
    /// The description of a table.
    fn get(&self, name: &str) -> Option<Description> {
        self.known.lock().get(name).cloned()
    }

    /// A description was read, or changed by this region.
    fn is(&self, name: &str, description: Description) {
        let mut known = self.known.lock();
        if known.get(name).is_none_or(|former| former.version < description.version) {
            known.insert(name.to_owned(), description);
        }
    }

    /// Hears what other regions have changed.
    fn hears(&self, seen: Seen<'_>) {
        let named = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
        match seen {
            Seen::All(all) => {
                let read = |(key, record): &(Vec<u8>, Vec<u8>)| {
                    Description::from_bytes(record).map(|description| (named(key), description))
                };
                *self.known.lock() = all.iter().filter_map(read).collect();
            }
            Seen::One(key, record) => match record.and_then(Description::from_bytes) {
                Some(description) => self.is(&named(key), description),
                None => drop(self.known.lock().remove(&named(key))),
            },
        }
    }
}

/// The tables that a region shares with others.
#[derive(Default)]
pub(super) struct SharedTables {
    descriptions: Arc<Descriptions>,
    /// The store of the descriptions, which this region watches.
    store: OnceCell<StoreId>,
}

impl SharedTables {
    async fn store(&self, engine: &dyn Engine) -> Result<StoreId> {
        let opening = self.store.get_or_try_init(|| async {
            let store = store_named(engine, SHARED_TABLES, Recovery::Recoverable).await?;
            let descriptions = Arc::clone(&self.descriptions);
            engine.watch_store(store, Box::new(move |seen| descriptions.hears(seen))).await?;
            records::Result::Ok(store)
        });
        Ok(*opening.await?)
    }

    /// Opens a table: it is made as `wanted` says where it is not there.
    ///
    /// # Errors
    /// The engine's own. What `wanted` refuses.
    pub async fn open(
        &self,
        engine: &Arc<dyn Engine>,
        name: String,
        wanted: impl Future<Output = Result<Description>>,
    ) -> Result<(SharedTable, Description)> {
        let store = self.store(&**engine).await?;
        let claimed = engine.claim(shared_table(&name).as_bytes(), false).await?;
        // Another task deletes it at this moment.
        let claim = claimed.ok_or(records::Error::Locked)?;
        let table = SharedTable {
            engine: Arc::clone(engine),
            descriptions: Arc::clone(&self.descriptions),
            store,
            name,
            _claim: claim,
        };
        let (mut unit, found) = table.described().await?;
        let description = match found {
            Some(description) => description,
            None => {
                let mut description = wanted.await?;
                description.store = unit.create_store(&shared_table(&table.name), description.recovery)?;
                table.describe(&mut *unit, &description).await?;
                unit.commit().await?;
                table.descriptions.is(&table.name, description.clone());
                description
            }
        };
        if let Some(most) = description.records_max {
            engine.bound(description.store, most).await?;
        }
        Ok((table, description))
    }
}

/// A table that is open in this region.
pub(crate) struct SharedTable {
    engine: Arc<dyn Engine>,
    descriptions: Arc<Descriptions>,
    /// The store of the descriptions.
    store: StoreId,
    name: String,
    /// It is not deleted meanwhile.
    _claim: Claim,
}

/// The loading of a table by this region.
pub(super) struct SharedLoad {
    table: StoreId,
    number: u64,
    /// The last key that was loaded, by this region or another one.
    pub last: Key,
}

/// A key and its record.
pub(super) type Loaded = (Key, Vec<u8>);

impl SharedTable {
    /// Its description, and the unit of work that has its lock.
    async fn described(&self) -> records::Result<(Box<dyn UnitOfWork>, Option<Description>)> {
        let owner: Owner = self.engine.locks().new_owner();
        let mut unit = self.engine.begin(owner);
        let (mut record, wait) = (Vec::new(), Wait::AtMost(SHARED_TABLE_DESCRIBED));
        let is_there = unit.lock_and_get(self.store, self.name.as_bytes(), wait, &mut record).await?;
        let description = Description::from_bytes(&record);
        if is_there && description.is_none() {
            return Err(records::Error::Corrupt(format!("the description of table {}", self.name)));
        }
        if let Some(description) = &description {
            self.descriptions.is(&self.name, description.clone());
        }
        Ok((unit, description))
    }

    async fn describe(&self, unit: &mut dyn UnitOfWork, description: &Description) -> records::Result<()> {
        unit.put(self.store, self.name.as_bytes(), &description.to_bytes()).await
    }

    /// Its description, as this region knows it.
    pub(super) fn known(&self) -> Option<Description> {
        self.descriptions.get(&self.name)
    }

    /// The name of the load of the table: who has it loads it.
    pub(super) fn load_name(&self) -> String {
        format!("load of table {}", self.name)
    }

    /// Reads a record under the contention model; `None` (and an empty `record`) if there is none.
    pub(in crate::files) async fn read(
        &self,
        store: StoreId,
        key: &[u8],
        record: &mut Vec<u8>,
    ) -> Result<Option<Was>> {
        record.clear();
        let Some((found, version)) = self.engine.read_versioned(store, key).await? else { return Ok(None) };
        *record = found;
        Ok(Some(Was::Shared(version)))
    }

    /// Replaces a record, or deletes it, under the contention model.
    pub(in crate::files) async fn replace(
        &self,
        store: StoreId,
        key: &[u8],
        was: &Was,
        record: Option<&[u8]>,
    ) -> Result<Replaced> {
        // One that was read elsewhere has no version here.
        let Was::Shared(version) = was else { return Ok(Replaced::Changed) };
        Ok(self.engine.replace_versioned(store, key, *version, record).await?)
    }

    /// Begins to load the table, or goes on with what another region has begun; `None` if all of it is there. The caller has the name of
    /// the load.
    pub(super) async fn begin_load(&self) -> records::Result<Option<SharedLoad>> {
        let (mut unit, found) = self.described().await?;
        let Some(mut description) = found.filter(|found| !found.is_loaded) else { return Ok(None) };
        (description.version, description.load) = (description.version + 1, description.load + 1);
        self.describe(&mut *unit, &description).await?;
        unit.commit().await?;
        self.descriptions.is(&self.name, description.clone());
        Ok(Some(SharedLoad { table: description.store, number: description.load, last: description.last }))
    }

    /// Adds records in the order of their keys; with `is_last` nothing more is to come. False: another region has the load now.
    pub(super) async fn add(
        &self,
        load: &mut SharedLoad,
        records: &[Loaded],
        is_last: bool,
    ) -> records::Result<bool> {
        let (mut unit, found) = self.described().await?;
        let Some(mut description) = found.filter(|found| found.load == load.number && !found.is_loaded)
        else {
            return Ok(false);
        };
        for (key, record) in records {
            // It has its lock for its place in a table that takes a limited number of records.
            unit.lock(load.table, key, Wait::Forever).await?;
            unit.put(load.table, key, record).await?;
            load.last.clone_from(key);
        }
        description.version += 1;
        description.last.clone_from(&load.last);
        description.is_loaded = is_last;
        self.describe(&mut *unit, &description).await?;
        if is_last {
            unit.commit().await?
        } else {
            unit.commit_unforced().await?
        }
        self.descriptions.is(&self.name, description);
        Ok(true)
    }
}

/// Takes the name of a table's load in a task's unit of work, when the one who has it lets it go.
pub(super) fn has_load<'a>(
    unit: &'a mut dyn UnitOfWork,
    name: &'a str,
) -> records::Answer<'a, records::Result<()>> {
    unit.lock_name(name.as_bytes(), Lifetime::Unit, Wait::Forever)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_as_it_was_written_and_half_of_it_is_none() {
        let description = Description {
            version: 7,
            store: StoreId(9),
            recovery: Recovery::Recoverable,
            update_model: UpdateModel::Locking,
            records_max: Some(3),
            key: KeyField { offset: 2, length: 4 },
            average: 10,
            maximum: 20,
            is_loaded: false,
            load: 2,
            last: Key::from_slice(b"0003"),
        };
        let bytes = description.to_bytes();
        assert_eq!(Description::from_bytes(&bytes), Some(description.clone()));
        for length in 0..bytes.len() - description.last.len() {
            assert_eq!(Description::from_bytes(&bytes[..length]), None, "{length} bytes of it");
        }
        let other = Description {
            recovery: Recovery::NonRecoverable,
            update_model: UpdateModel::Contention,
            records_max: None,
            is_loaded: true,
            last: Key::new(),
            ..description
        };
        assert_eq!(Description::from_bytes(&other.to_bytes()), Some(other));
    }
}
