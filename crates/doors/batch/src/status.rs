//! FILE STATUS.

use std::io::ErrorKind;

use access::{AccessError, Failure};
use datasets::FileError;

/// Two characters that tell a program what became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status(pub [u8; 2]);

impl Status {
    /// Done.
    pub const DONE: Self = Self(*b"00");
    /// Done; another record has the same alternate key.
    pub const DUPLICATE_KEY: Self = Self(*b"02");
    /// Done; the record is longer than the record area.
    pub const CUT: Self = Self(*b"04");
    /// Done; the optional file was not there.
    pub const OPTIONAL_ABSENT: Self = Self(*b"05");
    /// Done, though what was asked for is of tapes.
    pub const NO_TAPE: Self = Self(*b"07");
    /// There is no next record.
    pub const AT_END: Self = Self(*b"10");
    /// RELATIVE KEY has too few digits for the number of the record.
    pub const KEY_TOO_SMALL: Self = Self(*b"14");
    /// The key is not in ascending order, or was changed.
    pub const SEQUENCE: Self = Self(*b"21");
    /// There is a record with this key.
    pub const DUPLICATE: Self = Self(*b"22");
    /// There is no record with this key.
    pub const NOT_FOUND: Self = Self(*b"23");
    /// There is no room.
    pub const BOUNDARY: Self = Self(*b"24");
    /// A permanent error.
    pub const PERMANENT: Self = Self(*b"30");
    /// There is no room for a record of a sequential file.
    pub const FULL: Self = Self(*b"34");
    /// The file is not there.
    pub const ABSENT: Self = Self(*b"35");
    /// The file cannot be opened in this way.
    pub const MODE: Self = Self(*b"37");
    /// The file was closed WITH LOCK.
    pub const LOCKED: Self = Self(*b"38");
    /// The file is another one than the program says.
    pub const CONFLICT: Self = Self(*b"39");
    /// The file is open already.
    pub const OPEN_ALREADY: Self = Self(*b"41");
    /// The file is not open.
    pub const NOT_OPEN: Self = Self(*b"42");
    /// No READ came before.
    pub const NO_READ: Self = Self(*b"43");
    /// The length of the record does not fit.
    pub const LENGTH: Self = Self(*b"44");
    /// There is no place to read on from.
    pub const NO_PLACE: Self = Self(*b"46");
    /// The file is not open for reading.
    pub const NOT_INPUT: Self = Self(*b"47");
    /// The file is not open for writing.
    pub const NOT_OUTPUT: Self = Self(*b"48");
    /// The file is not open for changes.
    pub const NOT_CHANGE: Self = Self(*b"49");
    /// The data are not reached.
    pub const OTHER: Self = Self(*b"90");
    /// The record was changed by another program since it was read.
    pub const LOGIC: Self = Self(*b"92");
    /// A record or a data set is in use by another program.
    pub const IN_USE: Self = Self(*b"93");
    /// The data set cannot be emptied.
    pub const NOT_REUSABLE: Self = Self(*b"95");
    /// No DD statement has the name that the file is assigned to.
    pub const NO_DD: Self = Self(*b"96");
}

impl From<&FileError> for Status {
    /// Returns the status of a sequential file that cannot be read or written.
    fn from(error: &FileError) -> Self {
        let FileError::System { error, .. } = error else { return Self::PERMANENT };
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Self::FULL,
            _ => Self::PERMANENT,
        }
    }
}

impl From<&AccessError> for Status {
    fn from(error: &AccessError) -> Self {
        let AccessError::Failed(failure) = error else { return Self::OTHER };
        match failure {
            Failure::NotFound => Self::NOT_FOUND,
            Failure::Duplicate => Self::DUPLICATE,
            Failure::Length => Self::LENGTH,
            Failure::KeyChanged => Self::SEQUENCE,
            Failure::Invalid(_) => Self::NOT_CHANGE,
            Failure::NoEntry(_) => Self::ABSENT,
            Failure::InUse(_) | Failure::Locked(_) => Self::IN_USE,
            Failure::Full(_) => Self::BOUNDARY,
            Failure::Protocol(_) | Failure::Other(_) => Self::PERMANENT,
        }
    }
}
