//! The domains of a region.
//!
//! What lives here: tasks and the dispatcher, programs, storage, queues, files, terminals, recovery, and the one exec
//! interface through which every EXEC CICS command comes. Each domain is a folder with its state, its commands (a
//! `HANDLERS` list each) and its tests.
//!
//! What never lives here: sockets, C, other programs, text formats.

pub mod builtin;
pub mod channels;
pub mod children;
pub mod counters;
pub mod diagnostics;
pub mod dispatcher;
pub mod documents;
pub mod enqueue;
pub mod environment;
pub mod events;
pub mod exceptions;
pub mod exec;
pub mod files;
pub mod interval;
pub mod limits;
pub mod maps;
pub mod name;
pub mod operator;
pub mod programs;
pub mod raise;
pub mod recovery;
pub mod region;
pub mod security;
pub(crate) mod services;
pub mod storage;
pub mod supplied;
pub mod system;
pub mod task;
pub mod temporary_storage;
pub mod terminals;
pub mod transactions;
pub mod transient_data;

use exec::Handler;
use spec::CommandId;

/// Every domain's commands.
pub(crate) const HANDLERS: &[&[(CommandId, Handler)]] = &[
    builtin::HANDLERS,
    channels::HANDLERS,
    children::HANDLERS,
    counters::HANDLERS,
    diagnostics::HANDLERS[0],
    diagnostics::HANDLERS[1],
    documents::HANDLERS,
    enqueue::HANDLERS,
    environment::HANDLERS[0],
    environment::HANDLERS[1],
    events::HANDLERS,
    exceptions::HANDLERS,
    files::HANDLERS[0],
    files::HANDLERS[1],
    files::HANDLERS[2],
    interval::HANDLERS[0],
    interval::HANDLERS[1],
    interval::HANDLERS[2],
    interval::HANDLERS[3],
    interval::HANDLERS[4],
    maps::HANDLERS[0],
    maps::HANDLERS[1],
    operator::HANDLERS,
    programs::HANDLERS[0],
    programs::HANDLERS[1],
    recovery::HANDLERS,
    security::HANDLERS,
    storage::HANDLERS,
    system::HANDLERS[0],
    system::HANDLERS[1],
    system::HANDLERS[2],
    system::HANDLERS[3],
    system::HANDLERS[4],
    system::HANDLERS[5],
    system::HANDLERS[6],
    system::HANDLERS[7],
    system::HANDLERS[8],
    system::HANDLERS[9],
    system::HANDLERS[10],
    system::HANDLERS[11],
    system::HANDLERS[12],
    system::HANDLERS[13],
    system::HANDLERS[14],
    temporary_storage::HANDLERS,
    terminals::HANDLERS,
    transient_data::HANDLERS,
];
