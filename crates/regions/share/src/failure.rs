//! Errors of the engine, as a message has them.

use std::borrow::Cow;

use records::{Decision, Error, StoreId};
use serde::{Deserialize, Serialize};

/// An error: its kind, its text if it has one, its number if it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure<'a> {
    kind: u8,
    #[serde(borrow)]
    text: Cow<'a, str>,
    number: u64,
}

/// Texts of the engine that are constants.
const CONSTANTS: &[&str] = &[
    "key length",
    "length of a unit of work's name",
    "locks_per_owner",
    "numbers of stores",
    "stores that a region watches",
    "loads of a region",
    "segment_bytes",
    "units of work of a region",
    "names that a region claims",
    "length of a name",
    "the stamps of copies",
    "places for commits",
    "begin a log segment",
    "the log",
    "the base",
    "the base, which is as large as base_bytes allows",
    "trim the log",
    "records of a table",
    "a key for data in clear",
    "the backup",
    "a change of a recoverable store outside of a unit of work",
];

/// A constant text; another one if it is none that this build knows.
fn constant(text: &str, unknown: &'static str) -> &'static str {
    CONSTANTS.iter().find(|known| **known == text).copied().unwrap_or(unknown)
}

impl Failure<'_> {
    /// The error as a message has it.
    pub fn of(error: &Error) -> Failure<'static> {
        let plain = |kind| Failure { kind, text: Cow::Borrowed(""), number: 0 };
        let text = |kind, text: &str| Failure { kind, text: Cow::Owned(text.to_owned()), number: 0 };
        match error {
            Error::Locked => plain(1),
            Error::Retained => plain(2),
            Error::Deadlock => plain(3),
            Error::TimedOut => plain(4),
            Error::Cancelled => plain(5),
            Error::NoSpace(what) => text(6, what),
            Error::Limit(what) => text(7, what),
            Error::NoStore(StoreId(store)) => Failure { number: (*store).into(), ..plain(8) },
            Error::StoreExists(name) => text(9, name),
            Error::OutOfOrder(number) => Failure { number: *number, ..plain(10) },
            Error::Prepared => plain(11),
            Error::NameInUse => plain(12),
            Error::NotIndoubt => plain(13),
            Error::Heuristic(Decision::Commit) => plain(14),
            Error::Heuristic(Decision::Backout) => plain(15),
            Error::Corrupt(what) => text(16, what),
            Error::Overwritten(what) => text(17, what),
            Error::Lost(what) => text(18, what),
            Error::Unsupported(what) => text(19, what),
            Error::Stopped => plain(20),
            Error::Io(what) => text(21, what),
            other => text(21, &other.to_string()),
        }
    }

    /// The error.
    pub fn error(&self) -> Error {
        let text = || self.text.clone().into_owned();
        match self.kind {
            1 => Error::Locked,
            2 => Error::Retained,
            3 => Error::Deadlock,
            4 => Error::TimedOut,
            5 => Error::Cancelled,
            6 => Error::NoSpace(constant(&self.text, "the records of the record server")),
            7 => Error::Limit(constant(&self.text, "of the record server")),
            8 => Error::NoStore(StoreId(self.number as u32)),
            9 => Error::StoreExists(text()),
            10 => Error::OutOfOrder(self.number),
            11 => Error::Prepared,
            12 => Error::NameInUse,
            13 => Error::NotIndoubt,
            14 => Error::Heuristic(Decision::Commit),
            15 => Error::Heuristic(Decision::Backout),
            16 => Error::Corrupt(text()),
            17 => Error::Overwritten(text()),
            18 => Error::Lost(text()),
            19 => Error::Unsupported(constant(&self.text, "this request of a record server")),
            20 => Error::Stopped,
            _ => Error::Io(text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{of_bytes, to_bytes};

    #[test]
    fn errors_come_out_as_they_went_in() {
        let errors = [
            Error::Locked,
            Error::Retained,
            Error::Deadlock,
            Error::TimedOut,
            Error::Cancelled,
            Error::NoSpace("the log"),
            Error::Limit("segment_bytes"),
            Error::NoStore(StoreId(7)),
            Error::StoreExists("name".into()),
            Error::OutOfOrder(9),
            Error::Prepared,
            Error::NameInUse,
            Error::NotIndoubt,
            Error::Heuristic(Decision::Commit),
            Error::Heuristic(Decision::Backout),
            Error::Corrupt("what".into()),
            Error::Overwritten("what".into()),
            Error::Lost("what".into()),
            Error::Io("what".into()),
            Error::Stopped,
        ];
        for error in errors {
            let bytes = to_bytes(&Failure::of(&error));
            assert_eq!(of_bytes::<Failure<'_>>(&bytes).map(|failure| failure.error()), Some(error));
        }
    }
}
