//! Edits of one text: pieces of it and what takes their place.

use std::ops::Range;

use diagnostics::Source;
use jcl::Tokens;

use super::Text;
use crate::attribute::attributes_of;
use crate::definition::{Attribute, Definition};
use crate::lock;
use crate::names::{Found, abbreviated};
use crate::statement::{Key, Statement, Statements, statements};
use crate::words::Word;

/// The blanks before an attribute on a line of its own.
const INDENT: &str = "       ";

/// A piece of a text, in bytes, and what takes its place.
pub(super) type Edit = (Range<usize>, String);

/// The text after its edits; those at one place stand in their order.
pub(super) fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(piece, _)| (piece.start, piece.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (piece, new) in edits {
        if piece.start < at {
            continue;
        }
        out.push_str(&text[at..piece.start]);
        let is_line = piece.is_empty() && !new.starts_with(['\r', '\n']);
        if is_line && !out.is_empty() && !out.ends_with('\n') {
            out.push_str(line_end(text));
        }
        out.push_str(&new);
        at = piece.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The line ends of a text.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A text with its commands.
pub(super) struct Writable<'t> {
    text: &'t Text,
    statements: Statements,
    /// The byte at which each line starts.
    lines: Vec<usize>,
}

impl<'t> Writable<'t> {
    pub fn of(text: &'t Text) -> Self {
        let statements = statements(&Source::new(&*text.name, &*text.text), &Tokens::new());
        let ends = text.text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, statements, lines: [0].into_iter().chain(ends).collect() }
    }

    /// The byte at which a line starts; behind the last one, the end of the text.
    fn line(&self, number: usize) -> usize {
        self.lines.get(number.saturating_sub(1)).copied().unwrap_or(self.text.text.len())
    }

    /// The byte at a line and column.
    fn byte(&self, (line, column): (usize, usize)) -> usize {
        let start = self.line(line);
        let rest = self.text.text.get(start..).unwrap_or_default();
        let length = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
        start + length
    }

    /// Whole lines with the line ends of this text.
    fn as_lines(&self, text: &str) -> String {
        let end = line_end(&self.text.text);
        text.lines().flat_map(|line| [line, end]).collect()
    }

    fn find(&self, key: impl Fn(&Key) -> bool) -> Option<&Statement> {
        let mut all = self.statements.all.iter().filter(|_| self.text.writable);
        all.find(|statement| statement.defines().is_some_and(|own| key(&own)))
    }

    fn statement(&self, of: &Definition) -> Option<&Statement> {
        self.find(|(resource, name, group)| is(of, *resource, name, group))
    }

    fn whole(&self, statement: &Statement) -> Range<usize> {
        let (first, behind) = statement.lines();
        self.line(first)..self.line(behind)
    }

    fn word(&self, word: &Word) -> Range<usize> {
        self.byte((word.place.line, word.place.column))..self.byte(word.end)
    }

    /// The edits that take lines of commands away.
    fn cut(&self, which: impl Fn(&Statement) -> bool) -> Vec<Edit> {
        let all = self.statements.all.iter().filter(|_| self.text.writable);
        all.filter(|s| which(s)).map(|statement| (self.whole(statement), String::new())).collect()
    }

    /// Takes a definition away.
    pub fn without(&self, definition: &Definition) -> Vec<Edit> {
        self.cut(|statement| {
            statement.defines().is_some_and(|(resource, name, group)| is(definition, resource, &name, &group))
        })
    }

    /// Takes the ADD of a group to a list away.
    pub fn without_add(&self, group: &str, list: &str) -> Vec<Edit> {
        self.cut(|statement| adds(statement, Some(group), list))
    }

    /// Takes the comment of a lock away.
    pub fn without_lock(&self, name: &str) -> Vec<Edit> {
        let lines = self.text.text.lines().zip(1..).filter(|(line, _)| lock::name(line) == Some(name));
        lines.map(|(_, number)| (self.line(number)..self.line(number + 1), String::new())).collect()
    }

    /// Gives a definition another name and group.
    pub fn rename(&self, was: &Definition, is: &Definition) -> Option<Edit> {
        let statement = self.statement(was)?;
        let (name, group) = (statement.words.get(1)?, statement.operand("GROUP")?);
        let range = self.whole(statement);
        let mut edits = Vec::new();
        for (word, new) in [(name, &is.name), (group, &is.group)] {
            edits.push((self.word(word), format!("{}({new})", word.keyword)));
        }
        let from = range.start;
        let local =
            edits.into_iter().map(|(piece, new)| (piece.start - from..piece.end - from, new)).collect();
        let text = applied(self.text.text.get(range.clone())?, local);
        Some((range, text))
    }

    /// Puts a whole definition in the place of one.
    pub fn replace(&self, was: &Definition, text: &str) -> Option<Edit> {
        Some((self.whole(self.statement(was)?), self.as_lines(text)))
    }

    /// Gives attributes of a definition new values.
    pub fn alter(&self, was: &Definition, new: &[&Attribute]) -> Option<Vec<Edit>> {
        let statement = self.statement(was)?;
        let last = statement.words.last()?;
        let specs: Vec<_> = attributes_of(was.resource).iter().collect();
        let mut edits = Vec::new();
        for attribute in new {
            let text = attribute.to_string();
            let value = text.strip_prefix(attribute.spec.name)?;
            let is_it = |word: &&Word| matches!(abbreviated(&word.keyword, &specs, |spec| spec.name), Found::One(spec) if spec.name == attribute.spec.name);
            // Of two values the later counts.
            match statement.words.iter().skip(2).rfind(is_it) {
                Some(word) => edits.push((self.word(word), format!("{}{value}", word.keyword))),
                None => {
                    let at = self.byte(last.end);
                    let (first, behind) = statement.lines();
                    let is_row = last.starts_line && behind > first + 1;
                    let indent = if is_row { " ".repeat(last.place.column - 1) } else { INDENT.to_owned() };
                    edits.push((at..at, format!("{}{indent}{text}", line_end(&self.text.text))));
                }
            }
        }
        Some(edits)
    }

    /// Puts a command behind the last definition of a group.
    pub fn behind_group(&self, group: &str, command: &str) -> Option<Edit> {
        let own = |s: &&Statement| s.defines().is_some_and(|(.., g)| g == group);
        let statement = self.statements.all.iter().filter(|_| self.text.writable).rfind(own)?;
        let at = self.whole(statement).end;
        Some((at..at, self.as_lines(command)))
    }

    /// Puts an ADD before that of the next group of the list, or behind the last one.
    pub fn beside_add(&self, next: Option<&str>, list: &str, command: &str) -> Option<Edit> {
        let mut all = self.statements.all.iter().filter(|_| self.text.writable);
        let at = match next {
            Some(next) => self.whole(all.find(|s| adds(s, Some(next), list))?).start,
            None => self.whole(all.rfind(|s| adds(s, None, list))?).end,
        };
        Some((at..at, self.as_lines(command)))
    }

    /// Puts commands behind all others.
    pub fn at_end(&self, commands: &str) -> Option<Edit> {
        let at = self.line(self.statements.end.filter(|_| self.text.writable)?);
        Some((at..at, self.as_lines(commands)))
    }
}

fn is(definition: &Definition, resource: crate::ResourceType, name: &str, group: &str) -> bool {
    definition.resource == resource && definition.name == name && definition.group == group
}

/// Returns true if a command adds a group, or any, to a list.
fn adds(statement: &Statement, group: Option<&str>, list: &str) -> bool {
    statement.is("ADD")
        && statement.value("LIST").as_deref() == Some(list)
        && group.is_none_or(|group| statement.value("GROUP").as_deref() == Some(group))
}
