//! Definitions as applications ship them: what is about where data lie on z/OS is cut, the rest becomes PostgreSQL's.

mod alter;
mod column;
mod index;
mod procedure;
mod table;

use crate::package::Text;
use crate::print::print;
use crate::rewrite;
use crate::words::Words;

/// One statement of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// In PostgreSQL's words.
    pub text: Text,
    /// True if it only makes what the next one needs, and is there already as a rule.
    pub helps: bool,
}

/// Verbs of definitions.
const VERBS: [&str; 7] = ["CREATE", "ALTER", "DROP", "COMMENT", "LABEL", "RENAME", "TRUNCATE"];

/// Objects of which PostgreSQL knows nothing and needs nothing.
const PLACES: [&str; 12] = [
    "DATABASE",
    "TABLESPACE",
    "STOGROUP",
    "BUFFERPOOL",
    "LOB",
    "AUXILIARY",
    "AUX",
    "ROLE",
    "TRUSTED",
    "PERMISSION",
    "MASK",
    "PACKAGE",
];

/// Returns true if the object at `at` only says where data lie, or who may do what.
pub(crate) fn is_place(words: &Words, at: usize) -> bool {
    words.is_any(at, &PLACES)
}

/// Returns true if a statement defines something.
pub(crate) fn is_definition(words: &Words) -> bool {
    words.is_any(0, &VERBS)
}

/// Returns the statements that do in PostgreSQL what a definition does in Db2, in order; empty if there is nothing to do.
pub(crate) fn define(words: Words) -> Vec<Definition> {
    if is_place(&words, 1) || words.is(0, &["LABEL"]) {
        return Vec::new();
    }
    if let Some(all) = words.is(0, &["CREATE"]).then(|| procedure::create(&words)).flatten() {
        return all;
    }
    match () {
        () if words.is(0, &["CREATE", "TABLE"]) => table::create(words, 2),
        () if words.is_any(0, &["CREATE", "DECLARE"]) && words.is(1, &["GLOBAL", "TEMPORARY", "TABLE"]) => {
            table::temporary(words)
        }
        () if words.is(0, &["CREATE"]) && index::is_index(&words) => index::create(words),
        () if words.is(0, &["CREATE", "VIEW"]) => view(words),
        () if words.is_any(1, &["ALIAS", "SYNONYM"]) => alias(words),
        () if words.is(1, &["SEQUENCE"]) => sequence(words),
        () if words.is(0, &["ALTER", "TABLE"]) => alter::table(words),
        () if words.is(0, &["ALTER"]) => Vec::new(),
        () if words.is(0, &["DROP", "INDEX"]) => index::drop(words),
        () if words.is(0, &["DROP"]) && words.is_any(1, &["TABLE", "VIEW"]) => vec![drop(words)],
        () if words.is(0, &["RENAME"]) => rename(words),
        () if words.is(0, &["TRUNCATE"]) => truncate(words),
        () => vec![plain(words)],
    }
}

/// A statement whose expressions are rewritten, and nothing else.
fn plain(mut words: Words) -> Definition {
    rewrite::expressions(&mut words);
    Definition { text: print(&words).0, helps: false }
}

/// Db2 drops views and foreign keys with the table that they stand on.
fn drop(mut words: Words) -> Definition {
    let is_said = words.find(2, &["CASCADE"]).or_else(|| words.find(2, &["RESTRICT"])).is_some();
    if !is_said {
        words.insert(words.len(), "CASCADE");
    }
    plain(words)
}

/// Definition of an object that another definition needs.
fn helper(sql: impl Into<String>) -> Definition {
    Definition { text: Text { sql: sql.into(), marks: Vec::new() }, helps: true }
}

