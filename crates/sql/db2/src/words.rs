//! The tokens of a statement while they are read and rewritten.

use std::ops::Range;

use crate::arithmetic::Arithmetic;
use crate::package::Spot;
use crate::token::{Kind, Token};

/// The tokens of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) list: Vec<Token>,
    /// The rules of its decimal numbers.
    pub(crate) arithmetic: Arithmetic,
}

impl Words {
    pub(crate) fn new(list: Vec<Token>) -> Self {
        Self { list, arithmetic: Arithmetic::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Token> {
        self.list.get(at)
    }

    /// Returns true if these keywords and signs follow each other at `at`.
    pub(crate) fn is(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(i, word)| self.list.get(at + i).is_some_and(|token| token.is(word)))
    }

    /// Returns true if one of these stands at `at`.
    pub(crate) fn is_any(&self, at: usize, words: &[&str]) -> bool {
        self.list.get(at).is_some_and(|token| token.is_any(words))
    }

    pub(crate) fn has_kind(&self, at: usize, kind: Kind) -> bool {
        self.list.get(at).is_some_and(|token| token.kind == kind)
    }

    /// First place from `from` on where these words follow each other.
    pub(crate) fn find(&self, from: usize, words: &[&str]) -> Option<usize> {
        (from..self.list.len()).find(|at| self.is(*at, words))
    }

    /// First place from `from` on where these words follow each other, outside of parentheses that open behind it.
    pub(crate) fn find_outside(&self, from: usize, words: &[&str]) -> Option<usize> {
        let mut at = from;
        while at < self.list.len() {
            if self.is(at, words) {
                return Some(at);
            }
            at = if self.is(at, &["("]) { self.close(at) } else { at + 1 };
        }
        None
    }

    /// Behind the parenthesis that closes the one at `at`; the end where none does.
    pub(crate) fn close(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for (i, token) in self.list.iter().enumerate().skip(at) {
            depth += usize::from(token.is("("));
            if token.is(")") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i + 1;
                }
            }
        }
        self.list.len()
    }

    /// The parenthesis that opens what the one at `at` closes.
    pub(crate) fn open(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for i in (0..=at).rev() {
            depth += usize::from(self.is(i, &[")"]));
            if self.is(i, &["("]) {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(i);
                }
            }
        }
        None
    }

    /// The arguments in the parentheses that open at `at`, without commas.
    pub(crate) fn arguments(&self, at: usize) -> Vec<Range<usize>> {
        let end = self.close(at) - 1;
        let mut all = Vec::new();
        let (mut from, mut i) = (at + 1, at + 1);
        while i < end {
            if self.is(i, &[","]) {
                all.push(from..i);
                from = i + 1;
            }
            i = if self.is(i, &["("]) { self.close(i) } else { i + 1 };
        }
        if from < end {
            all.push(from..end);
        }
        all
    }

    /// The place of a token, or that of the last one.
    pub(crate) fn spot(&self, at: usize) -> Spot {
        self.list.get(at).or(self.list.last()).map_or_else(Spot::default, |token| token.spot)
    }

    pub(crate) fn cut(&mut self, range: Range<usize>) {
        let end = range.end.min(self.list.len());
        self.list.drain(range.start.min(end)..end);
    }

    /// Puts PostgreSQL's words in the place of some tokens.
    pub(crate) fn put(&mut self, range: Range<usize>, text: impl Into<String>) {
        let made = match self.list.get(range.start) {
            Some(first) => first.made(text),
            None => Token::new(Kind::Made, text, self.spot(range.start), false),
        };
        let end = range.end.min(self.list.len());
        self.list.splice(range.start.min(end)..end, [made]);
    }

    /// Puts PostgreSQL's words in front of a token, or at the end.
    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        let spot = self.spot(at);
        self.list.insert(at.min(self.list.len()), Token::new(Kind::Made, text, spot, false));
    }

    /// A cursor's or a statement's name, which may have hyphens as COBOL's have, and what stands behind it.
    pub(crate) fn host_name(&self, at: usize) -> Option<(String, Range<usize>)> {
        let first = self.get(at).filter(|token| token.is_name())?;
        let mut name = first.name();
        let mut end = at + 1;
        let part = |token: &Token| token.is("-") || matches!(token.kind, Kind::Word | Kind::Number);
        while let Some(token) = self.get(end).filter(|token| token.glued && part(token)) {
            name += &token.text.to_uppercase();
            end += 1;
        }
        Some((name, at..end))
    }

    /// A table's name with its schemas, and what stands behind it.
    pub(crate) fn qualified_name(&self, at: usize) -> Option<(String, Range<usize>)> {
        let mut name = self.get(at).filter(|token| token.is_name())?.name();
        let mut end = at + 1;
        while self.is(end, &["."])
            && let Some(part) = self.get(end + 1).filter(|token| token.is_name())
        {
            name = format!("{name}.{}", part.name());
            end += 2;
        }
        Some((name, at..end))
    }
}
