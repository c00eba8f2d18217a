//! Web requests as tasks: a domain above the kernel, behind the front door `web`.
//!
//! In scope: TCPIPSERVICE and URIMAP as resources, their ports, what a request leads to (a program, a file, a template, a
//! redirection), the request as its task's principal facility, and the WEB commands.
//!
//! Out of scope: HTTP as bytes (`http`), connections (`web`), which URIMAP matches (`urimap`), the configuration.

mod address;
mod alias;
mod analyzer;
mod area;
mod basic;
mod bodies;
mod chain;
mod ciphers;
mod commands;
mod conversion;
mod converter;
mod exchange;
mod host;
mod identity;
mod install;
mod keyring;
mod limits;
mod line;
mod message;
mod opening;
mod origins;
mod page;
mod pool;
mod record;
mod region;
mod requester;
mod resp2;
mod sample;
mod service;
mod session;
mod statistics;
mod supplied;
mod tcpip;
mod traced;
mod trouble;
mod types;
mod uri;
mod virtual_host;
mod written;
mod x509;

pub use basic::Basic;
pub use line::trust_in_servers;
pub use opening::CannotOpen;
pub use origins::Origins;
pub use region::{Certificates, Options, Web};
pub use supplied::Asked;
pub use types::Types;

use kernel::catalog::Domain;

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: commands::HANDLERS,
    kinds: &[&service::KIND, &uri::KIND, &virtual_host::KIND, &tcpip::KIND],
    begin: |parts, _| parts.put(Web::default()),
    ..Domain::named("web")
};
