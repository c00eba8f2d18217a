//! The locks of one part of all resources: plain data under the part's mutex.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Place;

use super::owners::Owners;
use super::wait::Waiter;
use super::{Claim, Lifetime, LockInfo, Owner, Resource};
use crate::Result;

struct Lock {
    resource: Resource,
    owner: Owner,
    /// How often it is held, by lifetime.
    counts: [u32; Lifetime::COUNT],
    waiters: VecDeque<Arc<Waiter>>,
}

/// What came of taking a lock.
pub(super) enum Taken {
    Granted,
    HeldBy(Owner, Resource),
}

/// What came of letting go of a lock.
pub(super) enum LetGo {
    /// It was not held.
    NotHeld,
    /// It is held for that lifetime still.
    Held,
    /// It is held for that lifetime no longer.
    Over,
    /// The same, and this one has it now.
    HandedTo(Arc<Waiter>),
    /// Nothing: somebody waits for it, and the waits are not in hand.
    Contended,
}

/// How much of a lock is let go of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    One,
    All,
}

/// Locks by their resources. Hashes are those of the table.
#[derive(Default)]
pub(super) struct Shard {
    locks: HashTable<Lock>,
}

impl Shard {
    /// Takes a lock unless another owner has it.
    pub(super) fn take(
        &mut self,
        (hash, rehash): (u64, impl Fn(&Resource) -> u64),
        resource: Resource,
        claim: Claim,
        owners: &Owners,
    ) -> Result<Taken> {
        let Claim { owner, lifetime } = claim;
        let slot = lifetime as usize;
        match self.locks.entry(hash, |lock| lock.resource == resource, |lock| rehash(&lock.resource)) {
            Place::Vacant(free) => {
                owners.note_new(claim, &resource)?;
                let mut counts = [0; Lifetime::COUNT];
                counts[slot] = 1;
                free.insert(Lock { resource, owner, counts, waiters: VecDeque::new() });
                Ok(Taken::Granted)
            }
            Place::Occupied(mut taken) if taken.get().owner == owner => {
                let count = &mut taken.get_mut().counts[slot];
                *count += 1;
                if *count == 1 {
                    owners.note(claim, &resource);
                }
                Ok(Taken::Granted)
            }
            Place::Occupied(taken) => Ok(Taken::HeldBy(taken.get().owner, resource)),
        }
    }

    /// Lets somebody wait for a lock; false if it is not `holder`'s any more.
    pub(super) fn enqueue(&mut self, hash: u64, holder: Owner, waiter: &Arc<Waiter>) -> bool {
        match self.find_mut(hash, &waiter.resource).filter(|lock| lock.owner == holder) {
            Some(lock) => lock.waiters.push_back(Arc::clone(waiter)),
            None => return false,
        }
        true
    }

    /// Lets go of a lock. Where somebody waits for it, that needs `waits_in_hand`: the first of them gets it then.
    pub(super) fn let_go(
        &mut self,
        hash: u64,
        resource: &Resource,
        claim: Claim,
        holds: Holds,
        waits_in_hand: bool,
    ) -> LetGo {
        let slot = claim.lifetime as usize;
        let Ok(mut place) = self.locks.find_entry(hash, |lock| lock.resource == *resource) else {
            return LetGo::NotHeld;
        };
        let lock = place.get_mut();
        // Whoever releases it and all at once, on two threads, lets go of it once.
        if lock.owner != claim.owner || lock.counts[slot] == 0 {
            return LetGo::NotHeld;
        }
        let mut counts = lock.counts;
        counts[slot] = if holds == Holds::One { counts[slot] - 1 } else { 0 };
        if counts != [0; Lifetime::COUNT] {
            lock.counts = counts;
            return if counts[slot] == 0 { LetGo::Over } else { LetGo::Held };
        }
        if !waits_in_hand && !lock.waiters.is_empty() {
            return LetGo::Contended;
        }
        let Some(waiter) = lock.waiters.pop_front() else {
            place.remove();
            return LetGo::Over;
        };
        lock.owner = waiter.claim.owner;
        lock.counts = [0; Lifetime::COUNT];
        lock.counts[waiter.claim.lifetime as usize] = 1;
        LetGo::HandedTo(waiter)
    }

    /// Gives a lock to another owner, for its unit of work only.
    pub(super) fn hand_over(&mut self, hash: u64, resource: &Resource, to: Owner) {
        if let Some(lock) = self.find_mut(hash, resource) {
            lock.owner = to;
            for lifetime in Lifetime::BEYOND_UNIT {
                lock.counts[lifetime as usize] = 0;
            }
        }
    }

    /// Puts a lock where it was before the restart.
    pub(super) fn restore(
        &mut self,
        (hash, rehash): (u64, impl Fn(&Resource) -> u64),
        resource: Resource,
        owner: Owner,
    ) {
        let mut counts = [0; Lifetime::COUNT];
        counts[Lifetime::Unit as usize] = 1;
        let place = self.locks.entry(hash, |lock| lock.resource == resource, |lock| rehash(&lock.resource));
        place.insert(Lock { resource, owner, counts, waiters: VecDeque::new() });
    }

    /// Takes everybody out of a lock's queue.
    pub(super) fn drain(&mut self, hash: u64, resource: &Resource) -> VecDeque<Arc<Waiter>> {
        self.find_mut(hash, resource).map(|lock| std::mem::take(&mut lock.waiters)).unwrap_or_default()
    }

    /// Takes somebody out of the queue in which he waits.
    pub(super) fn leave(&mut self, hash: u64, waiter: &Arc<Waiter>) {
        if let Some(lock) = self.find_mut(hash, &waiter.resource) {
            lock.waiters.retain(|other| !Arc::ptr_eq(other, waiter));
        }
    }

    pub(super) fn holder(&self, hash: u64, resource: &Resource) -> Option<Owner> {
        self.find(hash, resource).map(|lock| lock.owner)
    }

    pub(super) fn info(&self, hash: u64, resource: &Resource, owners: &Owners) -> Option<LockInfo> {
        self.find(hash, resource).map(|lock| lock.info(owners))
    }

    pub(super) fn list<'a>(&'a self, owners: &'a Owners) -> impl Iterator<Item = LockInfo> + 'a {
        self.locks.iter().map(|lock| lock.info(owners))
    }

    fn find(&self, hash: u64, resource: &Resource) -> Option<&Lock> {
        self.locks.find(hash, |lock| lock.resource == *resource)
    }

    fn find_mut(&mut self, hash: u64, resource: &Resource) -> Option<&mut Lock> {
        self.locks.find_mut(hash, |lock| lock.resource == *resource)
    }
}

impl Lock {
    fn info(&self, owners: &Owners) -> LockInfo {
        LockInfo {
            resource: self.resource.clone(),
            owner: self.owner,
            counts: self.counts,
            waiters: self.waiters.iter().map(|waiter| waiter.claim.owner).collect(),
            retained: owners.is_retained(self.owner),
        }
    }
}
