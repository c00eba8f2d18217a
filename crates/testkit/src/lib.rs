//! Literate tests: a Markdown file states a rule of the published interface, and is the test of it.
//!
//! In scope: reading such a file, making an application of its blocks, running it in a region of its own with
//! people at terminals, and comparing what happens with what the file says.
//!
//! Out of scope: any knowledge of what a command does.

pub mod application;
pub mod beside;
pub mod captured;
mod certificates;
pub mod client;
pub mod commands;
pub mod coverage;
pub mod diff;
pub mod document;
mod figures;
mod harm;
pub mod house;
mod indoubt;
mod maps;
mod picture;
mod printer;
pub mod program;
mod records;
pub mod request;
pub mod script;
pub mod suite;
pub mod timeline;
