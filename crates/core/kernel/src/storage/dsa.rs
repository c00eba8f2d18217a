//! The dynamic storage area: the storage that the tasks of a region may have together, and the effects when it is
//! used up.
//!
//! States: *enough* → *short*, when a request cannot be had → *enough* again, when a part of the limit is free. While it is
//! short, tasks of the application that are attached wait before their first program, and so do commands that get storage
//! for SET; GETMAIN waits unless it says NOSUSPEND, PUT CONTAINER always. Each change is logged once.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::trial::is_tried;

/// The part of the limit that must be free before storage counts as enough again: one in so many.
const CUSHION: usize = 32;

/// The dynamic storage area of a region.
#[derive(Debug)]
pub struct Dsa {
    /// EDSALIM, in bytes.
    limit: AtomicUsize,
    used: AtomicUsize,
    used_peak: AtomicUsize,
    short: AtomicBool,
    shortages: Mutex<Shortages>,
    waits: Waits,
    /// Requests that did not want to wait and got nothing.
    refused: AtomicU64,
    freed: Notify,
}

/// Number and time of the shortages of storage.
#[derive(Debug, Default)]
struct Shortages {
    times: u64,
    since: Option<Instant>,
    /// Of those that are over.
    lasted: Duration,
}

/// Tasks that wait for storage.
#[derive(Debug, Default)]
struct Waits {
    /// All so far.
    begun: AtomicU64,
    /// Those that got none, since they were purged or their time was over.
    given_up: AtomicU64,
    now: AtomicUsize,
    peak: AtomicUsize,
}

/// Figures of an area, for statistics and INQUIRE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DsaFigures {
    /// Bytes: EDSALIM, what of it is in use, the most that was.
    pub limit: usize,
    pub used: usize,
    pub used_peak: usize,
    /// Bytes that must be free before storage counts as enough again.
    pub cushion: usize,
    /// Times that storage was short, and for how long.
    pub times_short: u64,
    pub time_short: Duration,
    /// Requests that had to wait, those of them that gave up, those that wait now, and the most that did.
    pub waited: u64,
    pub given_up: u64,
    pub waiting: usize,
    pub waiting_peak: usize,
    /// Requests that did not want to wait and got nothing.
    pub refused: u64,
}

impl Dsa {
    /// An area of so many bytes, all free.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit: AtomicUsize::new(limit),
            used: AtomicUsize::new(0),
            used_peak: AtomicUsize::new(0),
            short: AtomicBool::new(false),
            shortages: Mutex::default(),
            waits: Waits::default(),
            refused: AtomicU64::new(0),
            freed: Notify::new(),
        })
    }

    /// EDSALIM, in bytes.
    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Changes EDSALIM. Storage in use stays, also beyond the new limit.
    pub fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
        let used = self.used();
        if used > limit {
            self.becomes_short(0);
        } else {
            self.look(used);
        }
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns true if the region is short on storage.
    #[inline]
    pub fn is_short(&self) -> bool {
        self.short.load(Ordering::Relaxed)
    }

    /// The most that may be in use for storage to count as enough again.
    pub(crate) fn enough_from(&self) -> usize {
        let limit = self.limit();
        limit - limit / CUSHION
    }

    /// Its figures; with `reset`, the highest numbers start again.
    pub fn figures(&self, reset: bool) -> DsaFigures {
        let (limit, used) = (self.limit(), self.used());
        let waiting = self.waits.now.load(Ordering::Relaxed);
        let shortages = self.shortages.lock();
        let peak = |peak: &AtomicUsize, now| {
            if reset { peak.swap(now, Ordering::Relaxed) } else { peak.load(Ordering::Relaxed) }
        };
        DsaFigures {
            limit,
            used,
            used_peak: peak(&self.used_peak, used),
            cushion: limit / CUSHION,
            times_short: shortages.times,
            time_short: shortages.lasted + shortages.since.map_or(Duration::ZERO, |since| since.elapsed()),
            waited: self.waits.begun.load(Ordering::Relaxed),
            given_up: self.waits.given_up.load(Ordering::Relaxed),
            waiting,
            waiting_peak: peak(&self.waits.peak, waiting),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }

    /// Takes bytes; false, and the region is short on storage, if they are not free.
    pub fn take(&self, bytes: usize) -> bool {
        let after = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let free = after <= self.limit();
        if free {
            self.peaks(after);
        } else {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            self.becomes_short(bytes);
        }
        free
    }

    /// Counts bytes that are had already.
    pub fn add(&self, bytes: usize) {
        let after = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peaks(after);
        if after > self.limit() {
            self.becomes_short(bytes);
        }
    }

    /// Gives bytes back.
    pub fn give(&self, bytes: usize) {
        let left = self.used.fetch_sub(bytes, Ordering::Relaxed) - bytes;
        if self.is_short() {
            self.look(left);
        }
    }

    /// Counts bytes that are had already, for as long as what is returned lives.
    pub fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        self.add(bytes);
        Charge { dsa: Arc::clone(self), bytes }
    }

    /// A request that does not want to wait has got nothing.
    pub fn refuses(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until so many bytes may be free.
    pub async fn free(&self, bytes: usize) {
        self.until(|| self.used() + bytes <= self.limit()).await;
    }

    /// Waits until the region is not short on storage.
    pub async fn enough(&self) {
        self.until(|| !self.is_short()).await;
    }

    async fn until(&self, is_so: impl Fn() -> bool) {
        let mut waiting = None;
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // From here on nothing that is freed is missed.
            freed.as_mut().enable();
            if is_so() {
                waiting.iter_mut().for_each(Waiting::succeeds);
                return;
            }
            // A command that is only tried does not wait.
            if !poll_fn(|context| Poll::Ready(is_tried(context))).await {
                waiting.get_or_insert_with(|| Waiting::begins(&self.waits));
            }
            freed.await;
        }
    }

    fn peaks(&self, used: usize) {
        if used > self.used_peak.load(Ordering::Relaxed) {
            self.used_peak.fetch_max(used, Ordering::Relaxed);
        }
    }

    #[cold]
    fn becomes_short(&self, wanted: usize) {
        let mut shortages = self.shortages.lock();
        if !self.short.swap(true, Ordering::Relaxed) {
            shortages.times += 1;
            shortages.since = Some(Instant::now());
            drop(shortages);
            tracing::warn!(
                target: "SM",
                "short on storage: {wanted} more bytes are wanted, and {} of {} are in use (EDSALIM of [sit])",
                self.used(),
                self.limit(),
            );
        }
    }

    /// Something was given back while the region was short, or the limit was raised.
    #[cold]
    fn look(&self, used: usize) {
        if used <= self.enough_from() {
            let mut shortages = self.shortages.lock();
            if self.short.swap(false, Ordering::Relaxed) {
                let lasted = shortages.since.take().map_or(Duration::ZERO, |since| since.elapsed());
                shortages.lasted += lasted;
                drop(shortages);
                let limit = self.limit();
                tracing::info!(target: "SM", "no longer short on storage: {used} of {limit} bytes are in use");
            }
        }
        self.freed.notify_waiters();
    }
}

