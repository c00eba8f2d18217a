//! Recoverable intrapartition queues: records of the engine, numbered in the order of writing.
//!
//! Two locks, held to the end of the unit of work: the writers' at the end of the queue, the readers' at its beginning. A
//! reader that finds nothing waits for a writer that holds the end, since more may come.
//!
//! On a physically recoverable queue each command counts at once: WRITEQ and DELETEQ are units of work of their own. Only
//! the last record that a unit of work has read is taken back with it; the one before is gone with the next READQ.

use std::sync::Arc;
use std::time::{Duration, Instant};

use records::{Batch, Direction, Error, Origin, StoreId, Wait};
use spec::cond;

use super::trigger::{Writer, fire};
use super::{Intrapartition, Queue, QueueName, Recovery};
use kernel::raise::{Outcome, Raise};
use kernel::recovery::{self, UnitOfWork, queue_error};
use kernel::task::{Task, TaskControl, WaitKind};

/// Behind the queue's name, what the lock of its readers and that of its writers are called.
pub(super) const READERS: u8 = b'R';
pub(super) const WRITERS: u8 = b'W';

/// The interval at which a command checks if a unit of work in doubt has released the queue: that may take days.
const RETAINED_LOOK_EVERY: Duration = Duration::from_millis(100);

/// Records that are deleted at a time.
const STEP: usize = 256;

/// The key of a record: the queue's name, and the number in eight bytes, the highest first.
pub(super) fn key(queue: QueueName, number: u64) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(queue.as_bytes());
    key[4..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The key of the lock of an end of a queue.
pub(super) fn lock_key(queue: QueueName, end: u8) -> [u8; 5] {
    let mut key = [end; 5];
    key[..4].copy_from_slice(queue.as_bytes());
    key
}

/// The queue and the end of a lock's key; `None` if the lock is that of a record.
pub(super) fn read_lock_key(key: &[u8]) -> Option<(QueueName, u8)> {
    let (name, end) = key.split_first_chunk::<4>()?;
    let [end @ (READERS | WRITERS)] = end else { return None };
    Some((QueueName::new(name), *end))
}

/// The queue and the number of a key.
pub(super) fn read_key(key: &[u8]) -> Option<(QueueName, u64)> {
    let (name, number) = key.split_first_chunk::<4>()?;
    Some((QueueName::new(name), u64::from_be_bytes(number.try_into().ok()?)))
}

/// One command on a recoverable queue, in the unit of work to which it belongs.
struct Access<'a> {
    queue: &'a Arc<Queue>,
    within: &'a Intrapartition,
    work: &'a mut UnitOfWork,
    store: StoreId,
    wait: Wait,
}

/// Runs a command that writes in the task's unit of work or, on a physically recoverable queue, in one of its own.
async fn writing<T>(
    task: &mut Task,
    within: &Intrapartition,
    command: impl AsyncFnOnce(&mut UnitOfWork) -> Outcome<T>,
) -> Outcome<T> {
    if within.recovery == Recovery::Logical {
        return command(&mut task.work).await;
    }
    recovery::apart(&task.region, &task.control, command).await
}

/// Adds a record.
pub(super) async fn write(
    task: &mut Task,
    queue: &Arc<Queue>,
    within: &Intrapartition,
    record: &[u8],
) -> Outcome {
    let (writer, wait) = (Arc::clone(&task.control), task.patience());
    writing(task, within, async |work| Access::new(queue, within, work, wait).write(record, writer).await)
        .await
}

/// Takes the first record. With `nosuspend`, QBUSY where that would mean to wait.
pub(super) async fn read(
    task: &mut Task,
    queue: &Arc<Queue>,
    within: &Intrapartition,
    nosuspend: bool,
) -> Outcome<Vec<u8>> {
    let wait = if nosuspend { Wait::No } else { task.patience() };
    let mut access = Access::new(queue, within, &mut task.work, wait);
    let before = if access.holds(READERS) { within.last_read() } else { None };
    let record = access.read().await?;
    if let Some(before) = before.filter(|_| within.recovery == Recovery::Physical) {
        forget(task, within, before).await?;
    }
    Ok(record)
}

/// The next READQ of a physically recoverable queue: the record that was read before it does not come back.
async fn forget(task: &mut Task, within: &Intrapartition, number: u64) -> Outcome {
    let (store, key) = (task.region.stores.transient_data, key(within.name, number));
    let delete = async |own: &mut UnitOfWork| own.delete(store, &key).await;
    recovery::apart(&task.region, &task.control, delete).await?;
    within.went(1);
    Ok(())
}

/// Deletes all records.
pub(super) async fn delete(task: &mut Task, queue: &Arc<Queue>, within: &Intrapartition) -> Outcome {
    let wait = task.patience();
    writing(task, within, async |work| Access::new(queue, within, work, wait).delete().await).await
}

impl<'a> Access<'a> {
    fn new(queue: &'a Arc<Queue>, within: &'a Intrapartition, work: &'a mut UnitOfWork, wait: Wait) -> Self {
        let store = work.region().stores.transient_data;
        Self { queue, within, work, store, wait }
    }

