//! Recoverable queues: items are records of the engine, and changes belong to the unit of work.
//!
//! A queue is a header (how many items, and how long they are) and its items. The header's lock is the queue's.

use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::HashMap;
use parking_lot::Mutex;
use records::{StoreId, Wait};
use spec::cond;

use super::queues::check_length;
use super::{Location, QueueInfo, item_key};
use crate::temporary_storage::TemporaryStorage;
use kernel::limits::TS_ITEMS_MAX;
use kernel::name::Name16;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::recovery::UnitOfWork;
use kernel::task::WaitKind;

/// The number under which a queue's header is kept.
pub(super) const HEADER: u32 = 0;

/// The facts about a queue without its items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) items: u32,
    shortest: u32,
    longest: u32,
    bytes: u64,
}

impl Header {
    const LENGTH: usize = 20;

    pub(super) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        for (to, number) in bytes.chunks_exact_mut(4).zip([self.items, self.shortest, self.longest]) {
            to.copy_from_slice(&number.to_be_bytes());
        }
        bytes[12..].copy_from_slice(&self.bytes.to_be_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let sum = u64::from_be_bytes(bytes.get(12..Self::LENGTH)?.try_into().ok()?);
        Some(Self { items: number(0)?, shortest: number(4)?, longest: number(8)?, bytes: sum })
    }

    pub(super) fn count(&mut self, length: usize) {
        let length = length as u32;
        self.shortest = if self.items == 0 { length } else { self.shortest.min(length) };
        self.longest = self.longest.max(length);
        self.bytes += u64::from(length);
        self.items += 1;
    }

    /// The header after an item has got another length; `None` where all items must be looked at again.
    fn after_rewrite(self, before: usize, after: usize) -> Option<Self> {
        let (before, after) = (before as u32, after as u32);
        let inside = self.shortest < before && before < self.longest;
        inside.then(|| Self {
            shortest: self.shortest.min(after),
            longest: self.longest.max(after),
            bytes: self.bytes + u64::from(after) - u64::from(before),
            ..self
        })
    }
}

/// The committed queues.
///
/// Units of work report their headers after their locks are free, so that a later one may come first: each header has a number,
/// given under the queue's lock, and an older one does not take the place of a newer one.
#[derive(Default)]
pub(super) struct Directory {
    queues: Mutex<Committed>,
    last_number: AtomicU64,
}

#[derive(Default)]
struct Committed {
    there: HashMap<Name16, Entry>,
    /// The numbers of the latest deletions.
    gone: HashMap<Name16, u64>,
}

/// Deletions that are remembered: more than units of work that report at the same time.
const GONE_MAX: u64 = 4_096;

#[derive(Default)]
struct Entry {
    header: Header,
    number: u64,
    last_read: u32,
}

impl Directory {
    pub fn has(&self, name: Name16) -> bool {
        self.queues.lock().there.contains_key(&name)
    }

    pub fn count(&self) -> usize {
        self.queues.lock().there.len()
    }

    /// A queue that the engine has from an earlier run.
    pub fn found(&self, name: Name16, header: &[u8]) {
        if let Some(header) = Header::from_bytes(header) {
            self.queues.lock().there.insert(name, Entry { header, ..Entry::default() });
        }
    }

    /// The header of a queue is another by now; `None`: the queue is gone.
    pub fn changed(&self, name: Name16, header: Option<&[u8]>) {
        self.commit(name, header.and_then(Header::from_bytes), self.next_number());
    }

