//! BUNDLE: resources, policies and parts of event processing, installed from folders as their owners have them.
//!
//! | module | content |
//! |---|---|
//! | [`bundle`] | bundles and their states |
//! | `definition` | the resource type BUNDLE: its definition, INQUIRE and SET |
//! | [`check`] | a bundle looked at without a region |
//! | `content` | the files of a bundle, in a folder or a zip |
//! | [`deploy`] | a bundle put into its folder as a whole |
//! | `reading` | parts as their texts have them |
//! | `install` | a bundle made of its definition |
//! | `imports` | resources that a bundle wants from elsewhere |
//! | `part` | the parts of a bundle |
//! | `resource` | parts that are resources of the region |
//! | `browse` | INQUIRE BUNDLEPART |
//! | `installed` | policies and rules with their counts |
//! | `inquire` | INQUIRE POLICY and POLICYRULE |
//! | `tasks` | rules of what a task uses: thresholds for the kernel |
//! | `region` | rules of what happens to a region |
//! | `actions` | messages, abends and events |
//! | `statistics` | the counts of rules |
//!
//! Out of scope: XML (crate `policies`), counts and thresholds (`kernel::task::Oversight`), files of events (`capture`).

pub mod bundle;
pub mod check;
pub mod deploy;

mod actions;
mod browse;
mod content;
mod definition;
mod imports;
mod inquire;
mod install;
mod installed;
mod part;
mod reading;
mod region;
mod resource;
mod statistics;
mod tasks;

use std::sync::Arc;

use kernel::catalog::Domain;
use kernel::region::Region;

pub use bundle::{Bundle, Bundles};
pub use definition::pause;
pub use install::settle;
pub use part::ShownPart;

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: &[definition::HANDLERS, browse::HANDLERS, inquire::HANDLERS],
    kinds: &[&definition::KIND, &inquire::POLICY_KIND, &inquire::RULE_KIND],
    begin: |parts, _| {
        parts.put(Bundles::default());
    },
    ..Domain::named("bundles")
};

/// Prepares a region for bundles, before its definitions are installed.
pub fn install(region: &Region) {
    domains::statistics::Statistics::of(region).register(Arc::new(statistics::Teller));
}
