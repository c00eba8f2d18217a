//! An open data set of a session, and what is done with its records.

use std::sync::Arc;
use std::time::Duration;

use records::{UnitOfWork, Wait};
use vsam::{Browse, Dataset, Definition, Vsam};

use crate::protocol::{Failure, Found, IndexInfo, Opened, Organization, Search};

/// The longest wait for a record that another has locked.
const LOCK_WAIT: Wait = Wait::AtMost(Duration::from_secs(30));

/// The result of a request about records.
pub(crate) type Answered<T> = Result<T, Failure>;

/// An open data set.
pub(crate) struct DataSet {
    /// As it was opened.
    seen: Arc<Dataset>,
    /// Its cluster: that is where records are locked and changed.
    base: Arc<Dataset>,
    browse: Option<Browse>,
    /// Paths through the alternate indexes in which a key may have several records.
    shared: Vec<Arc<Dataset>>,
}

impl From<vsam::Error> for Failure {
    fn from(error: vsam::Error) -> Self {
        use vsam::Error;
        match &error {
            Error::NotFound | Error::EndOfFile => Self::NotFound,
            Error::Duplicate | Error::DuplicateAlternate(_) => Self::Duplicate,
            Error::TooLong { .. } | Error::TooShort { .. } | Error::LengthChanged { .. } => Self::Length,
            Error::KeyChanged | Error::KeyMismatch => Self::KeyChanged,
            Error::Invalid(what) => Self::Invalid((*what).to_owned()),
            Error::NoEntry(name) => Self::NoEntry(name.to_string()),
            Error::InUse(name) => Self::InUse(name.to_string()),
            Error::Engine(engine) => match engine {
                records::Error::Locked
                | records::Error::TimedOut
                | records::Error::Deadlock
                | records::Error::Cancelled => Self::Locked(engine.to_string()),
                records::Error::NoSpace(_) | records::Error::Limit(_) => Self::Full(engine.to_string()),
                _ => Self::Other(error.to_string()),
            },
            _ => Self::Other(error.to_string()),
        }
    }
}

impl From<records::Error> for Failure {
    fn from(error: records::Error) -> Self {
        vsam::Error::from(error).into()
    }
}

/// Describes an open cluster or path.
pub(crate) fn describe(vsam: &Vsam, dataset: &Dataset, handle: u32) -> Opened {
    let cluster = dataset.cluster();
    let place = |field: vsam::KeyField| (field.offset as u32, field.length as u32);
    Opened {
        handle,
        cluster: cluster.name.to_string(),
        organization: match cluster.organization {
            vsam::Organization::Keyed(field) => {
                let (offset, length) = place(field);
                Organization::Keyed(offset, length)
            }
            vsam::Organization::EntrySequenced => Organization::Entry,
            vsam::Organization::Relative => Organization::Relative,
        },
        key: dataset.key_field().map(place),
        path: dataset.is_path(),
        lengths: (cluster.average as u32, cluster.maximum as u32),
        recoverable: cluster.recovery == records::Recovery::Recoverable,
        reuse: cluster.reuse,
        empty: false,
        loaded: true,
        indexes: indexes(vsam, &cluster.name),
    }
}

fn indexes(vsam: &Vsam, cluster: &vsam::Name) -> Vec<IndexInfo> {
    let entries = vsam.entries();
    let path_to = |index: &vsam::Name| {
        entries.iter().find_map(|entry| match &entry.definition {
            Definition::Path(path) if path.entry == *index => Some(path.name.to_string()),
            _ => None,
        })
    };
    let index = |entry: &Arc<vsam::CatalogEntry>| match &entry.definition {
        Definition::AlternateIndex(index) if index.relate == *cluster && index.upgrade => Some(IndexInfo {
            path: path_to(&index.name),
            key: (index.key.offset as u32, index.key.length as u32),
            unique: index.unique,
        }),
        _ => None,
    };
    entries.iter().filter_map(index).collect()
}

impl DataSet {
    pub async fn open(vsam: &Vsam, name: &vsam::Name) -> Answered<Self> {
        let seen = vsam.dataset(name).await?;
        let cluster = seen.cluster().name.clone();
        let base = if seen.is_path() { vsam.dataset(&cluster).await? } else { Arc::clone(&seen) };
        let mut shared = Vec::new();
        for index in indexes(vsam, &cluster).into_iter().filter(|index| !index.unique) {
            if let Some(path) = index.path {
                shared.push(vsam.dataset(&path.parse()?).await?);
            }
        }
        Ok(Self { seen, base, browse: None, shared })
    }

    pub fn seen(&self) -> &Arc<Dataset> {
        &self.seen
    }

