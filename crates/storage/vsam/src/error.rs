//! Failures of operations on data sets.

use std::str::FromStr;

use crate::Name;

/// Errors of data sets. The first group are answers that programs expect; the rest are mistakes or failures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No record has this key, or none follows it.
    #[error("record not found")]
    NotFound,
    /// There is a record with this key (or in this slot) already.
    #[error("duplicate key")]
    Duplicate,
    /// A unique alternate index, named here, has this alternate key already.
    #[error("duplicate key in alternate index {0}")]
    DuplicateAlternate(Name),
    /// A browse went beyond the last record, or before the first.
    #[error("end of file")]
    EndOfFile,

    /// The record is longer than the data set allows.
    #[error("record of {length} bytes, at most {maximum} allowed")]
    TooLong {
        /// Its length.
        length: usize,
        /// Greatest length.
        maximum: usize,
    },
    /// The record does not reach to the end of its key, or of an alternate key.
    #[error("record of {length} bytes, its key needs {minimum}")]
    TooShort {
        /// Its length.
        length: usize,
        /// Length that its keys need.
        minimum: usize,
    },
    /// The length of a record may not change in this data set.
    #[error("record of {length} bytes where {required} are required")]
    LengthChanged {
        /// Its length.
        length: usize,
        /// The only length possible here.
        required: usize,
    },
    /// A rewrite would change the record's key.
    #[error("the key of a record cannot be changed")]
    KeyChanged,
    /// The key given for a new record is not the one in the record.
    #[error("the key given differs from the key in the record")]
    KeyMismatch,
    /// A key is too long, or a full key too short.
    #[error("key of {length} bytes where the key length is {required}")]
    KeyLength {
        /// Its length.
        length: usize,
        /// The key length of the data set or alternate index.
        required: usize,
    },
    /// The operation does not exist for this kind of data set (deleting from an ESDS, writing by a key to one, …).
    #[error("not possible for this data set: {0}")]
    Invalid(&'static str),

    /// The catalogue has no such entry.
    #[error("{0} is not in the catalogue")]
    NoEntry(Name),
    /// The catalogue has an entry of this name already.
    #[error("{0} is in the catalogue already")]
    EntryExists(Name),
    /// The entry is of another kind (a path where a cluster is needed, …).
    #[error("{name} is not {expected}")]
    WrongKind {
        /// The entry.
        name: Name,
        /// Kind of entry that it should have been, with its article.
        expected: &'static str,
    },
    /// The data set is open, or a utility works on it.
    #[error("{0} is in use")]
    InUse(Name),
    /// The data set holds records where it must be empty.
    #[error("{0} is not empty")]
    NotEmpty(Name),
    /// A definition contradicts itself or a limit; the text says how.
    #[error("{name}: {reason}")]
    Definition {
        /// Name of the new entry.
        name: Name,
        /// Reason of the refusal.
        reason: String,
    },
    /// A name is not one that a data set can have.
    #[error("{0:?} is not a data set name")]
    Name(String),
    /// A record that was given for a load comes out of order; the count says which, from 1.
    #[error("record {0} is not in ascending key order")]
    OutOfOrder(u64),
    /// A record that was given for a load, with its number from 1, is none that the data set can have.
    #[error("{why}: record {number}")]
    Record {
        /// Its number.
        number: u64,
        /// Its damage.
        why: Box<Error>,
    },
    /// Stored data contradict each other; the text names the place.
    #[error("corrupt: {0}")]
    Corrupt(String),
    /// The record engine.
    #[error(transparent)]
    Engine(#[from] records::Error),
}

impl Error {
    /// The error of a record that was given for a load; what is not its fault stays as it is.
    pub(crate) fn of_record(self, number: u64) -> Self {
        match self {
            Self::TooLong { .. } | Self::TooShort { .. } | Self::KeyMismatch | Self::Invalid(_) => {
                Self::Record { number, why: Box::new(self) }
            }
            other => other,
        }
    }
}

impl FromStr for Name {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::read(text).ok_or_else(|| Error::Name(text.to_owned()))
    }
}

/// The result of an operation on a data set.
pub type Result<T> = std::result::Result<T, Error>;
