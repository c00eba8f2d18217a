//! The table itself: plain data under one mutex. Wakers are handed back to be called outside it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;

use super::wait::Waiter;
use super::{Lifetime, LockInfo, Owner, Resource};
use crate::hash::Seeded;
use crate::{Error, Result};

/// Waiters that were granted a lock and must be woken.
pub(super) type Woken = SmallVec<[Arc<Waiter>; 4]>;

/// The outcome of asking.
pub(super) enum Request {
    Granted,
    Queued(Arc<Waiter>),
}

struct Lock {
    owner: Owner,
    /// How often it is held, by lifetime.
    counts: [u32; Lifetime::COUNT],
    waiters: VecDeque<Arc<Waiter>>,
}

impl Lock {
    fn new(owner: Owner, lifetime: Lifetime) -> Self {
        let mut counts = [0; Lifetime::COUNT];
        counts[lifetime as usize] = 1;
        Self { owner, counts, waiters: VecDeque::new() }
    }
}

/// The locks of one owner, by lifetime, in the order in which it got them.
type Held = [Vec<Resource>; Lifetime::COUNT];

pub(super) struct Table {
    locks: HashMap<Resource, Lock, Seeded>,
    held: HashMap<Owner, Held, Seeded>,
    /// What each waiting owner waits for: the edges of the waits-for graph (the other half is who holds it).
    waits: HashMap<Owner, Arc<Waiter>>,
    /// Owners that nobody waits for: units of work that were shunted.
    retained: HashSet<Owner>,
    locks_per_owner: usize,
}

impl Table {
    pub(super) fn new(locks_per_owner: usize) -> Self {
        Self {
            locks: HashMap::default(),
            held: HashMap::default(),
            waits: HashMap::new(),
            retained: HashSet::new(),
            locks_per_owner,
        }
    }

    pub(super) fn request(
        &mut self,
        owner: Owner,
        resource: Resource,
        lifetime: Lifetime,
        may_wait: bool,
    ) -> Result<Request> {
        let slot = lifetime as usize;
        let holder = match self.locks.entry(resource) {
            Entry::Vacant(free) => {
                let held = self.held.entry(owner).or_default();
                if held.iter().map(Vec::len).sum::<usize>() >= self.locks_per_owner {
                    return Err(Error::Limit("locks_per_owner"));
                }
                held[slot].push(free.key().clone());
                free.insert(Lock::new(owner, lifetime));
                return Ok(Request::Granted);
            }
            Entry::Occupied(mut taken) if taken.get().owner == owner => {
                let counts = &mut taken.get_mut().counts;
                counts[slot] += 1;
                if counts[slot] == 1 {
                    self.held.entry(owner).or_default()[slot].push(taken.key().clone());
                }
                return Ok(Request::Granted);
            }
            Entry::Occupied(taken) => (taken.get().owner, taken.key().clone()),
        };
        match holder {
            (holder, _) if self.retained.contains(&holder) => Err(Error::Retained),
            _ if !may_wait => Err(Error::Locked),
            (_, resource) if self.would_deadlock(owner, &resource) => Err(Error::Deadlock),
            (_, resource) => Ok(Request::Queued(self.enqueue(owner, resource, lifetime))),
        }
    }

    fn enqueue(&mut self, owner: Owner, resource: Resource, lifetime: Lifetime) -> Arc<Waiter> {
        let waiter = Arc::new(Waiter::new(owner, resource, lifetime));
        if let Some(lock) = self.locks.get_mut(&waiter.resource) {
            lock.waiters.push_back(waiter.clone());
        }
        self.waits.insert(owner, waiter.clone());
        waiter
    }

    /// Whether the holder of `resource` waits, directly or through others, for `owner`. Everyone in a queue waits for
    /// the holder as well as for those before him, and those wait for nothing but this lock: so following holders
    /// finds every circle.
    fn would_deadlock(&self, owner: Owner, resource: &Resource) -> bool {
        let mut resource = resource;
        while let Some(lock) = self.locks.get(resource) {
            if lock.owner == owner {
                return true;
            }
            match self.waits.get(&lock.owner) {
                Some(waiter) => resource = &waiter.resource,
                None => return false,
            }
        }
        false
    }

    pub(super) fn release(&mut self, owner: Owner, resource: &Resource, lifetime: Lifetime) -> (bool, Woken) {
        let mut woken = Woken::new();
        let slot = lifetime as usize;
        let Some(lock) = self.locks.get_mut(resource).filter(|l| l.owner == owner && l.counts[slot] > 0)
        else {
            return (false, woken);
        };
        lock.counts[slot] -= 1;
        if lock.counts[slot] == 0 {
            self.forget_held(owner, resource, slot);
            self.end(resource.clone(), slot, &mut woken);
        }
        (true, woken)
    }

