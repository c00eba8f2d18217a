//! Tests as pages: a Markdown file says what people do at terminals and over HTTP, and what must be so then.
//!
//! In scope: reading such a file, refusing what it cannot mean, playing it on a region of its own, and comparing what happens
//! with what the file says.
//!
//! Out of scope: any knowledge of what a command does, processes, the command line.

#![doc = include_str!("../README.md")]

pub mod answer;
mod calls;
pub mod captured;
pub mod client;
pub mod commands;
pub mod coverage;
pub mod diff;
pub mod document;
mod figures;
mod given;
pub mod house;
pub mod junit;
mod kinds;
mod layout;
pub mod limits;
mod page;
mod picture;
pub mod player;
mod printer;
mod recorder;
mod records;
pub mod request;
mod run;
pub mod script;
mod settings;
mod sqlcodes;
mod stubs;
mod tables;
mod text;
pub mod timeline;

pub use page::{Page, Unreadable};
pub use player::{Failure, Report};
pub use recorder::Recorder;
pub use run::{Inputs, record, run};
pub use text::told;
