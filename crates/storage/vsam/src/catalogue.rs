//! The catalogue: data sets by name, kept in a store, and who uses them now.

use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use records::{Batch, Direction, Engine, Origin, Recovery, Seen, StoreId, UnitOfWork, Wait, store_named};

use crate::dataset::Dataset;
use crate::note::{Note, store_of_notes};
use crate::sphere::{Index, Sphere};
use crate::uses::{InUse, Use};
use crate::{AlternateIndex, CatalogEntry, Cluster, Definition, Error, Name, Organization, Path, Result};

/// The name of the store that keeps the catalogue.
const CATALOGUE: &str = "catalogue";
/// The longest key.
const LONGEST_KEY: usize = 255;

/// The data sets of a record engine.
pub struct Vsam {
    engine: Arc<dyn Engine>,
    store: StoreId,
    /// Which data sets had records.
    notes: StoreId,
    entries: RwLock<BTreeMap<Name, Arc<CatalogEntry>>>,
    uses: Arc<Mutex<HashMap<Name, Use>>>,
    /// One change of the catalogue at a time: its maker holds this, across its commit.
    changing: Mutex<Turn>,
    /// Others have the catalogue, too.
    is_shared: bool,
}

/// The key of the lock on the catalogue of those who share it; no name is so.
const CHANGING: &[u8] = b" changing";
/// The key of the lock on what a region prepares before it runs.
const PREPARING: &[u8] = b" preparing";
/// The wait for another process that changes the catalogue.
const CHANGE_WAIT: Duration = Duration::from_secs(60);
/// The same for one that prepares its data sets, which may load them.
const PREPARE_WAIT: Duration = Duration::from_secs(3_600);
/// Names of data sets that processes claim begin so.
const CLAIMED: &str = "data set ";

/// The turn of those in this process who change the catalogue.
#[derive(Default)]
struct Turn {
    taken: bool,
    /// Those who wait for it. All of them look again when it is free.
    waiting: Vec<Waker>,
}

impl Turn {
    fn poll(&mut self, context: &Context<'_>) -> Poll<()> {
        if !std::mem::replace(&mut self.taken, true) {
            return Poll::Ready(());
        }
        self.waiting.push(context.waker().clone());
        Poll::Pending
    }
}

/// The right to change the catalogue; given back when dropped.
pub(crate) struct Changing<'a> {
    changing: &'a Mutex<Turn>,
    /// The unit of work with the lock of those who share the catalogue.
    _shared: Option<Box<dyn UnitOfWork>>,
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        let waiting = {
            let mut turn = self.changing.lock();
            turn.taken = false;
            std::mem::take(&mut turn.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }
}

/// The right to prepare data sets before a region runs; given back when dropped.
pub struct Preparing(Option<Box<dyn UnitOfWork>>);

impl Preparing {
    /// Gives it back.
    pub fn end(self) {
        drop(self.0);
    }
}

impl Vsam {
    /// The data sets of an engine; with an empty catalogue if it has none yet.
    pub async fn open(engine: Arc<dyn Engine>) -> Result<Arc<Self>> {
        let store = store_named(&*engine, CATALOGUE, Recovery::Recoverable).await?;
        let notes = store_of_notes(&*engine).await?;
        let (uses, changing, is_shared) = (Arc::default(), Mutex::default(), engine.is_shared());
        let entries = RwLock::default();
        let vsam = Arc::new(Self { engine, store, notes, entries, uses, changing, is_shared });
        if is_shared {
            vsam.watch().await?;
        }
        let mut batch = Batch::default();
        let mut unit = vsam.begin();
        unit.range(store, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await?;
        let mut entries = BTreeMap::new();
        for (key, record) in batch.iter() {
            let entry = CatalogEntry::from_record(key, record)?;
            entries.insert(entry.name().clone(), Arc::new(entry));
        }
        if !is_shared {
            *vsam.entries.write() = entries;
        }
        drop(unit);
        Ok(vsam)
    }

    /// Hears of the changes of the catalogue that others make.
    async fn watch(self: &Arc<Self>) -> Result<()> {
        let watches = Arc::downgrade(self);
        let watcher = move |seen: Seen<'_>| {
            if let Some(vsam) = watches.upgrade() {
                vsam.has_seen(seen);
            }
        };
        Ok(self.engine.watch_store(self.store, Box::new(watcher)).await?)
    }

