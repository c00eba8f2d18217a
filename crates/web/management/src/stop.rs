//! Reasons why a request comes to no result.

use cmci::answer::Answer;
use cmci::codes::{Code, reason, response};
use cmci::refusal::{Refusal, id};
use kernel::raise::Raise;

/// A request ends here.
pub(crate) enum Stop {
    /// It is not valid, or a limit stops it.
    Refused(Refusal),
    /// It is valid, and this is the answer.
    Said(Box<Answer>),
    /// The task ends.
    Raised(Raise),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Raise> for Stop {
    fn from(raise: Raise) -> Self {
        Self::Raised(raise)
    }
}

impl Stop {
    /// An answer with a response and a reason.
    pub fn said(response: Code, reason: Code, function: &'static str) -> Self {
        Self::Said(Box::new(Answer::of(response, reason, function)))
    }

    /// The user may not.
    pub fn not_permitted(function: &'static str) -> Self {
        Self::said(response::NOTPERMIT, reason::USRID, function)
    }

    /// A part of the request is not valid.
    pub fn invalid(part: Code, function: &'static str) -> Self {
        Self::said(response::INVALIDPARM, part, function)
    }

    /// The resource does not take the method, or the change.
    pub fn not_so(what: &str) -> Self {
        Self::Refused(Refusal::bad(id::METHOD, format!("The resource does not take {what}."), what))
    }
}
