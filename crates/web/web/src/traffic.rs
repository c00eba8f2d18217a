//! Traffic of a door, counted for all doors of a service together.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    pub(crate) fn one(&self) {
        self.add(1);
    }

    pub(crate) fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }

    /// Present count.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Traffic of the doors that share it, TLS taken off.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Times that bytes have come, and how many.
    pub receives: Count,
    /// Bytes that have come.
    pub bytes_received: Count,
    /// Times that bytes went, and how many.
    pub sends: Count,
    /// Bytes that went.
    pub bytes_sent: Count,
    /// Connections that end behind their answer because MAXPERSIST are kept already.
    pub not_kept: Count,
    /// Requests that were refused because they are no good HTTP.
    pub refused: Count,
    /// Requests that broke off before they were whole.
    pub broken_off: Count,
    /// Answers that could not be delivered: their clients had gone.
    pub undelivered: Count,
}

impl Traffic {
    pub(crate) fn received(&self, bytes: usize) {
        self.receives.one();
        self.bytes_received.add(bytes);
    }

    pub(crate) fn sent(&self, bytes: usize) {
        self.sends.one();
        self.bytes_sent.add(bytes);
    }
}
