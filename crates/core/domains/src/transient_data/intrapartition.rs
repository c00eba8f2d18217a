//! Intrapartition queues: what is known of one in main storage, and the trigger that has it read.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};
use spec::cond;

use super::QueueName;
use kernel::limits::{ITEM_BYTES, TD_BYTES_MAX, TD_RECORDS_MAX};
use kernel::meters::ResourceRequests;
use kernel::name::{Name8, TerminalName, TransactionName};
use kernel::raise::{Outcome, RaiseCondition};

/// The task that is started when a queue has reached its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The queue.
    pub queue: QueueName,
    /// The transaction.
    pub transaction: TransactionName,
    /// The number of records that it takes; 0: the queue triggers nothing.
    pub level: usize,
    /// The terminal at which the task runs, if any.
    pub terminal: Option<TerminalName>,
    /// On whose behalf; `None`: the writer's.
    pub user: Option<Name8>,
}

/// The fate of a queue's records when a unit of work or the region does not end well: RECOVSTATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// They are in main storage.
    None,
    /// Reads and writes take effect at once, whatever becomes of the unit of work.
    Physical,
    /// They belong to the unit of work.
    Logical,
}

/// A queue of records.
pub struct Intrapartition {
    /// Its name.
    pub name: QueueName,
    /// Its recovery.
    pub recovery: Recovery,
    /// WAITACTION(QUEUE): commands wait for a unit of work in doubt that has the queue, however long that takes.
    pub waits_for_indoubt: bool,
    /// WAIT(YES): a unit of work in doubt that has changed the queue waits for its coordinator, if its transaction lets it. With
    /// WAIT(NO) ACTION of the transaction is done at once.
    pub may_be_in_doubt: bool,
    /// The requests of programs so far.
    pub requests: ResourceRequests,
    trigger: RwLock<Option<Trigger>>,
    enabled: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The records, where they are in main storage.
    records: VecDeque<Box<[u8]>>,
    /// The bytes that those count for.
    bytes: usize,
    /// No record that is there has a lower number; where they are records of the engine.
    first: u64,
    /// The number of the next record.
    next: u64,
    /// The number of committed records that wait.
    waiting: usize,
    /// The record read last by the unit of work that holds the readers' lock, until the record is gone or back.
    last_read: Option<u64>,
    /// The trigger's task has been started and has not emptied the queue yet.
    triggered: bool,
}

/// Returns the bytes that a record in main storage counts for.
fn counts(record: &[u8]) -> usize {
    record.len() + ITEM_BYTES
}

impl State {
    /// A record comes to those in main storage.
    fn keep(&mut self, record: Vec<u8>) {
        self.bytes += counts(&record);
        self.records.push_back(record.into());
    }

    /// The first of them goes.
    fn take(&mut self) -> Option<Box<[u8]>> {
        let record = self.records.pop_front()?;
        self.bytes -= counts(&record);
        Some(record)
    }
}

impl Intrapartition {
    /// An empty queue.
    pub fn new(name: QueueName, recovery: Recovery, trigger: Option<Trigger>) -> Self {
        Self {
            name,
            recovery,
            waits_for_indoubt: false,
            may_be_in_doubt: true,
            requests: ResourceRequests::new(&super::COUNTED),
            trigger: RwLock::new(trigger),
            enabled: AtomicBool::new(true),
            state: Mutex::default(),
        }
    }

    /// Returns its trigger.
    pub fn trigger(&self) -> Option<Trigger> {
        *self.trigger.read()
    }

    /// Changes what starts a task. A trigger without a transaction starts none.
    pub fn change_trigger(&self, change: impl FnOnce(&mut Trigger)) {
        change(self.trigger.write().get_or_insert(Trigger {
            queue: self.name,
            transaction: TransactionName::BLANK,
            level: 1,
            terminal: None,
            user: None,
        }));
    }

    /// Returns true if programs may use it.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    /// SET TDQUEUE ENABLED or DISABLED.
    pub fn enable(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }

    /// Returns the number of committed records that wait.
    pub fn len(&self) -> usize {
        self.state.lock().waiting
    }

    /// Returns true if no record waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns success if there is room for another record.
    ///
    /// # Errors
    /// NOSPACE.
    pub(super) fn has_room(&self) -> Outcome {
        if self.len() < TD_RECORDS_MAX { Ok(()) } else { Err(cond::NOSPACE.raise(0)) }
    }

    /// Adds a record in main storage. The trigger, if this one reaches its level.
    ///
    /// # Errors
    /// NOSPACE.
    pub(super) fn write(&self, record: Vec<u8>) -> Outcome<Option<Trigger>> {
        self.has_room()?;
        {
            let mut state = self.state.lock();
            if state.bytes + counts(&record) > TD_BYTES_MAX {
                return Err(cond::NOSPACE.raise(0));
            }
            state.keep(record);
        }
        Ok(self.came(1))
    }

    /// Takes the first record from main storage.
    ///
    /// # Errors
    /// QZERO.
    pub(super) fn read(&self) -> Outcome<Vec<u8>> {
        let record = self.state.lock().take();
        match record {
            Some(record) => {
                self.went(1);
                Ok(record.into())
            }
            None => Err(self.is_exhausted()),
        }
    }

