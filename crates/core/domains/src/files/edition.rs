//! Editions of a region's files: another one after every change of a file.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

/// Editions that one region may have; those of the next one follow in number.
const EDITIONS_MAX: u64 = 1 << 40;

/// The edition of a region's files, and what commands have found in it.
pub(super) struct Edition {
    /// Every command looks at it.
    number: CachePadded<AtomicU64>,
    /// The findings of threads. Threads hold them weakly: a thread that rests does not keep what is closed.
    found: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

impl Default for Edition {
    fn default() -> Self {
        static REGIONS: AtomicU64 = AtomicU64::new(1);
        let first = REGIONS.fetch_add(1, Ordering::Relaxed).wrapping_mul(EDITIONS_MAX);
        Self { number: CachePadded::new(AtomicU64::new(first)), found: Mutex::default() }
    }
}

impl Edition {
    /// Its number.
    pub fn number(&self) -> u64 {
        self.number.load(Ordering::Acquire)
    }

    /// A command finds files otherwise from now on.
    pub fn ends(&self) {
        self.number.fetch_add(1, Ordering::Release);
        drop(std::mem::take(&mut *self.found.lock()));
    }

    /// Keeps what a command has found that had seen this number before. Returns false if the edition is another one now.
    pub fn keep(&self, found: Arc<dyn Any + Send + Sync>, number: u64) -> bool {
        let mut all = self.found.lock();
        let is_same = self.number() == number;
        if is_same {
            all.push(found);
        }
        is_same
    }
}
