//! The tables of a record engine: the catalogue that all see, the stores below it, and what is left of definitions that came to nothing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use foldhash::HashMap;
use parking_lot::{Mutex, RwLock};
use records::{Batch, Decision, Direction, Engine, Error, Origin, Recovery, Resolved, StoreId, UnitOfWork};

use crate::catalogue::{
    Catalogue, FORM, SequenceId, StoredKind, ViewId, sequence_from, table_from, view_from,
};
use crate::failure::{Stop, Tried, corrupt};
use crate::form::Form;
use crate::live::{Live, Rid, share_in};

/// The store of the catalogue.
const CATALOGUE: &str = "db2 catalogue";
/// The store with the numbers that sequences have given out.
const NUMBERS: &str = "db2 numbers";
/// The beginning of the names of stores with rows and entries; a number follows.
const STORE: &str = "db2 store ";

/// The numbers of a sequence that are left of those that were noted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    /// The next number; `None` at its end.
    pub(crate) next: Option<i64>,
    /// The count of those that may be given out before more are noted.
    pub(crate) left: i64,
}

/// The tables of a record engine.
pub struct Tables {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) form: Arc<dyn Form>,
    /// The store of the catalogue.
    pub(crate) store: StoreId,
    /// The store of sequences.
    pub(crate) numbers: StoreId,
    catalogue: RwLock<Arc<Catalogue>>,
    editions: AtomicU64,
    next_store: AtomicU64,
    next_sequence: AtomicU32,
    next_view: AtomicU32,
    pub(crate) given: Mutex<HashMap<SequenceId, Given>>,
}

impl Tables {
    /// Opens the tables of an engine; there are none in a new one. Stores that belong to no table are removed.
    ///
    /// # Errors
    /// Other processes share the engine, its tables have another form, the catalogue cannot be read, or the engine fails.
    pub async fn open(engine: Arc<dyn Engine>, form: Arc<dyn Form>) -> Tried<Arc<Self>> {
        if engine.is_shared() {
            return Err(Stop::Engine(Error::Unsupported("tables of an engine that other processes share")));
        }
        let store = own_store(&*engine, CATALOGUE, Recovery::Recoverable).await?;
        let numbers = own_store(&*engine, NUMBERS, Recovery::NonRecoverable).await?;
        let mut unit = engine.begin(engine.locks().new_owner());
        let mut batch = Batch::default();
        unit.range(store, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await?;
        check_form(&*engine, &batch, store, &*form).await?;
        let mut catalogue = Catalogue::default();
        for (key, record) in batch.iter().filter(|(key, _)| *key != FORM) {
            add(&mut catalogue, key, record, async |rows| last_row(&*engine, &mut *unit, rows).await).await?;
        }
        drop(unit);
        let last_sequence = catalogue.sequences().map(|sequence| sequence.id.0).max();
        let last_view = catalogue.views().map(|view| view.id.0).max();
        let tables = Arc::new(Self {
            store,
            numbers,
            catalogue: RwLock::new(Arc::new(catalogue)),
            editions: AtomicU64::new(0),
            next_store: AtomicU64::new(next_name(&*engine)),
            next_sequence: AtomicU32::new(last_sequence.map_or(1, |last| last + 1)),
            next_view: AtomicU32::new(last_view.map_or(1, |last| last + 1)),
            given: Mutex::default(),
            engine,
            form,
        });
        tables.note_shares();
        tables.remove_unused()?;
        tables.watch();
        Ok(tables)
    }

    /// The catalogue that everybody sees: see [`crate::Work::catalogue`].
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.read().clone()
    }

