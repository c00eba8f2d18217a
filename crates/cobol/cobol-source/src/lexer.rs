//! Source text to text words.
//!
//! Comments are dropped, continued literals and words are joined, debugging lines are taken or left. Nothing is
//! upper-cased, nothing replaced.

use std::rc::Rc;

use diagnostics::Diagnostic;

use crate::messages::Messages;
use crate::origin::{At, FrameId};
use crate::reference_format::{self, Line, Role};
use crate::token::{Kind, Token, is_quote};

/// Statements by which managers of source libraries include a member.
const MANAGERS: [(&str, &str); 2] = [("-INC ", "Librarian"), ("++INCLUDE ", "Panvalet")];

/// Settings that one source's lines may change for those read after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    /// Free reference format.
    pub(crate) free: bool,
    /// `WITH DEBUGGING MODE` was read: debugging lines are text.
    pub(crate) debugging: bool,
    /// Columns from one tab stop to the next.
    pub(crate) tab_width: usize,
}

/// A reader of a source's lines.
pub(crate) struct Lexer {
    frame: FrameId,
    /// The settings for the lines that follow.
    pub(crate) mode: Mode,
    tokens: Vec<Token>,
    /// The debugging lines so far.
    pub(crate) debugging_lines: Vec<u32>,
    line: u32,
    /// The line has tabs.
    tabs: bool,
    /// The library manager whose statement the line is.
    manager: Option<&'static str>,
    indicator_reported: bool,
    /// The text is that of an SQL statement.
    sql: bool,
}

/// A directive: its words, and its place.
pub(crate) struct Directive {
    pub(crate) words: Vec<Token>,
    pub(crate) at: At,
}

/// Prefixes of literals.
const PREFIXES: [&str; 9] = ["X", "N", "NX", "U", "UX", "G", "H", "B", "Z"];

impl Lexer {
    /// A reader of a source, at its beginning.
    pub(crate) fn new(frame: FrameId, mode: Mode) -> Self {
        Self {
            frame,
            mode,
            tokens: Vec::new(),
            debugging_lines: Vec::new(),
            line: 0,
            tabs: false,
            manager: None,
            indicator_reported: false,
            sql: false,
        }
    }

    /// The text words of the lines that were read since the last call.
    pub(crate) fn take(&mut self) -> Vec<Token> {
        std::mem::take(&mut self.tokens)
    }

    /// Reads a line, whose number counts from 1; the answer is the directive that it is. A line that does not count is looked
    /// at for directives only.
    pub(crate) fn read(
        &mut self,
        number: u32,
        line: &str,
        counts: bool,
        messages: &mut Messages,
    ) -> Option<Directive> {
        self.line = number;
        self.tabs = line.contains('\t');
        self.manager =
            MANAGERS.iter().find(|(word, _)| line.trim_start().starts_with(word)).map(|(_, name)| *name);
        let line = reference_format::read(line, self.mode.free, self.mode.tab_width);
        if !counts && line.role != Role::Directive {
            return None;
        }
        if line.cut && line.role != Role::Nothing {
            messages.frames.note_cut(self.frame, self.line);
        }
        if line.role == Role::Debugging {
            self.debugging_lines.push(self.line);
        }
        match line.role {
            Role::Nothing => {}
            Role::Debugging if !self.mode.debugging => {}
            Role::Text | Role::Debugging => self.words(&line, 0),
            Role::Continuation => self.continue_line(&line),
            Role::Directive => match reference_format::switched(line.text.trim()) {
                Some(free) if counts => self.mode.free = free,
                Some(_) => {}
                None => return Some(self.directive(&line)),
            },
            // One is enough: where it is in every line, it is the format that is another.
            Role::Unknown(_) if self.indicator_reported => {}
            Role::Unknown(indicator) => {
                self.indicator_reported = true;
                let at = At { frame: self.frame, line: self.line, column: 7, width: 1 };
                let message = format!("'{indicator}' in column 7 means nothing");
                messages.add(
                    at,
                    Diagnostic::error("SPTR001", message)
                        .label("the indicator column of fixed format")
                        .help(self.indicator_help()),
                );
            }
        }
        None
    }

