//! The Hello of this region.

use kernel::region::Region;
use kernel::security::User;
use kernel::spans::Spans;
use link::{Hello, Purpose};

use crate::partner::Partner;
use crate::systems::{Run, Systems};

/// Everything that this region says of itself to a partner, on a link of that purpose.
pub(crate) fn hello(region: &Region, run: Run, partner: &Partner, purpose: Purpose) -> Hello {
    let (setup, build) = (Systems::of(region).setup(), Systems::of(region).build());
    let (sends, takes) = partner.counts(region);
    Hello {
        applid: region.options.applid.to_string(),
        sysid: region.options.sysid.to_string(),
        network: setup.network.to_string(),
        run: run.number,
        log: run.log,
        build: build.name().to_owned(),
        user: User::region().id.to_string(),
        code_page: setup.code_page.clone(),
        purpose,
        sends,
        takes,
        names: build.names().clone(),
        traces: Spans::are_on(region),
        origins: true,
    }
}
