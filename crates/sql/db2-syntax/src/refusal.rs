//! Refusals of statements, with their SQLCODEs.

use db2::package::Spot;

/// A statement that is not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Place of the words that are meant.
    pub spot: Spot,
    /// The mistake in a few words.
    pub message: String,
    /// Advice; empty if the message suffices.
    pub help: String,
    /// The name that the SQLCODE's message has; empty if it has none, or the words at the place.
    pub name: String,
    /// Of what kind.
    pub reason: Reason,
}

/// Kinds of refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The statement is wrong: the SQLCODE that it has.
    Code(i32),
    /// Nothing is wrong with it: it is not built.
    NotBuilt,
}

impl Refusal {
    pub(crate) fn code(code: i32, spot: Spot, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { spot, message, help: String::new(), name: String::new(), reason: Reason::Code(code) }
    }

    pub(crate) fn not_built(spot: Spot, what: &str) -> Self {
        let message = format!("{what} is not built yet in the region's own tables");
        Self { spot, message, help: String::new(), name: String::new(), reason: Reason::NotBuilt }
    }

    /// The name that its message has, where another word stands at its place.
    #[must_use]
    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    #[must_use]
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }
}

impl From<db2::Mistake> for Refusal {
    fn from(mistake: db2::Mistake) -> Self {
        let code = match mistake.fault {
            db2::MistakeKind::OpenQuote => -10,
            db2::MistakeKind::LongName => -107,
            db2::MistakeKind::Hexadecimal => -110,
            _ => -104,
        };
        Self { help: mistake.help, ..Self::code(code, mistake.spot, mistake.message) }
    }
}
