//! Resynchronisation: the end of a unit of work is sent again to participants that have not confirmed it.

use std::sync::{Arc, Weak};

use tokio::task::JoinSet;

use crate::limits::RESYNCHRONISE_EVERY;
use crate::region::Region;

/// Does so as long as the region is there. A participant that takes its time keeps no other waiting.
pub async fn resynchronise(region: Weak<Region>) {
    let mut asked = JoinSet::new();
    loop {
        // The region may end while a participant takes its time.
        let Some(coordinator) = region.upgrade().map(|region| Arc::clone(&region.coordinator)) else {
            return;
        };
        coordinator.forget_heard().await;
        for participant in coordinator.concerned() {
            let coordinator = Arc::clone(&coordinator);
            asked.spawn(async move { coordinator.resynchronise(&*participant).await.is_some() });
        }
        drop(coordinator);
        tokio::time::sleep(RESYNCHRONISE_EVERY).await;
        while asked.try_join_next().is_some() {}
    }
}
