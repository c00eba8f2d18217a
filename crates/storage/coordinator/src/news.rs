//! News of the steps of an end.

use records::{Answer, Error, UnitOfWork};

use crate::participant::Answered;
use crate::protocol::Heard;

/// Something that is under way.
pub(crate) type UnderWay = Answer<'static, News>;

/// Results of a step.
pub(crate) enum News {
    Heard(Heard),
    /// By what it can be found out what the last resource did.
    Shown(usize, Option<Vec<u8>>),
    /// Own changes are in doubt, for the last resource; or not.
    Prepared(Box<dyn UnitOfWork>, records::Result<()>),
    /// Own changes have ended as the last resource did.
    Resolved(records::Result<()>),
    Written(Result<(), Tried>),
    /// A participant was told that it may forget the unit of work.
    Forgotten(usize, Answered),
    /// The record of the decision is deleted, or will be later.
    Erased(bool),
}

/// Point that a failed commit of own changes has reached.
pub(crate) enum Tried {
    /// The decision was refused before: nothing is committed.
    Put(Error),
    Commit(Error),
}
