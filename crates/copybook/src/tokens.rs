//! From text to words, picture strings, literals and full stops.

use diagnostics::Place;

use crate::text::{Letter, Text};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Literal,
    Stop,
}

/// A token with its place. Words are in upper case.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub text: String,
    pub place: Place,
}

impl Token {
    /// Whether it is a certain word.
    pub fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }
}

/// All tokens of a text.
pub(crate) fn tokens(text: &Text<'_>) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(letter) = text.letters.get(at) {
        let end = match letter.c {
            c if c.is_whitespace() || c == ',' || c == ';' => {
                at += 1;
                continue;
            }
            '\'' | '"' => literal_end(&text.letters, at),
            '.' if stops(&text.letters, at) => at + 1,
            _ => word_end(&text.letters, at),
        };
        let kind = match letter.c {
            '\'' | '"' => TokenKind::Literal,
            '.' if end == at + 1 => TokenKind::Stop,
            _ => TokenKind::Word,
        };
        let spelled: String = text.letters[at..end].iter().map(|l| l.c.to_ascii_uppercase()).collect();
        tokens.push(Token { kind, text: spelled, place: text.place(at, end) });
        at = end;
    }
    tokens
}

/// Whether a character ends the word before it: blank, line end, or nothing.
fn blank_at(letters: &[Letter], at: usize) -> bool {
    letters.get(at).is_none_or(|letter| letter.c.is_whitespace())
}

/// Whether a full stop, as against a decimal point or a point in a picture, stands at an index.
fn stops(letters: &[Letter], at: usize) -> bool {
    letters[at].c == '.' && blank_at(letters, at + 1)
}

fn word_end(letters: &[Letter], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(letter) = letters.get(at) {
        let separator = matches!(letter.c, ',' | ';') && blank_at(letters, at + 1);
        if letter.c.is_whitespace() || separator || stops(letters, at) || matches!(letter.c, '\'' | '"') {
            break;
        }
        at += 1;
    }
    at
}

/// The end of a literal; a doubled quote belongs to it.
fn literal_end(letters: &[Letter], start: usize) -> usize {
    let quote = letters[start].c;
    let mut at = start + 1;
    while let Some(letter) = letters.get(at) {
        at += 1;
        if letter.c == quote {
            if letters.get(at).is_none_or(|next| next.c != quote) {
                break;
            }
            at += 1;
        }
    }
    at
}