    /// The words of a directive's line, which are no words of the text.
    fn directive(&mut self, line: &Line<'_>) -> Directive {
        let before = self.take();
        let sql = std::mem::replace(&mut self.sql, false);
        self.words(line, 0);
        self.sql = sql;
        let words = std::mem::replace(&mut self.tokens, before);
        let (first, last) = (words.first().map(|token| token.at), words.last().map(|token| token.at));
        let here = At { frame: self.frame, line: self.line, column: line.first_column as u16, width: 1 };
        let at = first.map_or(here, |first| first.to(last.unwrap_or(first)));
        Directive { words, at }
    }

    /// Advice about a line whose text begins too early.
    fn indicator_help(&self) -> String {
        let free = "for free format begin the text with >>SOURCE FORMAT IS FREE";
        if let Some(manager) = self.manager {
            return format!(
                "{manager} replaces this line before a compiler sees it: write COPY and the member's name"
            );
        }
        if self.tabs {
            let width = self.mode.tab_width;
            return format!(
                "a tab goes to the next of columns 1, {}, {}, …: write blanks instead, so that text starts in column 8; {free}",
                width + 1,
                2 * width + 1
            );
        }
        format!("text starts in column 8; {free}")
    }

    /// A line with a hyphen in column 7.
    fn continue_line(&mut self, line: &Line<'_>) {
        let start = line.text.len() - line.text.trim_start().len();
        let rest = &line.text[start..];
        let Some(last) = self.tokens.last() else { return self.words(line, 0) };
        let quote = last.text.chars().find(|c| is_quote(*c));
        let opens = quote.is_some_and(|q| rest.starts_with(q));
        let doubled = quote.is_some_and(|q| rest.chars().take(2).filter(|c| *c == q).count() == 2);
        match last.kind {
            Kind::Broken if opens => self.continue_literal(line, start + 1),
            // The quote in column 72 was the first of two that mean one.
            Kind::Literal if doubled => self.continue_literal(line, start + 1),
            Kind::Broken => self.words(line, start),
            _ => self.continue_word(line, start),
        }
    }

    fn continue_literal(&mut self, line: &Line<'_>, from: usize) {
        let Some(last) = self.tokens.pop() else { return };
        let quote = last.text.chars().find(|c| is_quote(*c)).unwrap_or('\'');
        // A closed literal that goes on: its last quote and the next one are a doubled quote.
        let reopened = usize::from(last.kind == Kind::Literal);
        let (to, closed) = literal_end(&line.text, from + reopened, quote);
        let mut text = format!("{}{}", last.text, &line.text[from..to]);
        if !closed {
            text.extend(std::iter::repeat_n(' ', line.padding()));
        }
        let kind = if closed { Kind::Literal } else { Kind::Broken };
        self.tokens.push(Token { kind, text: text.into(), ..last });
        if closed {
            self.words(line, to);
        }
    }

    /// A word that goes on: what ends the line before and what begins this one are read again as if they stood in one line.
    fn continue_word(&mut self, line: &Line<'_>, start: usize) {
        let rest = &line.text[start..];
        let seam = rest.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(rest.len());
        let run = self.last_run();
        let Some(first) = self.tokens.get(run).cloned().filter(|_| seam > 0) else {
            return self.words(line, start);
        };
        let head: String = self.tokens.drain(run..).map(|token| token.text.to_string()).collect();
        let joined = Line {
            role: line.role,
            text: format!("{head}{}", &rest[..seam]).into(),
            first_column: first.at.column.into(),
            cut: false,
        };
        self.words(&joined, 0);
        for token in &mut self.tokens[run..] {
            token.at.line = first.at.line;
        }
        if let Some(token) = self.tokens.get_mut(run) {
            token.gap = first.gap;
        }
        self.words(line, start + seam);
    }

    /// The place of the first of the words that end the last line without a blank between them: a further word might
    /// belong to them.
    fn last_run(&self) -> usize {
        let Some(last) = self.tokens.last() else { return 0 };
        let may_go_on = |token: &Token| {
            matches!(token.kind, Kind::Word | Kind::Symbol | Kind::Period) && token.at.line == last.at.line
        };
        let mut run = self.tokens.len();
        while let Some(token) = run.checked_sub(1).and_then(|at| self.tokens.get(at)).filter(|t| may_go_on(t))
        {
            run -= 1;
            if !token.is_glued() {
                break;
            }
        }
        run
    }