    fn forget_held(&mut self, owner: Owner, resource: &Resource, slot: usize) {
        if let Some(held) = self.held.get_mut(&owner) {
            // The last taken is mostly the first released.
            if let Some(at) = held[slot].iter().rposition(|r| r == resource) {
                held[slot].remove(at);
            }
            if held.iter().all(Vec::is_empty) {
                self.held.remove(&owner);
            }
        }
    }

    pub(super) fn release_all(&mut self, owner: Owner, lifetime: Lifetime, woken: &mut Woken) {
        let slot = lifetime as usize;
        let Some(held) = self.held.get_mut(&owner) else { return };
        let resources = std::mem::take(&mut held[slot]);
        if held.iter().all(Vec::is_empty) {
            self.held.remove(&owner);
            self.retained.remove(&owner);
        }
        for resource in resources {
            self.end(resource, slot, woken);
        }
    }

    /// See [`super::Locks::hand_over`].
    pub(super) fn hand_over_all(&mut self, from: Owner, to: Owner) {
        let [unit, task] = [Lifetime::Unit, Lifetime::Task].map(|lifetime| lifetime as usize);
        let Some(mut held) = self.held.remove(&from) else { return };
        let resources = std::mem::take(&mut held[unit]);
        for resource in &resources {
            let Some(lock) = self.locks.get_mut(resource) else { continue };
            lock.owner = to;
            if std::mem::take(&mut lock.counts[task]) > 0 {
                held[task].retain(|r| r != resource);
            }
        }
        if held.iter().any(|of_lifetime| !of_lifetime.is_empty()) {
            self.held.insert(from, held);
        }
        self.held.entry(to).or_default()[unit] = resources;
    }

    /// See [`super::Locks::retain`].
    pub(super) fn retain(&mut self, owner: Owner) -> Woken {
        let mut woken = Woken::new();
        self.retained.insert(owner);
        for resource in self.held(owner) {
            let Some(lock) = self.locks.get_mut(&resource) else { continue };
            for waiter in lock.waiters.drain(..) {
                self.waits.remove(&waiter.owner);
                waiter.settle(Err(Error::Retained));
                woken.push(waiter);
            }
        }
        woken
    }

    /// See [`super::Locks::restore`]. The limit was kept when they were taken.
    pub(super) fn restore(&mut self, owner: Owner, resources: Vec<Resource>) {
        for resource in &resources {
            self.locks.insert(resource.clone(), Lock::new(owner, Lifetime::Unit));
        }
        self.held.entry(owner).or_default()[Lifetime::Unit as usize] = resources;
        self.retained.insert(owner);
    }

    /// What an owner holds for its unit of work.
    pub(super) fn held(&self, owner: Owner) -> Vec<Resource> {
        self.held.get(&owner).map_or_else(Vec::new, |held| held[Lifetime::Unit as usize].clone())
    }

    /// A lock is held for this lifetime no longer. If it is not for any other, the first who waits for it gets it; if
    /// nobody does, it is gone.
    fn end(&mut self, resource: Resource, slot: usize, woken: &mut Woken) {
        let Entry::Occupied(mut place) = self.locks.entry(resource) else { return };
        let lock = place.get_mut();
        lock.counts[slot] = 0;
        if lock.counts != [0; Lifetime::COUNT] {
            return;
        }
        let Some(waiter) = lock.waiters.pop_front() else {
            place.remove();
            return;
        };
        lock.owner = waiter.owner;
        lock.counts[waiter.lifetime as usize] = 1;
        // The limit was not reached when it began to wait, and it has taken nothing since.
        self.held.entry(waiter.owner).or_default()[waiter.lifetime as usize].push(waiter.resource.clone());
        self.waits.remove(&waiter.owner);
        waiter.settle(Ok(()));
        woken.push(waiter);
    }

    /// Takes an owner out of the queue in which it waits.
    pub(super) fn refuse(&mut self, owner: Owner, error: Error) -> Option<Arc<Waiter>> {
        let waiter = self.waits.remove(&owner)?;
        if let Some(lock) = self.locks.get_mut(&waiter.resource) {
            lock.waiters.retain(|w| !Arc::ptr_eq(w, &waiter));
        }
        waiter.settle(Err(error));
        Some(waiter)
    }

    pub(super) fn holder(&self, resource: &Resource) -> Option<Owner> {
        self.locks.get(resource).map(|lock| lock.owner)
    }

    pub(super) fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.waits.get(&owner).map(|waiter| waiter.resource.clone())
    }

    pub(super) fn info(&self, resource: &Resource) -> Option<LockInfo> {
        self.locks.get(resource).map(|lock| self.info_of(resource, lock))
    }

    pub(super) fn list(&self) -> Vec<LockInfo> {
        self.locks.iter().map(|(resource, lock)| self.info_of(resource, lock)).collect()
    }

    fn info_of(&self, resource: &Resource, lock: &Lock) -> LockInfo {
        LockInfo {
            resource: resource.clone(),
            owner: lock.owner,
            counts: lock.counts,
            waiters: lock.waiters.iter().map(|w| w.owner).collect(),
            retained: self.retained.contains(&lock.owner),
        }
    }
}
