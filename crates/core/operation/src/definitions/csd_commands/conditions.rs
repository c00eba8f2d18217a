//! The conditions of the CSD commands.

use csd::{Request, Verb};
use diagnostics::Diagnostic;
use kernel::raise::{Raise, RaiseCondition};
use repository::Refused;
use spec::cond;

/// RESP2 of the CSD commands.
pub(super) mod resp2 {
    /// INVREQ, NOTFND: the type of the resource, or the resource.
    pub const RESTYPE: i32 = 1;
    /// INVREQ, NOTFND: the group.
    pub const GROUP: i32 = 2;
    /// INVREQ, NOTFND: the list.
    pub const LIST: i32 = 3;
    /// DUPRES: it is there already.
    pub const THERE: i32 = 1;
    /// DUPRES: a list has the name of the group.
    pub const IS_LIST: i32 = 2;
    /// DUPRES: a group has the name of the list.
    pub const IS_GROUP: i32 = 3;
    /// LOCKED: by another user.
    pub const BY_ANOTHER: i32 = 1;
    /// CSDERR: the texts cannot be read or written.
    pub const UNREADABLE: i32 = 1;
    /// ILLOGIC: the task has no such browse.
    pub const NO_BROWSE: i32 = 1;
    /// ILLOGIC: the task has such a browse already.
    pub const BROWSES: i32 = 2;
    /// END: all were returned.
    pub const NO_MORE: i32 = 2;
    /// LENGERR: ATTRLEN is below zero, or the area too small.
    pub const LENGTH: i32 = 1;
}

/// The condition for a refusal, which the log gets in words.
pub(super) fn raised(refused: Refused) -> Raise {
    raised_for(refused, None)
}

/// The condition for a refusal of a request that would change the texts; the log gets it in words.
pub fn raised_for(refused: Refused, asked: Option<&Request>) -> Raise {
    match refused {
        Refused::Command(message) => {
            tracing::debug!(target: "RD", "CSD: {}", message.message);
            of_message(&message, asked)
        }
        refused => {
            tracing::warn!(target: "RD", "CSD: {refused}");
            cond::CSDERR.raise(resp2::UNREADABLE)
        }
    }
}

fn of_message(message: &Diagnostic, asked: Option<&Request>) -> Raise {
    let name = message.message.split(' ').next();
    let names_list = |asked: &Request| {
        let to = asked.to.as_deref().filter(|_| asked.verb == Verb::Append);
        [asked.list.as_deref(), to].into_iter().flatten().any(|list| Some(list) == name)
    };
    match message.code {
        "SPCS020" | "SPCS022" | "SPCS025" => cond::DUPRES.raise(resp2::THERE),
        "SPCS023" if asked.is_some_and(names_list) => cond::DUPRES.raise(resp2::IS_GROUP),
        "SPCS023" => cond::DUPRES.raise(resp2::IS_LIST),
        "SPCS021" => cond::NOTFND.raise(resp2::RESTYPE),
        "SPCS026" => cond::NOTFND.raise(resp2::GROUP),
        "SPCS033" => cond::NOTFND.raise(resp2::LIST),
        "SPCS029" => cond::LOCKED.raise(resp2::BY_ANOTHER),
        "SPCS027" | "SPCS028" => cond::INVREQ.raise(resp2::GROUP),
        _ => cond::CSDERR.raise(resp2::UNREADABLE),
    }
}
