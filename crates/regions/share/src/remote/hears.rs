//! Unasked words of the server, and those in the region who hear them.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use records::{Decision, Resolved, ResolvedChange, ResolvedWatcher, Seen, StoreId, StoreWatcher};

use crate::protocol::OfResolved;

/// A change of a store that is watched: the key, and the record.
type Change = (Vec<u8>, Option<Vec<u8>>);

/// A store that is watched.
pub(super) struct Watched {
    pub store: StoreId,
    watcher: StoreWatcher,
    /// Changes that have come while all of it is being read; `None` once that is done.
    reading: Mutex<Option<Vec<Change>>>,
}

impl Watched {
    /// All of it is about to be read.
    pub fn begins(&self) {
        *self.reading.lock() = Some(Vec::new());
    }

    /// All of it was read; what has come meanwhile is newer, or in it already.
    pub fn is_all(&self, all: &[(Vec<u8>, Vec<u8>)]) {
        let mut reading = self.reading.lock();
        (self.watcher)(Seen::All(all));
        for (key, record) in reading.take().unwrap_or_default() {
            (self.watcher)(Seen::One(&key, record.as_deref()));
        }
    }

    fn changed(&self, key: &[u8], record: Option<&[u8]>) {
        let mut reading = self.reading.lock();
        match &mut *reading {
            Some(changes) => changes.push((key.to_vec(), record.map(<[u8]>::to_vec))),
            None => (self.watcher)(Seen::One(key, record)),
        }
    }
}

/// The watchers of a region.
#[derive(Default)]
pub(super) struct Hears {
    watched: RwLock<Vec<Arc<Watched>>>,
    watchers: RwLock<Vec<ResolvedWatcher>>,
    /// Units of work in doubt whose tasks wait, and those of them that have ended meanwhile.
    attended: Mutex<HashMap<Vec<u8>, Option<Resolved>>>,
}

impl Hears {
    /// A store is watched from now on.
    pub fn watch_store(&self, store: StoreId, watcher: StoreWatcher) -> Arc<Watched> {
        let watched = Arc::new(Watched { store, watcher, reading: Mutex::new(Some(Vec::new())) });
        self.watched.write().push(Arc::clone(&watched));
        watched
    }

    /// The stores that are watched.
    pub fn watched(&self) -> Vec<Arc<Watched>> {
        self.watched.read().clone()
    }

    /// Another region has changed records.
    pub fn changed(&self, store: u32, changes: &[(&[u8], Option<&[u8]>)]) {
        for watched in self.watched().iter().filter(|watched| watched.store.0 == store) {
            changes.iter().for_each(|(key, record)| watched.changed(key, *record));
        }
    }

    /// The ends of units of work in doubt are watched from now on.
    pub fn watch_resolved(&self, watcher: ResolvedWatcher) {
        self.watchers.write().push(watcher);
    }

    fn tell(&self, resolved: &Resolved) {
        self.watchers.read().iter().for_each(|watcher| watcher(resolved));
    }

    /// A unit of work in doubt has ended, without its task as far as the server knows.
    pub fn resolved(&self, name: &[u8], commits: bool, changes: &[OfResolved<'_>]) {
        let changes = changes.iter().map(|&(store, key, record, had_record)| ResolvedChange {
            store: StoreId(store),
            key: key.to_vec(),
            record: record.map(<[u8]>::to_vec),
            had_record,
        });
        let decision = if commits { Decision::Commit } else { Decision::Backout };
        let resolved = Resolved { name: name.to_vec(), decision, changes: changes.collect() };
        match self.attended.lock().get_mut(name) {
            // Its task waits still, and sees to it itself.
            Some(unheard) => *unheard = Some(resolved),
            None => self.tell(&resolved),
        }
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
        unheard.iter().for_each(|resolved| self.tell(resolved));
    }
}
