//! The data division.

use std::rc::Rc;

use cobol_source::At;

use super::{Literal, Name, Operand, Reference};

/// Content of a data division.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// FD, SD and RD with their records.
    pub files: Vec<FileDescription>,
    /// WORKING-STORAGE.
    pub working_storage: Vec<DataEntry>,
    /// LOCAL-STORAGE.
    pub local_storage: Vec<DataEntry>,
    /// LINKAGE.
    pub linkage: Vec<DataEntry>,
    /// True if it has a reported mistake: descriptions may be missing.
    pub damaged: bool,
}

/// FD, SD or RD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// FD.
    File,
    /// SD.
    Sort,
}

/// RECORD clause: least and greatest length.
#[derive(Clone, Debug, Default)]
pub struct RecordClause {
    /// The least length, if it is given.
    pub min: Option<usize>,
    /// The greatest, if it is given.
    pub max: Option<usize>,
    /// VARYING.
    pub varying: bool,
    /// DEPENDING ON.
    pub depending: Option<Reference>,
}

/// LINAGE: the lines of a page.
#[derive(Clone, Debug)]
pub struct Linage {
    /// Those that are written.
    pub lines: Operand,
    /// The line that the footing begins at.
    pub footing: Option<Operand>,
    /// Lines above.
    pub top: Option<Operand>,
    /// Lines below.
    pub bottom: Option<Operand>,
}

impl Linage {
    /// Everything that it names.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        [&self.footing, &self.top, &self.bottom].into_iter().flatten().chain([&self.lines])
    }
}

/// The description of a file.
#[derive(Clone, Debug)]
pub struct FileDescription {
    /// FD or SD.
    pub kind: FileKind,
    /// Its name.
    pub name: Name,
    /// RECORD.
    pub record: RecordClause,
    /// RECORDING MODE.
    pub recording_mode: Option<Name>,
    /// EXTERNAL.
    pub external: bool,
    /// GLOBAL.
    pub global: bool,
    /// LINAGE.
    pub linage: Option<Linage>,
    /// Items that clauses name.
    pub data_records: Vec<Reference>,
    /// Its records.
    pub records: Vec<DataEntry>,
}

/// The PICTURE of an item.
#[derive(Clone, Debug)]
pub struct PictureText {
    /// In upper case.
    pub text: Rc<str>,
    /// Place of the entry.
    pub at: At,
}

/// USAGE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// DISPLAY.
    Display,
    /// COMP, COMP-4, BINARY.
    Binary,
    /// COMP-5.
    Native,
    /// BINARY-CHAR to BINARY-DOUBLE: a whole number of so many bytes, without a picture.
    Whole {
        /// Bytes: 1, 2, 4 or 8.
        bytes: u8,
        /// False for UNSIGNED.
        signed: bool,
    },
    /// COMP-X, COMP-N: a binary number of as many bytes as its PICTURE has characters, or as its digits take.
    Bytes {
        /// COMP-N: in the order of the machine.
        native: bool,
    },
    /// COMP-3, PACKED-DECIMAL.
    Packed,
    /// COMP-1.
    FloatShort,
    /// COMP-2.
    FloatLong,
    /// DISPLAY-1.
    DoubleByte,
    /// NATIONAL.
    National,
    /// UTF-8.
    Utf8,
    /// INDEX.
    Index,
    /// POINTER.
    Pointer,
    /// POINTER-32.
    Pointer32,
    /// PROCEDURE-POINTER.
    ProcedurePointer,
    /// FUNCTION-POINTER.
    FunctionPointer,
    /// OBJECT REFERENCE.
    Object,
}

/// SIGN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignClause {
    /// LEADING, else TRAILING.
    pub leading: bool,
    /// SEPARATE CHARACTER.
    pub separate: bool,
}

/// OCCURS.
#[derive(Clone, Debug)]
pub struct OccursClause {
    /// The least number.
    pub min: usize,
    /// The greatest; none for UNBOUNDED.
    pub max: Option<usize>,
    /// DEPENDING ON.
    pub depending: Option<Reference>,
    /// Keys, with whether they ascend.
    pub keys: Vec<(Reference, bool)>,
    /// INDEXED BY.
    pub indexes: Vec<Name>,
    /// Place of the entry.
    pub at: At,
}

/// A value, or a range of values of a condition-name.
#[derive(Clone, Debug)]
pub struct ValueRange {
    /// The value, or the first.
    pub from: Operand,
    /// The last.
    pub to: Option<Operand>,
}

/// One data description.
#[derive(Clone, Debug)]
pub struct DataEntry {
    /// 1 to 49, 66, 77, 78 or 88.
    pub level: u8,
    /// Its name; none for FILLER and where it was left out.
    pub name: Option<Name>,
    /// Place of its level number.
    pub at: At,
    /// REDEFINES.
    pub redefines: Option<Reference>,
    /// RENAMES, and THRU.
    pub renames: Option<(Reference, Option<Reference>)>,
    /// PICTURE.
    pub picture: Option<PictureText>,
    /// BYTE-LENGTH, and where the number stands.
    pub byte_length: Option<(usize, At)>,
    /// DYNAMIC LENGTH: its LIMIT, if there is one, and where the clause stands.
    pub dynamic: Option<(Option<usize>, At)>,
    /// USAGE.
    pub usage: Option<(Usage, At)>,
    /// GROUP-USAGE.
    pub group_usage: Option<Usage>,
    /// SIGN.
    pub sign: Option<SignClause>,
    /// OCCURS.
    pub occurs: Option<OccursClause>,
    /// SYNCHRONIZED.
    pub synchronized: bool,
    /// JUSTIFIED.
    pub justified: bool,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: bool,
    /// EXTERNAL.
    pub external: bool,
    /// GLOBAL.
    pub global: bool,
    /// VOLATILE.
    pub volatile: bool,
    /// VALUE.
    pub values: Vec<ValueRange>,
    /// WHEN SET TO FALSE.
    pub when_false: Option<Literal>,
    /// SQL TYPE IS, in its own words.
    pub sql_type: Option<At>,
}

impl DataEntry {
    /// A description without a name and without clauses.
    pub fn empty(level: u8, at: At) -> Self {
        Self {
            level,
            name: None,
            at,
            redefines: None,
            renames: None,
            picture: None,
            usage: None,
            byte_length: None,
            dynamic: None,
            group_usage: None,
            sign: None,
            occurs: None,
            synchronized: false,
            justified: false,
            blank_when_zero: false,
            external: false,
            global: false,
            volatile: false,
            values: Vec::new(),
            when_false: None,
            sql_type: None,
        }
    }
}
