//! Indexes: in PostgreSQL one is in its table's schema, and has none in its name.

use super::{Definition, plain};
use crate::words::Words;

/// Returns true if CREATE is followed by INDEX, UNIQUE INDEX and the like.
pub(super) fn is_index(words: &Words) -> bool {
    words.find(1, &["INDEX"]).is_some_and(|at| at <= 7)
        && words.is_any(1, &["INDEX", "UNIQUE", "TYPE", "CLUSTER"])
}

pub(super) fn create(mut words: Words) -> Vec<Definition> {
    let Some(index) = words.find(1, &["INDEX"]) else { return vec![plain(words)] };
    let unique = words.find(1, &["UNIQUE"]).is_some_and(|at| at < index);
    unqualify(&mut words, index + 1);
    words.put(0..index + 1, if unique { "CREATE UNIQUE INDEX" } else { "CREATE INDEX" });
    let Some(open) = words.find(0, &["("]) else { return vec![plain(words)] };
    let mut end = words.close(open);
    while let Some(at) = (open..end).find(|at| words.is_any(*at, &["RANDOM"])) {
        words.cut(at..at + 1);
        end -= 1;
    }
    if words.is(end, &["INCLUDE", "("]) {
        end = words.close(end + 1);
    }
    let length = words.len();
    words.cut(end..length);
    vec![plain(words)]
}

pub(super) fn drop(mut words: Words) -> Vec<Definition> {
    unqualify(&mut words, 2);
    vec![plain(words)]
}

fn unqualify(words: &mut Words, at: usize) {
    while words.is(at + 1, &["."]) {
        words.cut(at..at + 2);
        if let Some(name) = words.list.get_mut(at) {
            name.glued = false;
        }
    }
}
