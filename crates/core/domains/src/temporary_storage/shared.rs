//! Queues of a pool that several regions share: their items are records of the record server.
//!
//! A change is a unit of work of its own, seen by all at once and kept whatever becomes of the task; the log has it, but no task waits for
//! the disk. The header (how many items there are, and which was read last) has the queue's lock for as long as a command
//! takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::HashMap;
use parking_lot::Mutex;
use records::{Recovery, StoreId, Wait, store_named};
use spec::cond;

use super::item_key;
use super::queues::check_length;
use super::recoverable::HEADER;
use crate::temporary_storage::TemporaryStorage;
use kernel::limits::TS_ITEMS_MAX;
use kernel::name::{Name8, Name16};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::recovery::{self, UnitOfWork, queue_error};
use kernel::task::{Task, WaitKind};

/// A queue of a pool, and how long a command waits for it.
#[derive(Clone, Copy)]
pub(super) struct Queue {
    pub pool: Name8,
    pub name: Name16,
    pub wait: Wait,
}

/// The pools that the region has used.
#[derive(Default)]
pub(super) struct Pools {
    any: AtomicBool,
    stores: Mutex<HashMap<Name8, StoreId>>,
}

impl Pools {
    /// A model names one.
    pub fn is_named(&self) {
        self.any.store(true, Ordering::Relaxed);
    }

    /// Returns true if a model has ever named one.
    pub fn is_any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }
}

/// The number of items, and that of the one that was read last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Header {
    items: u32,
    last_read: u32,
}

impl Header {
    fn to_bytes(self) -> Vec<u8> {
        [self.items, self.last_read].iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, _) = bytes.as_chunks();
        let [items, last_read] = *numbers else { return None };
        Some(Self { items: u32::from_be_bytes(items), last_read: u32::from_be_bytes(last_read) })
    }

    fn within(self, number: i64) -> Outcome<u32> {
        let number = u32::try_from(number).ok().filter(|number| (1..=self.items).contains(number));
        number.ok_or_else(|| cond::ITEMERR.raise(0))
    }
}

/// The store of a pool, made by the first region that uses it.
async fn store(task: &Task, pool: Name8) -> Outcome<StoreId> {
    let pools = &TemporaryStorage::of(&task.region).pools;
    let known = pools.stores.lock().get(&pool).copied();
    if let Some(known) = known {
        return Ok(known);
    }
    let name = format!("TS pool {pool}");
    let made = store_named(&*task.region.records, &name, Recovery::Recoverable).await;
    let store = made.map_err(|error| queue_error(&error))?;
    pools.stores.lock().insert(pool, store);
    Ok(store)
}

/// Works on a queue with no other task at it. `action` has the header, `None` if there is no such queue.
async fn with<T>(
    task: &Task,
    queue: Queue,
    action: impl AsyncFnOnce(&mut UnitOfWork, StoreId, Option<Header>) -> Outcome<T>,
) -> Outcome<T> {
    let store = store(task, queue.pool).await?;
    let key = item_key(queue.name, HEADER);
    let apart = async |own: &mut UnitOfWork| {
        own.is_not_forced();
        let (mut record, kind) = (Vec::new(), WaitKind::TEMPORARY_STORAGE);
        let found = own.lock_and_get(store, &key, (queue.wait, kind), &mut record).await?;
        action(own, store, Header::from_bytes(&record).filter(|_| found)).await
    };
    recovery::apart(&task.region, &Arc::clone(&task.control), apart).await
}

/// Adds an item: its number.
pub(super) async fn add(task: &Task, queue: Queue, data: &[u8]) -> Outcome<usize> {
    check_length(data)?;
    with(task, queue, async |own, store, header| {
        let mut header = header.unwrap_or_default();
        if header.items as usize >= TS_ITEMS_MAX {
            return Err(cond::ITEMERR.raise(0));
        }
        header.items += 1;
        own.put(store, &item_key(queue.name, header.items), data).await?;
        own.put(store, &item_key(queue.name, HEADER), &header.to_bytes()).await?;
        Ok(header.items as usize)
    })
    .await
}

/// Replaces an item: how many there are.
pub(super) async fn replace(task: &Task, queue: Queue, number: i64, data: &[u8]) -> Outcome<usize> {
    check_length(data)?;
    with(task, queue, async |own, store, header| {
        let header = header.ok_or_else(|| cond::QIDERR.raise(0))?;
        own.put(store, &item_key(queue.name, header.within(number)?), data).await?;
        Ok(header.items as usize)
    })
    .await
}

/// An item, by its number or the one after the last that was read by anybody; and how many there are.
pub(super) async fn read(task: &Task, queue: Queue, number: Option<i64>) -> Outcome<(Vec<u8>, usize)> {
    with(task, queue, async |own, store, header| {
        let header = header.ok_or_else(|| cond::QIDERR.raise(0))?;
        let number = header.within(number.unwrap_or_else(|| i64::from(header.last_read) + 1))?;
        let mut item = Vec::new();
        if !own.get(store, &item_key(queue.name, number), &mut item).await? {
            return Err(cond::IOERR.raise(0));
        }
        if header.last_read != number {
            let header = Header { last_read: number, ..header };
            own.put(store, &item_key(queue.name, HEADER), &header.to_bytes()).await?;
        }
        Ok((item, header.items as usize))
    })
    .await
}

/// Deletes a queue.
pub(super) async fn delete(task: &Task, queue: Queue) -> Outcome {
    with(task, queue, async |own, store, header| {
        let header = header.ok_or_else(|| cond::QIDERR.raise(0))?;
        for number in HEADER..=header.items {
            own.delete(store, &item_key(queue.name, number)).await?;
        }
        Ok(())
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_itself_again_and_knows_its_items() {
        let header = Header { items: 3, last_read: 2 };
        assert_eq!(Header::from_bytes(&header.to_bytes()), Some(header));
        assert_eq!(Header::from_bytes(b"short"), None);
        assert_eq!(header.within(3), Ok(3));
        for number in [0, 4, -1] {
            assert_eq!(header.within(number), Err(cond::ITEMERR.raise(0)), "{number}");
        }
    }
}
