//! Queues in main storage: those that are not recoverable.
//!
//! An auxiliary queue differs from a main one in what becomes of it: the keypoint takes it into the next run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use foldhash::HashMap;
use parking_lot::Mutex;
use spec::cond;

use super::{Location, QueueInfo};
use kernel::limits::{ITEM_BYTES, QUEUE_BYTES, TS_AUXILIARY_BYTES_MAX, TS_ITEM_LENGTH_MAX, TS_ITEMS_MAX};
use kernel::name::Name16;
use kernel::raise::{Outcome, RaiseCondition};

/// The attributes with which the first item makes a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub location: Location,
    /// After how long without use it is deleted.
    pub expires_after: Option<Duration>,
}

/// A queue for the keypoint.
pub(super) struct Snapshot {
    pub name: Name16,
    /// In the order of their numbers.
    pub items: Vec<Arc<[u8]>>,
    /// The number of the last that was read.
    pub last_read: usize,
}

struct Queue {
    items: Vec<Arc<[u8]>>,
    last_read: usize,
    location: Location,
    expiry: Option<Expiry>,
}

/// The end of a queue that is not used.
struct Expiry {
    after: Duration,
    used: Instant,
}

impl Queue {
    fn new(wanted: Wanted) -> Self {
        let expiry = wanted.expires_after.map(|after| Expiry { after, used: Instant::now() });
        Self { items: Vec::new(), last_read: 0, location: wanted.location, expiry }
    }

    /// Only queues that expire read the clock.
    fn is_used(&mut self) {
        if let Some(expiry) = &mut self.expiry {
            expiry.used = Instant::now();
        }
    }

    /// Returns the bytes that it counts for.
    fn counts(&self) -> usize {
        QUEUE_BYTES + self.items.iter().map(|item| item.len() + ITEM_BYTES).sum::<usize>()
    }
}

/// The queues that are not recoverable.
pub(super) struct Queues {
    state: Mutex<State>,
    main_bytes_max: usize,
}

#[derive(Default)]
struct State {
    queues: HashMap<Name16, Queue>,
    bytes: Bytes,
}

/// The bytes that all queues and their items count for, by location.
#[derive(Default)]
struct Bytes {
    main: usize,
    auxiliary: usize,
}

impl Bytes {
    fn at(&mut self, location: Location) -> &mut usize {
        match location {
            Location::Main => &mut self.main,
            Location::Auxiliary => &mut self.auxiliary,
        }
    }
}

impl Queues {
    /// No queues yet; all items in main storage together may take so many bytes.
    pub fn new(main_bytes_max: usize) -> Self {
        Self { state: Mutex::default(), main_bytes_max }
    }

    fn bytes_max(&self, location: Location) -> usize {
        match location {
            Location::Main => self.main_bytes_max,
            Location::Auxiliary => TS_AUXILIARY_BYTES_MAX,
        }
    }

    /// Adds an item: its number. A queue that is there stays what it is, whatever is wanted.
    ///
    /// # Errors
    /// LENGERR, NOSPACE.
    pub fn add(&self, name: Name16, wanted: Wanted, data: &[u8]) -> Outcome<usize> {
        check_length(data)?;
        let mut state = self.state.lock();
        let State { queues, bytes } = &mut *state;
        let queue = queues.entry(name).or_insert_with(|| Queue::new(wanted));
        let bytes = bytes.at(queue.location);
        let counts = data.len() + ITEM_BYTES + if queue.items.is_empty() { QUEUE_BYTES } else { 0 };
        let refused = match queue.items.len() {
            TS_ITEMS_MAX.. => Some(cond::ITEMERR),
            _ if *bytes + counts > self.bytes_max(queue.location) => Some(cond::NOSPACE),
            _ => None,
        };
        if let Some(condition) = refused {
            if queue.items.is_empty() {
                queues.remove(&name);
            }
            return Err(condition.raise(0));
        }
        queue.items.push(data.into());
        queue.is_used();
        *bytes += counts;
        Ok(queue.items.len())
    }

