//! What a TCB counts of itself.

use std::sync::atomic::{AtomicU64, Ordering};

use spec::measures::REQUEST_SLOTS;

use super::Requests;
use crate::monitoring::{Timed, now};
use crate::task::{TaskControl, WaitKind};
use crate::transactions::{Supplied, Transaction};

/// A counter that one thread adds to and others read.
#[derive(Debug, Default)]
pub struct Tally(AtomicU64);

impl Tally {
    /// Adds; only the thread that the counter belongs to may.
    #[inline]
    pub fn add(&self, more: u64) {
        self.0.store(self.get().wrapping_add(more), Ordering::Relaxed);
    }

    /// What was added up.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// The counters of a TCB. Its thread adds, everybody reads.
#[derive(Debug)]
pub struct Meter {
    /// Its name.
    pub name: String,
    /// Dispatches of tasks.
    pub dispatches: Tally,
    /// Dispatches that ended with a wait.
    pub suspensions: Tally,
    /// Tasks of the application that have ended.
    pub tasks: Tally,
    /// Tasks of the product that have ended.
    pub supplied_tasks: Tally,
    /// Tasks that have abended.
    pub abends: Tally,
    /// Times that it had nothing to do.
    pub idles: Tally,
    /// Nanoseconds in which it had nothing to do.
    pub idle_ns: Tally,
    /// Requests of tasks that have ended here.
    pub requests: [Tally; REQUEST_SLOTS],
    /// Waits of tasks that have ended here, by cause.
    pub waits: [Tally; WaitKind::COUNT],
    /// Nanoseconds that monitored ones among them waited, by cause.
    pub wait_ns: [Tally; WaitKind::COUNT],
    /// Its thread as the operating system knows it; 0: not yet.
    thread: Tally,
    idle_since: Tally,
}

impl Meter {
    /// A TCB's counters.
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            dispatches: Tally::default(),
            suspensions: Tally::default(),
            tasks: Tally::default(),
            supplied_tasks: Tally::default(),
            abends: Tally::default(),
            idles: Tally::default(),
            idle_ns: Tally::default(),
            requests: std::array::from_fn(|_| Tally::default()),
            waits: std::array::from_fn(|_| Tally::default()),
            wait_ns: std::array::from_fn(|_| Tally::default()),
            thread: Tally::default(),
            idle_since: Tally::default(),
        }
    }

    /// The TCB's thread has started: this one.
    pub(crate) fn started(&self) {
        self.thread.set(u64::try_from(nix::unistd::gettid().as_raw()).unwrap_or_default());
    }

    /// A task was dispatched.
    #[inline]
    pub(crate) fn dispatched(&self, waits: bool) {
        self.dispatches.add(1);
        if waits {
            self.suspensions.add(1);
        }
    }

    /// The thread has nothing to do.
    pub(crate) fn idles(&self) {
        self.idles.add(1);
        self.idle_since.set(now());
    }

    /// The thread has something to do again.
    pub(crate) fn wakes(&self) {
        self.idle_ns.add(now().saturating_sub(self.idle_since.get()));
    }

    /// A task's last program has ended here.
    pub(crate) fn requested(&self, requests: &Requests, abended: bool) {
        for (slot, count) in requests.counted() {
            self.requests[slot].add(count);
        }
        self.abends.add(u64::from(abended));
    }

    /// A task has ended here.
    pub(crate) fn ended(&self, control: &TaskControl, transaction: &Transaction) {
        let tasks = if transaction.supplied == Supplied::No { &self.tasks } else { &self.supplied_tasks };
        tasks.add(1);
        for (total, count) in self.waits.iter().zip(control.waits()) {
            total.add(count.into());
        }
    }

    /// A monitored task that has ended here has waited so long, by cause.
    pub(crate) fn waited(&self, waits: &[Timed; WaitKind::COUNT]) {
        for (total, timed) in self.wait_ns.iter().zip(waits) {
            total.add(timed.time);
        }
    }

    /// Nanoseconds of processor time since the thread started, as the operating system counts it.
    pub fn processor_ns(&self) -> u64 {
        let path = format!("/proc/self/task/{}/schedstat", self.thread.get());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or_default()
    }
}
