//! From records to commands as trees of words: comments out, continued records joined.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};
use jcl::{Input, records};

/// A word, with the list in parentheses after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The word in upper case, or the text of a quoted one as it is. Empty for a list with no word before it.
    pub text: String,
    pub quoted: Quoted,
    pub place: TextPlace,
    pub list: Option<Vec<Node>>,
}

/// Quotes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    No,
    /// 'text'
    Characters,
    /// X'hexadecimal digits'
    Hexadecimal,
}

impl Node {
    /// Returns true if it is a certain word, not in quotes.
    pub fn is(&self, word: &str) -> bool {
        self.quoted == Quoted::No && self.text == word
    }
}

/// One character and where it came from.
#[derive(Clone, Copy, Debug)]
struct Letter {
    c: char,
    line: usize,
    column: usize,
}

/// The commands of an input, each as its words.
pub(crate) fn commands(input: &Input, messages: &mut Vec<Diagnostic>) -> Vec<Vec<Node>> {
    let mut commands = Vec::new();
    let mut joined: Vec<Letter> = Vec::new();
    let mut in_comment = false;
    let mut told = false;
    for record in records(input) {
        let all = record.text.chars().zip(1..).map(|(c, column)| Letter { c, line: record.line, column });
        let mut letters = without_comments(all.collect(), &mut in_comment);
        let mut mark = mark(&mut letters, &input.source, messages);
        if mark == Mark::None && !in_comment && open_parentheses(&joined, &letters) > 0 {
            if !told {
                messages.push(unclosed(record.line, letters.last(), &input.source));
            }
            told = true;
            mark = Mark::Hyphen;
        }
        if joined.last().is_some_and(|last| last.c == '+') {
            joined.pop();
            let start = letters.iter().position(|letter| !letter.c.is_whitespace()).unwrap_or(0);
            letters.drain(..start);
        }
        joined.append(&mut letters);
        match mark {
            Mark::Hyphen => joined.push(blank(record.line)),
            Mark::Plus => joined.push(Letter { c: '+', ..blank(record.line) }),
            Mark::None if in_comment => joined.push(blank(record.line)),
            Mark::None => {
                finish(&mut joined, &input.source, messages, &mut commands);
                told = false;
            }
        }
    }
    finish(&mut joined, &input.source, messages, &mut commands);
    commands
}

fn blank(line: usize) -> Letter {
    Letter { c: ' ', line, column: 1 }
}

/// Ends the command that has been joined.
fn finish(
    joined: &mut Vec<Letter>,
    source: &Arc<Source>,
    messages: &mut Vec<Diagnostic>,
    commands: &mut Vec<Vec<Node>>,
) {
    let letters = std::mem::take(joined);
    let mut reader = Reader { source, letters, at: 0, messages };
    let nodes = reader.list(0);
    if !nodes.is_empty() {
        commands.push(nodes);
    }
}

/// The letters of a record outside comments; each comment becomes a blank.
fn without_comments(letters: Vec<Letter>, in_comment: &mut bool) -> Vec<Letter> {
    let (mut kept, mut quoted, mut at) = (Vec::new(), false, 0);
    while let Some(&letter) = letters.get(at) {
        let next = letters.get(at + 1).map(|letter| letter.c);
        match (*in_comment, letter.c, next) {
            (true, '*', Some('/')) => {
                *in_comment = false;
                kept.push(Letter { c: ' ', ..letter });
                at += 1;
            }
            (true, _, _) => {}
            (false, '/', Some('*')) if !quoted => {
                *in_comment = true;
                at += 1;
            }
            (false, c, _) => {
                quoted ^= c == '\'';
                kept.push(letter);
            }
        }
        at += 1;
    }
    kept
}

/// Ends of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// The command ends.
    None,
    /// `-`: it goes on.
    Hyphen,
    /// `+`: it goes on, and so does the value.
    Plus,
}

