//! Files: a program's descriptions of them, and its requests. The host knows the assigned data sets.

use cobol_types::Numeric;
pub use cobol_types::{Access, Closing, OpenMode, Organization};
use serde::{Deserialize, Serialize};

/// Bytes of a file's block in WORKING-STORAGE: FILE STATUS, VSAM's codes, the end of a page, the mode, the length.
pub const BLOCK_LENGTH: u32 = 16;
/// Length of the host's answer.
pub const ANSWER_LENGTH: u32 = 9;
/// Place of FILE STATUS in it.
pub const STATUS_AT: u32 = 0;
/// Place of VSAM's codes.
pub const CODES_AT: u32 = 2;
/// Bytes of these codes.
pub const CODES_LENGTH: u32 = 6;
/// Place of the mark of a page's end: `1`.
pub const PAGE_END_AT: u32 = 8;
/// Place of the mode in which the file was opened last.
pub const MODE_AT: u32 = 9;
/// Place of the record's length, a fullword.
pub const LENGTH_AT: u32 = 12;

/// A key within the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileKey {
    /// Its first byte.
    pub offset: u32,
    /// Its length.
    pub length: u32,
    /// WITH DUPLICATES.
    pub duplicates: bool,
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its name.
    pub name: String,
    /// The name that it is assigned to; empty of a sort file.
    pub assigned: String,
    /// ORGANIZATION.
    pub organization: Organization,
    /// ACCESS MODE.
    pub access: Access,
    /// OPTIONAL.
    pub optional: bool,
    /// Records of varying length.
    pub variable: bool,
    /// The shortest and the longest record.
    pub lengths: (u32, u32),
    /// The keys of an indexed file; the first is its RECORD KEY.
    pub keys: Vec<FileKey>,
    /// Whose it is.
    pub owner: Owner,
}

/// Whose a file is: those that have the same one are open and closed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Owner {
    /// The program's.
    Own,
    /// EXTERNAL: the run unit's, by its name.
    External,
    /// GLOBAL: of a program around this one.
    Around {
        /// The program, by its place in what [`crate::lower`] gives.
        program: u32,
        /// The file, by its place in [`super::Program::files`] there.
        file: u32,
    },
}

/// Place of a printed file's next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advance {
    /// AFTER, else BEFORE.
    pub after: bool,
    /// PAGE, else lines: their number is the argument [`FileArguments::NUMBER`].
    pub page: bool,
}

/// Record that START looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartAt {
    /// The relation of records to the key.
    pub relation: super::Relation,
    /// Which key.
    pub key: u32,
    /// Number of its bytes.
    pub length: u32,
}

/// Requests to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FileOperation {
    /// OPEN.
    Open(OpenMode),
    /// CLOSE.
    Close(Closing),
    /// READ of the next record.
    ReadNext,
    /// READ by a key or a number.
    Read {
        /// Which key.
        key: u32,
    },
    /// START.
    Start(StartAt),
    /// WRITE.
    Write(Option<Advance>),
    /// REWRITE.
    Rewrite,
    /// DELETE.
    Delete,
    /// SORT and MERGE begin: records are taken for a sort file.
    SortBegins(Box<SortOrder>),
    /// RELEASE.
    Release,
    /// All records are there.
    SortTurns,
    /// RETURN.
    Return,
    /// SORT and MERGE are over.
    SortEnds,
    /// A statement failed, and the program does nothing about it: it ends.
    Failed,
}

/// The order of a SORT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SortOrder {
    /// The keys, the most important one first.
    pub keys: Vec<SortKey>,
    /// The place of each character in the collating sequence, where it is not the native one.
    #[serde(with = "super::stored::perhaps_table")]
    pub collating: Option<Box<[u8; 256]>>,
}

/// A key of a SORT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SortKey {
    /// Its first byte in the record.
    pub offset: u32,
    /// Its length.
    pub length: u32,
    /// Storage form of a number there; `None` if it is compared as characters.
    pub numeric: Option<Numeric>,
    /// Descending.
    pub descending: bool,
}

/// The arguments of a call about a file, by their places.
#[derive(Clone, Copy, Debug)]
pub struct FileArguments;

impl FileArguments {
    /// The record area, as long as the longest record.
    pub const RECORD: usize = 0;
    /// The length of the record: of the one that is written, and of the one that was read.
    pub const LENGTH: usize = 1;
    /// RELATIVE KEY.
    pub const RELATIVE: usize = 2;
    /// A number: the lines of ADVANCING.
    pub const NUMBER: usize = 3;
    /// LINAGE: lines, the line of the footing, lines above, lines below; nothing where the file has none.
    pub const LINAGE: usize = 4;
    /// LINAGE-COUNTER.
    pub const COUNTER: usize = 8;
    /// Number of statements.
    pub const COUNT: usize = 9;
}

impl FileOperation {
    /// Returns true if it is of SORT or MERGE.
    pub fn is_of_sort(&self) -> bool {
        matches!(self, Self::SortBegins(_) | Self::Release | Self::SortTurns | Self::Return | Self::SortEnds)
    }

    /// Name in a program's text.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Open(_) => "OPEN",
            Self::Close(_) => "CLOSE",
            Self::ReadNext | Self::Read { .. } => "READ",
            Self::Start(_) => "START",
            Self::Write(_) => "WRITE",
            Self::Rewrite => "REWRITE",
            Self::Delete => "DELETE",
            Self::SortBegins(_) | Self::SortTurns | Self::SortEnds => "SORT",
            Self::Release => "RELEASE",
            Self::Return => "RETURN",
            Self::Failed => "a statement about a file",
        }
    }
}