    /// Replaces an item: how many there are.
    ///
    /// # Errors
    /// LENGERR, QIDERR, ITEMERR, NOSPACE.
    pub fn replace(&self, name: Name16, number: i64, data: &[u8]) -> Outcome<usize> {
        check_length(data)?;
        let mut state = self.state.lock();
        let State { queues, bytes } = &mut *state;
        let queue = queues.get_mut(&name).ok_or_else(|| cond::QIDERR.raise(0))?;
        let location = queue.location;
        let item = item_mut(queue, number)?;
        let bytes = bytes.at(location);
        let after = *bytes - item.len() + data.len();
        if after > self.bytes_max(location) {
            return Err(cond::NOSPACE.raise(0));
        }
        *item = data.into();
        *bytes = after;
        queue.is_used();
        Ok(queue.items.len())
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
        queue.is_used();
        Ok((item, queue.items.len()))
    }

    /// Deletes a queue.
    ///
    /// # Errors
    /// QIDERR.
    pub fn delete(&self, name: Name16) -> Outcome {
        let mut state = self.state.lock();
        let queue = state.queues.remove(&name).ok_or_else(|| cond::QIDERR.raise(0))?;
        *state.bytes.at(queue.location) -= queue.counts();
        Ok(())
    }

    /// Deletes the queues that were not used for as long as their models say; returns their number.
    pub fn expire(&self, now: Instant) -> usize {
        let mut state = self.state.lock();
        let is_over = |expiry: &Expiry| now.saturating_duration_since(expiry.used) >= expiry.after;
        let over = state.queues.extract_if(|_, queue| queue.expiry.as_ref().is_some_and(is_over));
        let over: Vec<_> = over.map(|(_, queue)| (queue.location, queue.counts())).collect();
        over.iter().for_each(|(location, bytes)| *state.bytes.at(*location) -= bytes);
        over.len()
    }

    /// All queues, in no order.
    pub fn list(&self) -> Vec<QueueInfo> {
        self.state.lock().queues.iter().map(|(name, queue)| info(*name, queue)).collect()
    }

    /// Returns the number of queues.
    pub fn count(&self) -> usize {
        self.state.lock().queues.len()
    }

    /// Sets the number of the item of a queue that was read last, if the queue exists.
    pub fn set_last_read(&self, name: Name16, number: usize) {
        if let Some(queue) = self.state.lock().queues.get_mut(&name) {
            queue.last_read = number;
        }
    }

    /// All auxiliary queues.
    pub fn auxiliary(&self) -> Vec<Snapshot> {
        let state = self.state.lock();
        let auxiliary = state.queues.iter().filter(|(_, queue)| queue.location == Location::Auxiliary);
        let snapshot = |(name, queue): (&Name16, &Queue)| Snapshot {
            name: *name,
            items: queue.items.clone(),
            last_read: queue.last_read,
        };
        auxiliary.map(snapshot).collect()
    }
}

fn info(name: Name16, queue: &Queue) -> QueueInfo {
    let lengths = queue.items.iter().map(|item| item.len());
    QueueInfo {
        name,
        items: queue.items.len(),
        lengths: (lengths.clone().min().unwrap_or(0), lengths.clone().max().unwrap_or(0)),
        bytes: lengths.sum(),
        location: queue.location,
        recoverable: false,
        expires_after: queue.expiry.as_ref().map(|expiry| expiry.after),
        unused_for: queue.expiry.as_ref().map(|expiry| expiry.used.elapsed()),
    }
}

