//! ALTER TABLE.

use super::{Definition, column, domains, plain};
use crate::rewrite::types;
use crate::words::Words;

/// Clauses about where and how a table is kept.
const KEEPING: [&str; 9] =
    ["DATA", "AUDIT", "VALIDPROC", "VOLATILE", "NOT", "APPEND", "CARDINALITY", "PARTITION", "ROTATE"];

/// Constraints, which may stand without ADD.
const CONSTRAINTS: [&str; 5] = ["FOREIGN", "PRIMARY", "UNIQUE", "CONSTRAINT", "CHECK"];

/// ALTER TABLE T with one clause, or several that add something.
pub(super) fn table(mut words: Words) -> Vec<Definition> {
    let Some((_, range)) = words.qualified_name(2) else { return vec![plain(words)] };
    let at = range.end;
    if words.is_any(at, &KEEPING) {
        return Vec::new();
    }
    if words.is_any(at, &CONSTRAINTS) {
        words.insert(at, "ADD");
    }
    let mut varchars = Vec::new();
    if words.is(at, &["ADD"]) {
        let start = at + 1 + usize::from(words.is(at + 1, &["COLUMN"]));
        if words.is_any(start, &["RESTRICT", "PARTITION", "VERSIONING", "CLONE", "MATERIALIZED"]) {
            return Vec::new();
        }
        additions(&mut words, at, &mut varchars);
    } else if words.is(at, &["ALTER"]) {
        let start = at + 1 + usize::from(words.is(at + 1, &["COLUMN"]));
        if words.is(start + 1, &["SET", "DATA", "TYPE"]) {
            varchars.extend(types::rewrite(&mut words, start + 4, true).varchar);
        }
    } else if words.is(at, &["DROP", "FOREIGN", "KEY"]) || words.is(at, &["DROP", "CHECK"]) {
        let length = if words.is(at + 1, &["CHECK"]) { 2 } else { 3 };
        words.put(at..at + length, "DROP CONSTRAINT");
    } else if words.is(at, &["DROP"]) && words.find(at, &["RESTRICT"]).is_some() {
        words.list.pop();
    }
    let mut all = domains(&varchars);
    all.push(plain(words));
    all
}

/// Each ADD with its element, from the last to the first; elsewhere a comma stands between them.
fn additions(words: &mut Words, first: usize, varchars: &mut Vec<u32>) {
    let mut depth = 0;
    let mut starts = Vec::new();
    for at in first..words.len() {
        match () {
            () if words.is(at, &["("]) => depth += 1,
            () if words.is(at, &[")"]) => depth -= 1,
            () if depth == 0 && words.is(at, &["ADD"]) => starts.push(at),
            () => {}
        }
    }
    let mut end = words.len();
    for add in starts.into_iter().rev() {
        let start = add + 1 + usize::from(words.is(add + 1, &["COLUMN"]));
        column::element(words, start..end, varchars);
        if add > first {
            words.insert(add, ",");
        }
        end = add;
    }
}
