//! A scenario of a region, as all TCBs share it: its settings and its counts.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use pipelines::handed::Fit;

use crate::settings::Said;

/// A scenario.
pub(crate) struct Scenario {
    /// Its settings.
    pub said: Said,
    /// Its service, once the region has it.
    pub service: OnceLock<Fit>,
    /// Its counts.
    pub counts: Counts,
}

/// Counts of a scenario. Nothing is decided by these numbers.
#[derive(Default)]
pub(crate) struct Counts {
    /// Messages that an instance has got.
    pub messages: Counter,
    /// Answers that were committed.
    pub answers: Counter,
    /// Messages that were backed out because their program said so.
    pub backed_out: Counter,
    /// Messages whose instance has abended.
    pub abends: Counter,
    /// Messages for which there was no room, or that have waited for too long.
    pub refused: Counter,
    /// Messages whose instance was purged since they took too long.
    pub late: Counter,
    /// Instances that were started.
    pub starts: Counter,
    /// Instances that run.
    pub instances: Counter,
    /// Messages that wait for one.
    pub queued: Counter,
    /// The most that have waited on one TCB.
    pub queued_most: AtomicU64,
}

impl Counts {
    /// So many messages wait on a TCB, one more than before.
    pub fn queued(&self, waiting: usize) {
        self.queued.one();
        if waiting as u64 > self.queued_most.load(Ordering::Relaxed) {
            self.queued_most.fetch_max(waiting as u64, Ordering::Relaxed);
        }
    }
}

/// A number.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One less, of those that come and go.
    pub fn one_less(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// It.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