    /// A number for another edition of the catalogue.
    pub(crate) fn new_edition(&self) -> u64 {
        self.editions.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A number for a new sequence.
    pub(crate) fn new_sequence(&self) -> SequenceId {
        SequenceId(self.next_sequence.fetch_add(1, Ordering::Relaxed))
    }

    /// A number for a new view.
    pub(crate) fn new_view(&self) -> ViewId {
        ViewId(self.next_view.fetch_add(1, Ordering::Relaxed))
    }

    /// A name for a new store.
    pub(crate) fn new_store_name(&self) -> String {
        format!("{STORE}{}", self.next_store.fetch_add(1, Ordering::Relaxed))
    }

    /// Lets everybody see a catalogue, and removes stores that no table has any more.
    pub(crate) fn publish(&self, catalogue: Arc<Catalogue>, created: &[StoreId]) {
        let former = std::mem::replace(&mut *self.catalogue.write(), Arc::clone(&catalogue));
        for table in former.tables() {
            let still = catalogue.tables().find(|other| other.id == table.id);
            table.live.edition.store(still.map_or(u64::MAX, |still| still.edition), Ordering::Release);
        }
        for table in catalogue.tables() {
            table.live.edition.store(table.edition, Ordering::Release);
        }
        let used: BTreeSet<_> = catalogue.stores().collect();
        let gone = former.stores().chain(created.iter().copied()).filter(|store| !used.contains(store));
        self.delete_stores(gone);
    }

    /// Deletes stores that no table uses. Should that fail the next start does it.
    pub(crate) fn delete_stores(&self, stores: impl Iterator<Item = StoreId>) {
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let mut some = false;
        for store in stores {
            some |= unit.delete_store(store).is_ok();
        }
        if some {
            drop(unit.commit_unforced().now());
        }
    }

    /// Notes the rows that units of work in doubt share.
    fn note_shares(&self) {
        let catalogue = self.catalogue();
        for lock in self.engine.locks().list() {
            let table = catalogue.tables().find(|table| lock.resource.store() == Some(table.rows()));
            if let (Some(table), Some((rid, owner))) = (table, share_in(lock.resource.name())) {
                table.live.share(rid, owner);
            }
        }
    }

    /// Removes what definitions have left that came to nothing, except what a unit of work in doubt may have made.
    fn remove_unused(&self) -> Tried<()> {
        let mut used: BTreeSet<_> = self.catalogue().stores().collect();
        for (key, record) in self.engine.doubtful(self.store)? {
            if let (Some((StoredKind::Table, store)), Some(record)) = (StoredKind::of(&key), record) {
                let table = table_from(store, &record, 0, Arc::default())?;
                used.insert(table.rows());
                used.extend(table.indexes.iter().map(|index| index.id.0));
            }
        }
        let stores = self.engine.stores();
        let unused = stores.iter().filter(|store| store.name.starts_with(STORE) && !used.contains(&store.id));
        self.delete_stores(unused.map(|store| store.id));
        Ok(())
    }

    /// Hears of definitions whose units of work were in doubt.
    fn watch(self: &Arc<Self>) {
        let tables = Arc::downgrade(self);
        self.engine.watch_resolved(Box::new(move |resolved| {
            if let Some(tables) = tables.upgrade()
                && resolved.decision == Decision::Commit
            {
                tables.has_resolved(resolved);
            }
        }));
    }

    /// A unit of work in doubt has committed, with its definitions if it has any.
    fn has_resolved(&self, resolved: &Resolved) {
        // In one go: what another publishes meanwhile is not lost.
        let mut current = self.catalogue.write();
        let mut catalogue = (**current).clone();
        catalogue.edition = self.new_edition();
        let mut some = false;
        for change in resolved.of_store(self.store) {
            some = true;
            let record = change.record.as_deref();
            // The next start refuses what cannot be read.
            match StoredKind::of(&change.key) {
                Some((StoredKind::Table, store)) => resolved_table(&mut catalogue, resolved, store, record),
                Some((StoredKind::Sequence, number)) => {
                    catalogue.sequences.retain(|_, sequence| sequence.id.0 != number);
                    if let Some(Ok(sequence)) = record.map(sequence_from) {
                        catalogue.sequences.insert(sequence.name.clone(), Arc::new(sequence));
                    }
                }
                Some((StoredKind::View, number)) => {
                    catalogue.views.retain(|_, view| view.id.0 != number);
                    if let Some(Ok(view)) = record.map(view_from) {
                        catalogue.views.insert(view.name.clone(), Arc::new(view));
                    }
                }
                None => {}
            }
        }
        if some {
            *current = Arc::new(catalogue);
        }
    }
}

/// A table that a unit of work in doubt has made, changed or dropped.
fn resolved_table(catalogue: &mut Catalogue, resolved: &Resolved, store: u32, record: Option<&[u8]>) {
    let former = catalogue.tables().find(|table| table.rows().0 == store).cloned();
    let live = match &former {
        Some(former) => {
            catalogue.tables.remove(&former.name);
            Arc::clone(&former.live)
        }
        None => {
            let rows = resolved.of_store(StoreId(store));
            Arc::new(Live::new(rows.filter_map(|row| Rid::from_key(&row.key)).max()))
        }
    };
    live.edition.store(u64::MAX, Ordering::Release);
    let edition = catalogue.edition;
    if let Some(Ok(table)) = record.map(|record| table_from(store, record, edition, live)) {
        table.live.edition.store(edition, Ordering::Release);
        catalogue.tables.insert(table.name.clone(), Arc::new(table));
    }
}

/// Notes the form of rows and keys in a new catalogue, and refuses another one later.
async fn check_form(engine: &dyn Engine, catalogue: &Batch, store: StoreId, form: &dyn Form) -> Tried<()> {
    let identity = form.identity();
    match catalogue.iter().find(|(key, _)| *key == FORM) {
        Some((_, noted)) if noted == identity => Ok(()),
        Some(_) => {
            Err(Stop::Engine(Error::Unsupported("tables whose rows or characters are in another order")))
        }
        None => {
            let mut unit = engine.begin(engine.locks().new_owner());
            unit.put(store, FORM, &identity).await?;
            Ok(unit.commit_unforced().await?)
        }
    }
}

/// Adds what a record of the catalogue describes.
async fn add(
    catalogue: &mut Catalogue,
    key: &[u8],
    record: &[u8],
    last_row: impl AsyncFnOnce(StoreId) -> Tried<Option<Rid>>,
) -> Tried<()> {
    match StoredKind::of(key).ok_or_else(|| corrupt("a key of the catalogue of tables"))? {
        (StoredKind::Table, store) => {
            let live = Arc::new(Live::new(last_row(StoreId(store)).await?));
            let table = table_from(store, record, 0, live)?;
            catalogue.tables.insert(table.name.clone(), Arc::new(table));
        }
        (StoredKind::Sequence, _) => {
            let sequence = sequence_from(record)?;
            catalogue.sequences.insert(sequence.name.clone(), Arc::new(sequence));
        }
        (StoredKind::View, _) => {
            let view = view_from(record)?;
            catalogue.views.insert(view.name.clone(), Arc::new(view));
        }
    }
    Ok(())
}

/// The last row of a table, those that a unit of work in doubt has added among them.
async fn last_row(engine: &dyn Engine, unit: &mut dyn UnitOfWork, rows: StoreId) -> Tried<Option<Rid>> {
    let mut batch = Batch::default();
    unit.range(rows, Origin::Start, Direction::Backward, 1, &mut batch).await?;
    let last = batch.first().and_then(|(key, _)| Rid::from_key(key));
    let doubtful = engine.doubtful(rows)?.iter().filter_map(|(key, _)| Rid::from_key(key)).max();
    Ok(last.max(doubtful))
}

/// A store of ours, made if it is not there. A store that is made need not outlive the process as long as it is empty.
async fn own_store(engine: &dyn Engine, name: &str, recovery: Recovery) -> Tried<StoreId> {
    if let Some(store) = engine.find(name) {
        return Ok(store);
    }
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store(name, recovery)?;
    unit.commit_unforced().await?;
    Ok(store)
}

/// The first number that no name of a store has.
fn next_name(engine: &dyn Engine) -> u64 {
    let stores = engine.stores();
    let numbers = stores.iter().filter_map(|store| store.name.strip_prefix(STORE)?.parse::<u64>().ok());
    numbers.max().map_or(1, |last| last + 1)
}
