//! Locks of units of work, each with the record that it is taken for.

use link::Asked;
use records::{Error, Lifetime, Owner, Resource, Result, StoreId};

use super::session::{Session, done, failed};
use super::wait::Wait;
use crate::limits::LOCK_NAME_MAX;
use crate::protocol::{Reply, Waits, to_bytes};

/// A lock that is asked for.
struct Wanted {
    resource: Resource,
    lifetime: Lifetime,
    /// The record is read with it.
    reads: bool,
}

impl Wanted {
    fn store(&self) -> Option<u32> {
        self.resource.store().map(|StoreId(store)| store)
    }
}

/// The beginning of the lock of a name that regions give.
pub(super) const OF_REGIONS: &[u8] = b"of regions ";

/// The lock of a name that regions give.
fn named(name: &[u8]) -> Resource {
    Resource::named(&[OF_REGIONS, name].concat())
}

fn lifetime(to_the_end: bool) -> Lifetime {
    if to_the_end { Lifetime::Task } else { Lifetime::Unit }
}

impl Session {
    /// Takes a lock. A wait is a reply that comes later; a cancelled one leaves nothing behind.
    pub(super) fn lock(
        &self,
        asked: Asked,
        number: u64,
        (store, key): (u32, &[u8]),
        waits: Waits,
        reads: bool,
    ) {
        let resource = Resource::record(StoreId(store), key);
        self.takes(asked, number, Wanted { resource, lifetime: Lifetime::Unit, reads }, waits);
    }

    /// Takes a name among all regions.
    pub(super) fn lock_name(
        &self,
        asked: Asked,
        number: u64,
        (name, to_the_end): (&[u8], bool),
        waits: Waits,
    ) {
        if name.len() > LOCK_NAME_MAX {
            return asked.reply(&failed(&Error::Limit("length of a name")));
        }
        if to_the_end {
            self.tasks.borrow_mut().insert(number);
        }
        let (resource, lifetime) = (named(name), lifetime(to_the_end));
        self.takes(asked, number, Wanted { resource, lifetime, reads: false }, waits);
    }

    fn takes(&self, asked: Asked, number: u64, wanted: Wanted, waits: Waits) {
        self.ends_wait(number);
        let owner = match self.owner(number) {
            Ok(owner) => owner,
            Err(error) => return asked.reply(&failed(&error)),
        };
        let locks = self.inner.engine.locks();
        match locks.acquire(owner, wanted.resource.clone(), wanted.lifetime, waits.into()).now() {
            Ok(locked) => self.locked(asked, locked, &wanted),
            Err(waiting) => {
                let (session, wait) = (self.shared(), Wait::new(waiting));
                self.counts(wanted.store(), |tally| tally.lock_waits += 1);
                self.waits.borrow_mut().insert(number, wait.clone());
                tokio::task::spawn_local(async move {
                    let locked = tokio::select! {
                        biased;
                        () = asked.cancelled() => Err(Error::Cancelled),
                        locked = wait.ends() => locked,
                    };
                    session.waits_no_more(number, &wait);
                    session.locked(asked, locked, &wanted);
                });
            }
        }
    }

    fn locked(&self, asked: Asked, locked: Result<()>, wanted: &Wanted) {
        self.counts_lock(wanted.store(), &locked);
        match (locked, wanted.store()) {
            (Ok(()), Some(store)) if wanted.reads => self.get(asked, store, wanted.resource.name()),
            (locked, _) => asked.reply(&done(locked)),
        }
    }

    /// Gives a name back.
    pub(super) fn unlock_name(&self, asked: Asked, number: u64, name: &[u8], to_the_end: bool) {
        self.ends_wait(number);
        if let Some(owner) = self.known_owner(number) {
            self.inner.engine.locks().release(owner, &named(name), lifetime(to_the_end));
        }
        asked.reply(&done(Ok(())));
    }

