//! JSON: a strict pull reader, and messages read and written by a mapping.

mod read;
mod reader;
mod write;

pub use read::{read, read_apart};
pub use write::{escape, write, write_apart};

/// The name of the first member of a message that is an object: its subject.
pub fn first_member(message: &[u8]) -> Option<String> {
    let mut reader = reader::Reader::new(message).ok()?;
    reader.expect(b'{').ok()?;
    Some(reader.member().ok()?.into_owned())
}
