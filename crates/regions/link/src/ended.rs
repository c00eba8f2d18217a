//! The reason why a link has ended, and why a request has no reply.

use crate::limits::REASON_MAX;

/// The reason why a link has ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// One side has closed it, and everything that was asked has been answered.
    #[error("the link is closed")]
    Closed,
    /// The connection broke, or nothing came for too long.
    #[error("the link is lost: {0}")]
    Lost(String),
    /// The other side does not want it.
    #[error("the partner refuses the link: {0}")]
    Refused(String),
    /// This side does not want it.
    #[error("the link is refused: {0}")]
    Unwanted(String),
    /// The thing: what came is no frame, or not one that may come now.
    #[error("the partner breaks the protocol: {0}")]
    Malformed(String),
}

/// The reason why a request has no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReply {
    /// The link has ended, or takes no requests. Requests that were sent before may have been done.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// The other side has given none, and says why.
    #[error("the partner gives no answer: {0}")]
    Unanswered(String),
    /// More than a message may have, or than the partner takes at present: nothing was sent.
    #[error("a message of {0} bytes cannot be sent")]
    TooLong(usize),
}

/// A broken rule.
pub(crate) fn malformed(what: impl Into<String>) -> Ended {
    Ended::Malformed(what.into())
}

/// A reason as it is sent and shown: one line, not too long.
pub(crate) fn reason(text: &str) -> String {
    let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut reason: String = visible.take(REASON_MAX / 4).collect();
    reason.truncate(reason.trim_end().len());
    reason
}

/// A reason that has come.
pub(crate) fn told_reason(body: &[u8]) -> String {
    reason(&String::from_utf8_lossy(body))
}
