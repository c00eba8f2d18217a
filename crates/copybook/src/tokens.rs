//! From text words to words, picture strings, literals and full stops.

use std::sync::Arc;

use cobol_source::{At, Kind};
use diagnostics::{Place, Source};

/// How far apart the compiler's tab stops are (`-ftab-width`).
const TAB_WIDTH: usize = 4;

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

/// All tokens of a text. What stands there without a blank is one word: a picture needs no more grammar than that.
pub(crate) fn tokens(source: &Arc<Source>) -> Vec<Token> {
    let (words, messages) = cobol_source::words(source, TAB_WIDTH);
    let place = |at: At| messages.frames.origin(at).place;
    let mut tokens: Vec<Token> = Vec::new();
    let mut open: Option<(String, At)> = None;
    let close = |open: &mut Option<(String, At)>, tokens: &mut Vec<Token>| {
        if let Some((text, at)) = open.take() {
            tokens.push(Token { kind: TokenKind::Word, text, place: place(at) });
        }
    };
    for (index, word) in words.iter().enumerate() {
        let behind = words.get(index + 1);
        let blank_behind = behind.is_none_or(|next| !next.is_glued() || next.at.line != word.at.line);
        let glued = word.is_glued() && open.as_ref().is_some_and(|(_, at)| at.line == word.at.line);
        if !glued {
            close(&mut open, &mut tokens);
        }
        match word.kind {
            Kind::Made => {}
            Kind::Literal | Kind::Broken => {
                close(&mut open, &mut tokens);
                let text = word.text.to_ascii_uppercase();
                tokens.push(Token { kind: TokenKind::Literal, text, place: place(word.at) });
            }
            Kind::Period if blank_behind => {
                close(&mut open, &mut tokens);
                tokens.push(Token { kind: TokenKind::Stop, text: ".".to_owned(), place: place(word.at) });
            }
            Kind::Symbol if blank_behind && matches!(&*word.text, "," | ";") => close(&mut open, &mut tokens),
            _ => match &mut open {
                Some((text, at)) => {
                    text.push_str(&word.text.to_ascii_uppercase());
                    *at = at.to(word.at);
                }
                None => open = Some((word.text.to_ascii_uppercase(), word.at)),
            },
        }
    }
    close(&mut open, &mut tokens);
    tokens
}
