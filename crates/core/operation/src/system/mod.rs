//! System programming: INQUIRE and SET for the resources of a region, PERFORM SHUTDOWN.
//!
//! Each resource type is a file: a table of the values that INQUIRE returns, and one of those that SET changes, in the
//! words of [`registry`](kernel::registry). Types whose resources are in the parts below the registry are defined here,
//! too (PROGRAM, TRANSACTION, PROFILE, TRANCLASS); others in their domain. CEMT is written over the same tables: an
//! operator can see all that a program can ask.

mod association;
mod cf_pool;
mod dsname;
mod file;
mod health;
mod journal;
mod kinds;
mod monitor;
mod perform;
mod profile;
mod program;
mod region;
mod reqid;
mod sessions;
mod statistics;
mod task;
mod td_queue;
mod terminal;
#[cfg(test)]
mod tests;
mod trace;
mod tranclass;
mod transaction;
mod ts_model;
mod ts_queue;
mod uow;
mod uow_browse;
mod uow_enq;
mod uow_failure;
mod uow_link;

pub(crate) use perform::{Shutdown, reset_time, shut_down};
pub use sessions::{AllSessions, Sessions};
pub(crate) use sessions::{SESSIONS_READS, install_sessions};
pub(crate) use terminal::definition::{TYPETERM_READS, install_typeterm};
pub(crate) use trace::apply_internal;

use kernel::catalog::Domain;
use kernel::exec::Answers;

/// This domain, for [`kernel::catalog::add`].
pub static DOMAIN: Domain = Domain {
    commands: HANDLERS,
    kinds: kinds::KINDS,
    begin: |parts, _| parts.put(AllSessions::default()),
    ..Domain::named("system")
};

/// Its commands.
const HANDLERS: &[Answers] = &[
    association::HANDLERS,
    cf_pool::HANDLERS,
    dsname::HANDLERS,
    file::HANDLERS,
    health::HANDLERS,
    journal::HANDLERS,
    monitor::HANDLERS,
    perform::HANDLERS,
    profile::HANDLERS,
    program::HANDLERS,
    region::HANDLERS,
    reqid::HANDLERS,
    statistics::HANDLERS,
    task::HANDLERS,
    td_queue::HANDLERS,
    terminal::HANDLERS,
    trace::HANDLERS,
    tranclass::HANDLERS,
    transaction::HANDLERS,
    ts_model::HANDLERS,
    ts_queue::HANDLERS,
    uow::HANDLERS,
    uow_enq::HANDLERS,
    uow_failure::HANDLERS,
    uow_link::HANDLERS,
];
