//! The locks of one part of all resources: plain data under the part's mutex.
//!
//! There are many more parts than locks that are held at a time. So the first lock of a part lies in the part itself: who
//! takes it needs the lines of the processor's cache that he has anyway, for the mutex, and no others.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashTable;

use super::owners::Owners;
use super::wait::Waiter;
use super::{Claim, Lifetime, LockInfo, Owner, Resource};
use crate::Result;

struct Lock {
    resource: Resource,
    owner: Owner,
    /// Number of holds, by lifetime.
    counts: [u32; Lifetime::COUNT],
    /// The second since which its owner has had it, or since which it is retained.
    since: u32,
    /// The parts that few locks have.
    seldom: Option<Box<Seldom>>,
}

/// The parts that few locks have.
#[derive(Default)]
struct Seldom {
    waiters: Queue,
    /// Number of owners that were refused because it is retained.
    refusals: u32,
}

/// The owners, and the second in which a lock is looked at.
pub(super) type Seen<'a> = (&'a Owners, u32);

/// Owners that wait for a lock, in order.
type Queue = VecDeque<Arc<Waiter>>;

const _: () = assert!(size_of::<parking_lot::Mutex<Shard>>() <= 128);

/// Results of taking a lock.
pub(super) enum Taken {
    Granted,
    HeldBy(Owner, Resource),
}

/// Results of releasing a lock.
pub(super) enum LetGo {
    /// It was not held.
    NotHeld,
    /// It is held for that lifetime still.
    Held,
    /// It is held for that lifetime no longer.
    Over,
    /// The same, and this one has it now.
    HandedTo(Arc<Waiter>),
    /// Nothing: a task waits for it, and the waits are not in hand.
    Contended,
}

/// Holds that are released.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    One,
    All,
}

/// Locks by their resources. Hashes are those of the table.
#[derive(Default)]
pub(super) struct Shard {
    first: Option<Lock>,
    more: HashTable<Lock>,
}

impl Shard {
    /// Takes a lock unless another owner has it.
    pub(super) fn take(
        &mut self,
        (hash, rehash): (u64, impl Fn(&Resource) -> u64),
        resource: Resource,
        (claim, second): (Claim, u32),
        owners: &Owners,
    ) -> Result<Taken> {
        let Claim { owner, lifetime } = claim;
        let slot = lifetime as usize;
        match self.find_mut(hash, &resource) {
            None => {
                owners.note_new(claim, &resource)?;
                self.add((hash, rehash), Lock::new(resource, claim, second));
                Ok(Taken::Granted)
            }
            Some(lock) if lock.owner == owner => {
                let is_first = lock.counts[slot] == 0;
                // Beyond what can be counted another time changes nothing.
                lock.counts[slot] = lock.counts[slot].saturating_add(1);
                if is_first {
                    owners.note(claim, &resource);
                }
                Ok(Taken::Granted)
            }
            Some(lock) => Ok(Taken::HeldBy(lock.owner, resource)),
        }
    }

    /// Adds a waiter for a lock; returns false if `holder` no longer has it.
    pub(super) fn enqueue(&mut self, hash: u64, holder: Owner, waiter: &Arc<Waiter>) -> bool {
        match self.find_mut(hash, &waiter.resource).filter(|lock| lock.owner == holder) {
            Some(lock) => lock.seldom.get_or_insert_default().waiters.push_back(Arc::clone(waiter)),
            None => return false,
        }
        true
    }

    /// Lets go of a lock. If a task waits for it, that needs `waits_in_hand`: the first of them gets it then.
    pub(super) fn let_go(
        &mut self,
        hash: u64,
        resource: &Resource,
        (claim, second): (Claim, u32),
        holds: Holds,
        waits_in_hand: bool,
    ) -> LetGo {
        let slot = claim.lifetime as usize;
        // An owner that releases it and all at once, on two threads, releases it once.
        let held = |lock: &&mut Lock| lock.owner == claim.owner && lock.counts[slot] > 0;
        let Some(lock) = self.find_mut(hash, resource).filter(held) else { return LetGo::NotHeld };
        let mut counts = lock.counts;
        counts[slot] = if holds == Holds::One { counts[slot] - 1 } else { 0 };
        if counts != [0; Lifetime::COUNT] {
            lock.counts = counts;
            return if counts[slot] == 0 { LetGo::Over } else { LetGo::Held };
        }
        if !waits_in_hand && lock.is_awaited() {
            return LetGo::Contended;
        }
        let Some(waiter) = lock.seldom.as_mut().and_then(|seldom| seldom.waiters.pop_front()) else {
            self.remove(hash, resource);
            return LetGo::Over;
        };
        lock.owner = waiter.claim.owner;
        lock.counts = waiter.claim.counts();
        lock.since = second;
        lock.seldom.iter_mut().for_each(|seldom| seldom.refusals = 0);
        LetGo::HandedTo(waiter)
    }