    /// Another process has changed the catalogue. Entries that cannot be read were refused when the catalogue was opened.
    fn has_seen(&self, seen: Seen<'_>) {
        let mut entries = self.entries.write();
        match seen {
            Seen::All(all) => {
                let read = all.iter().filter_map(|(key, record)| CatalogEntry::from_record(key, record).ok());
                *entries = read.map(|entry| (entry.name().clone(), Arc::new(entry))).collect();
            }
            Seen::One(key, Some(record)) => {
                if let Ok(entry) = CatalogEntry::from_record(key, record) {
                    entries.insert(entry.name().clone(), Arc::new(entry));
                }
            }
            Seen::One(key, None) => entries.retain(|name, _| name.as_str().as_bytes() != key),
        }
    }

    /// Waits until no other process prepares its data sets. If they are not shared there is nothing to wait for.
    ///
    /// # Errors
    /// The engine's own.
    pub async fn prepare(&self) -> Result<Preparing> {
        let lock =
            if self.is_shared { Some(self.lock_for_change(PREPARING, PREPARE_WAIT).await?) } else { None };
        Ok(Preparing(lock))
    }

    /// A unit of work that has a lock of the catalogue's, and nothing else.
    async fn lock_for_change(&self, key: &[u8], wait: Duration) -> Result<Box<dyn UnitOfWork>> {
        let mut unit = self.begin();
        unit.lock(self.store, key, Wait::AtMost(wait)).await?;
        Ok(unit)
    }

    /// The engine below.
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    /// Mark of a store whose data set had records.
    pub(crate) fn note(&self, store: StoreId) -> Note {
        Note::new(self.notes, store)
    }

    /// Waits until all that can be seen now is on the disk, what stands in data sets that are not recoverable, too.
    ///
    /// # Errors
    /// The log cannot be written.
    pub async fn harden(&self) -> Result<()> {
        // A change by which nothing changes: its commit forces the log with all that stands before it.
        let mut unit = self.begin();
        unit.set_recovery(self.notes, Recovery::NonRecoverable)?;
        Ok(unit.commit().await?)
    }

    /// A unit of work of its own, for a utility.
    pub(crate) fn begin(&self) -> Box<dyn UnitOfWork> {
        self.engine.begin(self.engine.locks().new_owner())
    }

    /// Entry under a name.
    pub fn entry(&self, name: &Name) -> Result<Arc<CatalogEntry>> {
        self.entries.read().get(name).cloned().ok_or_else(|| Error::NoEntry(name.clone()))
    }

    /// All entries, by name.
    pub fn entries(&self) -> Vec<Arc<CatalogEntry>> {
        self.entries.read().values().cloned().collect()
    }

    /// A cluster's definition and store.
    pub(crate) fn cluster(&self, name: &Name) -> Result<(Cluster, StoreId)> {
        match &*self.entry(name)? {
            CatalogEntry { definition: Definition::Cluster(cluster), store: Some(store) } => {
                Ok((cluster.clone(), *store))
            }
            _ => Err(Error::WrongKind { name: name.clone(), expected: "a cluster" }),
        }
    }

    /// An alternate index and the cluster that it is over.
    pub(crate) fn index(&self, name: &Name) -> Result<(Arc<Index>, Name)> {
        match &*self.entry(name)? {
            CatalogEntry { definition: Definition::AlternateIndex(index), store: Some(store) } => {
                Ok((Arc::new(Index::open(&**self.engine(), index, *store)?), index.relate.clone()))
            }
            _ => Err(Error::WrongKind { name: name.clone(), expected: "an alternate index" }),
        }
    }

