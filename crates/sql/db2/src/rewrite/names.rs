//! Words that are keywords of PostgreSQL and Db2 in one place, and names in another: tables of Db2 have columns LIMIT, DESC,
//! PRIMARY.

use crate::token::Kind;
use crate::words::Words;

/// Such words.
const KEYWORDS: [&str; 13] = [
    "ASC", "BOTH", "CROSS", "DESC", "FALSE", "FOREIGN", "LEADING", "LIMIT", "OFFSET", "ONLY", "PRIMARY",
    "TRAILING", "TRUE",
];

/// Keywords behind which an expression begins, so that no keyword of its end stands there.
const BEGINNERS: [&str; 23] = [
    "SELECT",
    "DISTINCT",
    "ALL",
    "WHERE",
    "AND",
    "OR",
    "NOT",
    "BY",
    "SET",
    "ON",
    "HAVING",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "AS",
    "BETWEEN",
    "LIKE",
    "CONCAT",
    "ADD",
    "COLUMN",
    "ALTER",
    "RETURNING",
];

/// Returns true if the word at `at` is one of them and a name there: it has to stand in quotes.
pub(crate) fn is_name(words: &Words, at: usize) -> bool {
    let Some(word) = KEYWORDS.iter().find(|word| words.is_any(at, &[word])) else { return false };
    let is_before = |others: &[&str]| at.checked_sub(1).is_some_and(|before| words.is_any(before, others));
    if is_before(&["."]) {
        return true;
    }
    match *word {
        "ASC" | "DESC" => !ends_expression(words, at),
        "LIMIT" | "OFFSET" => !words
            .get(at + 1)
            .is_some_and(|next| matches!(next.kind, Kind::Number | Kind::Host | Kind::Marker)),
        "ONLY" => !is_before(&["ROW", "ROWS", "FETCH", "READ"]),
        "PRIMARY" | "FOREIGN" => !words.is(at + 1, &["KEY"]),
        "CROSS" => !words.is(at + 1, &["JOIN"]),
        // What TRIM takes from; and what is true: constants stand alone.
        "BOTH" | "LEADING" | "TRAILING" => {
            is_before(&[","]) || words.is_any(at + 1, &[",", "=", "<", ">", ")"])
        }
        _ => words.is_any(at + 1, &["=", "<", ">", "<>"]),
    }
}

/// Returns true if an expression has ended in front of `at`.
fn ends_expression(words: &Words, at: usize) -> bool {
    at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|token| match token.kind {
        Kind::Word => !token.is_any(&BEGINNERS),
        Kind::Sign => token.is(")"),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::Letters;
    use crate::lexer::lex;

    /// The names of a text that need quotes.
    fn names(text: &str) -> String {
        let words = Words::new(lex(&Letters::plain(text)).expect("tokens"));
        let names = (0..words.len()).filter(|at| is_name(&words, *at)).map(|at| words.list[at].text.clone());
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_keyword_is_a_name_where_no_keyword_can_stand() {
        let rows = [
            ("SELECT LIMIT FROM T WHERE X > LIMIT AND LIMIT > 3", "LIMIT LIMIT LIMIT"),
            ("SELECT A FROM T LIMIT 10 OFFSET 5 ROWS", ""),
            ("SELECT A FROM T OFFSET :N ROWS FETCH FIRST 5 ROWS ONLY", ""),
            ("SELECT DESC, A AS DESC FROM T ORDER BY DESC DESC, A ASC", "DESC DESC DESC"),
            ("UPDATE T SET DESC = 'X', OFFSET = OFFSET + 1", "DESC OFFSET OFFSET"),
            ("INSERT INTO T (DESC, LIMIT, PRIMARY) VALUES (?, ?, ?)", "DESC LIMIT PRIMARY"),
            ("CREATE TABLE T (DESC CHAR(30), PRIMARY CHAR(1), PRIMARY KEY (DESC))", "DESC PRIMARY DESC"),
            ("CREATE INDEX X ON T (A DESC, DESC ASC)", "DESC"),
            ("SELECT A FROM T CROSS JOIN U WHERE CROSS = 1", "CROSS"),
            ("SELECT TRIM(LEADING '0' FROM A) FROM T", ""),
            ("SELECT T.ONLY FROM T FOR FETCH ONLY", "ONLY"),
        ];
        for (text, expected) in rows {
            assert_eq!(names(text), expected, "{text}");
        }
    }
}