/// A request that waits, until it is dropped.
struct Waiting<'a> {
    waits: &'a Waits,
    succeeds: bool,
}

impl<'a> Waiting<'a> {
    fn begins(waits: &'a Waits) -> Self {
        waits.begun.fetch_add(1, Ordering::Relaxed);
        let now = waits.now.fetch_add(1, Ordering::Relaxed) + 1;
        waits.peak.fetch_max(now, Ordering::Relaxed);
        Self { waits, succeeds: false }
    }

    fn succeeds(&mut self) {
        self.succeeds = true;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.waits.now.fetch_sub(1, Ordering::Relaxed);
        self.waits.given_up.fetch_add(u64::from(!self.succeeds), Ordering::Relaxed);
    }
}

/// Bytes that count as used while this lives.
#[derive(Debug)]
pub struct Charge {
    dsa: Arc<Dsa>,
    bytes: usize,
}

impl Charge {
    /// So many bytes count from now on.
    pub fn becomes(&mut self, bytes: usize) {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.dsa.add(more),
            None => self.dsa.give(self.bytes - bytes),
        }
        self.bytes = bytes;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.dsa.give(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn is_ready(future: std::pin::Pin<&mut impl Future>) -> bool {
        matches!(future.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(_))
    }

    #[test]
    fn it_is_short_from_the_first_refusal_until_a_part_is_free() {
        let dsa = Dsa::new(3200);
        assert!(dsa.take(3000) && !dsa.is_short());
        assert!(!dsa.take(300) && dsa.is_short());
        assert!(dsa.take(100), "what is free can be had");
        assert!(!dsa.take(200) && dsa.figures(false).times_short == 1);
        let mut enough = pin!(dsa.enough());
        assert!(!is_ready(enough.as_mut()));
        dsa.give(100);
        assert!(is_ready(enough) && !dsa.is_short() && dsa.used() == 3000);
    }

    #[test]
    fn who_waits_goes_on_when_so_much_is_free() {
        let dsa = Dsa::new(1000);
        let image = dsa.charge(900);
        assert!(!dsa.take(200));
        let mut free = pin!(dsa.free(200));
        assert!(!is_ready(free.as_mut()));
        drop(image);
        assert!(is_ready(free) && dsa.take(200));
        // What is had already counts, also beyond the limit.
        let mut image = dsa.charge(900);
        assert!(dsa.is_short() && dsa.used() == 1100);
        image.becomes(100);
        assert!(!dsa.is_short() && dsa.used() == 300);
        image.becomes(200);
        drop(image);
        assert_eq!(dsa.used(), 200);
    }
}
