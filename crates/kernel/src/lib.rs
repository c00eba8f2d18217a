//! The domains of a region.
//!
//! What lives here: tasks and the dispatcher, programs, storage, queues, files, terminals, recovery, and the one exec
//! interface through which every EXEC CICS command comes. Each domain is a folder with its state, its commands (a
//! `HANDLERS` list each) and its tests.
//!
//! What never lives here: sockets, C, other programs, text formats.

pub mod builtin;
mod bytes;
pub mod catalog;
pub mod channels;
pub mod children;
pub mod clock;
mod commands;
pub mod control;
pub mod counters;
pub mod definitions;
pub mod diagnostics;
pub mod dispatcher;
pub mod documents;
pub mod enqueue;
pub mod environment;
pub mod events;
pub mod exceptions;
pub mod exec;
pub mod fields;
pub mod files;
pub mod interval;
pub mod journals;
pub mod limits;
pub mod lines;
mod locks;
pub mod maps;
pub mod meters;
pub mod monitoring;
pub mod name;
pub mod operator;
pub mod outside;
pub mod parts;
pub mod private;
pub mod program_lists;
pub mod programs;
pub mod raise;
pub mod recorder;
pub mod recovery;
pub mod region;
pub mod registry;
pub mod restart;
pub mod security;
pub mod services;
pub mod start;
pub mod statistics;
pub mod storage;
pub mod stores;
pub mod supplied;
pub mod system;
pub mod task;
pub mod temporary_storage;
pub mod terminal_control;
pub mod terminals;
pub mod ticks;
pub mod transactions;
pub mod transient_data;
pub mod trial;
pub mod waits;
pub mod words;
