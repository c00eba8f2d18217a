//! A statement about one of COBOL's own files: what is asked, and what the program says of the file.

/// The verb of the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileOperation {
    /// OPEN.
    Open(OpenMode),
    /// CLOSE, in any of its forms.
    Close,
    /// READ NEXT, or READ of a file in sequential access.
    ReadNext,
    /// READ PREVIOUS.
    ReadPrevious,
    /// READ by key or number.
    Read,
    /// START.
    Start(Relation),
    /// WRITE.
    Write,
    /// REWRITE.
    Rewrite,
    /// DELETE.
    Delete,
}

/// The mode in which a file is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenMode {
    Input,
    Output,
    InputOutput,
    Extend,
}

/// The comparison of START with the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// ORGANIZATION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileOrganization {
    LineSequential,
    Sequential,
    Indexed,
    Relative,
}

/// ACCESS MODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessMode {
    Sequential,
    Random,
    Dynamic,
}

/// A key of an indexed file: its parts, each an offset and a length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileKey {
    /// Its parts.
    pub parts: Vec<(usize, usize)>,
    /// WITH DUPLICATES.
    pub duplicates: bool,
}

/// A file as its program describes it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileControl {
    /// The name that it is assigned to.
    pub name: String,
    /// ORGANIZATION.
    pub organization: FileOrganization,
    /// ACCESS MODE.
    pub access: AccessMode,
    /// The mode in which it is open; `None` if it is closed.
    pub open: Option<OpenMode>,
    /// SELECT OPTIONAL.
    pub optional: bool,
    /// Records of varying length.
    pub variable: bool,
    /// The shortest and the longest record.
    pub lengths: (usize, usize),
    /// The length of the record in the record area.
    pub length: usize,
    /// RELATIVE KEY.
    pub relative_key: u64,
    /// The keys of an indexed file; the first is the prime key.
    pub keys: Vec<FileKey>,
    /// The place of the key of reference among them.
    pub key_of_reference: usize,
    /// The bytes of it that count.
    pub key_length: usize,
    /// ADVANCING: flags and a number of lines (`plain`).
    pub advancing: u32,
    /// The number under which the run keeps the open file.
    pub handle: u64,
}
