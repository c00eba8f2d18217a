//! Words for regions about what others have done: changes of stores that they watch, units of work in doubt that have ended.

use std::sync::Arc;

use link::Asked;
use parking_lot::Mutex;
use records::{Decision, Engine, Resolved, StoreId, StoreInfo};

use super::Inner;
use super::names::outside;
use super::session::{Session, done};
use crate::limits::WATCHES_MAX;
use crate::protocol::{Described, OfResolved, Push, Reply, described, to_bytes};

/// Units of work in doubt that have ended, as the engine tells it on any thread.
pub(super) struct Ends(Arc<Mutex<Vec<Resolved>>>);

impl Ends {
    /// Hears of them from now on.
    pub fn watch(engine: &dyn Engine) -> Self {
        let ends = Arc::<Mutex<Vec<Resolved>>>::default();
        let heard = Arc::clone(&ends);
        engine.watch_resolved(Box::new(move |resolved| heard.lock().push(resolved.clone())));
        Self(ends)
    }

    fn take(&self) -> Vec<Resolved> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// The key and the record of a change.
pub(super) type Record<'a> = (&'a [u8], Option<&'a [u8]>);

impl Inner {
    /// Tells each region of its units of work in doubt that have ended without their tasks. One that is not there finds its
    /// stores as they are.
    pub(super) fn tell_ends(&self) {
        for resolved in self.ends.take() {
            let sessions = self.sessions.borrow();
            let found = sessions.iter().find_map(|session| {
                Some((session, resolved.name.strip_prefix(session.full_name(&[]).as_slice())?))
            });
            let Some((session, name)) = found else { continue };
            let changes = resolved.changes.iter();
            let changes: Vec<OfResolved<'_>> = changes
                .map(|change| (change.store.0, &*change.key, change.record.as_deref(), change.had_record))
                .collect();
            let commits = resolved.decision == Decision::Commit;
            session.push(&to_bytes(&Push::Resolved { name, commits, changes }));
        }
    }

    /// Tells all that watch a store what a region has changed there.
    pub(super) fn tell_changes(&self, by: &Session, store: StoreId, changes: &[Record<'_>]) {
        let sessions = self.sessions.borrow();
        let watch = |session: &&std::rc::Rc<Session>| session.id != by.id && session.watches(store);
        let mut others = sessions.iter().filter(watch).peekable();
        if others.peek().is_some() {
            let push = to_bytes(&Push::Changed(store.0, changes.to_vec()));
            others.for_each(|session| session.push(&push));
        }
    }

    /// Returns true if some region watches a store.
    pub(super) fn is_watched(&self, store: StoreId) -> bool {
        self.sessions.borrow().iter().any(|session| session.watches(store))
    }
}

impl Session {
    /// From now on the region hears of changes of a store.
    pub(super) fn watch(&self, asked: Asked, store: u32) {
        let mut watched = self.watched.borrow_mut();
        if !watched.contains(&store) && watched.len() >= WATCHES_MAX {
            return asked.reply(&done(Err(records::Error::Limit("stores that a region watches"))));
        }
        if !watched.contains(&store) {
            watched.push(store);
        }
        asked.reply(&to_bytes(&Reply::Done));
    }

    pub(super) fn watches(&self, store: StoreId) -> bool {
        self.watched.borrow().contains(&store.0)
    }

    /// The stores that the region may use, by the names that it knows, for a message that `write` makes of them.
    pub(super) fn directory<T>(
        &self,
        stores: &[StoreInfo],
        write: impl FnOnce(Vec<Described<'_>>) -> T,
    ) -> T {
        let applid = self.applid();
        let names: Vec<_> = stores
            .iter()
            .filter(|store| store.id != self.inner.places)
            .filter_map(|store| Some((store, outside(&applid, &store.name)?)))
            .collect();
        write(names.iter().map(|(store, name)| Described { name, ..described(store) }).collect())
    }

    /// The region hears of the directory.
    pub(super) fn hears_directory(&self, stores: &[StoreInfo]) {
        self.push(&self.directory(stores, |stores| to_bytes(&Push::Directory(stores))));
    }
}