    /// Gives a lock to another owner, for its unit of work only.
    pub(super) fn hand_over(&mut self, hash: u64, resource: &Resource, to: Owner, second: u32) {
        if let Some(lock) = self.find_mut(hash, resource) {
            (lock.owner, lock.since) = (to, second);
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
        (owner, second): (Owner, u32),
    ) {
        self.remove(hash, &resource);
        self.add((hash, rehash), Lock::new(resource, Claim { owner, lifetime: Lifetime::Unit }, second));
    }

    /// A lock is retained from this second on: takes everybody out of its queue.
    pub(super) fn retain(&mut self, hash: u64, resource: &Resource, second: u32) -> Queue {
        let Some(lock) = self.find_mut(hash, resource) else { return Queue::new() };
        lock.since = second;
        lock.seldom.as_mut().map_or_else(Queue::new, |seldom| std::mem::take(&mut seldom.waiters))
    }

    /// Takes a waiter out of its queue.
    pub(super) fn leave(&mut self, hash: u64, waiter: &Arc<Waiter>) {
        if let Some(seldom) = self.find_mut(hash, &waiter.resource).and_then(|lock| lock.seldom.as_mut()) {
            seldom.waiters.retain(|other| !Arc::ptr_eq(other, waiter));
        }
    }

    /// Notes that a task was refused because the lock is retained.
    pub(super) fn note_refusal(&mut self, hash: u64, resource: &Resource) {
        if let Some(lock) = self.find_mut(hash, resource) {
            let seldom = lock.seldom.get_or_insert_default();
            seldom.refusals = seldom.refusals.saturating_add(1);
        }
    }

    pub(super) fn holder(&self, hash: u64, resource: &Resource) -> Option<Owner> {
        self.find(hash, resource).map(|lock| lock.owner)
    }

    pub(super) fn info(&self, hash: u64, resource: &Resource, seen: Seen<'_>) -> Option<LockInfo> {
        self.find(hash, resource).map(|lock| lock.info(seen))
    }

    pub(super) fn list<'a>(&'a self, seen: Seen<'a>) -> impl Iterator<Item = LockInfo> + 'a {
        self.first.iter().chain(&self.more).map(move |lock| lock.info(seen))
    }

    fn find(&self, hash: u64, resource: &Resource) -> Option<&Lock> {
        match &self.first {
            Some(first) if first.resource == *resource => Some(first),
            _ if self.more.is_empty() => None,
            _ => self.more.find(hash, |lock| lock.resource == *resource),
        }
    }

    fn find_mut(&mut self, hash: u64, resource: &Resource) -> Option<&mut Lock> {
        match &mut self.first {
            Some(first) if first.resource == *resource => Some(first),
            _ if self.more.is_empty() => None,
            _ => self.more.find_mut(hash, |lock| lock.resource == *resource),
        }
    }

    /// Adds a lock on a resource that has none.
    fn add(&mut self, (hash, rehash): (u64, impl Fn(&Resource) -> u64), lock: Lock) {
        if self.first.is_none() {
            self.first = Some(lock);
        } else {
            self.more.insert_unique(hash, lock, |lock| rehash(&lock.resource));
        }
    }

    fn remove(&mut self, hash: u64, resource: &Resource) {
        if self.first.take_if(|first| first.resource == *resource).is_none()
            && let Ok(lock) = self.more.find_entry(hash, |lock| lock.resource == *resource)
        {
            lock.remove();
        }
    }
}

impl Lock {
    fn new(resource: Resource, claim: Claim, since: u32) -> Self {
        Self { resource, owner: claim.owner, counts: claim.counts(), since, seldom: None }
    }

    fn is_awaited(&self) -> bool {
        self.seldom.as_ref().is_some_and(|seldom| !seldom.waiters.is_empty())
    }

    fn info(&self, (owners, second): Seen<'_>) -> LockInfo {
        LockInfo {
            resource: self.resource.clone(),
            owner: self.owner,
            counts: self.counts,
            waiters: self
                .seldom
                .iter()
                .flat_map(|seldom| &seldom.waiters)
                .map(|waiter| (waiter.claim.owner, second.saturating_sub(waiter.since)))
                .collect(),
            retained: owners.is_retained(self.owner),
            refusals: self.seldom.as_ref().map_or(0, |seldom| seldom.refusals),
            held: second.saturating_sub(self.since),
        }
    }
}