    /// The alternate indexes over a cluster.
    pub(crate) fn indexes_of(&self, cluster: &Name) -> Result<Vec<Arc<Index>>> {
        let entries = self.entries.read();
        let indexes = entries.values().filter_map(|entry| match &**entry {
            CatalogEntry { definition: Definition::AlternateIndex(index), store: Some(store) }
                if index.relate == *cluster =>
            {
                Some(Index::open(&**self.engine(), index, *store).map(Arc::new))
            }
            _ => None,
        });
        indexes.collect()
    }

    /// The cluster behind a name, and the alternate index through which the name sees it.
    pub(crate) fn resolve(&self, name: &Name) -> Result<(Name, Option<Arc<Index>>)> {
        match &self.entry(name)?.definition {
            Definition::Cluster(_) => Ok((name.clone(), None)),
            Definition::AlternateIndex(_) => {
                Err(Error::WrongKind { name: name.clone(), expected: "a cluster or a path" })
            }
            Definition::Path(Path { entry, .. }) => match &self.entry(entry)?.definition {
                Definition::AlternateIndex(_) => {
                    self.index(entry).map(|(index, cluster)| (cluster, Some(index)))
                }
                _ => Ok((entry.clone(), None)),
            },
        }
    }

    /// The cluster that an entry of any kind belongs to.
    pub(crate) fn base_of(&self, name: &Name) -> Result<Name> {
        match &self.entry(name)?.definition {
            Definition::AlternateIndex(index) => Ok(index.relate.clone()),
            _ => Ok(self.resolve(name)?.0),
        }
    }

    /// Opens a cluster, or a path, for any number of users at a time. It stays open as long as the data set or one of
    /// its browses is there. A change of the catalogue that has the cluster to itself is waited for.
    pub async fn dataset(&self, name: &Name) -> Result<Arc<Dataset>> {
        let (cluster, mut through) = self.resolve(name)?;
        let in_use = match self.enter(&cluster, false).await {
            Err(Error::InUse(_)) => {
                drop(self.change().await?);
                // What the name leads to may have been changed.
                let again;
                (again, through) = self.resolve(name)?;
                if again != cluster {
                    return Err(Error::InUse(cluster));
                }
                self.enter(&cluster, false).await?
            }
            entered => entered?,
        };
        if self.is_shared {
            // Until now another process could change where the name leads.
            let again;
            (again, through) = self.resolve(name)?;
            if again != cluster {
                return Err(Error::InUse(cluster));
            }
        }
        let known = self.uses.lock().get(&cluster).and_then(|used| used.sphere.clone());
        let sphere = match known {
            Some(sphere) => sphere,
            None => {
                let (definition, store) = self.cluster(&cluster)?;
                let known = (store, self.note(store));
                let indexes = self.indexes_of(&cluster)?;
                let opened = Sphere::open(definition, known, indexes, self.engine()).await?;
                let mut uses = self.uses.lock();
                // Another may have been faster: all must share one, for it hands out the addresses of new records.
                uses.entry(cluster).or_default().sphere.get_or_insert_with(|| Arc::new(opened)).clone()
            }
        };
        Ok(Arc::new(Dataset { name: name.clone(), sphere, through, in_use: Mutex::new(Some(in_use)) }))
    }

    /// Returns true if anybody in this process has the cluster behind this name open.
    pub fn is_open(&self, name: &Name) -> bool {
        self.base_of(name).is_ok_and(|cluster| self.uses.lock().contains_key(&cluster))
    }

    /// Takes the right to use a cluster, for oneself alone or together with others.
    pub(crate) async fn enter(&self, cluster: &Name, exclusive: bool) -> Result<InUse> {
        let mut in_use = self.enter_here(cluster, exclusive)?;
        if self.is_shared {
            let claimed = format!("{CLAIMED}{cluster}");
            let claim = self.engine.claim(claimed.as_bytes(), exclusive).await?;
            in_use.claim = Some(claim.ok_or_else(|| Error::InUse(cluster.clone()))?);
        }
        Ok(in_use)
    }

