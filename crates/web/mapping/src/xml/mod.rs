//! XML: a strict pull reader, and messages read and written by a mapping.

mod canonical;
mod characters;
mod fast;
mod fragment;
mod read;
mod reader;
mod write;

pub use canonical::{PREFIXES_MAX, canonical};
pub use fragment::{bound, inner};
pub(crate) use read::leave;
pub use read::{Way, read, read_apart, read_content, read_whole};
pub use reader::{Attribute, Namespace, Reader, Start, Token};
pub use write::{escape_attribute, escape_text, write, write_apart, write_typed};