    /// A task has ended: the names that it had to its end are free.
    pub(super) fn task_ends(&self, asked: Asked, number: u64) {
        self.ends_wait(number);
        self.tasks.borrow_mut().remove(&number);
        if let Some(owner) = self.known_owner(number) {
            self.inner.engine.locks().release_all(owner, Lifetime::Task);
            self.forget_idle(number);
        }
        asked.reply(&done(Ok(())));
    }

    /// Says who has what a unit of work waits for.
    pub(super) fn holder(&self, asked: Asked, waiter: u64) {
        let locks = self.inner.engine.locks();
        let awaited = self.known_owner(waiter).and_then(|owner| locks.awaited(owner));
        let holder = awaited.and_then(|awaited| locks.holder(&awaited));
        let sessions = self.inner.sessions.borrow();
        let found = holder.and_then(|holder| {
            sessions.iter().find_map(|session| Some((session, session.number_of(holder)?)))
        });
        asked.reply(&match found {
            Some((session, number)) if session.id == self.id => to_bytes(&Reply::Held(Some(number), None)),
            Some((session, _)) => to_bytes(&Reply::Held(None, Some(&session.applid()))),
            None => to_bytes(&Reply::Held(None, None)),
        });
    }

    fn let_go(&self, owner: Owner, resource: &Resource) {
        self.inner.engine.locks().release(owner, resource, Lifetime::Unit);
    }

    /// This wait has ended.
    fn waits_no_more(&self, number: u64, wait: &Wait) {
        wait.end();
        let mut waits = self.waits.borrow_mut();
        if waits.get(&number).is_some_and(|other| other.is(wait)) {
            waits.remove(&number);
        }
    }

    /// A unit of work that asks for something else does not wait any more: the word that says so may still be on its way.
    pub(super) fn ends_wait(&self, number: u64) {
        if let Some(wait) = self.waits.borrow_mut().remove(&number) {
            wait.end();
        }
    }

    /// A unit of work waits for a name that another one has in the region. Here the other one has the lock of that very wait, so
    /// that a circle is found as any other.
    pub(super) fn notes_wait(&self, asked: Asked, waiter: u64, holder: u64) {
        self.ends_wait(waiter);
        let (waits, has) = match (self.owner(waiter), self.owner(holder)) {
            (Ok(waits), Ok(has)) => (waits, has),
            (Err(error), _) | (_, Err(error)) => return asked.reply(&failed(&error)),
        };
        let locks = self.inner.engine.locks();
        let resource = Resource::named(format!("wait of {} {waiter} for {holder}", self.id).as_bytes());
        if let Err(error) = locks.try_acquire(has, resource.clone(), Lifetime::Unit) {
            return asked.reply(&failed(&error));
        }
        let wait = Wait::new(locks.acquire(waits, resource.clone(), Lifetime::Unit, records::Wait::Forever));
        self.waits.borrow_mut().insert(waiter, wait.clone());
        let session = self.shared();
        tokio::task::spawn_local(async move {
            let ended = tokio::select! {
                biased;
                () = asked.cancelled() => Err(Error::Cancelled),
                ended = wait.ends() => ended,
            };
            session.waits_no_more(waiter, &wait);
            session.let_go(has, &resource);
            session.let_go(waits, &resource);
            session.forget_idle(waiter);
            session.forget_idle(holder);
            asked.reply(&done(ended));
        });
    }

    /// Gives a lock back.
    pub(super) fn unlock(&self, asked: Asked, number: u64, store: u32, key: &[u8]) {
        self.ends_wait(number);
        if let Ok(owner) = self.owner(number) {
            self.let_go(owner, &Resource::record(StoreId(store), key));
        }
        asked.reply(&done(Ok(())));
    }

    /// A unit of work ends without changes.
    pub(super) fn release(&self, asked: Asked, number: u64) {
        self.ends_wait(number);
        self.inner.bounds.ends(self.id, number);
        if let Some(owner) = self.take_owner(number) {
            self.inner.engine.locks().release_all(owner, Lifetime::Unit);
        }
        // Dropped, it is shunted.
        drop(self.take_prepared(number));
        self.inner.tell_ends();
        asked.reply(&done(Ok(())));
    }
}
