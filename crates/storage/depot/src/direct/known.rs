//! Knowledge of the database that the threads of a region and the one of its sessions share: the directory of stores, watched stores, who waits for what, the
//! reason for which nothing is done any more.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::{Mutex, RwLock};
use records::{
    Error, Holding, LockOf, OWN_STORES, Owner, Recovery, Resolved, ResolvedWatcher, Resource, Result,
};
use records::{Seen, StoreId, StoreInfo, StoreWatcher};
use tokio::sync::{Notify, watch};

use super::limits::NUMBERS;

/// Characters of the name of a session.
const APPLICATION_MAX: usize = 63;

/// The stores, as this region knows them.
#[derive(Default)]
pub(super) struct Stores {
    by_name: HashMap<String, StoreId>,
    by_id: HashMap<StoreId, StoreInfo>,
    /// Those of which some region hears each change.
    watched: HashSet<StoreId>,
}

/// A store that this region watches.
struct Watched {
    store: StoreId,
    watcher: StoreWatcher,
}

/// A row of the directory: number, full name, promise, whether a process watches it.
pub(super) type Described = (StoreId, String, Recovery, bool);

pub(super) struct Known {
    pub applid: String,
    /// The reason that nothing is done any more.
    pub over: watch::Sender<Option<String>>,
    stores: RwLock<Stores>,
    watchers: RwLock<Vec<Watched>>,
    /// The state of the directory and of watched stores that has been seen.
    pub version: AtomicU64,
    /// Numbers for new stores: the next one, and the first that is not this region's.
    numbers: Mutex<(u32, u32)>,
    awaited: Mutex<HashMap<Owner, Resource>>,
    /// Locks that this region's units of work have.
    holders: Mutex<HashMap<Resource, (Owner, Instant)>>,
    /// Claims of names: how often each is held or asked for here, by name and whether alone.
    pub claims: Mutex<HashMap<(Vec<u8>, bool), usize>>,
    resolved: RwLock<Vec<ResolvedWatcher>>,
    /// Units of work in doubt whose tasks wait, and those of them that have ended meanwhile.
    attended: Mutex<HashMap<Vec<u8>, Option<Resolved>>>,
    releases: Arc<Releases>,
}

/// Ends of locks that are on their way to the database.
#[derive(Default)]
pub(super) struct Releases {
    count: AtomicUsize,
    over: Notify,
}

/// One of them: over when dropped.
pub(super) struct Releasing(Arc<Releases>);

impl Drop for Releasing {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::AcqRel);
        self.0.over.notify_waiters();
    }
}

/// A lock that a unit of work of this region has: not any more when dropped.
pub(super) struct Holds {
    known: Arc<Known>,
    owner: Owner,
    resource: Resource,
}

impl Drop for Holds {
    fn drop(&mut self) {
        let mut holders = self.known.holders.lock();
        // The next one may have it already.
        if holders.get(&self.resource).is_some_and(|(owner, _)| *owner == self.owner) {
            holders.remove(&self.resource);
        }
    }
}

/// A wait for a lock.
pub(super) struct Awaits(Arc<Known>, Owner);

impl Drop for Awaits {
    fn drop(&mut self) {
        self.0.awaited.lock().remove(&self.1);
    }
}

/// The name in the database of a store that this region names: its own have its APPLID in them.
pub(super) fn inside(applid: &str, name: &str) -> String {
    match name.strip_prefix(OWN_STORES) {
        Some(rest) => format!("{OWN_STORES}{applid} {rest}"),
        None => name.to_owned(),
    }
}

/// The name by which this region knows a store of the database; `None` if it is another region's.
fn outside(applid: &str, name: &str) -> Option<String> {
    match name.strip_prefix(OWN_STORES) {
        None => Some(name.to_owned()),
        Some(rest) => {
            let (region, rest) = rest.split_once(' ')?;
            (region == applid).then(|| format!("{OWN_STORES}{rest}"))
        }
    }
}

