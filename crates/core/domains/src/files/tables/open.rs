//! Opening and closing tables.

use std::sync::{Arc, Weak};

use records::{Recovery, StoreId};
use vsam::{Cluster, Dataset, Error, Key, KeyField, Name, Organization, Result};

use super::DataTable;
use super::data_table::Parts;
use super::loader::Loader;
use super::loading::attach;
use super::pools::Tables;
use super::shared::Description;
use crate::files::attributes::{Access, Attributes, FileRecovery, TableAttributes, TableKind, UpdateModel};
use kernel::name::Name8;
use kernel::region::Region;

/// The longest key of a coupling-facility data table.
const COUPLING_KEY_MAX: usize = 16;

/// The data set and table of an open file. It is apart from the count of its users: that changes with every task, and
/// every command looks here.
#[repr(align(128))]
pub struct Opened {
    /// Its data set, or the table as one.
    pub dataset: Arc<Dataset>,
    /// The table that the data set is.
    pub table: Option<Arc<DataTable>>,
    _copies: Option<Kept>,
}

impl Opened {
    fn dataset(dataset: Arc<Dataset>) -> Self {
        Self { dataset, table: None, _copies: None }
    }

    fn table(table: Arc<DataTable>) -> Self {
        Self { dataset: Arc::clone(&table.dataset), table: Some(table), _copies: None }
    }
}

/// That the record engine keeps copies of a data set's records; over when dropped.
struct Kept {
    region: Weak<Region>,
    store: StoreId,
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(region) = self.region.upgrade() {
            region.records.release_kept(self.store);
        }
    }
}

impl Tables {
    /// Opens the data set of a file, or its table, made if it is not there, with a task to load it.
    ///
    /// # Errors
    /// The definition contradicts itself, the source or the table that is there; what the data set says.
    pub(in crate::files) async fn open(
        region: &Arc<Region>,
        file: Name8,
        attributes: Attributes,
    ) -> Result<Opened> {
        match attributes.table.kind {
            TableKind::None => {
                make_recoverable(region, &attributes).await?;
                Ok(Opened::dataset(region.vsam.dataset(&attributes.dataset.parse()?).await?))
            }
            TableKind::Cics => {
                make_recoverable(region, &attributes).await?;
                Self::open_copies(region, &attributes).await
            }
            TableKind::User => Self::open_own(region, file, &attributes).await.map(Opened::table),
            TableKind::Coupling => Self::open_shared(region, file, &attributes).await.map(Opened::table),
        }
    }

    /// The record engine keeps copies of the data set's records from now on.
    async fn open_copies(region: &Arc<Region>, attributes: &Attributes) -> Result<Opened> {
        let dataset = source(region, attributes).await?;
        region.records.keep(dataset.store(), attributes.table.records_max.map(u64::from));
        Tables::of(region).load(region, Loader::Copies(Arc::clone(&dataset)));
        let copies = Kept { region: Arc::downgrade(region), store: dataset.store() };
        Ok(Opened { dataset, table: None, _copies: Some(copies) })
    }

    async fn open_own(region: &Arc<Region>, file: Name8, attributes: &Attributes) -> Result<Arc<DataTable>> {
        let source = source(region, attributes).await?;
        let cluster = Cluster { recovery: recovery(attributes), ..source.cluster().clone() };
        let table = Parts {
            name: &file.to_string(),
            cluster,
            attributes: TableAttributes { update_model: UpdateModel::Locking, ..attributes.table },
            source: Some(source),
        };
        let table = DataTable::new(&region.memory, table)?;
        Tables::of(region).load(region, Loader::Table(Arc::clone(&table)));
        Ok(table)
    }

    async fn open_shared(
        region: &Arc<Region>,
        file: Name8,
        attributes: &Attributes,
    ) -> Result<Arc<DataTable>> {
        let TableAttributes { pool, name, update_model, load, .. } = attributes.table;
        if pool.is_blank() {
            return Err(Error::Invalid("a coupling-facility data table without a pool"));
        }
        if update_model == UpdateModel::Contention && recovery(attributes) == Recovery::Recoverable {
            return Err(Error::Invalid("a recoverable table with the contention model"));
        }
        let name = if name.is_blank() { file } else { name };
        if region.records.is_shared() {
            return Self::open_elsewhere(region, format!("{pool}.{name}"), attributes).await;
        }
        let there = Tables::of(region).pools.lock().get(&(pool, name)).cloned();
        if let Some(table) = there {
            return is_same(&table, attributes).map(|()| table);
        }
        let source = if load { Some(source(region, attributes).await?) } else { None };
        let cluster = coupling_cluster(attributes, source.as_deref())?;
        let parts = Parts { name: &format!("{pool}.{name}"), cluster, attributes: attributes.table, source };
        let table = DataTable::new(&region.memory, parts)?;
        // Another may have been faster.
        let shared =
            Arc::clone(Tables::of(region).pools.lock().entry((pool, name)).or_insert(Arc::clone(&table)));
        if load && Arc::ptr_eq(&shared, &table) {
            Tables::of(region).load(region, Loader::Table(table));
        }
        Ok(shared)
    }