    pub async fn is_empty(&self, unit: &mut dyn UnitOfWork) -> Answered<bool> {
        match self.base.read(unit, vsam::Search::generic(&[]), &mut Vec::new()).await {
            Ok(_) => Ok(false),
            Err(vsam::Error::NotFound) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    pub async fn read(&self, unit: &mut dyn UnitOfWork, search: &Search, update: bool) -> Answered<Found> {
        let wanted = vsam::Search { key: &search.key, generic: search.generic, at_least: search.at_least };
        let mut record = Vec::new();
        loop {
            let found = self.seen.read(unit, wanted, &mut record).await?;
            if !update || self.lock(unit, &found, &mut record).await? {
                return Ok(found_record(&found, record));
            }
        }
    }

    /// Places the browse on a record, which is the next one read in either direction, and shows it.
    pub async fn place(&mut self, unit: &mut dyn UnitOfWork, search: &Search) -> Answered<Found> {
        self.browse = None;
        let found = match search.backward {
            true => self.last_up_to(unit, search).await?,
            false => self.read(unit, search, false).await?,
        };
        self.browse = Some(self.seen.browse(unit, vsam::Search::equal(&found.key)).await?);
        Ok(found)
    }

    /// The last record whose key is less than the one given, or not greater where `at_least` says so; a key may be a
    /// beginning, and an empty one is the end.
    async fn last_up_to(&self, unit: &mut dyn UnitOfWork, search: &Search) -> Answered<Found> {
        let mut record = Vec::new();
        let length = self.seen.key_length();
        let mut key = search.key.clone();
        key.resize(length, if search.at_least || key.is_empty() { u8::MAX } else { 0 });
        let found = match self.seen.browse(unit, vsam::Search::at_least(&key)).await {
            Err(vsam::Error::NotFound) => {
                let end = vec![u8::MAX; length];
                self.seen.browse(unit, vsam::Search::at_least(&end)).await?.prev(unit, &mut record).await?
            }
            // A full key of X'FF' is the end, where reading backward begins.
            Ok(mut browse) if key.iter().all(|byte| *byte == u8::MAX) => {
                browse.prev(unit, &mut record).await?
            }
            Ok(mut browse) => {
                let first = browse.next(unit, &mut record).await?;
                let will_do = search.at_least && first.key[..search.key.len()] <= *search.key;
                if !will_do {
                    // Turning round reads the same record again.
                    browse.prev(unit, &mut record).await?;
                }
                browse.prev(unit, &mut record).await?
            }
            Err(error) => return Err(error.into()),
        };
        Ok(found_record(&found, record))
    }

    /// The next records, none at the end. With `update`, one, which is locked.
    pub async fn next(
        &mut self,
        unit: &mut dyn UnitOfWork,
        backward: bool,
        count: u32,
        update: bool,
    ) -> Answered<Vec<Found>> {
        if self.browse.is_none() {
            let start = Search { backward, ..Search::from([]) };
            match self.place(unit, &start).await {
                Err(Failure::NotFound) => return Ok(Vec::new()),
                placed => placed.map(drop)?,
            }
        }
        let mut all = Vec::new();
        let wanted = if update { 1 } else { count.max(1) as usize };
        while all.len() < wanted {
            let Some(browse) = &mut self.browse else { break };
            let mut record = Vec::new();
            let found = match backward {
                true => browse.prev(unit, &mut record).await,
                false => browse.next(unit, &mut record).await,
            };
            let found = match found {
                Err(vsam::Error::EndOfFile | vsam::Error::NotFound) => break,
                found => found?,
            };
            // One that was deleted meanwhile, or is another record now, is passed over.
            if !update || self.lock(unit, &found, &mut record).await? {
                all.push(found_record(&found, record));
            }
        }
        Ok(all)
    }

    pub fn unlock(&self, unit: &mut dyn UnitOfWork, base: &[u8]) {
        self.base.unlock(unit, base);
    }

    pub async fn write(
        &self,
        unit: &mut dyn UnitOfWork,
        slot: Option<u32>,
        record: &[u8],
    ) -> Answered<(Vec<u8>, bool)> {
        let slot = slot.map(vsam::rrn);
        let key = self.base.write(unit, slot.as_deref(), record, LOCK_WAIT).await?;
        Ok((key.to_vec(), self.has_duplicate(unit, record).await?))
    }

    pub async fn rewrite(
        &self,
        unit: &mut dyn UnitOfWork,
        base: &[u8],
        record: &[u8],
    ) -> Answered<(Vec<u8>, bool)> {
        self.hold(unit, base).await?;
        self.base.rewrite(unit, base, record, LOCK_WAIT).await?;
        Ok((base.to_vec(), self.has_duplicate(unit, record).await?))
    }

    pub async fn delete(&self, unit: &mut dyn UnitOfWork, base: &[u8]) -> Answered<()> {
        self.hold(unit, base).await?;
        Ok(self.base.delete(unit, base, LOCK_WAIT).await?)
    }

    /// Locks a record of the cluster, which must be there.
    async fn hold(&self, unit: &mut dyn UnitOfWork, base: &[u8]) -> Answered<()> {
        let search = vsam::Search::equal(base);
        self.base.read_for_update(unit, search, LOCK_WAIT, &mut Vec::new()).await?;
        Ok(())
    }

    /// Locks a record that was found, and reads it again; false if it is not the same any longer.
    async fn lock(
        &self,
        unit: &mut dyn UnitOfWork,
        found: &vsam::Found,
        record: &mut Vec<u8>,
    ) -> Answered<bool> {
        let search = vsam::Search::equal(&found.base);
        match self.base.read_for_update(unit, search, LOCK_WAIT, record).await {
            Ok(_) => {
                let same = self.seen.key_field().is_none_or(|field| field.of(record) == Some(&found.key));
                if !same {
                    self.base.unlock(unit, &found.base);
                }
                Ok(same)
            }
            Err(vsam::Error::NotFound) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true if an index that allows duplicates has another record with an alternate key of this one.
    async fn has_duplicate(&self, unit: &mut dyn UnitOfWork, record: &[u8]) -> Answered<bool> {
        for path in &self.shared {
            let Some(key) = path.key_field().and_then(|field| field.of(record)) else { continue };
            match path.read(unit, vsam::Search::equal(key), &mut Vec::new()).await {
                Ok(found) if found.duplicate => return Ok(true),
                Ok(_) | Err(vsam::Error::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }
}

fn found_record(found: &vsam::Found, record: Vec<u8>) -> Found {
    let (key, base) = (found.key.to_vec(), found.base.to_vec());
    Found { key, base, duplicate: found.duplicate, record }
}
