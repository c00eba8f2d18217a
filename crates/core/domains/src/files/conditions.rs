//! The conditions that a program gets for errors of a data set.

use spec::cond;

use super::attributes::Mode;
use super::resp2;
use kernel::lines::often;
use kernel::raise::{Raise, RaiseCondition};

impl Mode {
    /// The condition or abend for an error.
    pub(super) fn raise(self, error: vsam::Error) -> Raise {
        use vsam::Error;
        match error {
            Error::NotFound => cond::NOTFND.raise(resp2::NOT_FOUND),
            Error::Duplicate | Error::DuplicateAlternate(_) => cond::DUPREC.raise(resp2::DUPLICATE_RECORD),
            Error::EndOfFile => cond::ENDFILE.raise(resp2::END_OF_FILE),
            Error::TooLong { .. } => cond::LENGERR.raise(resp2::RECORD_TOO_LONG),
            Error::LengthChanged { .. } => cond::LENGERR.raise(resp2::LENGTH_NOT_FIXED),
            Error::KeyMismatch => cond::INVREQ.raise(resp2::KEY_MISMATCH),
            Error::KeyLength { .. } => cond::INVREQ.raise(resp2::KEY_LENGTH),
            // What the access method itself refuses.
            Error::TooShort { .. } | Error::KeyChanged | Error::Invalid(_) => {
                cond::ILLOGIC.raise(resp2::LOGIC)
            }
            Error::Engine(error) => self.engine(&error),
            error => {
                often!(error, target: "FC", "{error}");
                cond::IOERR.raise(resp2::IO)
            }
        }
    }

    fn engine(self, error: &records::Error) -> Raise {
        use records::Error;
        match error {
            Error::Locked => cond::RECORDBUSY.raise(resp2::RECORD_BUSY),
            Error::Retained => cond::LOCKED.raise(resp2::RETAINED_LOCK),
            Error::NoSpace(_) | Error::Limit(_) => cond::NOSPACE.raise(resp2::NO_SPACE),
            // The task that would wait for ever is the one that goes.
            Error::Deadlock => Raise::abend(if self.rls { "AFCW" } else { "AFCF" }),
            Error::TimedOut if self.rls => Raise::abend("AFCV"),
            Error::TimedOut | Error::Cancelled => Raise::abend("AFCY"),
            error => {
                often!(error, target: "FC", "{error}");
                cond::IOERR.raise(resp2::IO)
            }
        }
    }
}
