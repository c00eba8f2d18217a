//! Transactions that run in another region than the one that has the terminal; and the place of what no definition places: dynamic
//! transactions, LINKs, STARTs.
//!
//! ```text
//!  the region that has the terminal                       the region where the task runs
//!  client ─► terminal ─► relay (DFHAPRT) ─► route ─► link ═════► target ─► surrogate ─► task
//!  client ◄─ terminal ◄─ relay ◄──────── told ◄───────── link ◄═ target ◄─ surrogate ◄─ task
//! ```
//!
//! A *surrogate* is a terminal whose line leads to its owner. The relay asks (`Attach`, then `Next` with what was typed), and each
//! answer has the output since then and what the task waits for. While a user thinks, nothing is in flight: if the task goes on all
//! the same (it is purged, or has waited for too long), the target wakes the relay over the link in the other direction.
//!
//! Out of scope: which task an input starts, what a terminal shows (`kernel`).

mod candidate;
mod choice;
mod choose;
mod crte;
mod delete;
mod dynamic;
mod follow;
mod link;
mod linking;
mod message;
mod program;
mod relay;
mod route;
mod shipped;
mod start;
mod surrogate;
mod target;
mod times;
mod wanted;

pub(crate) use delete::{HANDLERS, KIND, tidy};
pub(crate) use follow::program as follow;
pub(crate) use link::link;
pub(crate) use message::own;
pub(crate) use route::{Routing, link_is_lost};
pub(crate) use start::start;
pub(crate) use target::Targets;

use kernel::catalog::SuppliedTransaction;
use kernel::transactions::{RELAY, Supplied};

/// The transaction for names that no definition has, and CRTE.
pub(crate) const TRANSACTIONS: &[SuppliedTransaction] = &[
    SuppliedTransaction {
        name: dynamic::UNDEFINED,
        program: RELAY,
        supplied: Supplied::Open,
        run: relay::relay,
    },
    SuppliedTransaction {
        name: "CRTE",
        program: crte::PROGRAM,
        supplied: Supplied::Open,
        run: crte::program,
    },
];