    /// Returns the number of a header that is about to be written. Call it under the queue's lock.
    fn next_number(&self) -> u64 {
        self.last_number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Takes what a unit of work has committed of a queue, unless a later one has reported before; `None`: it deleted it.
    fn commit(&self, name: Name16, header: Option<Header>, number: u64) {
        let mut queues = self.queues.lock();
        let Committed { there, gone } = &mut *queues;
        let known = there.get(&name).map(|entry| entry.number).max(gone.get(&name).copied());
        if known.is_some_and(|known| known >= number) {
            return;
        }
        match header {
            Some(header) => {
                gone.remove(&name);
                let entry = there.entry(name).or_default();
                (entry.header, entry.number) = (header, number);
            }
            None => {
                there.remove(&name);
                if gone.len() as u64 >= GONE_MAX {
                    gone.retain(|_, gone| *gone + GONE_MAX > number);
                }
                gone.insert(name, number);
            }
        }
    }

    fn last_read(&self, name: Name16) -> u32 {
        self.queues.lock().there.get(&name).map_or(0, |entry| entry.last_read)
    }

    pub fn set_last_read(&self, name: Name16, number: u32) {
        if let Some(entry) = self.queues.lock().there.get_mut(&name) {
            entry.last_read = number;
        }
    }

    /// Returns the number of the item read last, for each queue.
    pub fn pointers(&self) -> Vec<(Name16, u32)> {
        self.queues.lock().there.iter().map(|(name, entry)| (*name, entry.last_read)).collect()
    }

    pub fn list(&self) -> Vec<QueueInfo> {
        let info = |(name, entry): (&Name16, &Entry)| QueueInfo {
            name: *name,
            items: entry.header.items as usize,
            lengths: (entry.header.shortest as usize, entry.header.longest as usize),
            bytes: entry.header.bytes as usize,
            location: Location::Auxiliary,
            recoverable: true,
            expires_after: None,
            unused_for: None,
        };
        self.queues.lock().there.iter().map(info).collect()
    }
}

fn store(work: &UnitOfWork) -> StoreId {
    work.region().stores.temporary_storage
}

/// The header as the unit of work sees it.
async fn header(work: &mut UnitOfWork, name: Name16) -> Outcome<Option<Header>> {
    let mut record = Vec::new();
    let store = store(work);
    let found = work.get(store, &item_key(name, HEADER), &mut record).await?;
    Ok(Header::from_bytes(&record).filter(|_| found))
}

/// Takes the queue's lock, then reads its header.
async fn locked(work: &mut UnitOfWork, wait: Wait, name: Name16) -> Outcome<Option<Header>> {
    let store = store(work);
    work.lock(store, &item_key(name, HEADER), wait, WaitKind::TEMPORARY_STORAGE).await?;
    header(work, name).await
}

async fn put_header(work: &mut UnitOfWork, name: Name16, header: Option<Header>) -> Outcome {
    let (store, key) = (store(work), item_key(name, HEADER));
    match header {
        Some(header) => work.put(store, &key, &header.to_bytes()).await?,
        None => work.delete(store, &key).await?,
    }
    let number = TemporaryStorage::of(work.region()).directory.next_number();
    work.at_commit(Box::new(move |region| {
        TemporaryStorage::of(region).directory.commit(name, header, number)
    }));
    Ok(())
}

/// Adds an item: its number.
pub(super) async fn add(work: &mut UnitOfWork, wait: Wait, name: Name16, data: &[u8]) -> Outcome<usize> {
    check_length(data)?;
    let mut header = locked(work, wait, name).await?.unwrap_or_default();
    if header.items as usize >= TS_ITEMS_MAX {
        return Err(cond::ITEMERR.raise(0));
    }
    header.count(data.len());
    let store = store(work);
    work.put(store, &item_key(name, header.items), data).await?;
    put_header(work, name, Some(header)).await?;
    Ok(header.items as usize)
}

/// Replaces an item: how many there are.
pub(super) async fn replace(
    work: &mut UnitOfWork,
    wait: Wait,
    name: Name16,
    number: i64,
    data: &[u8],
) -> Outcome<usize> {
    check_length(data)?;
    let header = locked(work, wait, name).await?.ok_or_else(|| cond::QIDERR.raise(0))?;
    let number = within(header, number)?;
    let (store, key, mut before) = (store(work), item_key(name, number), Vec::new());
    work.get(store, &key, &mut before).await?;
    work.put(store, &key, data).await?;
    if before.len() != data.len() {
        let measured = match header.after_rewrite(before.len(), data.len()) {
            Some(header) => header,
            None => measure(work, name, header.items).await?,
        };
        put_header(work, name, Some(measured)).await?;
    }
    Ok(header.items as usize)
}

/// The header of what the unit of work sees of a queue.
async fn measure(work: &mut UnitOfWork, name: Name16, items: u32) -> Outcome<Header> {
    let (mut header, mut record, store) = (Header::default(), Vec::new(), store(work));
    for number in 1..=items {
        work.get(store, &item_key(name, number), &mut record).await?;
        header.count(record.len());
    }
    Ok(header)
}

/// An item, by its number or the one after the last that was read; and how many there are.
pub(super) async fn read(
    work: &mut UnitOfWork,
    name: Name16,
    number: Option<i64>,
) -> Outcome<(Vec<u8>, usize)> {
    let header = header(work, name).await?.ok_or_else(|| cond::QIDERR.raise(0))?;
    let directory = &TemporaryStorage::of(work.region()).directory;
    let number = number.unwrap_or_else(|| i64::from(directory.last_read(name)) + 1);
    let number = within(header, number)?;
    let (mut item, store) = (Vec::new(), store(work));
    // No lock holds the queue for its readers: it may have been deleted since.
    if !work.get(store, &item_key(name, number), &mut item).await? {
        return Err(cond::ITEMERR.raise(0));
    }
    TemporaryStorage::of(work.region()).directory.set_last_read(name, number);
    Ok((item, header.items as usize))
}

fn within(header: Header, number: i64) -> Outcome<u32> {
    let number = u32::try_from(number).ok().filter(|number| (1..=header.items).contains(number));
    number.ok_or_else(|| cond::ITEMERR.raise(0))
}

/// Deletes a queue.
pub(super) async fn delete(work: &mut UnitOfWork, wait: Wait, name: Name16) -> Outcome {
    let header = locked(work, wait, name).await?.ok_or_else(|| cond::QIDERR.raise(0))?;
    let store = store(work);
    for number in 1..=header.items {
        work.delete(store, &item_key(name, number)).await?;
    }
    put_header(work, name, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_of_work_that_reports_late_changes_nothing() {
        let (directory, name) = (Directory::default(), Name16::from("QUEUE"));
        let header = |items| Some(Header { items, ..Header::default() });
        let items = || directory.list().first().map(|queue| queue.items);
        let [first, second, third] = [(); 3].map(|()| directory.next_number());
        directory.commit(name, header(2), second);
        directory.commit(name, header(1), first);
        assert_eq!(items(), Some(2));
        let last = directory.next_number();
        directory.commit(name, None, last);
        directory.commit(name, header(3), third);
        assert_eq!(items(), None, "the queue was deleted behind it");
        for _ in 0..2 * GONE_MAX {
            directory.commit(Name16::from("OTHER"), None, directory.next_number());
        }
        assert!(directory.queues.lock().gone.len() as u64 <= GONE_MAX);
    }
}
