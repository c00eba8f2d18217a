//! Locks of units of work, each with the record that it is taken for.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use link::Asked;
use records::{Answer, Error, Lifetime, Owner, Resource, Result, StoreId};

use super::session::{Session, done, failed};
use crate::protocol::Waits;

/// A wait for a lock, which its session can end at once.
#[derive(Clone)]
pub(super) struct Wait(Rc<RefCell<Option<Waiting>>>);

type Waiting = Answer<'static, Result<()>>;

impl Wait {
    fn new(waiting: Waiting) -> Self {
        Self(Rc::new(RefCell::new(Some(waiting))))
    }

    /// Ends it. It leaves nothing behind, not even a lock that was granted meanwhile and that nobody has heard of.
    pub fn end(&self) {
        let waiting = self.0.borrow_mut().take();
        drop(waiting);
    }

    async fn ends(&self) -> Result<()> {
        poll_fn(|context| match &mut *self.0.borrow_mut() {
            Some(waiting) => Pin::new(waiting).poll(context),
            None => Poll::Ready(Err(Error::Cancelled)),
        })
        .await
    }
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
        self.ends_wait(number);
        let owner = match self.owner(number) {
            Ok(owner) => owner,
            Err(error) => return asked.reply(&failed(&error)),
        };
        let (locks, resource) = (self.inner.engine.locks(), Resource::record(StoreId(store), key));
        match locks.acquire(owner, resource, Lifetime::Unit, waits.into()).now() {
            Ok(locked) => self.locked(asked, locked, store, key, reads),
            Err(waiting) => {
                let (session, key, wait) = (self.shared(), key.to_vec(), Wait::new(waiting));
                self.waits.borrow_mut().insert(number, wait.clone());
                tokio::task::spawn_local(async move {
                    let locked = tokio::select! {
                        biased;
                        () = asked.cancelled() => Err(Error::Cancelled),
                        locked = wait.ends() => locked,
                    };
                    session.waits_no_more(number, &wait);
                    session.locked(asked, locked, store, &key, reads);
                });
            }
        }
    }

    fn locked(&self, asked: Asked, locked: Result<()>, store: u32, key: &[u8], reads: bool) {
        match locked {
            Ok(()) if reads => self.get(asked, store, key),
            locked => asked.reply(&done(locked)),
        }
    }

    fn let_go(&self, owner: Owner, resource: &Resource) {
        self.inner.engine.locks().release(owner, resource, Lifetime::Unit);
    }

    /// This wait has ended.
    fn waits_no_more(&self, number: u64, wait: &Wait) {
        wait.end();
        let mut waits = self.waits.borrow_mut();
        if waits.get(&number).is_some_and(|other| Rc::ptr_eq(&other.0, &wait.0)) {
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
        if let Some(owner) = self.take_owner(number) {
            self.inner.engine.locks().release_all(owner, Lifetime::Unit);
        }
        // Dropped, it is shunted.
        drop(self.take_prepared(number));
        self.inner.tell_ends();
        asked.reply(&done(Ok(())));
    }
}
