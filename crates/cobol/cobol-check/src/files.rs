//! Files: SELECT and FD brought together.

use cobol_data::ItemId;
use cobol_syntax::tree::{FileKind, Name};

/// A file of a program.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name, as FD or SD has it; as SELECT has it where it has neither.
    pub name: Name,
    /// FD or SD, and its place in the data division.
    pub description: Option<(FileKind, usize)>,
    /// The place of its SELECT in the environment division.
    pub select: Option<usize>,
    /// Its records.
    pub records: Vec<ItemId>,
    /// The length of its longest record.
    pub record_length: usize,
}
