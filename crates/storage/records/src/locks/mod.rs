//! Exclusive locks on records and on names, held by owners, granted in the order in which they were asked for.
//!
//! One table serves record locks and enqueues alike, so that a deadlock across the two is found as any other. A wait
//! is a future: it blocks its task, never its thread, and dropping it leaves the queue as if it had never been there.
//!
//! Out of scope: what a lock protects, and when a unit of work ends.

mod owners;
mod shard;
mod table;
mod wait;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use smallvec::SmallVec;

use self::table::{Request, Table, Woken};
use self::wait::Waiting;
use crate::clock::Clock;
use crate::{Answer, Error, Result, StoreId, Wait};

/// Owner of locks: a task, through all its units of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(pub u64);

/// Lifetimes of a lock. An owner may hold the same lock for several; it is free when all are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifetime {
    /// To the end of the owner's unit of work.
    Unit,
    /// To the end of the owner.
    Task,
    /// To the end of the owner's unit of work on tables in main storage, which is a little later than the other one's.
    Tables,
}

impl Lifetime {
    /// Number of lifetimes.
    pub(crate) const COUNT: usize = 3;
    /// Those that may be longer than a unit of work.
    const BEYOND_UNIT: [Self; 2] = [Self::Task, Self::Tables];
}

/// The owner that wants a lock, or has it, and for how long.
#[derive(Clone, Copy)]
struct Claim {
    owner: Owner,
    lifetime: Lifetime,
}

impl Claim {
    /// Number of holds by lifetime, when this is all.
    fn counts(self) -> [u32; Lifetime::COUNT] {
        let mut counts = [0; Lifetime::COUNT];
        counts[self.lifetime as usize] = 1;
        counts
    }
}

/// Names longer than this are kept on the heap.
const INLINE_NAME: usize = 32;

/// The space of names that are not records.
const NAMES: u32 = u32::MAX;

/// Object of a lock: a record (there or not) of a store, or a name.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    space: u32,
    name: SmallVec<[u8; INLINE_NAME]>,
}

impl Clone for Resource {
    fn clone(&self) -> Self {
        // In one piece; a small vector clones itself byte by byte.
        Self { space: self.space, name: SmallVec::from_slice(&self.name) }
    }
}

impl Resource {
    /// A record by its key.
    pub fn record(store: StoreId, key: &[u8]) -> Self {
        Self { space: store.0, name: SmallVec::from_slice(key) }
    }

    /// A name. Names for different things begin with different prefixes.
    pub fn named(name: &[u8]) -> Self {
        Self { space: NAMES, name: SmallVec::from_slice(name) }
    }

    /// The name of a store, which the unit of work that makes it has until its end.
    pub fn store_name(name: &str) -> Self {
        Self::named(&[b"store ", name.as_bytes()].concat())
    }

    /// As its parts: the space and the name in it.
    pub(crate) fn parts(&self) -> (u32, &[u8]) {
        (self.space, &self.name)
    }

    /// From its parts.
    pub(crate) fn from_parts(space: u32, name: &[u8]) -> Self {
        Self { space, name: SmallVec::from_slice(name) }
    }

    /// The key or the name.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The store, if it is a record.
    pub fn store(&self) -> Option<StoreId> {
        (self.space != NAMES).then_some(StoreId(self.space))
    }
}

/// A lock as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockInfo {
    /// Object of the lock.
    pub resource: Resource,
    /// Owner of the lock.
    pub owner: Owner,
    /// Number of holds for its unit of work, for its task, for its tables.
    pub counts: [u32; 3],
    /// Owners that wait, in order, each with the seconds for which it has waited.
    pub waiters: Vec<(Owner, u32)>,
    /// Its owner is a unit of work that was shunted: no task can wait for it.
    pub retained: bool,
    /// Number of owners that were refused because it is retained.
    pub refusals: u32,
    /// Seconds for which its owner has had it, or for which it has been retained.
    pub held: u32,
}

/// A lock that an owner has or waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockOf {
    /// Object of the lock.
    pub resource: Resource,
    /// The owner waits for it.
    pub waits: bool,
    /// Its owner is a unit of work that was shunted.
    pub retained: bool,
    /// Number of owners that were refused because it is retained.
    pub refusals: u32,
    /// Seconds for which that has been so.
    pub seconds: u32,
}

/// The lock manager.
pub struct Locks {
    table: Table,
    began: Instant,
    clock: Arc<dyn Clock>,
    next_owner: AtomicU64,
}

impl Locks {
    /// An empty table. An owner can hold `locks_per_owner` locks.
    pub fn new(clock: Arc<dyn Clock>, locks_per_owner: usize) -> Arc<Self> {
        let (table, began) = (Table::new(locks_per_owner), Instant::now());
        Arc::new(Self { table, began, clock, next_owner: AtomicU64::new(1) })
    }

    /// Looks at the clock, for the times of locks. Who takes a lock reads no clock: times are as exact as this is called often.
    pub fn looks_at_clock(&self) {
        self.table.is_second(u32::try_from(self.began.elapsed().as_secs()).unwrap_or(u32::MAX));
    }

