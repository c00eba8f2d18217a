//! The way from a command of this region to another one: where it leads is known, or a router says it.

use std::sync::Arc;

use kernel::exec::{Call, FOLLOWS, Leads, OtherSystem, Routing, Shipper, Ships, Waiting};
use kernel::name::{Name, Name8};
use kernel::programs::{Program, Programs};
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::task::Task;
use kernel::transactions::Transactions;
use spec::cmd;

use crate::partner::{Sort, Status};
use crate::systems::{Setup, Systems};
use crate::{routing, shipping, statistics};

impl Systems {
    /// Says once how links are set up.
    pub fn install(&self, region: &Region, setup: Setup) {
        statistics::install(region);
        install(region);
        routing::Routing::of(region).times.set(setup.delete_shipped_interval, setup.delete_shipped_idle);
        Transactions::of(region).set_router(setup.routing_program);
        Transactions::of(region).set_distributed_router(setup.distributed_routing_program);
        self.set_up(setup);
    }
}

/// From now on commands of a region are shipped.
fn install(region: &Region) {
    Shipper::install(region, Arc::new(Way));
    Programs::of(region).install(Program::supplied(Name8::from(FOLLOWS), routing::follow));
}

struct Way;

impl Ships for Way {
    fn ship<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, to: Leads) -> Waiting<'a> {
        Box::pin(async move { shipping::ship(task, call, &to).await })
    }

    fn route<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, otherwise: Raise) -> Routing<'a> {
        match call.command() {
            cmd::LINK => Box::pin(routing::link(task, call, otherwise)),
            _ => Box::pin(routing::start(task, call, otherwise)),
        }
    }

    fn system_of(&self, region: &Region, applid: Name8) -> Option<OtherSystem> {
        let partner = Systems::of(region).at(applid)?;
        let port = || partner.definition.number("PORT").and_then(|port| u16::try_from(port).ok());
        let address = match partner.sort {
            Sort::Connection => None,
            Sort::Ipconn => Some((partner.text("HOST").to_owned(), port().unwrap_or(0))),
        };
        let is_linked = partner.state.lock().status == Status::Acquired;
        Some(OtherSystem { name: Name::new(partner.name.trimmed()), address, is_linked })
    }
}
