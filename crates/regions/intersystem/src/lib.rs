//! Links to other regions: CONNECTION and IPCONN as resources, IRC, and the door through which partners come.
//!
//! A region asks through connections that it has made itself, and answers through those that its partners have made. The first
//! connection to a partner is its *life*: while it is there, the partner is ACQUIRED.
//!
//! Commands that lead to another region go there, and those of other regions are done here by mirror tasks (`shipping`).
//!
//! Out of scope: frames (`link`), the configuration, what a command does.

mod affinity;
mod asker;
mod attributes;
mod build;
mod connection;
mod conversation;
mod dial;
mod door;
mod dypds;
mod hello;
mod host;
mod inbound;
mod ipconn;
mod irc;
mod jobs;
mod life;
mod limits;
mod message;
mod partner;
mod place;
mod received;
mod routing;
mod shipped;
mod shipping;
mod ships;
mod statistics;
mod systems;
mod tend;
mod traced;
mod work;

pub use affinity::{Affinity, Lifetime, Relation};
#[doc(hidden)]
pub use build::Build;
pub use door::{CannotOpen, Door};
pub use jobs::JobSession;
pub use shipping::external;
pub use systems::{Certificates, Run, Setup, Systems};

use kernel::catalog::{Domain, SuppliedTransaction};

/// The supplied transactions: mirror tasks, and those of routing.
static TRANSACTIONS: [SuppliedTransaction; shipping::TRANSACTIONS.len() + routing::TRANSACTIONS.len()] = {
    let mut all = [routing::TRANSACTIONS[0]; shipping::TRANSACTIONS.len() + routing::TRANSACTIONS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = match at < shipping::TRANSACTIONS.len() {
            true => shipping::TRANSACTIONS[at],
            false => routing::TRANSACTIONS[at - shipping::TRANSACTIONS.len()],
        };
        at += 1;
    }
    all
};

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: &[connection::HANDLERS, ipconn::HANDLERS, irc::HANDLERS, jobs::HANDLERS, routing::HANDLERS],
    kinds: &[&connection::KIND, &ipconn::KIND, &irc::KIND, &jobs::KIND, &routing::KIND],
    transactions: &TRANSACTIONS,
    waits: &shipping::WAITS,
    begin: |parts, _| {
        parts.put(Systems::default());
        parts.put(shipping::AllAway::default());
        parts.put(routing::Routing::default());
        parts.put(jobs::Jobs::default());
    },
    ..Domain::named("intersystem")
};