    fn lock_key(&self, end: u8) -> [u8; 5] {
        lock_key(self.within.name, end)
    }

    /// Returns true if the unit of work has the lock of an end of the queue already.
    fn holds(&mut self, end: u8) -> bool {
        let key = self.lock_key(end);
        self.work.changes().has_lock(self.store, &key)
    }

    async fn lock(&mut self, end: u8) -> Outcome {
        let (key, begun) = (self.lock_key(end), Instant::now());
        loop {
            let locked = self.work.lock(self.store, &key, self.wait, WaitKind::TRANSIENT_DATA).await;
            match locked {
                Err(Raise::Condition(cond::LOCKED, _)) if self.within.waits_for_indoubt => {}
                locked => return locked,
            }
            match self.wait {
                Wait::No => return Err(queue_error(&Error::Locked)),
                Wait::AtMost(longest) if begun.elapsed() >= longest => {
                    return Err(queue_error(&Error::TimedOut));
                }
                Wait::AtMost(_) | Wait::Forever => {
                    self.work.pause(RETAINED_LOOK_EVERY, WaitKind::TRANSIENT_DATA).await?;
                }
            }
        }
    }

    fn unlock(&mut self, end: u8) {
        let (store, key) = (self.store, self.lock_key(end));
        self.work.changes().unlock(store, &key);
    }

    async fn write(mut self, record: &[u8], writer: Arc<TaskControl>) -> Outcome {
        self.lock(WRITERS).await?;
        self.within.has_room()?;
        let key = key(self.within.name, self.within.next_number());
        self.work.put(self.store, &key, record).await?;
        let queue = Arc::clone(self.queue);
        self.work.at_commit(Box::new(move |region| {
            if let Some(trigger) = queue.intrapartition().and_then(|queue| queue.came(1)) {
                fire(region, trigger, Writer::Task(&writer));
            }
        }));
        Ok(())
    }

    async fn read(&mut self) -> Outcome<Vec<u8>> {
        let had = self.holds(READERS);
        self.lock(READERS).await?;
        if let Some(record) = self.take_first().await? {
            return Ok(record);
        }
        if !self.holds(WRITERS) {
            // More may come of a unit of work that holds the end: what it commits is seen once it has let go.
            let locked = self.lock(WRITERS).await;
            self.gives_up(had, locked)?;
            let record = self.take_first().await;
            self.unlock(WRITERS);
            if let Some(record) = record? {
                return Ok(record);
            }
        }
        if !had {
            self.unlock(READERS);
        }
        Err(self.within.is_exhausted())
    }

    /// The first record that the unit of work sees; it is gone then.
    async fn take_first(&mut self) -> Outcome<Option<Vec<u8>>> {
        let from = key(self.within.name, self.within.first_number());
        let batch = self.records_from(&from, 1).await?;
        let Some((key, record)) = batch.first() else { return Ok(None) };
        let Some((_, number)) = read_key(key) else { return Ok(None) };
        self.work.delete(self.store, key).await?;
        self.within.passed(number);
        let (read, back) = (Arc::clone(self.queue), Arc::clone(self.queue));
        self.work.at_commit(Box::new(move |_| {
            if let Some(queue) = read.intrapartition().filter(|queue| queue.is_settled(number)) {
                queue.went(1);
            }
        }));
        self.work.at_backout(Box::new(move |_| {
            if let Some(queue) = back.intrapartition().filter(|queue| queue.is_settled(number)) {
                queue.is_back(number);
            }
        }));
        Ok(Some(record.to_vec()))
    }

    /// Up to `limit` records of this queue.
    async fn records_from(&mut self, from: &[u8], limit: usize) -> Outcome<Batch> {
        let mut batch = Batch::default();
        let range =
            self.work.changes().range(self.store, Origin::At(from), Direction::Forward, limit, &mut batch);
        range.await.map_err(|error| queue_error(&error))?;
        let name = self.within.name;
        let of_queue = batch.iter().take_while(|(key, _)| key.starts_with(name.as_bytes())).count();
        batch.truncate(of_queue);
        Ok(batch)
    }

    /// A command that cannot go on holds the readers' lock no longer, unless the unit of work had it before.
    fn gives_up(&mut self, had: bool, locked: Outcome) -> Outcome {
        if locked.is_err() && !had {
            self.unlock(READERS);
        }
        locked
    }

    async fn delete(mut self) -> Outcome {
        let had = self.holds(READERS);
        self.lock(READERS).await?;
        let locked = self.lock(WRITERS).await;
        self.gives_up(had, locked)?;
        let from = key(self.within.name, 0);
        let mut deleted = 0;
        loop {
            let batch = self.records_from(&from, STEP).await?;
            for (key, _) in batch.iter() {
                self.work.delete(self.store, key).await?;
            }
            deleted += batch.len();
            if batch.len() < STEP {
                break;
            }
        }
        let queue = Arc::clone(self.queue);
        self.work.at_commit(Box::new(move |_| {
            if let Some(queue) = queue.intrapartition() {
                queue.went(deleted);
                queue.trigger_ended();
            }
        }));
        Ok(())
    }
}
