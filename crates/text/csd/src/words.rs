//! From the records of an input to words: `KEYWORD` or `KEYWORD(value)`, each with its place.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};
use jcl::{Input, records};

/// The column whose asterisk lets a value go on in column 1 of the next record.
const CONTINUATION_COLUMN: usize = 72;

/// A value in parentheses.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The text: without the blanks around it, without quotes, lines joined by a blank.
    pub text: String,
    pub place: TextPlace,
}

/// A keyword with its value.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// As it is written.
    pub keyword: String,
    pub place: TextPlace,
    pub value: Option<Value>,
    /// The line and the column behind its last character.
    pub end: (usize, usize),
    /// True if it is the first of its line.
    pub starts_line: bool,
}

/// One character with the place it came from.
#[derive(Clone, Copy)]
struct Letter {
    c: char,
    line: usize,
    column: usize,
}

/// The words of an input; comments are left out.
pub(crate) fn words(input: &Input, messages: &mut Vec<Diagnostic>) -> Vec<Word> {
    all(Lexer { source: &input.source, letters: letters(input), at: 0, messages })
}

/// The words of a text that is one line, however long it is.
pub(crate) fn words_of(source: &Arc<Source>, messages: &mut Vec<Diagnostic>) -> Vec<Word> {
    let letters = source.text.chars().zip(1..).map(|(c, column)| Letter { c, line: 1, column });
    all(Lexer { source, letters: letters.collect(), at: 0, messages })
}

fn all(mut lexer: Lexer<'_>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    while let Some(mut word) = lexer.word() {
        word.starts_line = words.last().is_none_or(|last| lexer.line_after(last) < word.place.line);
        words.push(word);
    }
    words
}

/// The characters of an input: records end in a line feed, unless they are continued.
fn letters(input: &Input) -> Vec<Letter> {
    let mut letters = Vec::new();
    for record in records(input).filter(|record| !record.text.starts_with('*')) {
        let mut chars: Vec<char> = record.text.chars().collect();
        let continued = chars.len() == CONTINUATION_COLUMN && chars.last() == Some(&'*');
        if continued {
            chars.pop();
        } else {
            chars.push('\n');
        }
        letters.extend(chars.into_iter().zip(1..).map(|(c, column)| Letter { c, line: record.line, column }));
    }
    letters
}

struct Lexer<'a> {
    source: &'a Arc<Source>,
    letters: Vec<Letter>,
    at: usize,
    messages: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).map(|letter| letter.c)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// The place from an index to another; only as much of it as is on the first line.
    fn place(&self, from: usize, to: usize) -> TextPlace {
        let Some(first) = self.letters.get(from).or(self.letters.last()) else {
            return TextPlace::new(self.source, 1, 1, 0);
        };
        let on_line = self.letters.get(from..to).unwrap_or_default().iter();
        let length = on_line.take_while(|letter| letter.line == first.line && letter.c != '\n').count();
        TextPlace::new(self.source, first.line, first.column, length.max(1))
    }

    fn line_after(&self, word: &Word) -> usize {
        word.value.as_ref().map_or(word.place.line, |value| value.place.line)
    }

    fn word(&mut self) -> Option<Word> {
        loop {
            self.skip_blanks();
            let start = self.at;
            match self.peek()? {
                ')' | '(' => {
                    self.at += 1;
                    self.messages.push(
                        Diagnostic::error("SPCS012", "a parenthesis without a keyword before it")
                            .at(self.place(start, self.at))
                            .help("a value stands right after its keyword: KEYWORD(value)"),
                    );
                }
                _ => return Some(self.keyword_and_value()),
            }
        }
    }

    fn keyword_and_value(&mut self) -> Word {
        let start = self.at;
        while self.peek().is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | ')')) {
            self.at += 1;
        }
        let keyword: String = self.letters[start..self.at].iter().map(|letter| letter.c).collect();
        let place = self.place(start, self.at);
        let after_keyword = self.at;
        self.skip_blanks();
        let value = if self.peek() == Some('(') {
            Some(self.value())
        } else {
            self.at = after_keyword;
            None
        };
        let end =
            self.letters.get(self.at.saturating_sub(1)).map_or((1, 1), |last| (last.line, last.column + 1));
        Word { keyword, place, value, end, starts_line: false }
    }

    /// Reads a value from its opening parenthesis to the one that closes it. If none closes it, the value is taken to
    /// end with its line.
    fn value(&mut self) -> Value {
        let open = self.at;
        let close = self.closing(open);
        let end = close.unwrap_or_else(|| {
            self.messages.push(
                Diagnostic::error("SPCS011", "this parenthesis is never closed")
                    .at(self.place(open, open + 1))
                    .label("opened here")
                    .help("close it after the value; put a value that holds parentheses in quotes"),
            );
            let rest = self.letters[open..].iter();
            open + rest.take_while(|letter| letter.c != '\n').count()
        });
        self.at = end + usize::from(close.is_some());
        let mut first = open + 1;
        while first < end && self.letters[first].c.is_whitespace() {
            first += 1;
        }
        let text: String = self.letters[(open + 1).min(end)..end].iter().map(|letter| letter.c).collect();
        Value { text: tidy(&text), place: self.place(first, end) }
    }

    /// The index of the parenthesis that closes the one at an index.
    fn closing(&self, open: usize) -> Option<usize> {
        let inside = &self.letters[open + 1..];
        let mut quoted = false;
        let mut depth = 0;
        let quotes =
            inside.iter().find(|letter| !letter.c.is_whitespace()).is_some_and(|letter| letter.c == '\'');
        for (at, letter) in inside.iter().enumerate() {
            match letter.c {
                '\'' if quotes => quoted = !quoted,
                '(' if !quoted => depth += 1,
                ')' if !quoted && depth == 0 => return Some(open + 1 + at),
                ')' if !quoted => depth -= 1,
                _ => {}
            }
        }
        None
    }
}

/// A value without the blanks around it and around its line ends, and without its quotes.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let joined = lines.join(" ");
    match joined.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => joined,
    }
}