    /// Opens a table at the record server.
    async fn open_elsewhere(
        region: &Arc<Region>,
        name: String,
        attributes: &Attributes,
    ) -> Result<Arc<DataTable>> {
        let TableAttributes { update_model, records_max, load, .. } = attributes.table;
        let source = if load { Some(source(region, attributes).await?) } else { None };
        let wanted = async {
            let cluster = coupling_cluster(attributes, source.as_deref())?;
            let Organization::Keyed(key) = cluster.organization else { return Err(Error::NotFound) };
            Ok(Description {
                version: 1,
                store: StoreId(0),
                recovery: cluster.recovery,
                update_model,
                records_max: records_max.map(u64::from),
                key,
                average: cluster.average,
                maximum: cluster.maximum,
                is_loaded: !load,
                load: 0,
                last: Key::new(),
            })
        };
        let tables = Tables::of(region);
        let (table, description) = tables.shared.open(&region.records, name, wanted).await?;
        let table = DataTable::shared(table, &description, source)?;
        is_same(&table, attributes)?;
        if load && !description.is_loaded {
            tables.load(region, Loader::Table(Arc::clone(&table)));
        }
        Ok(table)
    }

    fn load(&self, region: &Arc<Region>, loader: Loader) {
        let transaction = loader.transaction();
        self.waits(loader);
        attach(region, transaction);
    }
}

/// The reason why an existing table cannot be opened.
const DIFFERENT: &str = "the table is there with other attributes";

fn recovery(attributes: &Attributes) -> Recovery {
    match attributes.recovery {
        FileRecovery::None => Recovery::NonRecoverable,
        FileRecovery::Backout | FileRecovery::Forward => Recovery::Recoverable,
    }
}

/// Makes the data set of a file recoverable whose definition asks for that and allows changes: one that has been installed,
/// or got another data set, since the region's start.
async fn make_recoverable(region: &Region, attributes: &Attributes) -> Result<()> {
    let Access { add, delete, update, .. } = attributes.access;
    if recovery(attributes) == Recovery::NonRecoverable || !(add || delete || update) {
        return Ok(());
    }
    let name: Name = attributes.dataset.parse()?;
    // The catalogue in main storage says what the one on the disk says, whatever becomes of the task meanwhile.
    let vsam = Arc::clone(&region.vsam);
    let made = tokio::spawn(async move {
        let made = vsam.make_recoverable(&name).await?;
        if made {
            tracing::info!(target: "FC", "changes of {name} are backed out from now on");
        }
        Ok(())
    });
    let made = made.await.unwrap_or_else(|failed| Err(records::Error::Io(failed.to_string()).into()));
    made.map_err(|error| match error {
        Error::InUse(_) => {
            Error::Invalid("its changes cannot be backed out while others have it open whose changes are not")
        }
        error => error,
    })
}

/// The data set that a table is loaded from.
async fn source(region: &Region, attributes: &Attributes) -> Result<Arc<Dataset>> {
    let source = region.vsam.dataset(&attributes.dataset.parse()?).await?;
    let keyed = matches!(source.cluster().organization, Organization::Keyed(_));
    if keyed && !source.is_path() {
        Ok(source)
    } else {
        Err(Error::Invalid("a data table's source is a KSDS"))
    }
}

/// The shape of a table that is not loaded: its definition's.
fn own_cluster(attributes: &Attributes) -> Result<Cluster> {
    let lengths = (usize::try_from(attributes.key_length), usize::try_from(attributes.record_size));
    let (Ok(length @ 1..), Ok(maximum)) = lengths else {
        return Err(Error::Invalid("a data table that is not loaded needs KEYLENGTH and RECORDSIZE"));
    };
    if maximum < length {
        return Err(Error::Invalid("a data table whose RECORDSIZE is less than its KEYLENGTH"));
    }
    Ok(Cluster {
        name: "TABLE".parse()?,
        organization: Organization::Keyed(KeyField { offset: 0, length }),
        average: maximum,
        maximum,
        recovery: recovery(attributes),
        reuse: false,
    })
}

/// The shape of a coupling-facility data table: that of the data set that it is loaded from, or the definition's.
fn coupling_cluster(attributes: &Attributes, source: Option<&Dataset>) -> Result<Cluster> {
    let cluster = match source {
        Some(source) => Cluster { recovery: recovery(attributes), ..source.cluster().clone() },
        None => own_cluster(attributes)?,
    };
    if matches!(cluster.organization, Organization::Keyed(key) if key.length > COUPLING_KEY_MAX) {
        return Err(Error::Invalid("a key of more than 16 bytes in a coupling-facility data table"));
    }
    Ok(cluster)
}

/// Returns success if a definition fits the existing table. Attributes that a definition leaves out fit everything.
fn is_same(table: &DataTable, attributes: &Attributes) -> Result<()> {
    let fits = |given: i64, is: usize| given == 0 || given == is as i64;
    let cluster = table.dataset.cluster();
    let is = table.update_model == attributes.table.update_model
        && cluster.recovery == recovery(attributes)
        && table.records_max() == attributes.table.records_max.map(u64::from)
        && fits(attributes.key_length, table.dataset.key_length())
        && fits(attributes.record_size, cluster.maximum);
    if is { Ok(()) } else { Err(Error::Invalid(DIFFERENT)) }
}
