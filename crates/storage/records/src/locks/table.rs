//! The table: locks in parts by their resources, what owners hold, and who waits for what.
//!
//! Order in which mutexes are taken: waits, one part of the locks, one part of the owners. Taking a free lock and letting go of one that no
//! task waits for need no waits: they take one part and no more. Everything else has the
//! waits in hand, and then no task begins or ends a wait, and no lock with waiters changes its owner.
//! Wakers are handed back to be called without any of them.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crossbeam_utils::CachePadded;
use foldhash::fast::RandomState;
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;

use super::owners::Owners;
use super::shard::{Holds, LetGo, Shard, Taken};
use super::wait::Waiter;
use super::{Claim, Lifetime, LockInfo, LockOf, Owner, Resource};
use crate::{Error, Result};

/// Parts: many more than locks are held at a time, so that each mostly has its part for itself.
const PARTS: usize = 1024;

/// Waiters that were granted a lock and must be woken.
pub(super) type Woken = SmallVec<[Arc<Waiter>; 4]>;

/// The outcome of asking.
pub(super) enum Request {
    Granted,
    Queued(Arc<Waiter>),
}

/// Lock that each waiting owner waits for: the edges of the waits-for graph (the other half is the owner of each
/// lock).
type Waits = HashMap<Owner, Arc<Waiter>>;

/// The waits in hand. Back from there, it is known whether there are any.
struct InHand<'a> {
    waits: MutexGuard<'a, Waits>,
    some: &'a AtomicBool,
}

impl Deref for InHand<'_> {
    type Target = Waits;

    fn deref(&self) -> &Waits {
        &self.waits
    }
}

impl DerefMut for InHand<'_> {
    fn deref_mut(&mut self) -> &mut Waits {
        &mut self.waits
    }
}

impl Drop for InHand<'_> {
    fn drop(&mut self) {
        self.some.store(!self.waits.is_empty(), Ordering::Release);
    }
}

pub(super) struct Table {
    hashing: RandomState,
    parts: Box<[CachePadded<Mutex<Shard>>]>,
    owners: Owners,
    waits: Mutex<Waits>,
    /// True if an owner waits.
    some_wait: AtomicBool,
    refusals: Mutex<Refusals>,
    /// The second in which a caller has last read the clock.
    second: CachePadded<AtomicU32>,
}

/// The last deadlocks: the owner refused, the lock, and its holder.
#[derive(Default)]
struct Refusals(VecDeque<(Owner, Resource, Owner)>);

/// Number of refusals that are kept: they are asked for at once.
const REFUSALS_KEPT: usize = 64;

impl Refusals {
    fn keep(&mut self, owner: Owner, resource: Resource, holder: Owner) {
        if self.0.len() == REFUSALS_KEPT {
            self.0.pop_front();
        }
        self.0.push_back((owner, resource, holder));
    }
}

impl Table {
    pub(super) fn new(locks_per_owner: usize) -> Self {
        Self {
            hashing: RandomState::default(),
            parts: (0..PARTS).map(|_| CachePadded::default()).collect(),
            owners: Owners::new(locks_per_owner),
            waits: Mutex::default(),
            some_wait: AtomicBool::new(false),
            refusals: Mutex::default(),
            second: CachePadded::default(),
        }
    }

    /// Lock that an owner was last refused because of a deadlock, and its owner then.
    pub(super) fn refused(&self, owner: Owner) -> Option<(Resource, Owner)> {
        let refusals = self.refusals.lock();
        let (_, resource, holder) = refusals.0.iter().rev().find(|(refused, ..)| *refused == owner)?;
        Some((resource.clone(), *holder))
    }

    /// Notes the second that a caller has read from the clock.
    pub(super) fn is_second(&self, second: u32) {
        self.second.store(second, Ordering::Relaxed);
    }

    fn second(&self) -> u32 {
        self.second.load(Ordering::Relaxed)
    }