/// Takes the continuation mark off a record, with the blanks around it.
fn mark(letters: &mut Vec<Letter>, source: &Arc<Source>, messages: &mut Vec<Diagnostic>) -> Mark {
    let comment_after = letters.last().is_some_and(|letter| letter.c == ' ');
    while letters.last().is_some_and(|letter| letter.c.is_whitespace()) {
        letters.pop();
    }
    let Some(&last) = letters.last() else { return Mark::None };
    let mark = match last.c {
        '-' => Mark::Hyphen,
        '+' => Mark::Plus,
        _ => return Mark::None,
    };
    letters.pop();
    if comment_after {
        messages.push(
            Diagnostic::warning("SPID003", "a comment after a continuation mark")
                .at(TextPlace::new(source, last.line, last.column, 1))
                .label("taken as a continuation")
                .help("put the mark last: elsewhere the command would end here"),
        );
    }
    mark
}

/// Number of parentheses that are open after a command so far and one more record.
fn open_parentheses(joined: &[Letter], letters: &[Letter]) -> i32 {
    let (mut open, mut quoted) = (0, false);
    for letter in joined.iter().chain(letters) {
        match letter.c {
            '\'' => quoted = !quoted,
            '(' if !quoted => open += 1,
            ')' if !quoted => open -= 1,
            _ => {}
        }
    }
    open
}

fn unclosed(line: usize, last: Option<&Letter>, source: &Arc<Source>) -> Diagnostic {
    Diagnostic::error("SPID002", "the command ends here with an open parenthesis")
        .at(TextPlace::new(source, line, last.map_or(1, |last| last.column), 1))
        .label("read on as if a hyphen stood here")
        .help("end the line with a hyphen, or close the parenthesis")
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    letters: Vec<Letter>,
    at: usize,
    messages: &'a mut Vec<Diagnostic>,
}

/// Greatest depth of parentheses: deeper is no command.
const MAX_DEPTH: usize = 16;

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).map(|letter| letter.c)
    }

    fn place(&self, from: usize) -> TextPlace {
        let Some(first) = self.letters.get(from).or(self.letters.last()) else {
            return TextPlace::new(self.source, 1, 1, 0);
        };
        let same_line = self.letters[from.min(self.at)..self.at].iter().take_while(|l| l.line == first.line);
        TextPlace::new(self.source, first.line, first.column, same_line.count().max(1))
    }

    fn skip_separators(&mut self) {
        while self.peek().is_some_and(|c| c.is_whitespace() || c == ',') {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// The nodes up to the parenthesis that closes the list, or the end of the command.
    fn list(&mut self, depth: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        loop {
            self.skip_separators();
            match self.peek() {
                None => return nodes,
                Some(')') => {
                    self.at += 1;
                    if depth > 0 {
                        return nodes;
                    }
                    let message = Diagnostic::error("SPID004", "a parenthesis that nothing opened");
                    self.messages.push(message.at(self.place(self.at - 1)).help("take it away"));
                }
                Some(_) => nodes.push(self.node(depth)),
            }
        }
    }

    fn node(&mut self, depth: usize) -> Node {
        let start = self.at;
        let (text, quoted) = self.word();
        let place = self.place(start);
        let after = self.at;
        self.skip_blanks();
        let list = if self.peek() == Some('(') && depth < MAX_DEPTH {
            self.at += 1;
            Some(self.list(depth + 1))
        } else {
            self.at = after.max(if after == start { start + 1 } else { after });
            None
        };
        Node { text, quoted, place, list }
    }

    fn word(&mut self) -> (String, Quoted) {
        let hexadecimal = matches!(self.peek(), Some('x' | 'X'))
            && self.letters.get(self.at + 1).is_some_and(|letter| letter.c == '\'');
        if hexadecimal {
            self.at += 1;
            return (self.quoted(), Quoted::Hexadecimal);
        }
        match self.peek() {
            Some('\'') => (self.quoted(), Quoted::Characters),
            Some(c) if is_relation(c) => (self.run(is_relation), Quoted::No),
            _ => {
                let in_word = |c: char| !c.is_whitespace() && !"(),'".contains(c) && !is_relation(c);
                (self.run(in_word).to_uppercase(), Quoted::No)
            }
        }
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek().is_some_and(&belongs) {
            self.at += 1;
        }
        self.letters[start..self.at].iter().map(|letter| letter.c).collect()
    }

    /// The text between quotes; a doubled quote is one.
    fn quoted(&mut self) -> String {
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == '\'' {
                if self.peek() != Some('\'') {
                    break;
                }
                self.at += 1;
            }
            text.push(c);
        }
        text
    }
}

fn is_relation(c: char) -> bool {
    "=<>¬^".contains(c)
}
