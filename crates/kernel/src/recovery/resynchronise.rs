//! Resynchronisation: the end of a unit of work is sent again to participants that have not confirmed it.

use std::sync::{Arc, Weak};

use crate::limits::RESYNCHRONISE_EVERY;
use crate::region::Region;

/// Does so as long as the region is there.
pub async fn resynchronise(region: Weak<Region>) {
    loop {
        // The region may end while a participant takes its time.
        let Some(coordinator) = region.upgrade().map(|region| Arc::clone(&region.coordinator)) else {
            return;
        };
        coordinator.resynchronise_all().await;
        drop(coordinator);
        tokio::time::sleep(RESYNCHRONISE_EVERY).await;
    }
}
