//! PIPELINE and WEBSERVICE: what lies between the body of a request and a program.
//!
//! | module | what lives there |
//! |---|---|
//! | [`configuration`] | the published pipeline configuration files, as values |
//! | [`pipeline`], [`webservice`] | the resource types |
//! | [`provider`] | a request becomes a program's record, and its record the reply |
//! | `requester`, [`transport`] | a program's record becomes a message to a server, and its answer the record |
//! | `passage` | the protocol of handlers and containers, for both |
//! | `switch` | the task of a program that runs as another transaction or user |
//! | `guard`, [`keys`] | WS-Security, and the keyring that it has from above |
//! | `mtom` | messages with attachments |
//! | [`gateway`] | requests that come without HTTP: the task that serves them |
//! | [`handed`] | requests whose program waits for records already |
//! | `local` | addresses within the region |
//! | `transform`, `invoke`, `soapfault`, `addressing` | the commands of programs |
//!
//! Out of scope: sockets, HTTP, and what a message looks like (`soap`, `mapping`, `binding`).

pub mod configuration;
mod element;
pub mod gateway;
pub mod handed;
mod invocation;
pub mod keys;
pub mod limits;
mod messages;
pub mod pipeline;
mod policy;
pub mod programs;
pub mod provider;
mod resp2;
pub mod transport;
pub mod webservice;

mod addressing;
mod apart;
mod characters;
mod guard;
mod invoke;
mod local;
mod mtom;
mod passage;
mod requester;
mod soapfault;
mod statistics;
mod switch;
mod transform;

use std::path::PathBuf;
use std::sync::Arc;

use kernel::catalog::Domain;
use kernel::region::Region;

pub use pipeline::{Pipeline, Pipelines};
pub use programs::{Errand, Left, Switch};
pub use switch::Second;
pub use transport::Transports;
pub use webservice::{WebService, WebServices};

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: &[
        pipeline::HANDLERS,
        webservice::HANDLERS,
        transform::HANDLERS,
        soapfault::HANDLERS,
        invoke::HANDLERS,
        addressing::HANDLERS,
    ],
    waits: &[&switch::OTHER],
    kinds: &[&pipeline::KIND, &webservice::KIND],
    begin: |parts, _| {
        parts.put(Pipelines::default());
        parts.put(WebServices::default());
        parts.put(Transports::default());
        parts.put(keys::Keyring::default());
    },
    ..Domain::named("pipelines")
};

/// Installs what comes with every region: the program and the transaction that serve requests.
pub fn install(region: &Region) {
    gateway::install(region);
    transform::install(region);
    invoke::install(region);
    switch::install(region);
    guard::install(region);
    domains::statistics::Statistics::of(region).register(Arc::new(statistics::Teller));
}

/// A path that a definition names.
fn path(region: &Region, name: &str) -> PathBuf {
    region.options.application_folder.join(name)
}

/// Reads a text that a definition names.
fn read(region: &Region, name: &str, most: usize) -> Result<String, String> {
    kernel::inputs::text(&path(region, name), name, most)
}
