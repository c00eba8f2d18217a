//! Temporary storage: queues of items that any task may write, read again and change.
//!
//! Items are numbered from 1 in the order of writing; READQ NEXT is one position per queue for all tasks. Three kinds:
//!
//! | queue | kept in | lives until |
//! |---|---|---|
//! | MAIN | main storage | the region ends |
//! | auxiliary | main storage; the warm keypoint | the region ends out of order |
//! | of a shared pool | the record server | a program deletes it; all regions of the server that name the pool see it |
//! | auxiliary, its model recoverable | the record engine | a cold start; changes belong to units of work |
//!
//! Invariants: an item's number never changes; a queue without items does not exist; a task that changes a recoverable
//! queue holds its lock to the end of the unit of work, and a task that reads one never waits.

mod commands;
pub mod definition;
mod models;
mod queues;
mod recoverable;
mod shared;
mod stored;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) use commands::HANDLERS;
pub use models::{Model, RemoteModel};

use kernel::keeper::Keeper;
use kernel::name::{Name, Name8, Name16};
use kernel::raise::Outcome;
use kernel::recovery::{self, UnitOfWork};
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::stores::KeypointRecord;
use models::Models;
use queues::{Queues, Snapshot, Wanted};
use records::{Decision, Resolved};
use recoverable::Directory;
use shared::Pools;

/// Queues outlive the region: recoverable ones always, other auxiliary ones an orderly end.
pub(crate) static KEEPER: Keeper = Keeper {
    letter: b'S',
    store: Some(|stores| stores.temporary_storage),
    recover: |region, key, record| TemporaryStorage::of(region).recover(key, record),
    doubtful: |region, _, _| TemporaryStorage::of(region).any_recoverable.store(true, Ordering::Relaxed),
    resolved: |region, resolved| TemporaryStorage::of(region).resolved(region, resolved),
    keypoint: |region| TemporaryStorage::of(region).keypoint(),
    restore: |region, key, record| TemporaryStorage::of(region).restore(key, record),
    count: Some(("TS queues", |region| TemporaryStorage::of(region).count())),
    ..Keeper::NOTHING
};

/// The place where a queue's items are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// For as long as the region runs.
    Main,
    /// For longer.
    Auxiliary,
}

/// A queue, as INQUIRE sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueInfo {
    /// Its name.
    pub name: Name16,
    /// The number of its items.
    pub items: usize,
    /// Bytes of the shortest and the longest item.
    pub lengths: (usize, usize),
    /// Bytes of all items.
    pub bytes: usize,
    /// Its place.
    pub location: Location,
    /// True if changes belong to units of work.
    pub recoverable: bool,
    /// After how long without use it is deleted; `None`: never.
    pub expires_after: Option<Duration>,
    /// The time since its last use; `None` if that is not measured.
    pub unused_for: Option<Duration>,
}

/// The temporary storage of a region.
pub struct TemporaryStorage {
    models: Models,
    queues: Queues,
    directory: Directory,
    /// True if a queue could be recoverable at all: most regions have none, and need not look.
    any_recoverable: AtomicBool,
    any_remote: AtomicBool,
    pools: Pools,
}

impl TemporaryStorage {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// No queues yet; all items in main storage together may take so many bytes.
    pub fn new(main_bytes_max: usize) -> Self {
        Self {
            models: Models::default(),
            queues: Queues::new(main_bytes_max),
            directory: Directory::default(),
            any_recoverable: AtomicBool::new(false),
            any_remote: AtomicBool::new(false),
            pools: Pools::default(),
        }
    }

    /// Installs a model: it counts for queues that are made from now on.
    pub fn install(&self, model: Model) {
        if model.recoverable {
            self.any_recoverable.store(true, Ordering::Relaxed);
        }
        if model.remote.is_some() {
            self.any_remote.store(true, Ordering::Relaxed);
        }
        if !model.pool.is_blank() {
            self.pools.is_named();
        }
        self.models.install(model);
    }

    /// The models, by name.
    pub fn models(&self) -> Vec<Arc<Model>> {
        self.models.list()
    }

    /// Removes a model: queues that are there stay what they are.
    pub fn discard_model(&self, name: Name8) {
        self.models.discard(name);
    }

    /// Returns true if a queue is recoverable, or will be when it is made. A queue stays what it was made as.
    pub fn is_recoverable(&self, name: Name16) -> bool {
        self.any_recoverable.load(Ordering::Relaxed)
            && (self.directory.has(name) || self.models.of(name).is_some_and(|model| model.recoverable))
    }

    /// The shared pool that has a queue, if its model names one.
    pub(crate) fn pool_of(&self, name: Name16) -> Option<Name8> {
        if !self.pools.is_any() {
            return None;
        }
        self.models.of(name).map(|model| model.pool).filter(|pool| !pool.is_blank())
    }

