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
mod browse;
mod chain;
mod ciphers;
mod commands;
mod conversion;
mod converter;
mod counts;
mod exchange;
mod host;
mod identity;
mod install;
mod jvm_server;
mod keyring;
mod limits;
mod line;
mod mark;
mod message;
mod opened;
mod opening;
mod origins;
mod page;
mod pool;
mod record;
mod region;
mod report;
mod requester;
mod resp2;
mod sample;
mod server;
mod service;
mod session;
mod statistics;
mod supplied;
mod tcpip;
mod tcpip_service;
mod traced;
mod trouble;
mod types;
mod uri;
mod uri_map;
mod virtual_host;
mod way;
mod written;
mod x509;

pub use basic::Basic;
pub use jvm_server::{JvmRequest, JvmTask, task_of_jvm_server};
pub use keyring::revoked_certificates;
pub use line::trust_in_servers;
pub use opened::CannotOpen;
pub use origins::Origins;
pub use region::{Certificates, Options, Web};
pub use supplied::Asked;
pub use types::Types;

use kernel::catalog::Domain;

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: commands::HANDLERS,
    kinds: &[&tcpip_service::KIND, &uri::KIND, &virtual_host::KIND, &tcpip::KIND],
    begin: |parts, _| parts.put(Web::default()),
    ..Domain::named("web")
};
