//! A region that shares the records.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};

use link::{Asking, Link, Queue, Sessions};
use records::{Error, Lifetime, Owner, Result, UnitOfWork};

use super::Inner;
use super::load::Loading;
use super::wait::Wait;
use super::work::Work;
use crate::failure::Failure;
use crate::limits::{IN_FLIGHT, UNITS_MAX};
use crate::protocol::{Reply, to_bytes};

pub(crate) struct Session {
    pub inner: Rc<Inner>,
    me: Weak<Self>,
    pub id: u64,
    name: RefCell<(String, u64)>,
    link: RefCell<Option<Link>>,
    /// Words of the server that are under way.
    pushes: Sessions,
    /// The owners of units of work that hold locks, by their numbers in the region.
    owners: RefCell<HashMap<u64, Owner>>,
    /// Waits for locks, by the same numbers.
    pub(super) waits: RefCell<HashMap<u64, Wait>>,
    /// Units of work in doubt whose tasks wait, by the same numbers.
    prepared: RefCell<HashMap<u64, Prepared>>,
    ended: Cell<bool>,
    /// Commits under way.
    busy: Cell<usize>,
    /// Stores of which it hears each change.
    pub(super) watched: RefCell<Vec<u32>>,
    pub(super) loads: RefCell<HashMap<u64, Loading>>,
    pub(super) next_load: Cell<u64>,
    /// Work done for the region.
    pub(super) work: RefCell<Option<Rc<RefCell<Work>>>>,
    /// Units of work of tasks that have names to their own end, by the same numbers.
    pub(super) tasks: RefCell<HashSet<u64>>,
    /// It is no region.
    looks: Cell<bool>,
    /// It is on another machine.
    elsewhere: Cell<bool>,
}

/// A unit of work in doubt, and the places of the stamps of its changes; `None`: they may be anywhere.
pub(super) type Prepared = (Box<dyn UnitOfWork>, Option<Vec<u32>>);

/// A commit that is under way.
pub(super) struct Busy(Rc<Session>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.set(self.0.busy.get() - 1);
        self.0.inner.is_done(&self.0);
    }
}

impl Session {
    pub fn new(inner: Rc<Inner>, id: u64) -> Rc<Self> {
        let pushes = Sessions::new(IN_FLIGHT, Queue::default());
        pushes.open(IN_FLIGHT);
        Rc::new_cyclic(|me| Self {
            inner,
            me: Weak::clone(me),
            id,
            name: RefCell::default(),
            link: RefCell::default(),
            pushes,
            owners: RefCell::default(),
            waits: RefCell::default(),
            prepared: RefCell::default(),
            ended: Cell::default(),
            busy: Cell::default(),
            watched: RefCell::default(),
            loads: RefCell::default(),
            next_load: Cell::default(),
            work: RefCell::default(),
            tasks: RefCell::default(),
            looks: Cell::default(),
            elsewhere: Cell::default(),
        })
    }

    pub fn is_named(&self, applid: &str, run: u64, work: Rc<RefCell<Work>>) {
        *self.name.borrow_mut() = (applid.to_owned(), run);
        *self.work.borrow_mut() = Some(work);
    }

    /// The partner is no region: it only looks.
    pub fn only_looks(&self) {
        self.looks.set(true);
    }

    /// The region is on another machine, and cannot see the stamps.
    pub fn is_elsewhere(&self) {
        self.elsewhere.set(true);
    }

    /// Returns true if the region can see the stamps.
    pub(super) fn sees_stamps(&self) -> bool {
        !self.elsewhere.get()
    }

    pub fn is_looking(&self) -> bool {
        self.looks.get()
    }

    /// Units of work that hold locks or wait for some, and those that wait.
    pub fn units(&self) -> (u64, u64) {
        (self.owners.borrow().len() as u64, self.waits.borrow().len() as u64)
    }

    pub fn applid(&self) -> String {
        self.name.borrow().0.clone()
    }

    /// Has its APPLID and the number of its run looked at.
    pub fn with_name<T>(&self, looks: impl FnOnce(&str, u64) -> T) -> T {
        let (applid, run) = &*self.name.borrow();
        looks(applid, *run)
    }

    pub fn is_of(&self, applid: &str) -> bool {
        self.name.borrow().0 == applid
    }

    pub fn has(&self, link: Link) {
        *self.link.borrow_mut() = Some(link);
    }

    pub fn close(&self) {
        if let Some(link) = &*self.link.borrow() {
            link.close();
        }
    }

    pub fn is_ended(&self) -> bool {
        self.ended.get()
    }

    pub fn is_busy(&self) -> bool {
        self.busy.get() > 0
    }

