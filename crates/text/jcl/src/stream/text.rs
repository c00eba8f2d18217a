//! Statements of a job stream, each character with its place in the user's text.

use std::ops::Range;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};

use super::codes;

/// The last column that a statement may use.
const LAST_COLUMN: usize = 71;
/// The column in which a text in apostrophes goes on in the next line.
const CONTINUED_COLUMN: usize = 16;
/// The character that editors of personal computers leave behind the last line.
const END_OF_FILE: char = '\u{1a}';

/// A character of a statement and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ch {
    pub c: char,
    pub line: usize,
    pub column: usize,
}

/// A statement as it is written: `//NAME OPERATION OPERANDS`.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub source: Arc<Source>,
    /// Its first line, from 1.
    pub line: usize,
    pub name: Vec<Ch>,
    pub operation: Vec<Ch>,
    /// The operands without the comment behind them.
    pub operands: Vec<Ch>,
    /// The lines of the data behind a DD statement, from 1.
    pub data: Option<Range<usize>>,
}

impl Written {
    pub fn operation(&self) -> String {
        text(&self.operation).to_ascii_uppercase()
    }

    /// Returns the place of the statement.
    pub fn place(&self) -> TextPlace {
        place(&self.source, &self.operation, self.line)
    }
}

/// Returns the characters as text.
pub(super) fn text(characters: &[Ch]) -> String {
    characters.iter().map(|ch| ch.c).collect()
}

/// Returns the place of a text, as far as it is in one line; of an empty text, the beginning of `line`.
pub(super) fn place(source: &Arc<Source>, characters: &[Ch], line: usize) -> TextPlace {
    let Some(first) = characters.first() else { return TextPlace::new(source, line, 1, 0) };
    let last = characters.iter().take_while(|ch| ch.line == first.line).map(|ch| ch.column).max();
    let length = last.unwrap_or(first.column).saturating_sub(first.column) + 1;
    TextPlace::new(source, first.line, first.column, length)
}

/// Reads statements from a source, one after the other.
pub(super) struct Lines {
    source: Arc<Source>,
    lines: Vec<Vec<char>>,
    at: usize,
}

/// The next statement of a source, or lines without one.
pub(super) enum Next {
    Statement(Box<Written>),
    /// `//` alone: the end of a job.
    Null,
    /// A statement of JES: `/*ROUTE`.
    Jes(TextPlace, String),
    /// Lines that belong to no DD statement, from 1.
    Loose(Range<usize>),
}

impl Lines {
    pub fn new(source: &Arc<Source>) -> Self {
        let text = source.text.trim_end_matches(|c: char| c == END_OF_FILE || c.is_whitespace());
        let lines = text.lines().map(|line| line.trim_end().chars().collect()).collect();
        Self { source: Arc::clone(source), lines, at: 0 }
    }

    /// Reads the next statement; `None` at the end.
    pub fn next(&mut self, messages: &mut Vec<Diagnostic>) -> Option<Next> {
        loop {
            let line = self.lines.get(self.at)?;
            let begins = |with: &str| line.iter().copied().take(with.len()).eq(with.chars());
            if line.is_empty() || begins("//*") || line == &['/', '*'] {
                self.at += 1;
                continue;
            }
            if line == &['/', '/'] {
                self.at += 1;
                return Some(Next::Null);
            }
            if begins("//") {
                return Some(Next::Statement(Box::new(self.statement(messages))));
            }
            if begins("/*") && line.get(2).is_some_and(char::is_ascii_alphabetic) {
                let word: String = line[2..].iter().take_while(|c| !c.is_whitespace()).collect();
                self.at += 1;
                return Some(Next::Jes(
                    TextPlace::new(&self.source, self.at, 1, word.chars().count() + 2),
                    word,
                ));
            }
            let from = self.at;
            while self.lines.get(self.at).is_some_and(|line| !is_delimiter(line) && !is_statement(line)) {
                self.at += 1;
            }
            // A delimiter alone.
            self.at = self.at.max(from + 1);
            return Some(Next::Loose(from + 1..self.at + 1));
        }
    }

    /// Returns the lines of in-stream data from here on, up to their delimiter: `/*` or the next statement, unless the DD
    /// statement names another.
    pub fn data(&mut self, delimiter: Option<&str>, statements_are_data: bool) -> Range<usize> {
        let from = self.at;
        let ends = |line: &Vec<char>| match delimiter {
            Some(delimiter) => line.iter().copied().take(delimiter.chars().count()).eq(delimiter.chars()),
            None => is_delimiter(line) || !statements_are_data && is_statement(line),
        };
        let end = self.lines[from..].iter().position(ends).map_or(self.lines.len(), |found| from + found);
        self.at = end;
        let is_own_delimiter =
            self.lines.get(end).is_some_and(|line| delimiter.is_some() || is_delimiter(line));
        if is_own_delimiter {
            self.at += 1;
        }
        from + 1..end + 1
    }

