//! JSON: a strict pull reader, and messages read and written by a mapping.

mod read;
mod reader;
mod write;

pub use read::read;
pub use write::{escape, write};
