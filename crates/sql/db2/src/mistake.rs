//! Mistakes in statements.

use crate::package::Spot;

/// Characters of a name: what PostgreSQL keeps (NAMEDATALEN - 1). Db2 takes up to 128 of some.
pub(crate) const NAME_MAX: usize = 63;

/// Mistake in a statement, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Mistake {
    /// Place of the mistake.
    pub spot: Spot,
    /// The mistake in a few words.
    pub message: String,
    /// Advice; empty if the message suffices.
    pub help: String,
    /// Of what kind.
    pub fault: MistakeKind,
}

/// Kinds of mistakes, as far as programs see a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MistakeKind {
    /// It cannot be read.
    Syntax,
    /// A quote is not closed.
    OpenQuote,
    /// A name has more characters than the database keeps.
    LongName,
    /// A hexadecimal constant has not pairs of hexadecimal digits.
    Hexadecimal,
    /// Nothing is wrong with it: it is not supported here.
    Unsupported,
    /// It is a statement that cannot be made at run time.
    Unpreparable,
    /// It calls a function that Db2 does not have.
    NoFunction,
    /// It names an object that Db2 does not have.
    NoName,
}

impl Mistake {
    pub(crate) fn new(spot: Spot, message: impl Into<String>) -> Self {
        Self { spot, message: message.into(), help: String::new(), fault: MistakeKind::Syntax }
    }

    /// Mistake for a form that is not supported here.
    pub fn unsupported(spot: Spot, message: impl Into<String>) -> Self {
        Self { fault: MistakeKind::Unsupported, ..Self::new(spot, message) }
    }

    pub(crate) fn unpreparable(spot: Spot, message: impl Into<String>) -> Self {
        Self { fault: MistakeKind::Unpreparable, ..Self::new(spot, message) }
    }

    pub(crate) fn open_quote(spot: Spot) -> Self {
        Self { fault: MistakeKind::OpenQuote, ..Self::new(spot, "this quote is not closed") }
    }

    pub(crate) fn long_name(spot: Spot) -> Self {
        let message = format!("this name is longer than {NAME_MAX} characters");
        Self { fault: MistakeKind::LongName, ..Self::new(spot, message) }
            .help("PostgreSQL would cut it: shorten it")
    }

    pub(crate) fn hexadecimal(spot: Spot) -> Self {
        let mistake = Self::new(spot, "this is no hexadecimal constant");
        Self { fault: MistakeKind::Hexadecimal, ..mistake }.help("write two digits, 0 to F, for each byte")
    }

    pub(crate) fn no_function(spot: Spot, name: &str) -> Self {
        Self { fault: MistakeKind::NoFunction, ..Self::new(spot, format!("Db2 has no function {name}")) }
    }

    pub(crate) fn no_name(spot: Spot, name: &str) -> Self {
        Self {
            fault: MistakeKind::NoName,
            ..Self::new(spot, format!("{name} is none of the application's names"))
        }
    }

    #[must_use]
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }
}