    /// A new owner.
    pub fn new_owner(&self) -> Owner {
        Owner(self.next_owner.fetch_add(1, Ordering::Relaxed))
    }

    /// Takes a lock, waiting for it as `wait` says. An owner that has it already gets it at once, and counts.
    pub fn acquire(
        self: &Arc<Self>,
        owner: Owner,
        resource: Resource,
        lifetime: Lifetime,
        wait: Wait,
    ) -> Answer<'static, Result<()>> {
        match self.table.request(Claim { owner, lifetime }, resource, wait != Wait::No) {
            Err(error) => Answer::ready(Err(error)),
            Ok(Request::Granted) => Answer::ready(Ok(())),
            Ok(Request::Queued(waiter)) => {
                let waiting = Waiting::new(self.clone(), waiter);
                match wait {
                    Wait::AtMost(limit) => Answer::later(waiting.at_most(self.clock.sleep(limit))),
                    Wait::No | Wait::Forever => Answer::later(waiting),
                }
            }
        }
    }

    /// Takes a lock if that needs no waiting: false if another owner has it.
    pub fn try_acquire(&self, owner: Owner, resource: Resource, lifetime: Lifetime) -> Result<bool> {
        match self.table.request(Claim { owner, lifetime }, resource, false) {
            Ok(_) => Ok(true),
            Err(Error::Locked) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Releases a lock once; the first waiter gets it when nothing of it is left. False if it was not held.
    pub fn release(&self, owner: Owner, resource: &Resource, lifetime: Lifetime) -> bool {
        let (held, woken) = self.table.release(Claim { owner, lifetime }, resource);
        woken.into_iter().for_each(|waiter| waiter.wake());
        held
    }

    /// Releases all that an owner holds for this lifetime.
    pub fn release_all(&self, owner: Owner, lifetime: Lifetime) {
        self.release_all_of(std::iter::once(owner), lifetime);
    }

    /// All that an owner holds for this lifetime, to be let go of when this is dropped.
    pub(crate) fn to_release(self: &Arc<Self>, owner: Owner, lifetime: Lifetime) -> Release {
        Release { locks: Arc::clone(self), owner, lifetime }
    }

    /// Returns true if an owner waits for a lock.
    pub(crate) fn some_wait(&self) -> bool {
        self.table.some_wait()
    }

    /// The same for several owners, which end together.
    pub(crate) fn release_all_of(&self, owners: impl Iterator<Item = Owner>, lifetime: Lifetime) {
        let mut woken = Woken::new();
        owners.for_each(|owner| self.table.release_all(Claim { owner, lifetime }, &mut woken));
        woken.into_iter().for_each(|waiter| waiter.wake());
    }

    /// Hands all that an owner holds for its unit of work over to another one, who holds nothing yet. Those who wait
    /// go on waiting. Should the former owner hold some of it for longer as well, it does no longer.
    pub(crate) fn hand_over(&self, from: Owner, to: Owner) {
        self.table.hand_over_all(from, to);
    }

    /// Retains this owner's locks: from now on an owner that waits or begins to wait for one is refused with
    /// [`Error::Retained`].
    pub(crate) fn retain(&self, owner: Owner) {
        let woken = self.table.retain(owner);
        woken.into_iter().for_each(|waiter| waiter.wake());
    }

    /// Takes locks as an owner before the restart held them, all of them retained.
    pub(crate) fn restore(&self, owner: Owner, resources: Vec<Resource>) {
        self.table.restore(owner, resources);
    }

    /// Locks that an owner holds for its unit of work.
    pub fn held(&self, owner: Owner) -> Vec<Resource> {
        self.table.held(owner)
    }

    /// Ends the owner's wait, if it is in one, with [`Error::Cancelled`]. True if it was.
    pub fn cancel(&self, owner: Owner) -> bool {
        let cancelled = self.table.refuse(owner, Error::Cancelled);
        cancelled.map(|waiter| waiter.wake()).is_some()
    }

    /// Owner of a lock.
    pub fn holder(&self, resource: &Resource) -> Option<Owner> {
        self.table.holder(resource)
    }

    /// Owner of a lock, and those that wait for it.
    pub fn info(&self, resource: &Resource) -> Option<LockInfo> {
        self.looks_at_clock();
        self.table.info(resource)
    }

    /// All locks that are held, in no particular order.
    pub fn list(&self) -> Vec<LockInfo> {
        self.looks_at_clock();
        self.table.list()
    }

    /// All that an owner holds, and what it waits for.
    pub fn of_owner(&self, owner: Owner) -> Vec<LockOf> {
        self.looks_at_clock();
        self.table.of_owner(owner)
    }

    /// Lock that an owner was last refused because of a deadlock, and its owner then; as long as that is remembered.
    pub fn refused(&self, owner: Owner) -> Option<(Resource, Owner)> {
        self.table.refused(owner)
    }

    /// Lock that an owner waits for.
    pub fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.table.awaited(owner)
    }
}

/// Locks that are let go of when this is dropped.
pub(crate) struct Release {
    locks: Arc<Locks>,
    owner: Owner,
    lifetime: Lifetime,
}

impl Drop for Release {
    fn drop(&mut self) {
        self.locks.release_all(self.owner, self.lifetime);
    }
}
