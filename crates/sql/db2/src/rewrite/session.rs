//! `SESSION.T`: a table that DECLARE GLOBAL TEMPORARY TABLE has made for the program alone.

use crate::words::Words;

/// Puts PostgreSQL's schema of such tables in the place of Db2's.
pub(crate) fn apply(words: &mut Words) {
    for at in 0..words.len() {
        let begins = at == 0 || !words.is(at - 1, &["."]);
        let named = words.get(at + 2).is_some_and(|name| name.is_name());
        if begins && named && words.is(at, &["SESSION", "."]) {
            words.put(at..at + 1, "pg_temp");
        }
    }
}