    /// Deletes all records in main storage.
    pub(super) fn delete(&self) {
        *self.state.lock() = State::default();
    }

    /// The records in main storage.
    pub(super) fn records(&self) -> Vec<Vec<u8>> {
        self.state.lock().records.iter().map(|record| record.to_vec()).collect()
    }

    /// A record in main storage that was there before the region started: no trigger counts yet.
    pub(super) fn restore(&self, record: Vec<u8>) {
        let mut state = self.state.lock();
        state.keep(record);
        state.waiting += 1;
    }

    /// The number for a record that is added to the engine's.
    pub(super) fn next_number(&self) -> u64 {
        let mut state = self.state.lock();
        state.next += 1;
        state.next - 1
    }

    /// Returns the number at which to look for the first record.
    pub(super) fn first_number(&self) -> u64 {
        self.state.lock().first
    }

    /// A record was read: the first one comes after it, …
    pub(super) fn passed(&self, number: u64) {
        let mut state = self.state.lock();
        state.first = number + 1;
        state.last_read = Some(number);
    }

    /// Returns the record read last by a unit of work that goes on.
    pub(super) fn last_read(&self) -> Option<u64> {
        self.state.lock().last_read
    }

    /// The unit of work that has read a record ends. False where its record was gone before.
    pub(super) fn is_settled(&self, number: u64) -> bool {
        let mut state = self.state.lock();
        let is_last = state.last_read == Some(number);
        if is_last {
            state.last_read = None;
        }
        is_last || self.recovery == Recovery::Logical
    }

    /// The number belongs to a record that is there, or is in doubt.
    pub(super) fn is_taken(&self, number: u64) {
        let mut state = self.state.lock();
        state.next = state.next.max(number + 1);
    }

    /// … until its unit of work is backed out.
    pub(super) fn is_back(&self, number: u64) {
        let mut state = self.state.lock();
        state.first = state.first.min(number);
    }

    /// A record that the engine has from an earlier run; they come in ascending order.
    pub(super) fn found(&self, number: u64) {
        let mut state = self.state.lock();
        if state.waiting == 0 {
            state.first = number;
        }
        state.next = number + 1;
        state.waiting += 1;
    }

    /// Committed records more. The trigger, if they reach its level.
    pub(super) fn came(&self, records: usize) -> Option<Trigger> {
        self.grew(records);
        self.reached()
    }

    /// Committed records more, where no task may come of it yet.
    pub(super) fn grew(&self, records: usize) {
        self.state.lock().waiting += records;
    }

    /// The trigger, if the queue is at its level and the trigger's task is not there yet.
    pub(super) fn reached(&self) -> Option<Trigger> {
        let trigger =
            self.trigger().filter(|trigger| trigger.level > 0 && !trigger.transaction.is_blank())?;
        let mut state = self.state.lock();
        let reached = !state.triggered && state.waiting >= trigger.level;
        state.triggered |= reached;
        reached.then_some(trigger)
    }

    /// Committed records fewer.
    pub(super) fn went(&self, records: usize) {
        let mut state = self.state.lock();
        state.waiting = state.waiting.saturating_sub(records);
    }

    /// QZERO. The trigger's task has seen the end: what comes now may start another.
    pub(super) fn is_exhausted(&self) -> kernel::raise::Raise {
        self.trigger_ended();
        cond::QZERO.raise(0)
    }

    /// The trigger's task has ended. If it has left records, the next record that comes starts another task.
    pub(super) fn trigger_ended(&self) {
        self.state.lock().triggered = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(level: usize) -> (Intrapartition, Trigger) {
        let trigger =
            Trigger { queue: "QUEU".into(), transaction: "PRNT".into(), level, terminal: None, user: None };
        (Intrapartition::new("QUEU".into(), Recovery::None, Some(trigger)), trigger)
    }

    #[test]
    fn the_trigger_fires_once_until_its_task_has_seen_the_end() {
        let (queue, trigger) = queue(2);
        assert_eq!(queue.write(b"1".to_vec()), Ok(None));
        assert_eq!(queue.write(b"2".to_vec()), Ok(Some(trigger)));
        assert_eq!(queue.write(b"3".to_vec()), Ok(None));
        for expected in [b"1", b"2", b"3"] {
            assert_eq!(queue.read().expect("a record"), expected);
        }
        assert_eq!(queue.read(), Err(cond::QZERO.raise(0)));
        assert_eq!(queue.write(b"4".to_vec()), Ok(None));
        assert_eq!(queue.write(b"5".to_vec()), Ok(Some(trigger)));
    }

    #[test]
    fn a_task_that_leaves_records_is_started_again_by_the_next_one() {
        let (queue, trigger) = queue(1);
        assert_eq!(queue.write(b"1".to_vec()), Ok(Some(trigger)));
        queue.trigger_ended();
        assert_eq!(queue.write(b"2".to_vec()), Ok(Some(trigger)));
    }

    #[test]
    fn a_queue_whose_level_is_0_triggers_nothing() {
        let (queue, _) = queue(0);
        assert_eq!(queue.write(b"1".to_vec()), Ok(None));
    }
}
