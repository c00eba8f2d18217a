//! Links to other regions: CONNECTION and IPCONN as resources, IRC, and the door through which partners come.
//!
//! A region asks through connections that it has made itself, and answers through those that its partners have made. The first
//! connection to a partner is its *life*: while it is there, the partner is ACQUIRED.
//!
//! What never lives here: frames and conversations (`link`), the configuration, what a request means.

mod attributes;
mod connection;
mod dial;
mod door;
mod hello;
mod host;
mod inbound;
mod ipconn;
mod irc;
mod limits;
mod partner;
mod place;
mod statistics;
mod systems;
mod tend;

pub use door::{CannotOpen, Door};
pub use hello::Run;
pub use systems::{Certificates, Setup, Systems};

use kernel::catalog::Domain;

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: &[connection::HANDLERS, ipconn::HANDLERS, irc::HANDLERS],
    kinds: &[&connection::KIND, &ipconn::KIND, &irc::KIND],
    begin: |parts, _| parts.put(Systems::default()),
    ..Domain::named("intersystem")
};