impl Known {
    pub fn new(applid: String) -> Self {
        Self {
            applid,
            over: watch::Sender::new(None),
            stores: RwLock::default(),
            watchers: RwLock::default(),
            version: AtomicU64::new(0),
            numbers: Mutex::default(),
            awaited: Mutex::default(),
            holders: Mutex::default(),
            claims: Mutex::default(),
            resolved: RwLock::default(),
            attended: Mutex::default(),
            releases: Arc::default(),
        }
    }

    /// From now on nothing is done any more. The first reason counts.
    pub fn ends(&self, why: String) {
        self.over.send_if_modified(|over| {
            let is_first = over.is_none();
            if is_first {
                *over = Some(why);
            }
            is_first
        });
    }

    /// Refuses everything once it has ended.
    pub fn check(&self) -> Result<()> {
        self.over.borrow().as_ref().map_or(Ok(()), |why| Err(Error::Lost(why.clone())))
    }

    /// The directory is so now.
    pub fn stores_are(&self, all: Vec<Described>) {
        let mut now = Stores::default();
        for (id, name, recovery, watched) in all {
            if watched {
                now.watched.insert(id);
            }
            if let Some(name) = outside(&self.applid, &name) {
                now.by_name.insert(name.clone(), id);
                now.by_id.insert(id, StoreInfo { id, name, recovery });
            }
        }
        *self.stores.write() = now;
    }

    pub fn find(&self, name: &str) -> Option<StoreId> {
        self.stores.read().by_name.get(name).copied()
    }

    /// The promise of a store.
    ///
    /// # Errors
    /// [`Error::NoStore`]: it is not there, or another region's.
    pub fn recovery(&self, store: StoreId) -> Result<Recovery> {
        let stores = self.stores.read();
        stores.by_id.get(&store).map(|known| known.recovery).ok_or(Error::NoStore(store))
    }

    pub fn list(&self) -> Vec<StoreInfo> {
        let mut list: Vec<_> = self.stores.read().by_id.values().cloned().collect();
        list.sort_by_key(|known| known.id);
        list
    }

    /// Returns true if some region hears of each change of one of these stores.
    pub fn is_watched(&self, mut stores: impl Iterator<Item = StoreId>) -> bool {
        let known = self.stores.read();
        stores.any(|store| known.watched.contains(&store))
    }

    /// The numbers up to this one are this region's, as many as it takes together.
    pub fn numbers_end(&self, end: u64) -> Result<()> {
        let end = u32::try_from(end).map_err(|_| Error::Limit("numbers of stores"))?;
        *self.numbers.lock() = (end.saturating_sub(NUMBERS), end);
        Ok(())
    }

    /// A number for a new store.
    pub fn number(&self) -> Result<StoreId> {
        let mut numbers = self.numbers.lock();
        if numbers.0 >= numbers.1 {
            return Err(Error::Limit("numbers of stores"));
        }
        numbers.0 += 1;
        Ok(StoreId(numbers.0 - 1))
    }

    /// The numbers that are left.
    pub fn numbers_left(&self) -> u32 {
        let numbers = self.numbers.lock();
        numbers.1 - numbers.0
    }

    pub fn watch(&self, store: StoreId, watcher: StoreWatcher) {
        self.watchers.write().push(Watched { store, watcher });
    }

    /// The stores that this region watches.
    pub fn watched_here(&self) -> Vec<StoreId> {
        self.watchers.read().iter().map(|watched| watched.store).collect()
    }

    /// Tells the watchers of a store what it holds.
    pub fn tell_all(&self, store: StoreId, all: &[(Vec<u8>, Vec<u8>)]) {
        let watchers = self.watchers.read();
        let of_store = watchers.iter().filter(|watched| watched.store == store);
        of_store.for_each(|watched| (watched.watcher)(Seen::All(all)));
    }

    pub fn waits_for(self: &Arc<Self>, owner: Owner, resource: Resource) -> Awaits {
        self.awaited.lock().insert(owner, resource);
        Awaits(Arc::clone(self), owner)
    }

