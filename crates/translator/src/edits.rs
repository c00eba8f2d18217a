//! Changes to a run of text words, collected in any order and made at once.

use std::ops::Range;

use crate::token::Token;

/// Pieces to be put in the place of others.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    list: Vec<(Range<usize>, Vec<Token>)>,
}

impl Edits {
    /// Puts tokens in front of the one at `at`; behind what was put there before.
    pub(crate) fn insert(&mut self, at: usize, tokens: Vec<Token>) {
        self.list.push((at..at, tokens));
    }

    /// Puts tokens in the place of others.
    pub(crate) fn replace(&mut self, range: Range<usize>, tokens: Vec<Token>) {
        self.list.push((range, tokens));
    }

    /// Copies the given part of the tokens to `out` with all changes made.
    pub(crate) fn apply(mut self, tokens: &[Token], part: Range<usize>, out: &mut Vec<Token>) {
        // What is put in front of a token comes before what takes its place.
        self.list.sort_by_key(|(range, _)| (range.start, range.end));
        let mut at = part.start;
        for (range, new) in self.list {
            if range.start >= at {
                out.extend_from_slice(&tokens[at..range.start]);
                at = range.end;
            }
            out.extend(new);
        }
        out.extend_from_slice(&tokens[at.min(part.end)..part.end]);
    }
}
