//! Units of work in doubt that end without their tasks: all domains that keep something beside the records hear of it.
//!
//! The work of their tasks at the commit (let a START count, wake a trigger, count records) is done here: the
//! domains' rows say how ([`Keeper`]).

use std::sync::{Arc, Weak};

use records::Resolved;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::catalog;
use crate::keeper::Keeper;
use crate::region::Region;

/// Those that wait for tasks to come of them. There are never more than units of work were in doubt.
pub struct Resumptions(UnboundedReceiver<Resolved>);

fn keepers() -> impl Iterator<Item = &'static Keeper> {
    catalog::domains().into_iter().filter_map(|domain| domain.keeper)
}

/// From now on the region's domains hear of units of work in doubt that end. Called once, before anything is resolved.
pub fn watch(region: &Arc<Region>) -> Resumptions {
    let (sender, receiver) = unbounded_channel();
    let watched = Arc::downgrade(region);
    region.records.watch_resolved(Box::new(move |resolved| {
        if let Some(region) = watched.upgrade() {
            region.coordinator.resolved(resolved);
            keepers().for_each(|keeper| (keeper.resolved)(&region, resolved));
            // A region that has ended no longer receives it.
            let _ = sender.send(resolved.clone());
        }
    }));
    Resumptions(receiver)
}

/// Lets tasks come of what was resolved, as long as the region is there. On a thread with an event loop.
pub async fn resume(region: Weak<Region>, mut resumptions: Resumptions) {
    while let Some(resolved) = resumptions.0.recv().await {
        let Some(region) = region.upgrade() else { return };
        keepers().for_each(|keeper| (keeper.resumed)(&region, &resolved));
    }
}
