//! The domains of a region whose commands programs issue: files, queues, interval control, maps, journals, documents.
//!
//! A domain is a folder: its state, its commands (a `HANDLERS` list for each file), the row by which its resources are defined
//! (`definition.rs`), its tests. [`DOMAINS`] has a row for each, and that is all that the crates above know of most of
//! them. The commands of the kernel's modules below the door are in [`commands`].
//!
//! Out of scope: what a task, a region or a terminal is (crate `kernel`), and what goes through all domains at once
//! (crate `operation`).

pub mod builtin;
pub mod children;
pub mod commands;
pub mod counters;
pub mod documents;
pub mod enqueue;
pub mod environment;
pub mod events;
pub mod exceptions;
pub mod files;
pub mod interval;
pub mod journals;
pub mod maps;
pub mod operator;
mod rows;
pub mod statistics;
pub mod stored;
pub mod temporary_storage;
pub mod transient_data;

pub use rows::DOMAINS;
