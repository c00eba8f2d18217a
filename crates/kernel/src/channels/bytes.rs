//! The bytes of containers: they count in the region's storage, and for the task that has put them.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::{ITEM_BYTES, TASK_CONTAINER_BYTES_MAX};
use crate::storage::Dsa;

/// What a task has put into containers. They may outlive it, in a channel that it has passed on.
#[derive(Debug)]
pub(crate) struct Account {
    dsa: Arc<Dsa>,
    bytes: AtomicUsize,
}

/// Why a container cannot be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// The task has too much already.
    Task,
    /// The region is short on storage.
    Region,
}

impl Account {
    /// Nothing yet.
    pub fn new(dsa: &Arc<Dsa>) -> Arc<Self> {
        Arc::new(Self { dsa: Arc::clone(dsa), bytes: AtomicUsize::new(0) })
    }

    /// Bytes in hand.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// What a container of so many bytes counts for.
    pub fn counts(length: usize) -> usize {
        length.saturating_add(ITEM_BYTES)
    }

    /// Room for a container, for as long as what is returned lives.
    pub fn take(self: &Arc<Self>, length: usize) -> Result<Room, NoRoom> {
        let counts = Self::counts(length);
        if self.bytes() + counts > TASK_CONTAINER_BYTES_MAX {
            return Err(NoRoom::Task);
        }
        if !self.dsa.take(counts) {
            return Err(NoRoom::Region);
        }
        self.bytes.fetch_add(counts, Ordering::Relaxed);
        Ok(Room { account: Arc::clone(self), length })
    }
}

/// Room for a container.
#[derive(Debug)]
pub(crate) struct Room {
    account: Arc<Account>,
    length: usize,
}

impl Drop for Room {
    fn drop(&mut self) {
        let counts = Account::counts(self.length);
        self.account.bytes.fetch_sub(counts, Ordering::Relaxed);
        self.account.dsa.give(counts);
    }
}

/// Bytes of a container. Copies of its channel share them.
#[derive(Debug)]
pub struct Bytes {
    bytes: Box<[u8]>,
    /// What the region itself puts needs none.
    _room: Option<Room>,
}

impl Bytes {
    /// What a task puts, in the room that it has taken for them.
    pub(crate) fn of(bytes: Vec<u8>, room: Room) -> Arc<Self> {
        debug_assert_eq!(bytes.len(), room.length);
        Arc::new(Self { bytes: bytes.into(), _room: Some(room) })
    }

    /// What the region itself puts.
    pub fn own(bytes: &[u8]) -> Arc<Self> {
        Arc::new(Self { bytes: bytes.into(), _room: None })
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_count_for_their_task_and_in_the_region_as_long_as_anybody_has_them() {
        let dsa = Dsa::new(TASK_CONTAINER_BYTES_MAX + 1000);
        let (task, other) = (Account::new(&dsa), Account::new(&dsa));
        let room = task.take(100).expect("room");
        let first = Bytes::of(vec![1; 100], room);
        let (copy, counts) = (Arc::clone(&first), 100 + ITEM_BYTES);
        let rest = TASK_CONTAINER_BYTES_MAX - counts - ITEM_BYTES;
        assert_eq!(task.take(rest + 1).err(), Some(NoRoom::Task));
        let large = task.take(rest).expect("room");
        assert_eq!(other.take(1001 - ITEM_BYTES).err(), Some(NoRoom::Region));
        assert!(dsa.is_short() && other.take(1000 - ITEM_BYTES).is_ok());
        drop((large, first));
        assert_eq!((task.bytes(), dsa.used(), dsa.is_short()), (counts, counts, false));
        drop(copy);
        assert_eq!((task.bytes(), dsa.used()), (0, 0));
    }
}
