//! Special registers. A statement has one time, as in Db2; PostgreSQL's own names have that of the transaction.

use crate::words::Words;

/// Registers of the session that PostgreSQL has no place for.
const SETTINGS: [&str; 12] = [
    "DEGREE",
    "PACKAGESET",
    "PACKAGE",
    "PATH",
    "PRECISION",
    "RULES",
    "OPTIMIZATION",
    "LOCALE",
    "MEMBER",
    "CLIENT_ACCTNG",
    "CLIENT_APPLNAME",
    "CLIENT_USERID",
];

const USER: &str = "upper(current_user::text)";
/// CURRENT SQLID: set by the program, or the user.
const SQLID: &str = "coalesce(nullif(current_setting('db2.sqlid', true), ''), upper(current_user::text))";
/// CURRENT SCHEMA: set by the program, for itself or with CURRENT SQLID, or the first of the region's schemas.
const SCHEMA: &str = "coalesce(nullif(current_setting('db2.schema', true), ''), \
                      nullif(current_setting('db2.sqlid', true), ''), upper(current_schema()::text))";
const TIMESTAMP: &str = "statement_timestamp()::timestamp";
const DATE: &str = "statement_timestamp()::date";
const TIME: &str = "date_trunc('second', statement_timestamp()::timestamp)::time";

/// Puts expressions in the place of registers.
pub(crate) fn apply(words: &mut Words) {
    let mut at = 0;
    while at < words.len() {
        if let Some((length, expression)) = register(words, at) {
            // CURRENT TIMESTAMP(6): there is no other precision.
            let digits = words.is(at + length, &["("]) && expression == TIMESTAMP;
            let end = if digits { words.close(at + length) } else { at + length };
            words.put(at..end, expression);
        }
        at += 1;
    }
}

/// Number of words that the register at `at` takes, and the expression for it.
fn register(words: &Words, at: usize) -> Option<(usize, String)> {
    let word = words.get(at)?;
    let qualified = at > 0 && words.is(at - 1, &["."]);
    let fixed = |text: &str| text.to_string();
    if qualified || words.is(at + 1, &["."]) {
        return None;
    }
    if word.is("CURRENT") {
        let name = words.get(at + 1)?;
        let expression = match &*name.text.to_uppercase() {
            "TIMESTAMP" => fixed(TIMESTAMP),
            "DATE" => fixed(DATE),
            "TIME" => fixed(TIME),
            "SQLID" => fixed(SQLID),
            "USER" => fixed(USER),
            "SCHEMA" => fixed(SCHEMA),
            "SERVER" => fixed("upper(current_database()::text)"),
            "TIMEZONE" => fixed("db2.current_timezone()"),
            setting if SETTINGS.contains(&setting) => {
                format!("coalesce(current_setting('db2.{}', true), '')", setting.to_lowercase())
            }
            _ => return None,
        };
        return Some((2, expression));
    }
    let expression = match &*word.text.to_uppercase() {
        "CURRENT_TIMESTAMP" => TIMESTAMP,
        "CURRENT_DATE" => DATE,
        "CURRENT_TIME" => TIME,
        "CURRENT_SCHEMA" => SCHEMA,
        "CURRENT_SERVER" => "upper(current_database()::text)",
        "CURRENT_USER" | "SESSION_USER" | "USER" => USER,
        _ => return None,
    };
    Some((1, fixed(expression)))
}
