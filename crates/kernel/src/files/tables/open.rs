//! Opening and closing tables, and the pools of those that are shared.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use records::{Memory, Recovery};
use vsam::{Cluster, Dataset, Error, KeyField, Organization, Result};

use super::data_table::Parts;
use super::loading::Loader;
use super::{DataTable, TableAttributes, TableKind, UpdateModel};
use crate::name::Name8;
use crate::region::Region;

/// The longest key of a coupling-facility data table.
const COUPLING_KEY_MAX: usize = 16;

/// The tables of a region in main storage.
///
/// The pools are as old as the process: here it is what elsewhere a pool's server is. Another server would be another
/// record engine, and nothing but this file would know.
pub struct Tables {
    /// The engine that has their records.
    pub memory: Arc<Memory>,
    pools: Mutex<HashMap<(Name8, Name8), Arc<DataTable>>>,
    waiting: Mutex<VecDeque<Loader>>,
}

impl Tables {
    /// No tables yet, beside a record engine.
    pub fn new(records: &dyn records::Engine) -> Self {
        let memory = Memory::new(Arc::clone(records.locks()));
        Self { memory, pools: Mutex::default(), waiting: Mutex::default() }
    }

    /// The next table that waits for its loading task.
    pub(super) fn next_waiting(&self) -> Option<Loader> {
        self.waiting.lock().pop_front()
    }

    /// Opens the table of a file: made if it is not there, with a task to load it. `None`: the file is none, or its
    /// table is the data set itself.
    ///
    /// # Errors
    /// The definition contradicts itself, the source or the table that is there; what the data set says.
    pub(crate) async fn open(
        region: &Arc<Region>,
        file: Name8,
        attributes: &TableAttributes,
        dataset: &str,
    ) -> Result<Option<Arc<DataTable>>> {
        match attributes.kind {
            TableKind::None | TableKind::Cics => Ok(None),
            TableKind::User => {
                let source = source(region, dataset).await?;
                let cluster = Cluster { recovery: recovery(attributes), ..source.cluster().clone() };
                let name = file.to_string();
                let parts = parts(&name, cluster, attributes, Some(source));
                let table = DataTable::new(&region.tables.memory, parts)?;
                region.tables.load(region, Loader::Table(Arc::clone(&table)));
                Ok(Some(table))
            }
            TableKind::Coupling => Self::open_shared(region, file, attributes, dataset).await.map(Some),
        }
    }

    async fn open_shared(
        region: &Arc<Region>,
        file: Name8,
        attributes: &TableAttributes,
        dataset: &str,
    ) -> Result<Arc<DataTable>> {
        if attributes.pool.is_blank() {
            return Err(Error::Invalid("a coupling-facility data table without a pool"));
        }
        if attributes.update_model == UpdateModel::Contention && attributes.recoverable {
            return Err(Error::Invalid("a recoverable table with the contention model"));
        }
        let name = if attributes.name.is_blank() { file } else { attributes.name };
        let there = region.tables.pools.lock().get(&(attributes.pool, name)).cloned();
        if let Some(table) = there {
            return if is_same(&table, attributes) { Ok(table) } else { Err(Error::Invalid(DIFFERENT)) };
        }
        let source = if attributes.load { Some(source(region, dataset).await?) } else { None };
        let cluster = match &source {
            Some(source) => Cluster { recovery: recovery(attributes), ..source.cluster().clone() },
            None => own_cluster(attributes)?,
        };
        if matches!(cluster.organization, Organization::Keyed(key) if key.length > COUPLING_KEY_MAX) {
            return Err(Error::Invalid("a key of more than 16 bytes in a coupling-facility data table"));
        }
        let full_name = format!("{}.{name}", attributes.pool);
        let loads = source.is_some();
        let table = DataTable::new(&region.tables.memory, parts(&full_name, cluster, attributes, source))?;
        let mut pools = region.tables.pools.lock();
        // Another may have been faster.
        let shared = Arc::clone(pools.entry((attributes.pool, name)).or_insert_with(|| Arc::clone(&table)));
        drop(pools);
        if loads && Arc::ptr_eq(&shared, &table) {
            region.tables.load(region, Loader::Table(Arc::clone(&table)));
        }
        Ok(shared)
    }

    /// A CICS-maintained table: the record engine keeps copies of the data set's records from now on.
    ///
    /// # Errors
    /// The data set is no KSDS, or seen through a path.
    pub(crate) fn keep(
        region: &Arc<Region>,
        attributes: &TableAttributes,
        dataset: &Arc<Dataset>,
    ) -> Result<()> {
        check_source(dataset)?;
        region.records.keep(dataset.store(), attributes.records_max.map(u64::from));
        region.tables.load(region, Loader::Copies(Arc::clone(dataset)));
        Ok(())
    }

    /// The file of a CICS-maintained table is closed.
    pub(crate) fn forget(region: &Region, dataset: &Dataset) {
        region.records.release_kept(dataset.store());
    }

    fn load(&self, region: &Arc<Region>, loader: Loader) {
        let transaction = loader.transaction();
        self.waiting.lock().push_back(loader);
        super::loading::attach(region, transaction);
    }
}

/// Why a table that is there cannot be opened.
const DIFFERENT: &str = "the table is there with other attributes";

fn parts<'a>(
    name: &'a str,
    cluster: Cluster,
    attributes: &TableAttributes,
    source: Option<Arc<Dataset>>,
) -> Parts<'a> {
    let TableAttributes { kind, update_model, records_max, .. } = *attributes;
    let update_model = if kind == TableKind::Coupling { update_model } else { UpdateModel::Locking };
    Parts { name, cluster, kind, update_model, records_max, source }
}

fn recovery(attributes: &TableAttributes) -> Recovery {
    if attributes.recoverable { Recovery::Recoverable } else { Recovery::NonRecoverable }
}

/// The data set that a table is loaded from.
async fn source(region: &Region, dataset: &str) -> Result<Arc<Dataset>> {
    let source = region.vsam.dataset(&dataset.parse()?).await?;
    check_source(&source)?;
    Ok(source)
}

fn check_source(dataset: &Dataset) -> Result<()> {
    let keyed = matches!(dataset.cluster().organization, Organization::Keyed(_));
    if keyed && !dataset.is_path() {
        Ok(())
    } else {
        Err(Error::Invalid("the source of a data table is a KSDS"))
    }
}

/// The shape of a table that is not loaded: its definition's.
fn own_cluster(attributes: &TableAttributes) -> Result<Cluster> {
    let TableAttributes { key_length, record_size, .. } = *attributes;
    if key_length == 0 || record_size < key_length {
        return Err(Error::Invalid("a data table that is not loaded needs KEYLENGTH and RECORDSIZE"));
    }
    Ok(Cluster {
        name: "TABLE".parse()?,
        organization: Organization::Keyed(KeyField { offset: 0, length: key_length }),
        average: record_size,
        maximum: record_size,
        recovery: recovery(attributes),
        reuse: false,
    })
}

/// Whether a definition is about the table that is there. What a definition leaves open fits everything.
fn is_same(table: &DataTable, attributes: &TableAttributes) -> bool {
    let TableAttributes { update_model, records_max, recoverable, key_length, record_size, .. } = *attributes;
    table.update_model == update_model
        && table.is_recoverable() == recoverable
        && table.records_max() == records_max.map(u64::from)
        && (key_length == 0 || key_length == table.dataset.key_length())
        && (record_size == 0 || record_size == table.dataset.cluster().maximum)
}
