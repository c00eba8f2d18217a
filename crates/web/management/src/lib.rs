//! CMCI in a region: its resources and definitions, read and changed over HTTP.
//!
//! In scope: the program that answers requests, which resources and attributes there are, rights, changes, bundles that are deployed. Out of scope: the
//! wire (`cmci`), ports and sign-on (`webdomain`), what a change does (the registry's tables and `operation::definitions`).

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod change;
mod criteria;
mod define;
mod definitions;
mod deploy;
mod gate;
mod limits;
mod look;
mod region;
mod sets;
mod stop;
mod values;

use kernel::catalog::{Domain, SuppliedTransaction};
use kernel::transactions::Supplied;

pub use change::{given, may_change};
pub use region::Surroundings;
pub use values::{datum, text};

/// The domain.
pub static DOMAIN: Domain = Domain {
    transactions: &[SuppliedTransaction {
        name: "CWWU",
        program: "DFHWUIPG",
        supplied: Supplied::Inquire,
        run: gate::program,
    }],
    begin: |parts, _| {
        parts.put(deploy::Deployment::default());
        parts.put(sets::Sets::default());
        parts.put(Surroundings::default());
    },
    ..Domain::named("management")
};
