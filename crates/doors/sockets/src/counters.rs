//! Numbers that are added to without order among threads: nothing is decided by them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds one.
    pub fn one(&self) {
        self.add(1);
    }

    /// Adds some.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A population that comes and goes: the number present, the number so far, and the highest.
#[derive(Default)]
pub struct Population {
    pub(crate) came: Counter,
    left: Counter,
    most: AtomicU64,
}

impl Population {
    /// Counts one more, until the returned value is dropped.
    pub fn enter(self: &Arc<Self>) -> Present {
        self.came.one();
        let present = self.present();
        if present > self.most.load(Ordering::Relaxed) {
            self.most.fetch_max(present, Ordering::Relaxed);
        }
        Present(Arc::clone(self))
    }

    /// The number present now.
    pub fn present(&self) -> u64 {
        self.came.get().saturating_sub(self.left.get())
    }

    /// The highest number present so far; with `reset`, the present number becomes the highest.
    pub(crate) fn most(&self, reset: bool) -> u64 {
        let most = self.most.load(Ordering::Relaxed);
        if reset {
            self.most.store(self.present(), Ordering::Relaxed);
        }
        most
    }
}

/// One of a population.
pub struct Present(Arc<Population>);

impl Drop for Present {
    fn drop(&mut self) {
        self.0.left.one();
    }
}
