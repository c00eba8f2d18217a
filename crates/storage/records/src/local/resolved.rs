//! Those who hear of units of work in doubt that have ended without their tasks.
//!
//! A task that waits for the end of its own unit of work sees to what it keeps beside the records itself. Where an operator
//! or a coordinator ends a unit of work whose task is gone, the watchers hear of it; where its task still waits, they hear
//! if that goes away without having heard of it.

use parking_lot::{Mutex, RwLock};

use crate::{Owner, Resolved, ResolvedWatcher};

/// The watchers of an engine.
#[derive(Default)]
pub(super) struct Watchers {
    watchers: RwLock<Vec<ResolvedWatcher>>,
    /// Ended while their tasks waited, by the owners of their locks.
    unheard: Mutex<Vec<(Owner, Resolved)>>,
}

impl Watchers {
    pub fn watch(&self, watcher: ResolvedWatcher) {
        self.watchers.write().push(watcher);
    }

    pub fn tell(&self, resolved: &Resolved) {
        self.watchers.read().iter().for_each(|watcher| watcher(resolved));
    }

    /// The task of a unit of work has yet to hear of its end.
    pub fn keep_unheard(&self, owner: Owner, resolved: Resolved) {
        self.unheard.lock().push((owner, resolved));
    }

    /// The task has heard.
    pub fn is_heard(&self, owner: Owner) {
        self.unheard.lock().retain(|(unheard, _)| *unheard != owner);
    }

    /// The task is gone.
    pub fn tell_unheard(&self, owner: Owner) {
        let mut unheard = self.unheard.lock();
        let at = unheard.iter().position(|(unheard, _)| *unheard == owner);
        let resolved = at.map(|at| unheard.swap_remove(at).1);
        drop(unheard);
        resolved.iter().for_each(|resolved| self.tell(resolved));
    }
}
