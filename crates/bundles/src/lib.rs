//! BUNDLE: policies of a region, installed from folders as their owners have them.
//!
//! | module | content |
//! |---|---|
//! | [`bundle`] | the resource type BUNDLE: its definition, INQUIRE and SET |
//! | `part` | the parts of a bundle, INQUIRE BUNDLEPART |
//! | `installed` | policies and rules with their counts |
//! | `inquire` | INQUIRE POLICY and POLICYRULE |
//! | `tasks` | rules of what a task uses: thresholds for the kernel |
//! | `region` | rules of what happens to a region |
//! | `actions` | messages, abends and events |
//! | `statistics` | the counts of rules |
//!
//! Out of scope: XML (crate `policies`), counts and thresholds (`kernel::task::Oversight`), files of events (`capture`).

pub mod bundle;

mod actions;
mod inquire;
mod installed;
mod part;
mod region;
mod statistics;
mod tasks;

use std::sync::Arc;

use kernel::catalog::Domain;
use kernel::region::Region;

pub use bundle::Bundles;

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: &[bundle::HANDLERS, part::HANDLERS, inquire::HANDLERS],
    kinds: &[&bundle::KIND, &inquire::POLICY_KIND, &inquire::RULE_KIND],
    begin: |parts, _| {
        parts.put(Bundles::default());
    },
    ..Domain::named("bundles")
};

/// Prepares a region for bundles, before its definitions are installed.
pub fn install(region: &Region) {
    domains::statistics::Statistics::of(region).register(Arc::new(statistics::Teller));
}