    /// Lock that an owner waits for in the database.
    pub fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.awaited.lock().get(&owner).cloned()
    }

    /// The name of this region's sessions, as long as the database keeps it.
    pub fn application(&self, schema: &str) -> String {
        let name = format!("syncpoint {} {schema}", self.applid);
        name.chars().take(APPLICATION_MAX).collect()
    }

    /// A unit of work has a lock from now on.
    pub fn holds(self: &Arc<Self>, owner: Owner, resource: Resource) -> Holds {
        self.holders.lock().insert(resource.clone(), (owner, Instant::now()));
        Holds { known: Arc::clone(self), owner, resource }
    }

    /// The owner in this region that has a lock.
    pub fn holder(&self, resource: &Resource) -> Option<Owner> {
        self.holders.lock().get(resource).map(|(owner, _)| *owner)
    }

    /// The locks of this region.
    pub fn held(&self) -> Vec<(Holding, LockOf)> {
        let holders = self.holders.lock();
        let held = holders.iter().map(|(resource, (owner, since))| {
            let seconds = u32::try_from(since.elapsed().as_secs()).unwrap_or(u32::MAX);
            let lock =
                LockOf { resource: resource.clone(), waits: false, retained: false, refusals: 0, seconds };
            (Holding::Owner(*owner), lock)
        });
        held.collect()
    }

    /// A lock is about to be given back.
    pub fn releasing(&self) -> Releasing {
        self.releases.count.fetch_add(1, Ordering::AcqRel);
        Releasing(Arc::clone(&self.releases))
    }

    /// Returns true if locks of this region are about to be free.
    pub fn is_releasing(&self) -> bool {
        self.releases.count.load(Ordering::Acquire) > 0
    }

    /// Waits until one of them is.
    pub async fn next_release(&self) {
        let over = self.releases.over.notified();
        let mut over = std::pin::pin!(over);
        over.as_mut().enable();
        if self.is_releasing() {
            over.await;
        }
    }

    pub fn watch_resolved(&self, watcher: ResolvedWatcher) {
        self.resolved.write().push(watcher);
    }

    /// A unit of work in doubt has ended without its task.
    pub fn has_resolved(&self, resolved: Resolved) {
        if let Some(unheard) = self.attended.lock().get_mut(&resolved.name) {
            // Its task waits still, and sees to it itself.
            *unheard = Some(resolved);
            return;
        }
        self.resolved.read().iter().for_each(|watcher| watcher(&resolved));
    }

    /// The task of a unit of work in doubt waits.
    pub fn is_attended(&self, name: &[u8]) {
        self.attended.lock().insert(name.to_vec(), None);
    }

    /// The task has heard of the end.
    pub fn is_heard(&self, name: &[u8]) {
        self.attended.lock().remove(name);
    }

    /// The task is gone.
    pub fn is_left(&self, name: &[u8]) {
        let unheard = self.attended.lock().remove(name).flatten();
        unheard.iter().for_each(|resolved| self.resolved.read().iter().for_each(|watcher| watcher(resolved)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_knows_its_own_stores_and_those_of_all() {
        let known = Known::new("REGA".to_owned());
        let names = ["region REGA starts", "region REGB starts", "data set A"];
        let rows = names
            .iter()
            .zip(1..)
            .map(|(name, id)| (StoreId(id), (*name).to_owned(), Recovery::Recoverable, id == 3));
        known.stores_are(rows.collect());
        assert_eq!(known.find("region starts"), Some(StoreId(1)));
        assert_eq!(known.recovery(StoreId(2)), Err(Error::NoStore(StoreId(2))));
        assert_eq!(known.list().len(), 2);
        assert!(known.is_watched([StoreId(1), StoreId(3)].into_iter()));
        assert!(!known.is_watched([StoreId(1)].into_iter()));
        assert_eq!(inside("REGA", "region starts"), names[0]);
    }

    #[test]
    fn numbers_of_stores_end() {
        let known = Known::new("REGA".to_owned());
        assert_eq!(known.number(), Err(Error::Limit("numbers of stores")));
        known.numbers_end(7 + u64::from(NUMBERS)).expect("numbers");
        assert_eq!((known.number(), known.numbers_left()), (Ok(StoreId(7)), NUMBERS - 1));
        assert!(known.numbers_end(1 << 32).is_err());
    }
}
