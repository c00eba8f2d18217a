//! Statements whose clauses stand elsewhere in PostgreSQL.

use crate::print::as_written;
use crate::token::Kind;
use crate::words::Words;

/// Moves what must be moved.
pub(crate) fn apply(words: &mut Words) {
    table_of_change(words);
    recursive(words);
    lateral(words);
    if words.is(0, &["UPDATE"]) {
        bare_columns(words, 0);
    } else if words.is(0, &["MERGE"]) {
        merge(words);
    }
}

/// `SELECT … FROM FINAL TABLE (INSERT …)`: the change becomes a common table expression.
fn table_of_change(words: &mut Words) {
    const NAME: &str = "db2_changed";
    let phrase = |at: usize| ["FINAL", "NEW", "OLD"].iter().any(|which| words.is(at, &[which, "TABLE", "("]));
    let Some(at) = (0..words.len()).find(|at| phrase(*at)) else { return };
    let end = words.close(at + 2);
    // A text that ends behind the parenthesis has no change: the words stay, and are refused.
    let Some(inner) = words.list.get(at + 3..end - 1) else { return };
    let mut inner = Words::new(inner.to_vec());
    let old = words.is(at, &["OLD"]);
    if old && !inner.is_any(0, &["UPDATE", "DELETE"]) {
        // There are no old rows: the words stay, and are refused.
        return;
    }
    if let Some(sequence) = words.find(end, &["ORDER", "BY", "INPUT", "SEQUENCE"]) {
        words.cut(sequence..sequence + 4);
    }
    words.put(at..end, NAME);
    let update = inner.is(0, &["UPDATE"]);
    if update {
        bare_columns(&mut inner, 0);
    }
    if let Some(first) = inner.list.first_mut() {
        first.glued = true;
    }
    let mut front = Words::default();
    if old && update {
        front.insert(0, "WITH");
        old_rows(&mut front, &inner, NAME);
    } else {
        inner.insert(inner.len(), "RETURNING *)");
        front.insert(0, format!("WITH {NAME} AS ("));
        front.list.extend(inner.list);
    }
    front.list[0].spot = words.spot(at);
    let with = words.is(0, &["WITH"]);
    if with {
        words.put(0..1, ",");
        words.list[0].glued = true;
    }
    if let Some(query) = words.list.first_mut().filter(|_| !with) {
        query.glued = false;
    }
    words.list.splice(0..0, front.list);
}

/// `OLD TABLE (UPDATE …)`: RETURNING has the new values, so the rows are locked and read first, and changed by their places.
///
/// A row that another unit of work changed while this one waited for its lock has a place that the change does not see:
/// `db2.all_changed` ends the statement as a deadlock does, instead of leaving the row as it is.
fn old_rows(front: &mut Words, update: &Words, name: &str) {
    let set = update.find_outside(0, &["SET"]).unwrap_or(update.len());
    let place = update.find_outside(set, &["WHERE"]).unwrap_or(update.len());
    let table = &update.list[1.min(set)..set];
    // The alias, or the table without its schema, is the row as a whole.
    let Some(row) = table.last().cloned() else { return };
    let say = |words: &mut Words, text: &str| words.insert(words.len(), text);
    say(front, "db2_old AS (SELECT ctid AS db2_place,");
    front.list.push(row);
    say(front, "AS db2_row FROM");
    front.list.extend_from_slice(table);
    front.list.extend_from_slice(&update.list[place..]);
    say(front, "FOR UPDATE), db2_done AS (");
    front.list.extend_from_slice(&update.list[..place]);
    say(front, "WHERE ctid = ANY (ARRAY(SELECT db2_place FROM db2_old)) RETURNING 1),");
    say(front, name);
    say(
        front,
        "AS (SELECT (db2_row).* FROM db2_old WHERE db2.all_changed((SELECT count(*) FROM db2_old), \
         (SELECT count(*) FROM db2_done)))",
    );
}

