//! CREATE TABLE.

use super::{Definition, column, domains, helper, schema};
use crate::package::Text;
use crate::print::print;
use crate::rewrite;
use crate::words::Words;

/// CREATE TABLE; the name stands at `at`.
pub(super) fn create(mut words: Words, at: usize) -> Vec<Definition> {
    let mut all = schema(&words, at);
    let Some((_, range)) = words.qualified_name(at) else { return vec![done(words)] };
    let behind = range.end;
    if words.is(behind, &["LIKE"]) {
        if let Some((_, like)) = words.qualified_name(behind + 1) {
            let length = words.len();
            words.cut(like.end..length);
            words.insert(like.end, "INCLUDING DEFAULTS)");
            words.insert(behind, "(");
        }
        all.push(done(words));
        return all;
    }
    if words.is(behind, &["AS"]) {
        if let Some(at) = words.find(behind, &["DEFINITION", "ONLY"]) {
            words.put(at..at + 2, "NO DATA");
        }
        all.push(done(words));
        return all;
    }
    if !words.is(behind, &["("]) {
        return vec![done(words)];
    }
    // What stands behind the columns is where and how they are kept.
    let end = words.close(behind);
    let length = words.len();
    words.cut(end..length);
    let mut varchars = Vec::new();
    // From the last to the first: what stands before one keeps its place.
    for element in words.arguments(behind).into_iter().rev() {
        column::element(&mut words, element, &mut varchars);
    }
    all.extend(domains(&varchars));
    all.push(done(words));
    all
}

/// DECLARE or CREATE GLOBAL TEMPORARY TABLE.
pub(super) fn temporary(mut words: Words) -> Vec<Definition> {
    let keeps = words.find(0, &["ON", "COMMIT", "PRESERVE", "ROWS"]).is_some();
    let drops = words.find(0, &["ON", "COMMIT", "DROP", "TABLE"]).is_some();
    words.put(0..4, "CREATE TEMPORARY TABLE");
    if words.is(1, &["SESSION", "."]) {
        words.cut(1..3);
    }
    let replaces = words.find(0, &["WITH", "REPLACE"]).is_some();
    let name = words.qualified_name(1).map(|(name, _)| name).unwrap_or_default();
    let mut all = create(words, 1);
    if replaces {
        all.insert(0, helper(format!("DROP TABLE IF EXISTS pg_temp.\"{}\"", name.to_lowercase())));
    }
    if let Some(Definition { text: Text { sql, .. }, .. }) = all.last_mut() {
        *sql += match (keeps, drops) {
            (true, _) => " ON COMMIT PRESERVE ROWS",
            (_, true) => " ON COMMIT DROP",
            _ => " ON COMMIT DELETE ROWS",
        };
    }
    all
}

fn done(mut words: Words) -> Definition {
    rewrite::statement(&mut words);
    Definition { text: print(&words).0, helps: false }
}
