//! The tokens of a statement.

use crate::arithmetic::Holds;
use crate::package::Spot;

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A keyword or an ordinary name.
    Word,
    /// A name in double quotes, with them.
    Delimited,
    /// A text in single quotes, with them.
    Text,
    /// A constant with a prefix: `X'C1'`, `N'…'`.
    Prefixed,
    /// A number without a sign.
    Number,
    /// A host variable, without its colon.
    Host,
    /// `?`.
    Marker,
    /// An operator, a parenthesis, a comma.
    Sign,
    /// PostgreSQL's words, which nothing changes any more.
    Made,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Kind of the token.
    pub kind: Kind,
    /// As the user wrote it; of a host variable its name.
    pub text: String,
    /// Place of the token.
    pub spot: Spot,
    /// True if no blank stands before it.
    pub glued: bool,
    /// Of a host variable: its indicator's name.
    pub indicator: Option<String>,
    /// Of a host variable: its number among those that the statement's reader was given.
    pub variable: u32,
    /// Of a host variable: what it holds, as far as arithmetic asks for it.
    pub holds: Holds,
}

impl Token {
    pub(crate) fn new(kind: Kind, text: impl Into<String>, spot: Spot, glued: bool) -> Self {
        Self { kind, text: text.into(), spot, glued, indicator: None, variable: 0, holds: Holds::Other }
    }

    /// PostgreSQL's words in the place of this token.
    pub(crate) fn made(&self, text: impl Into<String>) -> Self {
        Self::new(Kind::Made, text, self.spot, self.glued)
    }

    /// Returns true if this is the keyword (upper case), in any case, or the sign.
    pub(crate) fn is(&self, word: &str) -> bool {
        match self.kind {
            Kind::Word => self.text.eq_ignore_ascii_case(word),
            Kind::Sign => self.text == word,
            _ => false,
        }
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Returns true if it can be (a part of) a name.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Delimited)
    }

    /// A name as the catalogue has it: in upper case, or what stands between double quotes.
    pub(crate) fn name(&self) -> String {
        match self.kind {
            Kind::Delimited => self.text.trim_matches('"').replace("\"\"", "\""),
            _ => self.text.to_uppercase(),
        }
    }
}