/// Db2 sees by itself that a common table expression asks for itself.
fn recursive(words: &mut Words) {
    if !words.is(0, &["WITH"]) {
        return;
    }
    let mut at = 1;
    while let Some(name) = words.get(at).filter(|token| token.is_name()).map(|token| token.text.clone()) {
        let Some(open) = words.find(at, &["AS", "("]).map(|at| at + 1) else { return };
        let end = words.close(open);
        let union = words.find(open, &["UNION", "ALL"]).is_some_and(|at| at < end);
        let itself = words.list[open..end]
            .iter()
            .any(|token| token.is_name() && token.text.eq_ignore_ascii_case(&name));
        if union && itself {
            return words.insert(1, "RECURSIVE");
        }
        if !words.is(end, &[","]) {
            return;
        }
        at = end + 1;
    }
}

/// `FROM A, TABLE(SELECT …) AS B` sees A's columns.
fn lateral(words: &mut Words) {
    for at in 1..words.len() {
        let place = words.is_any(at - 1, &["FROM", ",", "JOIN"]);
        if place && words.is(at, &["TABLE", "("]) && words.is_any(at + 2, &["SELECT", "WITH", "VALUES"]) {
            words.put(at..at + 1, "LATERAL");
        }
    }
}

/// `UPDATE T A SET A.C = …`: PostgreSQL has the bare column there. SET is looked for from `from` on.
fn bare_columns(words: &mut Words, from: usize) {
    let Some(set) = words.find_outside(from, &["SET"]) else { return };
    let mut at = set + 1;
    let mut starts = true;
    while at < words.len() && !words.is_any(at, &["WHERE", "WHEN", "RETURNING"]) {
        if starts && words.is(at, &["("]) {
            // (A.C, A.D) = …
            let end = words.close(at);
            let before = words.len();
            bare_list(words, at + 1, end - 1);
            at = end - (before - words.len());
            starts = false;
            continue;
        }
        if starts {
            bare(words, at);
            starts = false;
        }
        starts |= words.is(at, &[","]);
        at = if words.is(at, &["("]) { words.close(at) } else { at + 1 };
    }
}

/// Takes the qualifiers off the name at `at`.
fn bare(words: &mut Words, at: usize) {
    while words.get(at).is_some_and(|token| token.is_name()) && words.is(at + 1, &["."]) {
        let glued = words.list[at].glued;
        words.cut(at..at + 2);
        if let Some(column) = words.list.get_mut(at) {
            column.glued = glued;
        }
    }
}

/// Takes the qualifiers off the names of a list.
fn bare_list(words: &mut Words, from: usize, mut end: usize) {
    let mut at = from;
    while at < end {
        let before = words.len();
        bare(words, at);
        end -= before - words.len();
        at += 1;
    }
}

fn merge(words: &mut Words) {
    if let Some(at) = words.find_outside(0, &["ELSE", "IGNORE"]) {
        words.cut(at..at + 2);
    }
    if let Some(at) = words.find_outside(0, &["NOT", "ATOMIC", "CONTINUE", "ON", "SQLEXCEPTION"]) {
        words.cut(at..at + 5);
    }
    let mut at = 0;
    while let Some(then) = words.find(at, &["THEN"]) {
        if words.is(then + 1, &["UPDATE"]) {
            bare_columns(words, then + 1);
        } else if words.is(then + 1, &["INSERT", "("]) {
            let end = words.close(then + 2);
            bare_list(words, then + 3, end - 1);
            values_in_parentheses(words, then);
        }
        at = then + 1;
    }
}

/// `INSERT (A) VALUES B`: PostgreSQL wants parentheses.
fn values_in_parentheses(words: &mut Words, from: usize) {
    let Some(values) = words.find(from, &["VALUES"]) else { return };
    if words.is(values + 1, &["("]) || words.get(values + 1).is_none_or(|token| token.kind == Kind::Made) {
        return;
    }
    let when = words.find(values, &["WHEN"]).unwrap_or(words.len());
    let one = as_written(&words.list[values + 1..when]);
    if !one.contains(',') {
        words.insert(when, ")");
        words.insert(values + 1, "(");
    }
}