    /// The region is gone. Returns true if commits of it are under way.
    pub fn end(&self) -> bool {
        self.ended.set(true);
        self.inner.engine.locks().looks_at_clock();
        // Nothing that comes over it is done any more.
        if let Some(link) = self.link.borrow_mut().take() {
            link.cut("the session has ended");
        }
        self.waits.borrow_mut().drain().for_each(|(_, wait)| wait.end());
        for (_, owner) in self.owners.borrow_mut().drain() {
            let locks = self.inner.engine.locks();
            locks.release_all(owner, Lifetime::Unit);
            locks.release_all(owner, Lifetime::Task);
        }
        // Dropped, they are shunted.
        drop(self.prepared.take());
        drop(self.loads.take());
        // A later session of the region finds its stores as they are.
        self.inner.tell_ends();
        self.is_busy()
    }

    /// The session itself, for a task that answers a request.
    pub fn shared(&self) -> Rc<Self> {
        self.me.upgrade().unwrap_or_else(|| unreachable!("a session answers while it is there"))
    }

    pub(super) fn begin_ending(&self) -> Busy {
        self.busy.set(self.busy.get() + 1);
        Busy(self.shared())
    }

    /// The owner of a unit of work's locks, from its first one on.
    pub fn owner(&self, number: u64) -> Result<Owner> {
        let mut owners = self.owners.borrow_mut();
        if let Some(owner) = owners.get(&number) {
            return Ok(*owner);
        }
        if owners.len() >= UNITS_MAX {
            return Err(Error::Limit("units of work of a region"));
        }
        let owner = self.inner.engine.locks().new_owner();
        owners.insert(number, owner);
        Ok(owner)
    }

    /// Forgets the owner of a unit of work that has no locks.
    pub fn forget_idle(&self, number: u64) {
        let mut owners = self.owners.borrow_mut();
        let is_idle = |owner: &Owner| self.inner.engine.locks().held(*owner).is_empty();
        let is_wanted = self.waits.borrow().contains_key(&number) || self.tasks.borrow().contains(&number);
        if !is_wanted && owners.get(&number).is_some_and(is_idle) {
            owners.remove(&number);
        }
    }

    /// The owner of a unit of work's locks, for the one who ends it. A task that has names to its own end keeps it.
    pub fn take_owner(&self, number: u64) -> Option<Owner> {
        if self.tasks.borrow().contains(&number) {
            return self.owners.borrow().get(&number).copied();
        }
        self.owners.borrow_mut().remove(&number)
    }

    /// The number of the unit of work whose locks an owner has.
    pub fn number_of(&self, owner: Owner) -> Option<u64> {
        self.owners.borrow().iter().find(|(_, other)| **other == owner).map(|(number, _)| *number)
    }

    /// The owners of units of work that have locks or wait for some, with their numbers in the region.
    pub(super) fn all_owners(&self) -> Vec<(u64, Owner)> {
        self.owners.borrow().iter().map(|(number, owner)| (*number, *owner)).collect()
    }

    /// The owner of a unit of work's locks, if it has some.
    pub fn known_owner(&self, number: u64) -> Option<Owner> {
        self.owners.borrow().get(&number).copied()
    }

    /// A unit of work is in doubt, and its task waits.
    pub(super) fn keep_prepared(&self, number: u64, prepared: Prepared) {
        if !self.is_ended() {
            self.prepared.borrow_mut().insert(number, prepared);
        }
    }

    pub(super) fn take_prepared(&self, number: u64) -> Option<Prepared> {
        self.prepared.borrow_mut().remove(&number)
    }

    /// The name of a unit of work in doubt in the engine: those of each region are its own.
    pub fn full_name(&self, name: &[u8]) -> Vec<u8> {
        [format!("{:8}", self.applid()).as_bytes(), name].concat()
    }

    /// Refuses a store that is not for this region.
    pub(super) fn may_use(&self, store: u32) -> Result<()> {
        self.inner.names.borrow().check(&self.name.borrow().0, store)
    }

    /// Sends a message without a request.
    pub fn push(&self, body: &[u8]) {
        if let Some(asking) = self.asks(body) {
            tokio::task::spawn_local(asking);
        }
    }

    /// The same, with the reply.
    pub(super) fn asks(&self, body: &[u8]) -> Option<Asking> {
        let link = self.link.borrow();
        let link = link.as_ref()?;
        let mut allocate = std::pin::pin!(self.pushes.allocate(std::time::Duration::ZERO, false));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match allocate.as_mut().poll(&mut context) {
            std::task::Poll::Ready(Ok(session)) => link.request(session, body).ok(),
            _ => {
                link.cut("the region does not take the server's words");
                None
            }
        }
    }
}

/// The bytes of a reply of an error.
pub(super) fn failed(error: &Error) -> Vec<u8> {
    to_bytes(&Reply::Failed(Failure::of(error)))
}

/// The bytes of a reply to what is done or is not.
pub(super) fn done(result: Result<()>) -> Vec<u8> {
    match result {
        Ok(()) => to_bytes(&Reply::Done),
        Err(error) => failed(&error),
    }
}
