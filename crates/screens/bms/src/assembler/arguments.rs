//! The operands of one macro, looked up by keyword and read against the values each keyword takes.

use std::ops::RangeInclusive;

use super::letters::Span;
use super::operand::{Operand, Value, Word, operands};
use super::report::Report;
use super::statement::Statement;

/// A word that an operand may have, with its meaning.
pub type Choice<T> = (&'static str, T);

/// YES and NO.
pub const YES_NO: &[Choice<bool>] = &[("YES", true), ("NO", false)];

/// The most letters in which two keywords may differ for one to be suggested for the other.
const SIMILAR_MAX: usize = 2;

/// The operands of a macro.
pub struct Arguments {
    operands: Vec<Operand>,
}

impl Arguments {
    /// Reads a macro's operands; those that it does not have, and second ones, are reported and left out.
    pub fn read(statement: &Statement, legal: &[&'static str], report: &mut Report) -> Self {
        let operation = statement.operation();
        let mut kept: Vec<Operand> = Vec::new();
        for operand in operands(&statement.operands, report) {
            if !legal.contains(&operand.keyword.as_str()) {
                let similar = similar(&operand.keyword, legal);
                report.unknown_operand(&operation, &operand.keyword, operand.place, similar);
            } else if kept.iter().any(|other| other.keyword == operand.keyword) {
                report.repeated_operand(&operand.keyword, operand.place);
            } else {
                kept.push(operand);
            }
        }
        Self { operands: kept }
    }

    /// The value of a keyword.
    pub fn get(&self, keyword: &str) -> Option<&Value> {
        self.find(keyword).map(|operand| &operand.value)
    }

    /// The place of a keyword.
    pub fn place(&self, keyword: &str) -> Option<Span> {
        self.find(keyword).map(|operand| operand.place)
    }

    fn find(&self, keyword: &str) -> Option<&Operand> {
        self.operands.iter().find(|operand| operand.keyword == keyword)
    }

    /// The meaning of every word of a keyword's value.
    pub fn choices<T: Copy>(
        &self,
        keyword: &str,
        table: &[Choice<T>],
        report: &mut Report,
    ) -> Option<Vec<(T, Span)>> {
        let value = self.get(keyword)?;
        let meant = value.words.iter().filter_map(|word| choose(keyword, word, table, report));
        Some(meant.collect())
    }

    /// The meaning of a keyword that takes one word.
    pub fn choice<T: Copy>(&self, keyword: &str, table: &[Choice<T>], report: &mut Report) -> Option<T> {
        let (first, more) = self.get(keyword)?.words.split_first()?;
        if let Some(second) = more.first() {
            report.illegal_value(keyword, "a list", second.place, &words_of(table));
        }
        choose(keyword, first, table, report).map(|(meaning, _)| meaning)
    }

    /// The number that a keyword takes.
    pub fn number(&self, keyword: &str, range: RangeInclusive<u16>, report: &mut Report) -> Option<u16> {
        let value = self.get(keyword)?;
        match value.words.as_slice() {
            [word] => number(keyword, word, range, report),
            _ => {
                report.illegal_value(keyword, "a list", value.place, &numbers(&range));
                None
            }
        }
    }

    /// The text that a keyword takes, with its place.
    pub fn text(&self, keyword: &str) -> Option<(&str, Span)> {
        let value = self.get(keyword)?;
        value.words.first().map(|word| (word.text.as_str(), value.place))
    }
}

/// Reads a number; reports a word that is not a number or is out of range.
pub fn number(keyword: &str, word: &Word, range: RangeInclusive<u16>, report: &mut Report) -> Option<u16> {
    let number = word.text.parse().ok().filter(|number| range.contains(number));
    if number.is_none() {
        report.illegal_value(keyword, &word.text, word.place, &numbers(&range));
    }
    number
}

fn choose<T: Copy>(
    keyword: &str,
    word: &Word,
    table: &[Choice<T>],
    report: &mut Report,
) -> Option<(T, Span)> {
    let found = table.iter().find(|(legal, _)| *legal == word.text);
    if found.is_none() {
        report.illegal_value(keyword, &word.text, word.place, &words_of(table));
    }
    found.map(|(_, meaning)| (*meaning, word.place))
}

fn words_of<T>(table: &[Choice<T>]) -> String {
    table.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")
}

fn numbers(range: &RangeInclusive<u16>) -> String {
    format!("a number from {} to {}", range.start(), range.end())
}

/// The legal keyword nearest to a wrong one.
fn similar(wrong: &str, legal: &[&'static str]) -> Option<&'static str> {
    let nearest = legal.iter().map(|keyword| (distance(wrong, keyword), *keyword)).min()?;
    (nearest.0 <= SIMILAR_MAX).then_some(nearest.1)
}

/// The number of letters that must be inserted, removed or changed to make one word the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, char) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (at, against) in other.iter().enumerate() {
            let changed = diagonal + usize::from(char != *against);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}
