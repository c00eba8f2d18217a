//! Intrapartition queues: records in the region, and the trigger that has them read.

use std::collections::VecDeque;

use parking_lot::Mutex;
use spec::cond;

use super::QueueName;
use crate::limits::TD_RECORDS_MAX;
use crate::name::{TerminalName, TransactionName};
use crate::raise::{Outcome, RaiseCondition};

/// What is started when a queue is full enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The queue.
    pub queue: QueueName,
    /// The transaction.
    pub transaction: TransactionName,
    /// How many records it takes; never 0.
    pub level: usize,
    /// The terminal at which the task runs, if any.
    pub terminal: Option<TerminalName>,
}

/// A queue of records.
pub struct Intrapartition {
    /// Whether records belong to units of work.
    pub recoverable: bool,
    trigger: Option<Trigger>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    records: VecDeque<Vec<u8>>,
    /// The trigger's task has been started and has not emptied the queue yet.
    triggered: bool,
}

impl Intrapartition {
    /// An empty queue.
    pub fn new(recoverable: bool, trigger: Option<Trigger>) -> Self {
        let trigger = trigger.filter(|trigger| trigger.level > 0);
        Self { recoverable, trigger, state: Mutex::default() }
    }

    /// What starts a task.
    pub fn trigger(&self) -> Option<Trigger> {
        self.trigger
    }

    /// Adds a record at the end. The trigger, if this one reaches its level.
    ///
    /// # Errors
    /// NOSPACE.
    pub fn write(&self, record: Vec<u8>) -> Outcome<Option<Trigger>> {
        let mut state = self.state.lock();
        if state.records.len() >= TD_RECORDS_MAX {
            return Err(cond::NOSPACE.raise(0));
        }
        state.records.push_back(record);
        let reached = self.trigger.filter(|trigger| !state.triggered && state.records.len() >= trigger.level);
        state.triggered |= reached.is_some();
        Ok(reached)
    }

    /// Takes the first record.
    ///
    /// # Errors
    /// QZERO.
    pub fn read(&self) -> Outcome<Vec<u8>> {
        let mut state = self.state.lock();
        match state.records.pop_front() {
            Some(record) => Ok(record),
            None => {
                // The trigger's task has seen the end: the next record may start another.
                state.triggered = false;
                Err(cond::QZERO.raise(0))
            }
        }
    }

    /// Puts a record back that was read by a unit of work that is backed out.
    pub fn unread(&self, record: Vec<u8>) {
        self.state.lock().records.push_front(record);
    }

    /// Deletes all records.
    pub fn delete(&self) {
        *self.state.lock() = State::default();
    }

    /// How many records wait.
    pub fn len(&self) -> usize {
        self.state.lock().records.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trigger_fires_once_until_its_task_has_seen_the_end() {
        let trigger = Trigger { queue: "QUEU".into(), transaction: "PRNT".into(), level: 2, terminal: None };
        let queue = Intrapartition::new(false, Some(trigger));
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
    fn a_record_that_is_put_back_is_the_first_again() {
        let queue = Intrapartition::new(true, None);
        queue.write(b"1".to_vec()).expect("room");
        queue.write(b"2".to_vec()).expect("room");
        let first = queue.read().expect("a record");
        queue.unread(first);
        assert_eq!(queue.read().expect("a record"), b"1");
    }
}
