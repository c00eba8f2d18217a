//! Elements of CREATE TABLE: columns and constraints.

use std::ops::Range;

use super::sequence_options;
use crate::rewrite::{names, types};
use crate::words::Words;

/// Rewrites a column or a constraint; lengths of VARCHAR columns are noted.
pub(super) fn element(words: &mut Words, range: Range<usize>, varchars: &mut Vec<u32>) {
    match () {
        () if words.is(range.start, &["PERIOD"]) => {
            // With the comma that divides it from its neighbour.
            let comma = range.start.saturating_sub(1);
            let from = if words.is(comma, &[","]) { comma } else { range.start };
            words.cut(from..range.end);
        }
        () if words.is_any(range.start, &["PRIMARY", "UNIQUE", "FOREIGN", "CONSTRAINT", "CHECK", "LIKE"]) => {
            constraint(words, range);
        }
        () => column(words, range, varchars),
    }
}

/// A constraint of the table.
pub(super) fn constraint(words: &mut Words, range: Range<usize>) {
    let start = cut_enforcement(words, range).start;
    // FOREIGN KEY NAME (…): elsewhere the name stands in front.
    if words.is(start, &["FOREIGN", "KEY"]) && words.is(start + 3, &["("]) {
        words.list.swap(start + 1, start + 2);
        words.list.swap(start, start + 1);
        words.insert(start, "CONSTRAINT");
    }
}

/// Takes words about how a constraint is kept up out of an element.
fn cut_enforcement(words: &mut Words, mut range: Range<usize>) -> Range<usize> {
    const PHRASES: [&[&str]; 5] = [
        &["NOT", "ENFORCED"],
        &["ENFORCED"],
        &["ENABLE", "QUERY", "OPTIMIZATION"],
        &["BUSINESS_TIME", "WITHOUT", "OVERLAPS"],
        &["IMPLICITLY", "HIDDEN"],
    ];
    let mut at = range.start;
    while at < range.end {
        match PHRASES.iter().find(|phrase| words.is(at, phrase)) {
            Some(phrase) => {
                words.cut(at..at + phrase.len());
                range.end -= phrase.len();
            }
            None => at += 1,
        }
    }
    range
}

/// A column: name, type, and what else there is.
pub(super) fn column(words: &mut Words, range: Range<usize>, varchars: &mut Vec<u32>) {
    let before = words.len();
    let start = range.start;
    quote_name(words, start);
    let kind = types::rewrite(words, start + 1, true);
    varchars.extend(kind.varchar);
    let end = range.end - (before - words.len());
    let mut range = cut_enforcement(words, start..end);
    let mut at = start + 2;
    while at < range.end {
        let before = words.len();
        option(words, at, range.end, kind.default);
        range.end = range.end + words.len() - before;
        at += 1;
    }
}

/// An option of a column that begins at `at`.
fn option(words: &mut Words, at: usize, end: usize, default: &str) {
    let with = usize::from(words.is(at, &["WITH", "DEFAULT"]));
    if words.is(at + with, &["DEFAULT"]) && !(at > 0 && words.is(at - 1, &["BY"])) {
        if with == 1 {
            words.cut(at..at + 1);
        }
        let value = at + 1;
        const NEXT: [&str; 8] =
            ["NOT", "CONSTRAINT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "GENERATED", ","];
        let given = value < end - with && !words.is_any(value, &NEXT);
        if !given {
            words.insert(value, default);
        }
    } else if words.is(at, &["FOR", "EACH", "ROW", "ON", "UPDATE", "AS", "ROW", "CHANGE", "TIMESTAMP"]) {
        words.put(at..at + 9, "DEFAULT statement_timestamp()::timestamp");
        // GENERATED ALWAYS, or BY DEFAULT.
        let length = if words.is(at - 1, &["ALWAYS"]) { 2 } else { 3 };
        words.cut(at - length..at);
    } else if words.is(at, &["IDENTITY", "("]) {
        let close = words.close(at + 1) - 1;
        sequence_options(words, at + 2, close);
    } else if words.is(at, &["GENERATED"]) {
        // Of a ROWID.
        let behind = at + if words.is(at + 1, &["ALWAYS"]) { 2 } else { 3 };
        if !words.is_any(behind, &["AS", "FOR"]) {
            words.put(at..behind, format!("DEFAULT {default}"));
        }
    } else if words.is(at, &["INLINE", "LENGTH"]) {
        words.cut(at..at + 3);
    } else if words.is_any(at, &["FIELDPROC"]) {
        let close = if words.is(at + 2, &["("]) { words.close(at + 2) } else { at + 2 };
        words.cut(at..close);
    }
}

/// A column may have a name that PostgreSQL keeps for itself.
fn quote_name(words: &mut Words, at: usize) {
    if names::is_name(words, at) {
        let name = words.list[at].text.to_lowercase();
        words.put(at..at + 1, format!("\"{name}\""));
    }
}
