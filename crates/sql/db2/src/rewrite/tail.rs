//! The clauses behind a query that are about access to the data and not about what it is: isolation, locks, hints. Their
//! order is free in Db2.

use crate::package::Isolation;
use crate::token::{Kind, Token};
use crate::words::Words;

/// Meaning of these clauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tail {
    pub(crate) isolation: Option<Isolation>,
    /// FOR FETCH ONLY, FOR READ ONLY.
    pub(crate) read_only: bool,
    /// FOR UPDATE.
    pub(crate) for_update: bool,
    /// USE AND KEEP … LOCKS.
    pub(crate) locks: bool,
}

const ISOLATIONS: [(&str, Isolation); 4] = [
    ("UR", Isolation::UncommittedRead),
    ("CS", Isolation::CursorStability),
    ("RS", Isolation::ReadStability),
    ("RR", Isolation::RepeatableRead),
];

/// Takes the clauses out, and puts PostgreSQL's in their place or at the end.
pub(crate) fn take(words: &mut Words) -> Tail {
    let mut tail = Tail::default();
    let mut lock = None;
    let mut skips_locked = false;
    let mut at = 0;
    while at < words.len() {
        if let Some(isolation) = isolation(words, at) {
            tail.isolation = Some(isolation);
            words.cut(at..at + 2);
            if words.is(at, &["USE", "AND", "KEEP"]) {
                tail.locks = true;
                lock = Some(if words.is(at + 3, &["SHARE"]) { "FOR SHARE" } else { "FOR UPDATE" });
                words.cut(at..at + 5);
            }
        } else if words.is(at, &["OPTIMIZE", "FOR"]) {
            words.cut(at..at + 4);
        } else if words.is(at, &["FOR", "FETCH", "ONLY"]) || words.is(at, &["FOR", "READ", "ONLY"]) {
            tail.read_only = true;
            words.cut(at..at + 3);
        } else if words.is(at, &["QUERYNO"]) && words.has_kind(at + 1, Kind::Number) {
            words.cut(at..at + 2);
        } else if words.is(at, &["SKIP", "LOCKED", "DATA"]) {
            skips_locked = true;
            words.cut(at..at + 3);
        } else if words.is(at, &["FOR", "UPDATE"]) {
            tail.for_update = true;
            lock.get_or_insert("FOR UPDATE");
            let end = if words.is(at + 2, &["OF"]) { columns_end(words, at + 3) } else { at + 2 };
            words.cut(at..end);
        } else {
            at += 1;
        }
    }
    if let Some(lock) = lock.filter(|_| tail.locks)
        && !skips_locked
        && let Some((from, end)) = summed(words)
    {
        lock_within(words, from..end, lock);
    } else if let Some(lock) = lock {
        words.insert(words.len(), lock);
        if skips_locked {
            words.insert(words.len(), "SKIP LOCKED");
        }
    }
    tail
}

/// Functions of many rows.
const AGGREGATES: [&str; 7] = ["AVG", "COUNT", "COUNT_BIG", "MAX", "MIN", "STDDEV", "SUM"];

/// Place where FROM of one table begins and its WHERE ends, in a query of the sum of rows: such a query cannot lock
/// rows itself.
fn summed(words: &Words) -> Option<(usize, usize)> {
    let from = words.find_outside(0, &["FROM"])?;
    let is_sum = (0..from).any(|at| words.is_any(at, &AGGREGATES) && words.is(at + 1, &["("]));
    const ENDS: [&str; 4] = ["GROUP", "HAVING", "ORDER", "FETCH"];
    let ends = |at: &usize| words.is_any(*at, &ENDS);
    let mut at = from;
    let mut end = words.len();
    while at < words.len() {
        if ends(&at) {
            end = at;
            break;
        }
        at = if words.is(at, &["("]) { words.close(at) } else { at + 1 };
    }
    let table_end = words.find_outside(from, &["WHERE"]).filter(|at| *at < end).unwrap_or(end);
    let single = !(from..table_end).any(|at| words.is_any(at, &[",", "JOIN", "("]));
    (is_sum && single && words.is(0, &["SELECT"])).then_some((from, end))
}

/// `FROM (SELECT * FROM T … FOR UPDATE) AS T`.
fn lock_within(words: &mut Words, range: std::ops::Range<usize>, lock: &str) {
    let table_end = words.find_outside(range.start, &["WHERE"]).unwrap_or(range.end).min(range.end);
    let Some(name) = words.get(table_end - 1).filter(|token| token.is_name()).cloned() else {
        return words.insert(words.len(), lock);
    };
    words.insert(range.end, format!("{lock}) AS"));
    words.list.insert(range.end + 1, name);
    words.insert(range.start, "FROM (SELECT *");
}

fn isolation(words: &Words, at: usize) -> Option<Isolation> {
    let level = words.get(at + 1).filter(|_| words.is(at, &["WITH"]))?;
    // A common table expression may have such a name.
    let named = words.is_any(at + 2, &["AS", "("]);
    ISOLATIONS.iter().find(|(name, _)| level.is(name) && !named).map(|(_, isolation)| *isolation)
}

/// Behind the columns of FOR UPDATE OF.
fn columns_end(words: &Words, from: usize) -> usize {
    const NEXT: [&str; 6] = ["FETCH", "WITH", "OPTIMIZE", "FOR", "QUERYNO", "SKIP"];
    let column = |token: &Token| (token.is_name() || token.is_any(&[",", "."])) && !token.is_any(&NEXT);
    let length = words.list.iter().skip(from).take_while(|token| column(token)).count();
    from + length
}