    /// All text words of a line from a byte on.
    fn words(&mut self, line: &Line<'_>, from: usize) {
        let text = &*line.text;
        let bytes = text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            let b = bytes[at];
            if b.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            // In SQL a star and a greater-than sign may follow each other within a line.
            let of_cobol = text[at..].starts_with("*>") && (!self.sql || text[..at].trim().is_empty());
            if of_cobol || (self.sql && text[at..].starts_with("--")) {
                return;
            }
            at = match b {
                b'\'' | b'"' => self.literal(line, at, at),
                b'=' if bytes.get(at + 1) == Some(&b'=') => self.push(line, at, at + 2, Kind::Pseudo),
                b'.' if !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                    self.push(line, at, at + 1, Kind::Period)
                }
                _ if is_word_byte(b) || b == b'.' => self.word(line, at),
                _ => self.push(line, at, at + 1, Kind::Symbol),
            };
        }
    }

    fn word(&mut self, line: &Line<'_>, at: usize) -> usize {
        let bytes = line.text.as_bytes();
        let mut to = at + 1;
        while let Some(&b) = bytes.get(to) {
            let decimal_point = b == b'.' && bytes.get(to + 1).is_some_and(u8::is_ascii_digit);
            if !(is_word_byte(b) || b == b'-' || decimal_point) {
                break;
            }
            to += 1;
        }
        let word = &line.text[at..to];
        let prefix = PREFIXES.iter().any(|p| p.eq_ignore_ascii_case(word));
        if prefix && bytes.get(to).is_some_and(|b| is_quote(char::from(*b))) {
            return self.literal(line, at, to);
        }
        if word.eq_ignore_ascii_case("SQL") {
            self.sql = self.tokens.last().is_some_and(|token| token.is_any(&["EXEC", "EXECUTE"]));
        } else if word.eq_ignore_ascii_case("END-EXEC") {
            self.sql = false;
        }
        let mode = word.eq_ignore_ascii_case("MODE");
        if mode && self.tokens.last().is_some_and(|t| t.is("DEBUGGING")) {
            self.mode.debugging = true;
        }
        self.push(line, at, to, Kind::Word)
    }

    /// A literal whose text starts at `at` and whose quote is at `quote`.
    fn literal(&mut self, line: &Line<'_>, at: usize, quote: usize) -> usize {
        let mark = char::from(line.text.as_bytes()[quote]);
        let (to, closed) = literal_end(&line.text, quote + 1, mark);
        if closed {
            return self.push(line, at, to, Kind::Literal);
        }
        self.push(line, at, to, Kind::Broken);
        if let Some(last) = self.tokens.last_mut().filter(|_| !self.mode.free) {
            let padding = " ".repeat(line.padding());
            last.text = format!("{}{padding}", last.text).into();
        }
        to
    }

    fn push(&mut self, line: &Line<'_>, from: usize, to: usize, kind: Kind) -> usize {
        let text = &*line.text;
        let chars = |part: &str| if part.is_ascii() { part.len() } else { part.chars().count() };
        let before = &text[..from];
        let gap = before.len() - before.trim_end().len();
        let column = line.first_column + chars(before);
        let word = &text[from..to];
        let at = At { frame: self.frame, line: self.line, column: column as u16, width: chars(word) as u16 };
        self.tokens.push(Token { kind, text: Rc::from(word), at, gap: gap as u16 });
        to
    }
}

fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#' | b'@') || !b.is_ascii()
}

/// The end of a literal's text from `from` on, and true if its closing quote is there.
fn literal_end(text: &str, from: usize, quote: char) -> (usize, bool) {
    let mut at = from;
    while let Some(found) = text[at..].find(quote) {
        let after = at + found + 1;
        if !text[after..].starts_with(quote) {
            return (after, true);
        }
        at = after + 1;
    }
    (text.len(), false)
}
