//! The locks of a task in words: what it holds, what it waits for or was refused, and who has that.

use std::sync::Arc;

use parking_lot::RwLock;
use records::{Holder, Owner, Resource, StoreId};

use crate::bytes::shown;
use crate::limits::DUMP_LOCKS_MAX;
use crate::name::Name8;
use crate::region::Region;
use crate::task::{Task, TaskControl};

/// Names of those who hold locks and have records: the domains that know them stand above this module.
pub struct Names {
    /// The task that holds locks as this owner.
    pub task: fn(&Region, Owner) -> Option<Arc<TaskControl>>,
    /// The file whose records are in a store.
    pub file: fn(&Region, StoreId) -> Option<Name8>,
    /// Those who know locks of other kinds: see [`add_words`].
    pub others: RwLock<Vec<TellsLock>>,
}

/// Tells a lock in words; `None`: it is one of another kind.
pub type TellsLock = Box<dyn Fn(&Resource) -> Option<LockWords> + Send + Sync>;

/// A lock in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockWords {
    /// The resource of which a part is locked.
    pub resource: String,
    /// The part.
    pub part: String,
}

/// Adds one who knows locks of a kind.
pub fn add_words(region: &Region, tells: TellsLock) {
    Names::of(region).others.write().push(tells);
}

/// A lock in the words of those who have been added; `None`: none of them knows it.
pub fn words_of(region: &Region, resource: &Resource) -> Option<LockWords> {
    Names::of(region).others.read().iter().find_map(|tells| tells(resource))
}

impl Names {
    /// Those of a region.
    fn of(region: &Region) -> &Self {
        region.part()
    }
}

/// Lock that a task was last refused because of a deadlock, and its owner then.
pub(crate) fn refused(task: &Task) -> Option<String> {
    let (resource, holder) = task.work.locks().refused(task.work.owner())?;
    Some(format!("{} is held by {}", name_of(&task.region, &resource), who(&task.region, holder)))
}

/// A line for each lock and enqueue.
pub(crate) fn lines(task: &Task) -> Vec<String> {
    let (region, locks, owner) = (&task.region, task.work.locks(), task.work.owner());
    let mut lines = Vec::new();
    if let Some(awaited) = region.records.awaited(owner) {
        let holder = match region.records.holder_for(owner) {
            Some(Holder::Here(holder)) => who(region, holder),
            Some(Holder::Elsewhere(other)) => format!("region {other}"),
            None => String::from("no task"),
        };
        lines.push(format!("waits for {}, held by {holder}", name_of(region, &awaited)));
    }
    lines.extend(refused(task).map(|refused| format!("was refused: {refused}")));
    let mut held: Vec<_> = locks.list().into_iter().filter(|lock| lock.owner == owner).collect();
    let beyond = held.len().saturating_sub(DUMP_LOCKS_MAX);
    held.truncate(DUMP_LOCKS_MAX);
    for lock in held {
        let waiters: Vec<String> = lock.waiters.iter().map(|(waiter, _)| who(region, *waiter)).collect();
        let waiters =
            if waiters.is_empty() { String::new() } else { format!("; waiting: {}", waiters.join(", ")) };
        lines.push(format!("holds {}{waiters}", name_of(region, &lock.resource)));
    }
    if beyond > 0 {
        lines.push(format!("and {beyond} more"));
    }
    lines
}

fn who(region: &Region, owner: Owner) -> String {
    match (Names::of(region).task)(region, owner) {
        Some(task) => format!("task {} ({})", task.number, task.transaction.name),
        None => String::from("no task of this region"),
    }
}

/// A record by its file and key, an enqueue by its name.
fn name_of(region: &Region, resource: &Resource) -> String {
    let key = shown(resource.name());
    let Some(store) = resource.store() else { return key };
    if let Some(LockWords { resource, part }) = words_of(region, resource) {
        return format!("{part} of {resource}");
    }
    match (Names::of(region).file)(region, store) {
        Some(file) => format!("record {key} of file {file}"),
        None => format!("record {key} of store {}", store.0),
    }
}