/// The schema of the qualified name at `at`: in Db2 it is there as soon as something is in it.
fn schema(words: &Words, at: usize) -> Vec<Definition> {
    let Some((name, _)) = words.qualified_name(at) else { return Vec::new() };
    let Some((schema, _)) = name.rsplit_once('.') else { return Vec::new() };
    if schema == "SESSION" {
        return Vec::new();
    }
    vec![helper(format!("CREATE SCHEMA IF NOT EXISTS \"{}\"", schema.to_lowercase().replace('"', "\"\"")))]
}

/// The domains of VARCHAR columns, which their first use makes.
fn domains(lengths: &[u32]) -> Vec<Definition> {
    let mut lengths = lengths.to_vec();
    lengths.sort_unstable();
    lengths.dedup();
    lengths.into_iter().map(|length| helper(format!("SELECT db2.make_varchar({length})"))).collect()
}

fn view(mut words: Words) -> Vec<Definition> {
    let mut all = schema(&words, 2);
    rewrite::statement(&mut words);
    all.push(Definition { text: print(&words).0, helps: false });
    all
}

/// CREATE ALIAS A FOR T: a view, through which rows can be changed, too.
fn alias(mut words: Words) -> Vec<Definition> {
    if words.is(0, &["DROP"]) {
        words.put(1..2, "VIEW");
        return vec![plain(words)];
    }
    let mut all = schema(&words, 2);
    if words.is(2, &["PUBLIC"]) {
        words.cut(2..3);
    }
    if let Some(at) = words.find(0, &["FOR"]) {
        let skip = if words.is(at + 1, &["TABLE"]) { at + 2 } else { at + 1 };
        words.put(at..skip, "AS SELECT * FROM");
    }
    words.put(1..2, "VIEW");
    all.push(plain(words));
    all
}

fn sequence(mut words: Words) -> Vec<Definition> {
    let all = if words.is(0, &["CREATE"]) { schema(&words, 2) } else { Vec::new() };
    if let Some(at) = words.find(3, &["AS"]) {
        let end = if words.is(at + 2, &["("]) { words.close(at + 2) } else { at + 2 };
        if !words.is_any(at + 1, &["INTEGER", "SMALLINT", "BIGINT"]) {
            words.put(at + 1..end, "bigint");
        }
    }
    sequence_options(&mut words, 3, usize::MAX);
    let mut all = all;
    all.push(plain(words));
    all
}

/// Options of sequences and identity columns: commas go, and so does the order across members.
fn sequence_options(words: &mut Words, from: usize, mut end: usize) {
    let mut at = from;
    while at < words.len().min(end) {
        let cut = match () {
            () if words.is(at, &[","]) => 1,
            () if words.is(at, &["NO", "ORDER"]) => 2,
            () if words.is(at, &["ORDER"]) || words.is(at, &["NOORDER"]) => 1,
            () if words.is(at, &["NO", "CACHE"]) || words.is(at, &["NOCACHE"]) => {
                let length = if words.is(at, &["NO"]) { 2 } else { 1 };
                words.put(at..at + length, "CACHE 1");
                end = end.saturating_sub(length - 1);
                0
            }
            () => 0,
        };
        words.cut(at..at + cut);
        end = end.saturating_sub(cut);
        at += usize::from(cut == 0);
    }
}

/// RENAME TABLE A TO B.
fn rename(mut words: Words) -> Vec<Definition> {
    let kind = if words.is(1, &["INDEX"]) { "INDEX" } else { "TABLE" };
    let from = 1 + usize::from(words.is_any(1, &["TABLE", "INDEX"]));
    words.put(0..from, format!("ALTER {kind}"));
    if let Some(at) = words.find(1, &["TO"]) {
        words.put(at..at + 1, "RENAME TO");
    }
    vec![plain(words)]
}

/// TRUNCATE TABLE T REUSE STORAGE IGNORE DELETE TRIGGERS IMMEDIATE.
fn truncate(mut words: Words) -> Vec<Definition> {
    let from = 1 + usize::from(words.is(1, &["TABLE"]));
    if let Some((_, range)) = words.qualified_name(from) {
        let length = words.len();
        words.cut(range.end..length);
    }
    vec![plain(words)]
}
