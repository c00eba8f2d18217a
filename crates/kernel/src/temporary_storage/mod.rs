//! Temporary storage: queues of items that any task may write, read again and change.
//!
//! Items are numbered from 1 in the order of writing; READQ NEXT is one position per queue for all tasks. Queues in
//! main storage are what this module holds; a queue is gone with the region.
//!
//! Invariants: an item's number never changes; a queue without items does not exist.

mod commands;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use spec::cond;

pub(crate) use commands::HANDLERS;

use crate::limits::{TS_ITEM_LENGTH_MAX, TS_ITEMS_MAX};
use crate::name::Name16;
use crate::raise::{Outcome, RaiseCondition};

/// A queue, as INQUIRE sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueInfo {
    /// Its name.
    pub name: Name16,
    /// How many items it has.
    pub items: usize,
    /// Bytes of the shortest and the longest item.
    pub lengths: (usize, usize),
    /// Bytes of all items.
    pub bytes: usize,
}

#[derive(Default)]
struct Queue {
    items: Vec<Arc<[u8]>>,
    last_read: usize,
}

/// The temporary storage of a region.
pub struct TemporaryStorage {
    state: Mutex<State>,
    bytes_max: usize,
}

#[derive(Default)]
struct State {
    queues: HashMap<Name16, Queue>,
    bytes: usize,
}

impl TemporaryStorage {
    /// No queues yet; all items together may take so many bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self { state: Mutex::default(), bytes_max }
    }

    /// Adds an item: its number.
    ///
    /// # Errors
    /// LENGERR, NOSPACE.
    pub fn add(&self, name: Name16, data: &[u8]) -> Outcome<usize> {
        check_length(data)?;
        let mut state = self.state.lock();
        if state.bytes + data.len() > self.bytes_max {
            return Err(cond::NOSPACE.raise(0));
        }
        let queue = state.queues.entry(name).or_default();
        if queue.items.len() >= TS_ITEMS_MAX {
            return Err(cond::ITEMERR.raise(0));
        }
        queue.items.push(data.into());
        let number = queue.items.len();
        state.bytes += data.len();
        Ok(number)
    }

    /// Replaces an item.
    ///
    /// # Errors
    /// LENGERR, QIDERR, ITEMERR, NOSPACE.
    pub fn replace(&self, name: Name16, number: i64, data: &[u8]) -> Outcome<usize> {
        check_length(data)?;
        let mut state = self.state.lock();
        let in_use = state.bytes;
        let queue = state.queues.get_mut(&name).ok_or_else(|| cond::QIDERR.raise(0))?;
        let item = item_mut(queue, number)?;
        let after = in_use - item.len() + data.len();
        if after > self.bytes_max {
            return Err(cond::NOSPACE.raise(0));
        }
        *item = data.into();
        let count = queue.items.len();
        state.bytes = after;
        Ok(count)
    }

    /// An item, by its number or the one after the last that was read; and how many there are.
    ///
    /// # Errors
    /// QIDERR, ITEMERR.
    pub fn read(&self, name: Name16, number: Option<i64>) -> Outcome<(Arc<[u8]>, usize)> {
        let mut state = self.state.lock();
        let queue = state.queues.get_mut(&name).ok_or_else(|| cond::QIDERR.raise(0))?;
        let number = number.unwrap_or(queue.last_read as i64 + 1);
        let item = Arc::clone(item_mut(queue, number)?);
        queue.last_read = number as usize;
        Ok((item, queue.items.len()))
    }

    /// Deletes a queue.
    ///
    /// # Errors
    /// QIDERR.
    pub fn delete(&self, name: Name16) -> Outcome {
        let mut state = self.state.lock();
        let queue = state.queues.remove(&name).ok_or_else(|| cond::QIDERR.raise(0))?;
        state.bytes -= queue.items.iter().map(|item| item.len()).sum::<usize>();
        Ok(())
    }

    /// All queues, by name.
    pub fn list(&self) -> Vec<QueueInfo> {
        let state = self.state.lock();
        let mut list: Vec<_> = state.queues.iter().map(|(name, queue)| info(*name, queue)).collect();
        list.sort_by_key(|queue| queue.name);
        list
    }
}

fn info(name: Name16, queue: &Queue) -> QueueInfo {
    let lengths = queue.items.iter().map(|item| item.len());
    QueueInfo {
        name,
        items: queue.items.len(),
        lengths: (lengths.clone().min().unwrap_or(0), lengths.clone().max().unwrap_or(0)),
        bytes: lengths.sum(),
    }
}

fn check_length(data: &[u8]) -> Outcome {
    if (1..=TS_ITEM_LENGTH_MAX).contains(&data.len()) { Ok(()) } else { Err(cond::LENGERR.raise(0)) }
}

fn item_mut(queue: &mut Queue, number: i64) -> Outcome<&mut Arc<[u8]>> {
    let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
    index.and_then(|i| queue.items.get_mut(i)).ok_or_else(|| cond::ITEMERR.raise(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES_MAX: usize = 1_000;

    fn text(item: &(Arc<[u8]>, usize)) -> (&str, usize) {
        (std::str::from_utf8(&item.0).expect("text"), item.1)
    }

    #[test]
    fn items_are_numbered_and_next_goes_on_behind_the_last_that_was_read() {
        let (ts, name) = (TemporaryStorage::new(BYTES_MAX), Name16::from("Q"));
        assert_eq!(ts.add(name, b"one"), Ok(1));
        assert_eq!(ts.add(name, b"two"), Ok(2));
        assert_eq!(text(&ts.read(name, None).expect("first")), ("one", 2));
        assert_eq!(text(&ts.read(name, None).expect("second")), ("two", 2));
        assert_eq!(ts.read(name, None).expect_err("no third"), cond::ITEMERR.raise(0));
        assert_eq!(text(&ts.read(name, Some(1)).expect("first again")), ("one", 2));
        assert_eq!(text(&ts.read(name, None).expect("next is second")), ("two", 2));
    }

    #[test]
    fn what_is_not_there_is_told_apart() {
        let (ts, name) = (TemporaryStorage::new(BYTES_MAX), Name16::from("Q"));
        assert_eq!(ts.read(name, Some(1)).expect_err("no queue"), cond::QIDERR.raise(0));
        assert_eq!(ts.delete(name), Err(cond::QIDERR.raise(0)));
        assert_eq!(ts.replace(name, 1, b"x"), Err(cond::QIDERR.raise(0)));
        assert_eq!(ts.add(name, b"one"), Ok(1));
        for number in [0, -1, 2] {
            assert_eq!(ts.replace(name, number, b"x"), Err(cond::ITEMERR.raise(0)), "{number}");
        }
        assert_eq!(ts.add(name, b""), Err(cond::LENGERR.raise(0)));
    }

    #[test]
    fn storage_is_bounded_and_given_back() {
        let ts = TemporaryStorage::new(10);
        let name = Name16::from("Q");
        assert_eq!(ts.add(name, b"12345678"), Ok(1));
        assert_eq!(ts.add(name, b"123"), Err(cond::NOSPACE.raise(0)));
        assert_eq!(ts.replace(name, 1, b"1234567"), Ok(1));
        assert_eq!(ts.add(name, b"123"), Ok(2));
        assert_eq!(ts.delete(name), Ok(()));
        assert_eq!(ts.add(name, b"1234567890"), Ok(1));
    }
}
