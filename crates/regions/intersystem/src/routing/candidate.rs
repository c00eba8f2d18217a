//! Everything that is known of the regions that may get work.

use std::sync::Arc;

use kernel::dispatcher::Dispatcher;
use kernel::health::Health;
use kernel::name::Name;
use kernel::region::Region;

use super::choose::{Candidate, Way};
use super::route::Routing;
use crate::partner::{Sort, Status};
use crate::systems::Systems;

/// Everything that is known of a system.
pub(super) fn candidate(region: &Arc<Region>, system: Name<4>, tried: &[Name<4>]) -> Candidate {
    let was_tried = tried.contains(&system);
    if system == region.options.sysid {
        let dispatcher = Dispatcher::of(region);
        let load = dispatcher.running() * usize::from(u8::MAX) / dispatcher.tasks_max().max(1);
        return Candidate {
            way: Way::Here,
            is_open: !dispatcher.is_closed(),
            health: u8::try_from(Health::of(region).value()).unwrap_or_default(),
            load: u8::try_from(load).unwrap_or(u8::MAX),
            at_mxt: dispatcher.is_full(),
            short_on_storage: region.dsa.is_short(),
            routed: 0,
            was_tried,
        };
    }
    let closed = Candidate {
        way: Way::Network,
        is_open: false,
        health: 0,
        load: 0,
        at_mxt: false,
        short_on_storage: false,
        routed: 0,
        was_tried,
    };
    let Some(partner) = Systems::of(region).of_system(system) else { return closed };
    let state = partner.state.lock();
    Candidate {
        way: if partner.sort == Sort::Connection { Way::Machine } else { Way::Network },
        is_open: state.status == Status::Acquired && !state.vitals.quiescing,
        health: state.vitals.health,
        load: state.vitals.load,
        at_mxt: state.vitals.at_mxt,
        short_on_storage: state.vitals.short_on_storage,
        routed: Routing::of(region).running_at(partner.applid),
        was_tried,
    }
}
