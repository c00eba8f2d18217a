//! The dynamic storage area: how much the tasks of a region may have together, and what happens when it is used up.
//!
//! States: *enough* → *short*, when a request cannot be had → *enough* again, when a part of the limit is free. While it is
//! short, tasks of the application that are attached wait before their first program, and GETMAIN waits unless it says
//! NOSUSPEND. Each change is told once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// The part of the limit that must be free before storage counts as enough again: one in so many.
const CUSHION: usize = 32;

/// The dynamic storage area of a region.
#[derive(Debug)]
pub struct Dsa {
    /// EDSALIM, in bytes.
    limit: usize,
    used: AtomicUsize,
    short: AtomicBool,
    times_short: AtomicU64,
    freed: Notify,
}

impl Dsa {
    /// An area of so many bytes, all free.
    pub fn new(limit: usize) -> Arc<Self> {
        let (used, short) = (AtomicUsize::new(0), AtomicBool::new(false));
        Arc::new(Self { limit, used, short, times_short: AtomicU64::new(0), freed: Notify::new() })
    }

    /// EDSALIM, in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether the region is short on storage.
    pub fn is_short(&self) -> bool {
        self.short.load(Ordering::Relaxed)
    }

    /// How often it has become short.
    pub fn times_short(&self) -> u64 {
        self.times_short.load(Ordering::Relaxed)
    }

    /// Takes bytes; false, and the region is short on storage, if they are not free.
    pub fn take(&self, bytes: usize) -> bool {
        let after = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let free = after <= self.limit;
        if !free {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            self.becomes_short(bytes);
        }
        free
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
        let after = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if after > self.limit {
            self.becomes_short(bytes);
        }
        Charge { dsa: Arc::clone(self), bytes }
    }

    /// Waits until so many bytes may be free.
    pub async fn free(&self, bytes: usize) {
        self.until(|| self.used() + bytes <= self.limit).await;
    }

    /// Waits until the region is not short on storage.
    pub async fn enough(&self) {
        self.until(|| !self.is_short()).await;
    }

    async fn until(&self, is_so: impl Fn() -> bool) {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // From here on nothing that is freed is missed.
            freed.as_mut().enable();
            if is_so() {
                return;
            }
            freed.await;
        }
    }

    #[cold]
    fn becomes_short(&self, wanted: usize) {
        if !self.short.swap(true, Ordering::Relaxed) {
            self.times_short.fetch_add(1, Ordering::Relaxed);
            let used = self.used();
            tracing::warn!(
                target: "SM",
                "short on storage: {wanted} more bytes are wanted, and {used} of {} are in use (EDSALIM of [sit])",
                self.limit,
            );
        }
    }

    /// Something was given back while the region was short.
    #[cold]
    fn look(&self, used: usize) {
        if used <= self.limit - self.limit / CUSHION && self.short.swap(false, Ordering::Relaxed) {
            tracing::info!(target: "SM", "no longer short on storage: {used} of {} bytes are in use", self.limit);
        }
        self.freed.notify_waiters();
    }
}

/// Bytes that count as used while this lives.
#[derive(Debug)]
pub struct Charge {
    dsa: Arc<Dsa>,
    bytes: usize,
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
    use std::task::{Context, Poll, Waker};

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
        assert!(!dsa.take(200) && dsa.times_short() == 1);
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
        let _image = dsa.charge(900);
        assert!(dsa.is_short() && dsa.used() == 1100);
    }
}
