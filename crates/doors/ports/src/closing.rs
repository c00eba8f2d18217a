//! The closing of a door, announced to all that wait for clients.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// The closing of a door: announced once, on any thread.
#[derive(Default)]
pub struct Closing {
    closed: AtomicBool,
    told: Notify,
}

impl Closing {
    /// Announces it, to those that wait now and to those that come later.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.told.notify_waiters();
    }

    /// Returns true if it was announced.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Waits for the call.
    pub async fn closed(&self) {
        let told = self.told.notified();
        tokio::pin!(told);
        // From here on it is not missed.
        told.as_mut().enable();
        if !self.is_closed() {
            told.await;
        }
    }
}
