//! Text words: the unit in which COBOL is read and replaced.
//!
//! A token remembers where it was written (through COPY) and how many blanks stood before it.

use std::rc::Rc;

use crate::origin::At;

/// The kind of a text word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A COBOL word, a number, or a piece of a picture.
    Word,
    /// A literal with its quotes and its prefix.
    Literal,
    /// A literal whose closing quote is missing.
    Broken,
    /// The full stop that ends a sentence.
    Period,
    /// The `==` that opens or closes pseudo-text.
    Pseudo,
    /// A parenthesis, comma, operator or other sign.
    Symbol,
}

/// One text word.
#[derive(Clone, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// As it was written.
    pub text: Rc<str>,
    /// The place where it was written.
    pub at: At,
    /// Blanks between it and the one before it, if both are in one line.
    pub gap: u16,
}

impl Token {
    /// Returns true if this is the given word (upper case), in any case.
    pub fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Returns true if this is one of the given words (upper case), in any case.
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Returns true if this is the given sign.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == Kind::Symbol && &*self.text == symbol
    }

    /// Returns true if this ends a sentence.
    pub fn is_period(&self) -> bool {
        self.kind == Kind::Period
    }

    /// Returns true if this is a number without a sign.
    pub fn is_number(&self) -> bool {
        self.kind == Kind::Word && self.text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    }

    /// The word in upper case.
    pub fn upper(&self) -> String {
        self.text.to_ascii_uppercase()
    }

    /// Returns true if there is no blank before it.
    pub fn is_glued(&self) -> bool {
        self.gap == 0
    }

    /// A literal's text without prefix, quotes and doubled quotes; `None` for anything else and for `X'..'`.
    pub fn literal_value(&self) -> Option<String> {
        let quote = self.text.chars().next().filter(|c| self.kind == Kind::Literal && is_quote(*c))?;
        let inner = self.text.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(inner.replace(&format!("{quote}{quote}"), &quote.to_string()))
    }
}

/// Returns true if a character opens and closes literals.
pub fn is_quote(c: char) -> bool {
    c == '\'' || c == '"'
}

/// Returns true if the words follow each other at `at`.
pub fn phrase(tokens: &[Token], at: usize, words: &[&str]) -> bool {
    words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|t| t.is(word)))
}

/// The text of some tokens on one line, with their blanks (at most one between two).
pub fn text_of(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut line = None;
    for token in tokens {
        let place = (token.at.frame, token.at.line);
        let glued = token.is_glued() && line == Some(place);
        if !text.is_empty() && !glued {
            text.push(' ');
        }
        text.push_str(&token.text);
        line = Some(place);
    }
    text
}

/// Returns true if this is a level number.
pub fn is_level(token: &Token) -> bool {
    token.kind == Kind::Word
        && token.text.parse().is_ok_and(|level| matches!(level, 1..=49 | 66 | 77 | 78 | 88_u8))
}
