//! Words of file control: organization, access, OPEN and CLOSE.

use serde::{Deserialize, Serialize};

/// The organization of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Organization {
    /// One record behind the other.
    #[default]
    Sequential,
    /// By key.
    Indexed,
    /// By number.
    Relative,
    /// LINE SEQUENTIAL, which no z/OS has for data sets.
    LineSequential,
}

/// The order in which a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// In order.
    #[default]
    Sequential,
    /// By key.
    Random,
    /// Either.
    Dynamic,
}

/// The mode in which a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpenMode {
    /// INPUT.
    Input,
    /// OUTPUT.
    Output,
    /// I-O.
    InputOutput,
    /// EXTEND.
    Extend,
}

/// The extent to which a file is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Closing {
    /// All of it.
    File,
    /// WITH LOCK: it is not opened again.
    Lock,
    /// REEL or UNIT, or WITH NO REWIND: what only tapes do.
    Tape {
        /// True if the file stays open: REEL or UNIT.
        stays_open: bool,
    },
}
