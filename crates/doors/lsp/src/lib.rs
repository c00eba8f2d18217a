//! A language server for COBOL with EXEC CICS and EXEC SQL, and for BMS maps.
//!
//! A document's text and a place in it go in, values come out: messages, descriptions, candidates, changes. Around that stands a
//! server that speaks the Language Server Protocol over two streams.
//!
//! Out of scope: regions, and everything that runs programs. `toolchain` and the crates below it know the meaning of a text.

#![doc = include_str!("../README.md")]

pub mod analysis;
pub mod documents;
pub mod features;
mod folder;
mod json;
pub mod layout;
pub mod limits;
mod requests;
mod server;
mod session;
pub mod text;
pub mod uri;
pub mod view;
pub mod wire;

pub use folder::{Folder, Host};
pub use server::serve;
pub use session::Session;
