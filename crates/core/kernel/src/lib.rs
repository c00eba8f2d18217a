//! The domains of a region, and the one exec interface through which every EXEC CICS command comes.
//!
//! The modules stand in six storeys, and none uses what stands above it (the README has the table, `cargo xtask tidy` checks it):
//!
//! - *ground*: values that know no region;
//! - *state*: what a region has without a task that runs: storage, transactions, users, terminals, programs, units of work;
//! - *task and door*: a task, and the way of a command to its handler;
//! - *frame*: how tasks begin, run and end (`dispatcher`), and the words in which a domain says what it brings (`registry`);
//! - *domains*: a folder each, with its state, its commands (a `HANDLERS` list for each file) and its tests; the commands of what
//!   stands below the door are in `commands`;
//! - *above*: what goes through all domains at once: the catalogue, INQUIRE and SET, restart, CEMT, `start`.
//!
//! Out of scope: sockets, other processes, text formats.

mod bytes;
pub mod catalog;
pub mod channels;
pub mod clock;
pub mod control;
pub mod debugging;
pub mod diagnostics;
pub mod dispatcher;
pub mod exec;
pub mod fields;
pub mod health;
pub mod inputs;
pub mod keeper;
pub mod limits;
pub mod lines;
pub mod locks;
pub mod meters;
pub mod monitoring;
pub mod name;
pub mod notices;
pub mod parts;
pub mod places;
pub mod private;
pub mod programs;
pub mod raise;
pub mod recorder;
pub mod recovery;
pub mod region;
pub mod registry;
pub mod resolved;
pub mod security;
pub mod services;
pub mod spans;
pub mod storage;
pub mod stores;
pub mod task;
pub mod terminal_control;
pub mod terminals;
pub mod ticks;
pub mod transactions;
pub mod trial;
pub mod waits;
pub mod words;