    fn statement(&mut self, messages: &mut Vec<Diagnostic>) -> Written {
        let first = self.at;
        let mut body = self.body(2);
        let name: Vec<Ch> = body.iter().copied().take_while(|ch| ch.c != ' ').collect();
        body = trimmed(&body[name.len()..]);
        let operation: Vec<Ch> = body.iter().copied().take_while(|ch| ch.c != ' ').collect();
        body = trimmed(&body[operation.len()..]);
        self.at += 1;
        let is_condition = text(&operation).eq_ignore_ascii_case("IF");
        let mut operands = Vec::new();
        let mut quoted = false;
        loop {
            let (taken, open) = if is_condition { (body.clone(), false) } else { field(&body, quoted) };
            quoted = open;
            if let Some(last) = taken.last().filter(|last| !quoted && last.column == LAST_COLUMN) {
                self.check_end(last.c, messages);
            }
            operands.extend(taken);
            let goes_on = match is_condition {
                true => !text(&operands).to_ascii_uppercase().split_whitespace().any(|word| word == "THEN"),
                false => quoted || operands.last().is_some_and(|ch| ch.c == ','),
            };
            if !goes_on || !self.is_continued() {
                break;
            }
            let next = self.body(2);
            let blanks = next.iter().take_while(|ch| ch.c == ' ').count();
            // Where a text in apostrophes goes on, blanks from the 16th column on belong to it.
            let skipped = if quoted { blanks.min(CONTINUED_COLUMN - 3) } else { blanks };
            if is_condition {
                operands.extend(next.first().map(|ch| Ch { c: ' ', ..*ch }));
            }
            body = next[skipped..].to_vec();
            self.at += 1;
        }
        self.at = self.at.max(first + 1);
        if quoted {
            let place = place(&self.source, &operands, first + 1);
            let message = Diagnostic::error(codes::APOSTROPHE, "a text in apostrophes has no end").at(place);
            messages.push(message.help("close it; what goes on in the next line goes on there in column 16"));
        }
        while operands.last().is_some_and(|ch| ch.c == ' ') {
            operands.pop();
        }
        if operands.last().is_some_and(|ch| ch.c == ',') && !quoted {
            let place = place(&self.source, &operands[operands.len() - 1..], first + 1);
            let message =
                Diagnostic::error(codes::CONTINUED, "the statement does not go on behind its comma");
            messages.push(message.at(place).help("the next line begins with // and a blank"));
        }
        Written { source: Arc::clone(&self.source), line: first + 1, name, operation, operands, data: None }
    }

    /// Operands fill a line up to its last column: there must be nothing behind it.
    fn check_end(&self, last: char, messages: &mut Vec<Diagnostic>) {
        let Some(line) = self.lines.get(self.at.saturating_sub(1)) else { return };
        // Behind a comma, a mark in the next column says that the statement goes on, and a sequence number may follow.
        let is_mark =
            last == ',' && line.get(LAST_COLUMN + 1).is_none_or(|c| *c == ' ' || c.is_ascii_digit());
        if line.get(LAST_COLUMN).is_some_and(|c| *c != ' ') && !is_mark {
            let text = "the statement goes beyond column 71";
            let place = TextPlace::new(&self.source, self.at, LAST_COLUMN + 1, line.len() - LAST_COLUMN);
            let help = "break it behind a comma; the next line begins with // and a blank";
            messages.push(Diagnostic::error(codes::BEYOND, text).at(place).help(help));
        }
    }

    /// Returns true if the next line behind comments goes on with the statement, and steps to it.
    fn is_continued(&mut self) -> bool {
        let mut at = self.at;
        while self.lines.get(at).is_some_and(|line| line.starts_with(&['/', '/', '*'])) {
            at += 1;
        }
        let goes_on =
            self.lines.get(at).is_some_and(|line| line.starts_with(&['/', '/', ' ']) && line.len() > 3);
        if goes_on {
            self.at = at;
        }
        goes_on
    }

    /// Returns the characters of the line here from an offset to the last column of a statement, with blanks up to there.
    fn body(&self, from: usize) -> Vec<Ch> {
        let (line, number) = (&self.lines[self.at], self.at + 1);
        let character = |column: usize| Ch {
            c: line.get(column - 1).map_or(' ', |c| if *c == '\t' { ' ' } else { *c }),
            line: number,
            column,
        };
        (from + 1..=LAST_COLUMN).map(character).collect()
    }
}

fn is_delimiter(line: &[char]) -> bool {
    line.starts_with(&['/', '*'])
}

fn is_statement(line: &[char]) -> bool {
    line.starts_with(&['/', '/'])
}

fn trimmed(body: &[Ch]) -> Vec<Ch> {
    body.iter().copied().skip_while(|ch| ch.c == ' ').collect()
}

/// Returns the operands at the start of a line, up to the first blank outside of apostrophes, and true if a text is open at
/// its end.
fn field(body: &[Ch], mut quoted: bool) -> (Vec<Ch>, bool) {
    let mut taken = Vec::new();
    for ch in body {
        match ch.c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => break,
            _ => {}
        }
        taken.push(*ch);
    }
    (taken, quoted)
}
