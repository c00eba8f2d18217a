//! Types: in CAST, and of columns.

use crate::print::as_written;
use crate::token::Kind;
use crate::words::Words;

/// Rewrites the types of CASTs.
pub(crate) fn casts(words: &mut Words) {
    let mut at = 0;
    while at < words.len() {
        if words.is(at, &["CAST", "("]) {
            let end = words.close(at + 1) - 1;
            if let Some(as_word) = last_as(words, at + 2, end) {
                rewrite(words, as_word + 1, false);
            }
        }
        at += 1;
    }
}

/// The AS in front of a CAST's type, outside of inner parentheses.
fn last_as(words: &Words, from: usize, end: usize) -> Option<usize> {
    words.find_outside(from, &["AS"]).filter(|at| *at < end)
}

/// Properties of a column's type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Type {
    /// The length of a VARCHAR column: its domain must be there.
    pub(crate) varchar: Option<u32>,
    /// Meaning of WITH DEFAULT for it.
    pub(crate) default: &'static str,
}

/// Rewrites the type at `at`; of a column, VARCHAR becomes its domain.
pub(crate) fn rewrite(words: &mut Words, at: usize, column: bool) -> Type {
    let Some(name) =
        words.get(at).filter(|token| token.kind == Kind::Word).map(|token| token.text.to_uppercase())
    else {
        return Type::default();
    };
    let second = |word: &str| words.is(at + 1, &[word]);
    let (length, name) = match &*name {
        "LONG" if second("VARCHAR") || second("VARGRAPHIC") => (2, "CLOB"),
        "DOUBLE" if second("PRECISION") => (2, "DOUBLE"),
        "CHAR" | "CHARACTER" if second("VARYING") => (2, "VARCHAR"),
        "CHAR" | "CHARACTER" if second("LARGE") => (3, "CLOB"),
        "BINARY" if second("LARGE") => (3, "BLOB"),
        "BINARY" if second("VARYING") => (2, "VARBINARY"),
        "CHARACTER" => (1, "CHAR"),
        "DEC" | "NUMERIC" => (1, "DECIMAL"),
        "INT" => (1, "INTEGER"),
        "FLOAT" => (1, "DOUBLE"),
        other => (1, other),
    };
    let behind = at + length;
    let end = if words.is(behind, &["("]) { words.close(behind) } else { behind };
    let size = number(words, behind + 1).filter(|_| end > behind).unwrap_or(1);
    let bits = attributes(words, end);
    let mut kind = Type { varchar: None, default: "''" };
    let (new, default) = match name {
        _ if bits => ("bytea".to_string(), "''"),
        "CHAR" | "GRAPHIC" | "NCHAR" => (format!("char({})", within(size, CHAR_MAX)), "''"),
        "VARCHAR" | "VARGRAPHIC" | "NVARCHAR" if column && within(size, VARCHAR_MAX) > 0 => {
            kind.varchar = Some(size);
            (format!("db2.varchar_{size}"), "''")
        }
        "VARCHAR" | "VARGRAPHIC" | "NVARCHAR" => (format!("varchar({})", within(size, VARCHAR_MAX)), "''"),
        "CLOB" | "DBCLOB" => ("text".into(), "''"),
        "BLOB" | "BINARY" | "VARBINARY" => ("bytea".into(), "''"),
        "ROWID" => ("bytea".into(), "db2.generate_unique()"),
        "DOUBLE" => ("double precision".into(), "0"),
        "REAL" => ("real".into(), "0"),
        "DECFLOAT" => ("numeric".into(), "0"),
        "DECIMAL" if end == behind => ("decimal(5)".into(), "0"),
        "DECIMAL" if within(size, DECIMAL_MAX) == 0 => ("decimal(0)".into(), "0"),
        // As it is written: but it is no function any more.
        "DECIMAL" => (as_written(&words.list[at..end]), "0"),
        "INTEGER" | "SMALLINT" | "BIGINT" => {
            kind.default = "0";
            return kind;
        }
        "DATE" => (name.to_lowercase(), "statement_timestamp()::date"),
        "TIME" => ("time(0)".into(), "date_trunc('second', statement_timestamp()::timestamp)::time"),
        "TIMESTAMP" => (timestamp(words, behind, end, size), "statement_timestamp()::timestamp"),
        _ => return kind,
    };
    kind.default = default;
    words.put(at..end, new);
    kind
}

/// The lengths and digits that Db2 has.
const CHAR_MAX: u32 = 255;
const VARCHAR_MAX: u32 = 32_704;
const DECIMAL_MAX: u32 = 31;

/// A length, or what PostgreSQL refuses in its place: its message becomes -604.
fn within(size: u32, max: u32) -> u32 {
    if size > max { 0 } else { size }
}

/// PostgreSQL has six digits at most.
fn timestamp(words: &mut Words, behind: usize, end: usize, digits: u32) -> String {
    let zone = words.is(end, &["WITH", "TIME", "ZONE"]);
    let zoned = if zone {
        words.cut(end..end + 3);
        " with time zone"
    } else {
        if words.is(end, &["WITHOUT", "TIME", "ZONE"]) {
            words.cut(end..end + 3);
        }
        ""
    };
    if end > behind { format!("timestamp({}){zoned}", digits.min(6)) } else { format!("timestamp{zoned}") }
}

/// Takes out what stands behind a type about its characters; whether it is bits.
fn attributes(words: &mut Words, at: usize) -> bool {
    let mut bits = false;
    loop {
        if words.is(at, &["FOR"]) && words.is(at + 2, &["DATA"]) {
            bits |= words.is(at + 1, &["BIT"]);
            words.cut(at..at + 3);
        } else if words.is(at, &["CCSID"]) {
            words.cut(at..at + 2);
        } else {
            return bits;
        }
    }
}

/// A length, which may be in kilobytes and more.
fn number(words: &Words, at: usize) -> Option<u32> {
    let token = words.get(at).filter(|token| token.kind == Kind::Number)?;
    let factor = words.get(at + 1).map_or(1, |unit| match &*unit.text.to_uppercase() {
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => 1,
    });
    token.text.parse::<u32>().ok()?.checked_mul(factor)
}
