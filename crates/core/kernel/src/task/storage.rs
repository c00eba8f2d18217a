//! A task's wait for storage, of which the region is short.

use std::time::Duration;

use super::{Task, WaitKind};
use crate::raise::{Outcome, Raise};
use crate::storage::{self, StorageAddress};

/// The abend of a task that has waited for storage as long as its transaction's DTIMOUT says.
const TIMED_OUT: &str = "AKCS";

impl Task {
    /// Reads storage that a program has passed on by its address. False if it is not there.
    pub fn read_storage(&self, address: StorageAddress, into: &mut [u8]) -> bool {
        match address.in_window() {
            Some(pointer) => self.window.as_ref().is_some_and(|window| window.fill(pointer, into)),
            None => storage::read(address, into).is_ok(),
        }
    }

    /// Waits for an event of the dynamic storage area, at most as long as DTIMOUT says.
    ///
    /// # Errors
    /// The abend of a task that was purged, or whose time is over.
    pub async fn wait_for_storage(&self, event: impl Future<Output = ()>) -> Outcome {
        match self.transaction.deadlock_timeout_s {
            0 => self.wait(WaitKind::STORAGE, event).await,
            seconds => {
                let limit = Duration::from_secs(seconds.into());
                let in_time = self.wait(WaitKind::STORAGE, tokio::time::timeout(limit, event)).await?;
                in_time.map_err(|_| Raise::abend(TIMED_OUT))
            }
        }
    }
}
