//! Thresholds of the times of a task.

use std::sync::atomic::{AtomicU64, Ordering};

/// The nearest thresholds of a task's times, in nanoseconds. The greatest number: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    /// Of processor time, and of time since the attach.
    nearest: [u64; 2],
    /// The same of those whose passing ends the task.
    ends: [u64; 2],
}

impl Times {
    /// None.
    pub const NONE: Self = Self { nearest: [u64::MAX; 2], ends: [u64::MAX; 2] };

    /// There is one of processor time.
    pub fn processor_at_most(&mut self, most: u64, ends: bool) {
        self.at_most(0, most, ends);
    }

    /// There is one of time since the attach.
    pub fn elapsed_at_most(&mut self, most: u64, ends: bool) {
        self.at_most(1, most, ends);
    }

    fn at_most(&mut self, which: usize, most: u64, ends: bool) {
        self.nearest[which] = self.nearest[which].min(most);
        if ends {
            self.ends[which] = self.ends[which].min(most);
        }
    }
}

/// The thresholds of a task that runs, and the most processor time that it was seen to have.
pub(super) struct KeptTimes {
    nearest: [AtomicU64; 2],
    ends: [AtomicU64; 2],
    seen_processor_ns: AtomicU64,
}

impl Default for KeptTimes {
    fn default() -> Self {
        let none = || [AtomicU64::new(u64::MAX), AtomicU64::new(u64::MAX)];
        Self { nearest: none(), ends: none(), seen_processor_ns: AtomicU64::new(0) }
    }
}

impl KeptTimes {
    pub fn set(&self, times: Times) {
        let pairs = self.nearest.iter().zip(times.nearest).chain(self.ends.iter().zip(times.ends));
        pairs.for_each(|(kept, time)| kept.store(time, Ordering::Relaxed));
    }

    /// Returns true if one of them has a threshold.
    pub fn any(&self) -> bool {
        self.nearest.iter().any(|nearest| nearest.load(Ordering::Relaxed) != u64::MAX)
    }

    /// The task was seen with so much processor time. Returns the most.
    pub fn has_seen(&self, processor_ns: u64) -> u64 {
        self.seen_processor_ns.fetch_max(processor_ns, Ordering::Relaxed).max(processor_ns)
    }

    pub fn are_over(&self, times: [u64; 2]) -> bool {
        self.nearest.iter().zip(times).any(|(most, time)| time > most.load(Ordering::Relaxed))
    }

    /// The same of those whose passing ends the task.
    pub fn end_it(&self, times: [u64; 2]) -> bool {
        self.ends.iter().zip(times).any(|(most, time)| time > most.load(Ordering::Relaxed))
    }
}
