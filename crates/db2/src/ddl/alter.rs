//! ALTER TABLE.

use super::{Definition, column, domains, plain};
use crate::rewrite::types;
use crate::words::Words;

/// Clauses about where and how a table is kept.
const KEEPING: [&str; 9] =
    ["DATA", "AUDIT", "VALIDPROC", "VOLATILE", "NOT", "APPEND", "CARDINALITY", "PARTITION", "ROTATE"];

/// ALTER TABLE T with one clause.
pub(super) fn table(mut words: Words) -> Vec<Definition> {
    let Some((_, range)) = words.qualified_name(2) else { return vec![plain(words)] };
    let at = range.end;
    if words.is_any(at, &KEEPING) {
        return Vec::new();
    }
    let mut varchars = Vec::new();
    let length = words.len();
    if words.is(at, &["ADD"]) {
        let start = at + 1 + usize::from(words.is(at + 1, &["COLUMN"]));
        if words.is_any(start, &["RESTRICT", "PARTITION", "VERSIONING", "CLONE", "MATERIALIZED"]) {
            return Vec::new();
        }
        column::element(&mut words, start..length, &mut varchars);
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