    /// The system of a queue, and its name there, if its model says that it is elsewhere.
    pub(crate) fn elsewhere(&self, name: Name16) -> Option<(Name<4>, Name16)> {
        if !self.any_remote.load(Ordering::Relaxed) {
            return None;
        }
        self.models.of(name)?.elsewhere(name)
    }

    /// Returns the attributes of a new queue: its model overrides the program.
    fn wanted(&self, name: Name16, location: Location) -> Wanted {
        match self.models.of(name) {
            Some(model) => Wanted { location: model.location, expires_after: model.expires_after },
            None => Wanted { location, expires_after: None },
        }
    }

    /// All queues, by name.
    pub fn list(&self) -> Vec<QueueInfo> {
        let mut list = self.queues.list();
        list.extend(self.directory.list());
        list.sort_by_key(|queue| queue.name);
        list
    }

    /// Returns the number of queues.
    pub fn count(&self) -> usize {
        self.queues.count() + self.directory.count()
    }

    /// Deletes the queues that have not been used for as long as their models say: how many.
    pub fn expire(&self, now: Instant) -> usize {
        self.queues.expire(now)
    }

    /// Deletes a queue by command: a recoverable one in a unit of work of its own.
    ///
    /// # Errors
    /// QIDERR, or what the engine says.
    pub async fn delete(by: &Manager, name: Name16) -> Outcome {
        let ts = TemporaryStorage::of(&by.region);
        if !ts.is_recoverable(name) {
            return ts.queues.delete(name);
        }
        let delete = async |own: &mut UnitOfWork| recoverable::delete(own, by.patience(), name).await;
        recovery::apart(&by.region, by.control(), delete).await
    }

    /// Returns the records that a warm restart keeps of main storage: items, and for each queue the number of the item
    /// read last.
    pub fn keypoint(&self) -> Vec<KeypointRecord> {
        let mut records: Vec<KeypointRecord> = Vec::new();
        let pointer = |name, last_read: u32| -> KeypointRecord {
            (item_key(name, POINTER).to_vec(), Arc::from(last_read.to_be_bytes()))
        };
        for Snapshot { name, items, last_read } in self.queues.auxiliary() {
            let items = items.into_iter().zip(1..);
            records.extend(items.map(|(item, number)| (item_key(name, number).to_vec(), item)));
            records.push(pointer(name, last_read as u32));
        }
        records
            .extend(self.directory.pointers().into_iter().map(|(name, last_read)| pointer(name, last_read)));
        records
    }

    /// A record of the keypoint: they come queue by queue, items in the order of their numbers, and the pointer last.
    pub fn restore(&self, key: &[u8], record: &[u8]) {
        let Some((name, number)) = read_key(key) else { return };
        if number == POINTER {
            let last_read = record.try_into().map_or(0, u32::from_be_bytes);
            self.directory.set_last_read(name, last_read);
            self.queues.set_last_read(name, last_read as usize);
        } else if let Err(raise) = self.queues.add(name, self.wanted(name, Location::Auxiliary), record) {
            tracing::warn!(target: "TS", "queue {name} cannot be restored in full: {raise}");
        }
    }

    /// A unit of work in doubt has ended: recoverable queues are as it has left them.
    fn resolved(&self, region: &Region, resolved: &Resolved) {
        if resolved.decision == Decision::Backout {
            return;
        }
        for change in resolved.of_store(region.stores.temporary_storage) {
            if let Some((name, recoverable::HEADER)) = read_key(&change.key) {
                self.any_recoverable.store(true, Ordering::Relaxed);
                self.directory.changed(name, change.record.as_deref());
            }
        }
    }

    /// A record of a recoverable queue, found at the start.
    pub fn recover(&self, key: &[u8], record: &[u8]) {
        if let Some((name, recoverable::HEADER)) = read_key(key) {
            self.any_recoverable.store(true, Ordering::Relaxed);
            self.directory.found(name, record);
        }
    }
}

/// The number under which the keypoint has what was read last of a queue.
const POINTER: u32 = u32::MAX;

/// Bytes of a key: the queue's name and the item's number.
const KEY_LENGTH: usize = 20;

fn item_key(name: Name16, number: u32) -> [u8; KEY_LENGTH] {
    let mut key = [0; KEY_LENGTH];
    key[..16].copy_from_slice(name.as_bytes());
    key[16..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The queue that a lock in the store of queues is for; `None` if it is that of an item.
pub fn queue_of_lock(key: &[u8]) -> Option<Name16> {
    read_key(key).filter(|(_, number)| *number == recoverable::HEADER).map(|(queue, _)| queue)
}

fn read_key(key: &[u8]) -> Option<(Name16, u32)> {
    let (name, number) = key.split_first_chunk::<16>()?;
    Some((Name16::new(name), u32::from_be_bytes(number.try_into().ok()?)))
}
