//! What is wrong with a statement.

use crate::package::Spot;

/// What is wrong with a statement, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Mistake {
    /// Where.
    pub spot: Spot,
    /// What, in a few words.
    pub message: String,
    /// What to do about it; empty where the message says it.
    pub help: String,
    /// Nothing is wrong with it: it is not supported here.
    pub unsupported: bool,
}

impl Mistake {
    pub(crate) fn new(spot: Spot, message: impl Into<String>) -> Self {
        Self { spot, message: message.into(), help: String::new(), unsupported: false }
    }

    /// What is not supported here.
    pub fn unsupported(spot: Spot, message: impl Into<String>) -> Self {
        Self { unsupported: true, ..Self::new(spot, message) }
    }

    #[must_use]
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }
}
