//! Times by which idle terminals of other regions are taken away.

use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::Notify;

/// DSHIPINT and DSHIPIDL, in seconds.
pub(crate) struct Times {
    interval: AtomicU32,
    idle: AtomicU32,
    pub(super) changed: Notify,
}

impl Default for Times {
    fn default() -> Self {
        Self { interval: AtomicU32::new(0), idle: AtomicU32::new(0), changed: Notify::new() }
    }
}

impl Times {
    /// From now on they are these.
    pub fn set(&self, interval: u32, idle: u32) {
        self.interval.store(interval, Ordering::Relaxed);
        self.idle.store(idle, Ordering::Relaxed);
        self.changed.notify_one();
    }

    pub(super) fn interval(&self) -> u32 {
        self.interval.load(Ordering::Relaxed)
    }

    pub(super) fn idle(&self) -> u32 {
        self.idle.load(Ordering::Relaxed)
    }
}
