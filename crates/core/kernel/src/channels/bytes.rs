//! The bytes of containers: they count in the region's storage, and for the task that has put them.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::{ITEM_BYTES, TASK_CONTAINER_BYTES_MAX};
use crate::storage::Dsa;

/// Bytes that a task has put into containers. They may outlive it, in a channel that it has passed on.
#[derive(Debug)]
pub(crate) struct Account {
    dsa: Arc<Dsa>,
    bytes: AtomicUsize,
}

/// Reasons why a container cannot be stored.
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

    /// Room that a container of so many bytes takes.
    pub fn counts(length: usize) -> usize {
        length.saturating_add(ITEM_BYTES)
    }

    /// Room for a container, for as long as what is returned lives.
    #[cfg(test)]
    pub fn take(self: &Arc<Self>, length: usize) -> Result<Room, NoRoom> {
        self.take_counted(Self::counts(length))
    }

    /// Room for what counts so much: more bytes of a container that is there count as they are.
    pub fn take_counted(self: &Arc<Self>, counts: usize) -> Result<Room, NoRoom> {
        if self.bytes() + counts > TASK_CONTAINER_BYTES_MAX {
            return Err(NoRoom::Task);
        }
        if !self.dsa.take(counts) {
            return Err(NoRoom::Region);
        }
        self.bytes.fetch_add(counts, Ordering::Relaxed);
        Ok(Room { account: Arc::clone(self), counts })
    }
}

/// Room for a container.
#[derive(Debug)]
pub(crate) struct Room {
    account: Arc<Account>,
    counts: usize,
}

impl Room {
    /// Takes in another one, if both are of one task.
    fn join(&mut self, mut other: Self) -> Result<(), Self> {
        if !Arc::ptr_eq(&self.account, &other.account) {
            return Err(other);
        }
        self.counts += std::mem::take(&mut other.counts);
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.account.bytes.fetch_sub(self.counts, Ordering::Relaxed);
        self.account.dsa.give(self.counts);
    }
}

/// Bytes of a container. Copies of its channel share them.
#[derive(Debug)]
pub struct Bytes {
    bytes: Vec<u8>,
    /// Room of the bytes; those of the region itself need none.
    room: Option<Room>,
}

impl Bytes {
    /// Bytes of a task, in the room that it has taken for them.
    pub(crate) fn of(bytes: Vec<u8>, room: Room) -> Arc<Self> {
        debug_assert_eq!(Account::counts(bytes.len()), room.counts);
        Arc::new(Self { bytes, room: Some(room) })
    }

    /// Adds bytes at the end, in the room that a task has taken for them. Many small ones cost no more than one copy of all.
    ///
    /// # Errors
    /// The room, if the bytes before are not that task's.
    pub(super) fn extend(&mut self, more: &[u8], room: Room) -> Result<(), Room> {
        let Some(own) = &mut self.room else { return Err(room) };
        own.join(room)?;
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    /// Bytes of the region itself.
    pub fn own(bytes: &[u8]) -> Arc<Self> {
        Arc::new(Self { bytes: bytes.into(), room: None })
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

    #[test]
    fn many_small_additions_cost_few_copies() {
        let dsa = Dsa::new(TASK_CONTAINER_BYTES_MAX);
        let task = Account::new(&dsa);
        let mut container = Bytes::of(Vec::new(), task.take(0).expect("room"));
        let bytes = Arc::get_mut(&mut container).expect("no other owner has it");
        let (mut moved, mut at) = (0, bytes.as_ptr());
        for _ in 0..10_000 {
            bytes.extend(&[1; 100], task.take_counted(100).expect("room")).expect("it is the task's");
            moved += usize::from(std::mem::replace(&mut at, bytes.as_ptr()) != at);
        }
        assert!(moved < 40, "{moved} of 10000 have moved all bytes before them");
    }

    #[test]
    fn what_is_added_counts_for_its_task_alone() {
        let dsa = Dsa::new(TASK_CONTAINER_BYTES_MAX);
        let (task, other) = (Account::new(&dsa), Account::new(&dsa));
        let mut first = Bytes::of(vec![1; 100], task.take(100).expect("room"));
        let bytes = Arc::get_mut(&mut first).expect("no other owner has it");
        bytes.extend(&[2; 50], task.take_counted(50).expect("room")).expect("it is the task's");
        assert!(bytes.extend(&[3; 50], other.take_counted(50).expect("room")).is_err());
        assert_eq!((bytes.len(), bytes[99], bytes[100]), (150, 1, 2));
        assert_eq!((task.bytes(), other.bytes(), dsa.used()), (150 + ITEM_BYTES, 0, 150 + ITEM_BYTES));
        drop(first);
        assert_eq!((task.bytes(), dsa.used()), (0, 0));
    }
}