    /// The same as far as this process goes.
    fn enter_here(&self, cluster: &Name, exclusive: bool) -> Result<InUse> {
        let mut uses = self.uses.lock();
        let used = uses.entry(cluster.clone()).or_default();
        if used.exclusive || (exclusive && used.opens > 0) {
            return Err(Error::InUse(cluster.clone()));
        }
        if exclusive {
            used.exclusive = true;
            used.sphere = None;
        } else {
            used.opens += 1;
        }
        Ok(InUse { uses: self.uses.clone(), cluster: cluster.clone(), exclusive, claim: None })
    }

    /// Gives the right to use a cluster back after what was done with it, and waits until no other process is refused for it.
    pub(crate) async fn leave(&self, in_use: InUse) {
        drop(in_use);
        if self.is_shared {
            // Any answer comes behind that.
            let _ = self.engine.claim(CLAIMED.as_bytes(), false).await;
        }
    }

    /// Takes the right to change the catalogue, when all who have it have given it back.
    pub(crate) async fn change(&self) -> Result<Changing<'_>> {
        let changing = &self.changing;
        poll_fn(|context| changing.lock().poll(context)).await;
        let mut held = Changing { changing, _shared: None };
        if self.is_shared {
            held._shared = Some(self.lock_for_change(CHANGING, CHANGE_WAIT).await?);
        }
        Ok(held)
    }

    /// DEFINE: adds an entry.
    pub async fn define(&self, definition: Definition) -> Result<()> {
        let name = definition.name().clone();
        let _changing = self.change().await?;
        if self.entry(&name).is_ok() {
            return Err(Error::EntryExists(name));
        }
        self.check(&definition)?;
        let alone = match &definition {
            // Those who have it open would not keep the new index up to date.
            Definition::AlternateIndex(index) => Some(self.enter(&index.relate, true).await?),
            _ => None,
        };
        let mut unit = self.begin();
        let store = match &definition {
            Definition::Cluster(cluster) => {
                Some(unit.create_store(&self.store_name(&name), cluster.recovery)?)
            }
            Definition::AlternateIndex(index) => {
                let (cluster, _) = self.cluster(&index.relate)?;
                Some(unit.create_store(&self.store_name(&name), cluster.recovery)?)
            }
            Definition::Path(_) => None,
        };
        self.keep(unit, CatalogEntry { definition, store }).await?;
        if let Some(alone) = alone {
            self.leave(alone).await;
        }
        Ok(())
    }

    /// A name for the store of a new data set. Names of data sets can change, those of stores do not: a store's name
    /// says where it came from, no more.
    fn store_name(&self, name: &Name) -> String {
        let plain = format!("data set {name}");
        let numbered = (2..).map(|number| format!("{plain} ({number})"));
        std::iter::once(plain.clone())
            .chain(numbered)
            .find(|n| self.engine.find(n).is_none())
            .unwrap_or(plain)
    }

    /// Checks a definition against itself and the catalogue.
    pub(crate) fn check(&self, definition: &Definition) -> Result<()> {
        let wrong = |reason: &str| {
            Err(Error::Definition { name: definition.name().clone(), reason: reason.to_owned() })
        };
        match definition {
            Definition::Cluster(cluster) => {
                if cluster.maximum == 0 || cluster.average > cluster.maximum {
                    return wrong(
                        "the average record size must not be greater than the maximum, nor that be 0",
                    );
                }
                match cluster.organization {
                    Organization::Keyed(key) if key.length == 0 || key.length > LONGEST_KEY => {
                        wrong("a key has 1 to 255 bytes")
                    }
                    Organization::Keyed(key) if key.end() > cluster.maximum => {
                        wrong("the key lies beyond the longest record")
                    }
                    _ => Ok(()),
                }
            }
            Definition::AlternateIndex(AlternateIndex { relate, key, .. }) => {
                let (cluster, _) = self.cluster(relate)?;
                if cluster.organization == Organization::Relative {
                    return wrong("a relative record data set has no alternate indexes");
                }
                if key.length == 0 || key.length > LONGEST_KEY {
                    return wrong("an alternate key has 1 to 255 bytes");
                }
                if key.end() > cluster.maximum {
                    return wrong("the alternate key lies beyond the longest record of the base cluster");
                }
                Ok(())
            }
            Definition::Path(path) => match self.entry(&path.entry)?.definition {
                Definition::Path(_) => {
                    wrong("a path leads to an alternate index or a cluster, not to a path")
                }
                _ => Ok(()),
            },
        }
    }

    /// Keeps a changed definition of an entry that is there.
    pub(crate) async fn redefine(&self, name: &Name, definition: Definition) -> Result<()> {
        let entry = CatalogEntry { definition, store: self.entry(name)?.store };
        self.keep(self.begin(), entry).await
    }

    /// Keeps an entry, and whatever else the unit of work has changed.
    pub(crate) async fn keep(&self, mut unit: Box<dyn UnitOfWork>, entry: CatalogEntry) -> Result<()> {
        let name = entry.name().clone();
        unit.put(self.store, name.as_str().as_bytes(), &entry.to_record()).await?;
        unit.commit().await?;
        self.entries.write().insert(name, Arc::new(entry));
        Ok(())
    }

    /// DELETE: removes an entry with all that depends on it (a cluster's alternate indexes, and the paths of both).
    /// Returns the names removed, dependents first.
    pub async fn delete(&self, name: &Name) -> Result<Vec<Name>> {
        let _changing = self.change().await?;
        let entry = self.entry(name)?;
        let alone = self.enter(&self.base_of(name)?, true).await?;
        let mut doomed = self.dependents(name);
        doomed.push(entry);
        let mut unit = self.begin();
        for entry in &doomed {
            if let Some(store) = entry.store {
                unit.delete_store(store)?;
                self.note(store).drop_from(&mut *unit).await?;
            }
            unit.delete(self.store, entry.name().as_str().as_bytes()).await?;
        }
        unit.commit().await?;
        {
            let mut entries = self.entries.write();
            doomed.iter().for_each(|entry| drop(entries.remove(entry.name())));
        }
        self.leave(alone).await;
        Ok(doomed.iter().map(|entry| entry.name().clone()).collect())
    }

    /// Entries that depend on one, each after its own dependents.
    fn dependents(&self, name: &Name) -> Vec<Arc<CatalogEntry>> {
        let direct: Vec<Arc<CatalogEntry>> =
            self.entries.read().values().filter(|e| e.depends_on(name)).cloned().collect();
        direct
            .into_iter()
            .flat_map(|entry| {
                let mut all = self.dependents(entry.name());
                all.push(entry);
                all
            })
            .collect()
    }

    /// ALTER … NEWNAME: gives an entry another name; what depends on it follows.
    pub async fn rename(&self, name: &Name, new: &Name) -> Result<()> {
        let _changing = self.change().await?;
        let entry = self.entry(name)?;
        if self.entry(new).is_ok() {
            return Err(Error::EntryExists(new.clone()));
        }
        let alone = self.enter(&self.base_of(name)?, true).await?;
        let dependents: Vec<_> =
            self.entries.read().values().filter(|e| e.depends_on(name)).cloned().collect();
        let mut changed = vec![entry.renamed(new)];
        changed.extend(dependents.iter().map(|entry| entry.moved(new)));
        let mut unit = self.begin();
        unit.delete(self.store, name.as_str().as_bytes()).await?;
        for entry in &changed {
            unit.put(self.store, entry.name().as_str().as_bytes(), &entry.to_record()).await?;
        }
        unit.commit().await?;
        {
            let mut entries = self.entries.write();
            entries.remove(name);
            entries.extend(changed.into_iter().map(|entry| (entry.name().clone(), Arc::new(entry))));
        }
        self.leave(alone).await;
        Ok(())
    }
}
