//! System programming: INQUIRE and SET for the resources of a region, PERFORM SHUTDOWN.
//!
//! Each resource type is a file: a table of what INQUIRE can tell, and one of what SET can change. What all have in
//! common is in `inquire` (the browse with START, NEXT and END among it) and `set`. CEMT is written over the same
//! tables (`table`): what a program can ask, an operator can see.

mod association;
mod dsname;
mod file;
mod inquire;
mod journal;
mod kind;
mod manager;
mod monitor;
mod perform;
mod program;
mod region;
mod reqid;
mod set;
mod statistics;
mod table;
mod task;
mod td_queue;
mod terminal;
#[cfg(test)]
mod tests;
mod tranclass;
mod transaction;
mod ts_model;
mod ts_queue;
mod uow;
mod uow_link;

pub use inquire::{Key, Resource, Row};
pub(crate) use kind::KINDS;
pub use kind::Kind;
pub use manager::Manager;
pub(crate) use perform::{Shutdown, shut_down};
pub use set::{Changes, Given, Set, Setting, Takes};
pub use table::Table;

use crate::exec::Answers;

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] = &[
    association::HANDLERS,
    dsname::HANDLERS,
    file::HANDLERS,
    journal::HANDLERS,
    monitor::HANDLERS,
    perform::HANDLERS,
    program::HANDLERS,
    region::HANDLERS,
    reqid::HANDLERS,
    statistics::HANDLERS,
    task::HANDLERS,
    td_queue::HANDLERS,
    terminal::HANDLERS,
    tranclass::HANDLERS,
    transaction::HANDLERS,
    ts_model::HANDLERS,
    ts_queue::HANDLERS,
    uow::HANDLERS,
    uow_link::HANDLERS,
];
