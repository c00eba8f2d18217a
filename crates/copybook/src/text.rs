//! The lines of a copybook as one text: indicator area, continuations and comments gone, places kept.

use std::sync::Arc;

use diagnostics::{Place, Source};

/// The columns of fixed format, counted from 0: indicator, first of the text, first behind it.
const INDICATOR: usize = 6;
const TEXT: usize = 7;
const END: usize = 72;

/// How far apart the compiler's tab stops are (`-ftab-width`).
const TAB_WIDTH: usize = 4;

/// What may stand in the indicator column.
const INDICATORS: &str = " *-/Dd$#";

/// One character and where it came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    pub c: char,
    pub line: usize,
    pub column: usize,
}

/// The text of a copybook.
pub(crate) struct Text<'a> {
    pub source: &'a Arc<Source>,
    pub letters: Vec<Letter>,
}

impl<'a> Text<'a> {
    /// Reads fixed format, or free format where some line could not be fixed.
    pub fn new(source: &'a Arc<Source>) -> Self {
        let lines: Vec<Vec<char>> = source.text.lines().map(expand_tabs).collect();
        let fixed = lines.iter().all(|line| line.get(INDICATOR).is_none_or(|&c| INDICATORS.contains(c)));
        let mut text = Self { source, letters: Vec::new() };
        for (line, number) in lines.iter().zip(1..) {
            if fixed {
                text.push_fixed(line, number);
            } else {
                text.push_free(line, number);
            }
        }
        text
    }

    pub fn place(&self, from: usize, to: usize) -> Place {
        match self.letters.get(from).or(self.letters.last()) {
            Some(first) => Place::new(self.source, first.line, first.column, to.saturating_sub(from).max(1)),
            None => Place::new(self.source, 1, 1, 0),
        }
    }

    fn push_fixed(&mut self, line: &[char], number: usize) {
        let text = line.get(TEXT..line.len().min(END)).unwrap_or_default();
        match line.get(INDICATOR).copied().unwrap_or(' ') {
            ' ' => self.push(text, number, TEXT),
            '-' => self.continue_line(text, number),
            _ => {}
        }
    }

    fn push_free(&mut self, line: &[char], number: usize) {
        let start = line.iter().position(|c| !c.is_whitespace()).unwrap_or(0);
        let comment = line.windows(2).position(|pair| pair == ['*', '>']).unwrap_or(line.len());
        self.push(line.get(start..comment).unwrap_or_default(), number, start);
    }

    fn push(&mut self, text: &[char], line: usize, before: usize) {
        let end = text.iter().rposition(|c| !c.is_whitespace()).map_or(0, |last| last + 1);
        let columns = before + 1..;
        self.letters.extend(text[..end].iter().zip(columns).map(|(&c, column)| Letter { c, line, column }));
        self.letters.push(Letter { c: '\n', line, column: before + end + 1 });
    }

    /// Appends to the word or literal in which the line before ended; a literal goes on behind its repeated quote.
    fn continue_line(&mut self, text: &[char], line: usize) {
        if self.letters.last().is_some_and(|letter| letter.c == '\n') {
            self.letters.pop();
        }
        let blanks = text.iter().take_while(|c| c.is_whitespace()).count();
        let quote = usize::from(matches!(text.get(blanks), Some('\'' | '"')));
        let skipped = (blanks + quote).min(text.len());
        self.push(&text[skipped..], line, TEXT + skipped);
    }
}

fn expand_tabs(line: &str) -> Vec<char> {
    let mut chars = Vec::new();
    for c in line.chars() {
        if c == '\t' {
            let stop = (chars.len() / TAB_WIDTH + 1) * TAB_WIDTH;
            chars.resize(stop, ' ');
        } else {
            chars.push(c);
        }
    }
    chars
}