/// Returns success if an item may have these bytes.
///
/// # Errors
/// LENGERR.
pub(super) fn check_length(data: &[u8]) -> Outcome {
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
    const MAIN: Wanted = Wanted { location: Location::Main, expires_after: None };

    fn text(item: &(Arc<[u8]>, usize)) -> (&str, usize) {
        (std::str::from_utf8(&item.0).expect("text"), item.1)
    }

    #[test]
    fn items_are_numbered_and_next_goes_on_behind_the_last_that_was_read() {
        let (ts, name) = (Queues::new(BYTES_MAX), Name16::from("Q"));
        assert_eq!(ts.add(name, MAIN, b"one"), Ok(1));
        assert_eq!(ts.add(name, MAIN, b"two"), Ok(2));
        assert_eq!(text(&ts.read(name, None).expect("first")), ("one", 2));
        assert_eq!(text(&ts.read(name, None).expect("second")), ("two", 2));
        assert_eq!(ts.read(name, None).expect_err("no third"), cond::ITEMERR.raise(0));
        assert_eq!(text(&ts.read(name, Some(1)).expect("first again")), ("one", 2));
        assert_eq!(text(&ts.read(name, None).expect("next is second")), ("two", 2));
    }

    #[test]
    fn what_is_not_there_is_told_apart() {
        let (ts, name) = (Queues::new(BYTES_MAX), Name16::from("Q"));
        assert_eq!(ts.read(name, Some(1)).expect_err("no queue"), cond::QIDERR.raise(0));
        assert_eq!(ts.delete(name), Err(cond::QIDERR.raise(0)));
        assert_eq!(ts.replace(name, 1, b"x"), Err(cond::QIDERR.raise(0)));
        assert_eq!(ts.add(name, MAIN, b"one"), Ok(1));
        for number in [0, -1, 2] {
            assert_eq!(ts.replace(name, number, b"x"), Err(cond::ITEMERR.raise(0)), "{number}");
        }
        assert_eq!(ts.add(name, MAIN, b""), Err(cond::LENGERR.raise(0)));
    }

    #[test]
    fn storage_is_bounded_and_given_back() {
        let one = QUEUE_BYTES + ITEM_BYTES;
        let ts = Queues::new(one + ITEM_BYTES + 10);
        let name = Name16::from("Q");
        assert_eq!(ts.add(name, MAIN, b"12345678"), Ok(1));
        assert_eq!(ts.add(name, MAIN, b"123"), Err(cond::NOSPACE.raise(0)));
        assert_eq!(ts.replace(name, 1, b"1234567"), Ok(1));
        assert_eq!(ts.add(name, MAIN, b"123"), Ok(2));
        assert_eq!(ts.delete(name), Ok(()));
        assert_eq!(ts.add(name, MAIN, b"1234567890"), Ok(1));
        assert_eq!(ts.delete(name), Ok(()));
        // Names are not for nothing.
        assert_eq!(ts.add(name, MAIN, b"x"), Ok(1));
        assert_eq!(ts.add(Name16::from("R"), MAIN, b"x"), Err(cond::NOSPACE.raise(0)));
    }

    #[test]
    fn a_queue_expires_when_it_has_not_been_used_for_so_long() {
        let ts = Queues::new(BYTES_MAX);
        let minute = Duration::from_secs(60);
        let expiring = Wanted { expires_after: Some(minute), ..MAIN };
        ts.add(Name16::from("OLD"), expiring, b"x").expect("room");
        ts.add(Name16::from("KEPT"), MAIN, b"x").expect("room");
        assert_eq!(ts.expire(Instant::now()), 0);
        assert_eq!(ts.expire(Instant::now() + minute), 1);
        assert_eq!(ts.list().len(), 1);
    }

    #[test]
    fn auxiliary_queues_do_not_count_against_main_storage() {
        let ts = Queues::new(1);
        let auxiliary = Wanted { location: Location::Auxiliary, expires_after: None };
        assert_eq!(ts.add(Name16::from("AUX"), auxiliary, b"xx"), Ok(1));
        assert_eq!(ts.add(Name16::from("MAIN"), MAIN, b"xx"), Err(cond::NOSPACE.raise(0)));
        assert_eq!(ts.auxiliary().len(), 1);
    }
}
