//! The direct path: programs that were started before take whole messages, one after the other, by `CALL 'VSVPSYNC'`.
//!
//! - [`Direct`]: what a region has of it: ports, scenarios, and the service that programs CALL.
//! - [`Settings`], [`Said`]: what the configuration says.
//! - [`convert`]: a program with a COMMAREA as one of the direct path, from the same text.
//!
//! In scope: from the bytes of a client to the parameter list of a program and back, without a task for each
//! message. Out of scope: EXEC commands, and what a message means.

mod areas;
mod bell;
mod called;
mod connection;
mod convert;
mod edition;
mod hub;
mod identity;
mod instance;
mod limits;
mod reader;
mod region;
mod scenario;
mod service;
mod settings;
mod statistics;
mod waits;
mod warden;
mod wire;

use kernel::catalog::Domain;

pub use convert::{Converted, Wanted, convert};
pub use region::{CannotOpen, Direct, Opened};
pub use settings::{Framing, Identity, Reached, Said, Settings};

/// This domain, for [`kernel::catalog::add`].
pub static DOMAIN: Domain = Domain { waits: &[&waits::MESSAGE], ..Domain::named("direct") };
