//! Literate tests: a Markdown file states a rule of the published interface, and is the test of it.
//!
//! In scope: reading such a file, making an application of its blocks, running it in a region of its own with
//! people at terminals, and comparing what happens with what the file says.
//!
//! Out of scope: any knowledge of what a command does.

pub mod application;
pub mod beside;
mod certificates;
pub mod commands;
pub mod coverage;
mod harm;
mod indoubt;
mod maps;
pub mod program;
mod records;
pub mod suite;
pub mod terms;

pub use pages::{answer, diff, document, house, request, script, timeline};
