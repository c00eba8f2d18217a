//! Counts of event processing as a whole.

use std::sync::atomic::{AtomicU64, Ordering};

/// A count.
#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub fn more(&self) {
        self.add(1);
    }

    pub fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number of things now, and the most that there were.
#[derive(Default)]
pub(crate) struct Level {
    now: AtomicU64,
    peak: AtomicU64,
}

impl Level {
    pub fn rises(&self) {
        self.rises_by(1);
    }

    pub fn rises_by(&self, more: usize) {
        let now = self.now.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        self.peak.fetch_max(now, Ordering::Relaxed);
    }

    pub fn falls(&self, by: usize) {
        self.now.fetch_sub(by as u64, Ordering::Relaxed);
    }

    pub fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// The most since the last reset.
    pub fn peak(&self, reset: bool) -> u64 {
        let peak = self.peak.load(Ordering::Relaxed);
        if reset {
            self.peak.store(self.now(), Ordering::Relaxed);
        }
        peak
    }
}

/// The counts.
#[derive(Default)]
pub(crate) struct Counts {
    /// Filters that were tried.
    pub filtered: Count,
    pub captured: Count,
    /// System events captured.
    pub of_system: Count,
    pub filters_failed: Count,
    pub captures_failed: Count,
    /// Events passed on for emission.
    pub put: Count,
    pub commits: Count,
    pub backouts: Count,
    pub waiting: Level,
    pub transactional_waiting: Level,
    pub transactional_bytes: Level,
    pub normal: Count,
    pub urgent: Count,
    pub transactional: Count,
    pub discarded: Count,
    pub synchronous: Count,
    pub synchronous_failed: Count,
    pub dispatchers: Count,
    pub dispatchers_now: Level,
    pub custom: Count,
    pub transaction: Count,
    pub ts_queue: Count,
    pub td_queue: Count,
    pub http: Count,
    /// Lost: the adapter's transaction cannot be begun, or there was no room.
    pub dispatch_config: Count,
    pub dispatch_other: Count,
    /// Lost: what the adapter names is wrong, or something else.
    pub adapter_config: Count,
    pub adapter_other: Count,
    /// Lost: the adapter is disabled, or not there.
    pub unavailable: Count,
}

/// The counts of an adapter: what was passed to it, and what became of that.
#[derive(Default)]
pub(crate) struct AdapterCounts {
    pub put: Count,
    pub emitted: Count,
    /// Lost: as many waited as may.
    pub no_room: Count,
    /// Lost: it could not be emitted.
    pub failed: Count,
    /// Lost: it was disabled.
    pub disabled: Count,
    /// Lost: there was no task for them, or event processing was stopped.
    pub deleted: Count,
}