    fn waits(&self) -> InHand<'_> {
        InHand { waits: self.waits.lock(), some: &self.some_wait }
    }

    /// Returns true if an owner waits for anything.
    pub(super) fn some_wait(&self) -> bool {
        self.some_wait.load(Ordering::Acquire)
    }

    fn hash(&self, resource: &Resource) -> u64 {
        self.hashing.hash_one((resource.space, &*resource.name))
    }

    /// The part of a hash. Within the part the first and the last bits count.
    fn part(&self, hash: u64) -> MutexGuard<'_, Shard> {
        self.parts[(hash >> 32) as usize % PARTS].lock()
    }

    fn take(&self, hash: u64, resource: Resource, claim: Claim) -> Result<Taken> {
        let (rehash, by) = (|resource: &Resource| self.hash(resource), (claim, self.second()));
        self.part(hash).take((hash, rehash), resource, by, &self.owners)
    }

    pub(super) fn request(&self, claim: Claim, mut resource: Resource, may_wait: bool) -> Result<Request> {
        let hash = self.hash(&resource);
        resource = match self.take(hash, resource, claim)? {
            Taken::Granted => return Ok(Request::Granted),
            Taken::HeldBy(_, resource) => resource,
        };
        let mut waits = self.waits();
        loop {
            let holder;
            (holder, resource) = match self.take(hash, resource, claim)? {
                Taken::Granted => return Ok(Request::Granted),
                Taken::HeldBy(holder, resource) => (holder, resource),
            };
            if self.owners.is_retained(holder) {
                self.part(hash).note_refusal(hash, &resource);
                return Err(Error::Retained);
            }
            if !may_wait {
                return Err(Error::Locked);
            }
            if self.would_deadlock(&waits, claim.owner, holder) {
                self.refusals.lock().keep(claim.owner, resource, holder);
                return Err(Error::Deadlock);
            }
            // As long as no task waits for it, it may get another owner meanwhile.
            let waiter = Arc::new(Waiter::new(claim, resource.clone(), self.second()));
            if self.part(hash).enqueue(hash, holder, &waiter) {
                waits.insert(claim.owner, Arc::clone(&waiter));
                return Ok(Request::Queued(waiter));
            }
        }
    }

    /// Returns true if `holder` waits, directly or through others, for `owner`. Everyone in a queue waits for the
    /// holder as well as for those before him, and those wait for nothing but this lock: so following holders finds
    /// every circle.
    fn would_deadlock(&self, waits: &Waits, owner: Owner, mut holder: Owner) -> bool {
        while holder != owner {
            let awaited = waits.get(&holder).and_then(|waiter| self.holder(&waiter.resource));
            match awaited {
                Some(next) => holder = next,
                None => return false,
            }
        }
        true
    }

    pub(super) fn release(&self, claim: Claim, resource: &Resource) -> (bool, Woken) {
        let mut woken = Woken::new();
        match self.let_go(resource, claim, Holds::One, &mut woken) {
            LetGo::NotHeld => return (false, woken),
            LetGo::Held => {}
            LetGo::Over | LetGo::HandedTo(_) | LetGo::Contended => self.owners.forget(claim, resource),
        }
        (true, woken)
    }

    pub(super) fn release_all(&self, claim: Claim, woken: &mut Woken) {
        for resource in self.owners.take_all(claim) {
            self.let_go(&resource, claim, Holds::All, woken);
        }
    }

    /// Lets go of a lock. If it is free then, the first who waits for it gets it; without waiters it is gone.
    fn let_go(&self, resource: &Resource, claim: Claim, holds: Holds, woken: &mut Woken) -> LetGo {
        let hash = self.hash(resource);
        let by = (claim, self.second());
        let outcome = self.part(hash).let_go(hash, resource, by, holds, false);
        if !matches!(outcome, LetGo::Contended) {
            return outcome;
        }
        let mut waits = self.waits();
        let outcome = self.part(hash).let_go(hash, resource, by, holds, true);
        if let LetGo::HandedTo(waiter) = &outcome {
            self.owners.note(waiter.claim, resource);
            waits.remove(&waiter.claim.owner);
            waiter.settle(Ok(()));
            woken.push(Arc::clone(waiter));
        }
        outcome
    }

    /// See [`super::Locks::hand_over`].
    pub(super) fn hand_over_all(&self, from: Owner, to: Owner) {
        let _still = self.waits();
        let resources = self.owners.take_all(Claim { owner: from, lifetime: Lifetime::Unit });
        for resource in &resources {
            let hash = self.hash(resource);
            self.part(hash).hand_over(hash, resource, to, self.second());
            for lifetime in Lifetime::BEYOND_UNIT {
                self.owners.forget(Claim { owner: from, lifetime }, resource);
            }
        }
        self.owners.give_all(to, resources, false);
    }

    /// See [`super::Locks::retain`].
    pub(super) fn retain(&self, owner: Owner) -> Woken {
        let mut waits = self.waits();
        let mut woken = Woken::new();
        self.owners.retain(owner);
        for resource in self.owners.of_unit(owner) {
            let hash = self.hash(&resource);
            let refused = self.part(hash).retain(hash, &resource, self.second());
            for waiter in refused {
                self.part(hash).note_refusal(hash, &resource);
                waits.remove(&waiter.claim.owner);
                waiter.settle(Err(Error::Retained));
                woken.push(waiter);
            }
        }
        woken
    }

    /// See [`super::Locks::restore`]. The limit was kept when they were taken.
    pub(super) fn restore(&self, owner: Owner, resources: Vec<Resource>) {
        for resource in &resources {
            let hash = self.hash(resource);
            let rehash = |resource: &Resource| self.hash(resource);
            self.part(hash).restore((hash, rehash), resource.clone(), (owner, self.second()));
        }
        self.owners.give_all(owner, resources, true);
    }

    /// Locks that an owner holds for its unit of work.
    pub(super) fn held(&self, owner: Owner) -> Vec<Resource> {
        self.owners.of_unit(owner)
    }

    /// Takes an owner out of the queue in which it waits.
    pub(super) fn refuse(&self, owner: Owner, error: Error) -> Option<Arc<Waiter>> {
        let mut waits = self.waits();
        let waiter = waits.remove(&owner)?;
        let hash = self.hash(&waiter.resource);
        self.part(hash).leave(hash, &waiter);
        waiter.settle(Err(error));
        Some(waiter)
    }

    pub(super) fn holder(&self, resource: &Resource) -> Option<Owner> {
        let hash = self.hash(resource);
        self.part(hash).holder(hash, resource)
    }

    pub(super) fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.waits().get(&owner).map(|waiter| waiter.resource.clone())
    }

    /// Locks that an owner has, and the one for which it waits.
    pub(super) fn of_owner(&self, owner: Owner) -> Vec<LockOf> {
        let awaited = self.waits().get(&owner).map(|waiter| LockOf {
            resource: waiter.resource.clone(),
            waits: true,
            retained: false,
            refusals: 0,
            seconds: self.second().saturating_sub(waiter.since),
        });
        let held = self.owners.of_all(owner).into_iter().filter_map(|resource| {
            let LockInfo { retained, refusals, held, .. } = self.info(&resource)?;
            Some(LockOf { resource, waits: false, retained, refusals, seconds: held })
        });
        held.chain(awaited).collect()
    }

    pub(super) fn info(&self, resource: &Resource) -> Option<LockInfo> {
        let hash = self.hash(resource);
        self.part(hash).info(hash, resource, (&self.owners, self.second()))
    }

    pub(super) fn list(&self) -> Vec<LockInfo> {
        let _still = self.waits();
        let seen = (&self.owners, self.second());
        self.parts.iter().flat_map(|part| part.lock().list(seen).collect::<Vec<_>>()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Owner = Owner(1);
    const SECOND: Owner = Owner(2);

    fn unit(owner: Owner) -> Claim {
        Claim { owner, lifetime: Lifetime::Unit }
    }

    /// The locks that an owner has and waits for, with the seconds since then.
    fn of(table: &Table, owner: Owner) -> Vec<(bool, bool, u32)> {
        table.of_owner(owner).iter().map(|lock| (lock.waits, lock.retained, lock.seconds)).collect()
    }

    #[test]
    fn a_lock_has_the_time_since_which_it_is_what_it_is() {
        let table = Table::new(10);
        table.is_second(5);
        assert!(matches!(table.request(unit(FIRST), Resource::named(b"A"), true), Ok(Request::Granted)));
        table.is_second(7);
        assert!(matches!(table.request(unit(SECOND), Resource::named(b"A"), true), Ok(Request::Queued(_))));
        table.is_second(10);
        // To take it again changes nothing.
        assert!(matches!(table.request(unit(FIRST), Resource::named(b"A"), true), Ok(Request::Granted)));
        assert_eq!(
            (of(&table, FIRST), of(&table, SECOND)),
            (vec![(false, false, 5)], vec![(true, false, 3)])
        );
        table.release_all(unit(FIRST), &mut Woken::new());
        assert_eq!((of(&table, FIRST), of(&table, SECOND)), (vec![], vec![(false, false, 0)]));
        table.is_second(12);
        table.retain(SECOND);
        table.is_second(16);
        assert_eq!(of(&table, SECOND), [(false, true, 4)]);
        table.restore(FIRST, vec![Resource::named(b"B")]);
        assert_eq!(of(&table, FIRST), [(false, true, 0)]);
        // A clock that was set back makes nothing younger than now.
        table.is_second(1);
        assert_eq!(of(&table, FIRST), [(false, true, 0)]);
    }
}
