//! The reason why a link has ended, and why a request has no reply.

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
    /// The link has ended, or takes no requests. What was sent before may have been done.
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
