//! The way from a command of this region to another one: where it leads is known, or a router says it.

use std::sync::Arc;

use kernel::exec::{Call, Leads, Routing, Shipper, Ships, Waiting};
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::task::Task;
use spec::cmd;

use crate::{routing, shipping};

/// From now on commands of a region are shipped.
pub(crate) fn install(region: &Region) {
    Shipper::install(region, Arc::new(Way));
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
}
