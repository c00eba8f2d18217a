//! The pace of forces: how long one takes of late, and how many units of work mostly go with it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use smallvec::SmallVec;

/// So many waiting for one force are few: what it costs to wake the log's thread is not shared by more.
pub(super) const FEW: usize = 4;
/// Items that go with one force: mostly few.
pub(super) type ForOneForce<T> = SmallVec<[T; FEW]>;
/// Weight of a new time in the average: one part in so many.
const SMOOTHING: u64 = 8;

/// Average time of a force, of late.
#[derive(Default)]
pub(super) struct Pace(AtomicU64);

impl Pace {
    /// One has taken so long. For the holder of the writer.
    pub(super) fn note(&self, took: Duration) {
        let before = self.0.load(Ordering::Relaxed);
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX / 2).min(u64::MAX / 2);
        self.0.store(before - before / SMOOTHING + took / SMOOTHING, Ordering::Relaxed);
    }

    pub(super) fn average(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}
