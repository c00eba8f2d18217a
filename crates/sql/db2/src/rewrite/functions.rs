//! Functions that PostgreSQL has under another name, with other arguments, or not at all.

use super::xml;
use crate::token::{Kind, Token};
use crate::words::Words;

/// The same under another name.
const RENAMED: [(&str, &str); 14] = [
    ("VALUE", "coalesce"),
    ("IFNULL", "coalesce"),
    ("NVL", "coalesce"),
    ("UCASE", "upper"),
    ("LCASE", "lower"),
    ("TRUNCATE", "trunc"),
    ("ABSVAL", "abs"),
    ("COUNT_BIG", "count"),
    ("RAND", "random"),
    // Db2's are those of a population by default.
    ("STDDEV", "stddev_pop"),
    ("VARIANCE", "var_pop"),
    ("VAR", "var_pop"),
    ("STDDEV_SAMP", "stddev_samp"),
    ("VARIANCE_SAMP", "var_samp"),
];

/// Functions of the schema `db2`, by Db2's name and ours.
const OURS: [(&str, &str); 74] = [
    ("ADD_MONTHS", "add_months"),
    ("BIGINT", "\"bigint\""),
    ("BITAND", "bitand"),
    ("BITANDNOT", "bitandnot"),
    ("BITNOT", "bitnot"),
    ("BITOR", "bitor"),
    ("BITXOR", "bitxor"),
    ("BLOB", "blob"),
    ("CCSID_ENCODING", "ccsid_encoding"),
    ("CHAR", "\"char\""),
    ("CHARACTER_LENGTH", "length"),
    ("CHAR_LENGTH", "length"),
    ("CLOB", "clob"),
    ("CONCAT", "concat"),
    ("DATE", "date"),
    ("DAY", "day"),
    ("DAYOFMONTH", "day"),
    ("DAYOFWEEK", "dayofweek"),
    ("DAYOFWEEK_ISO", "dayofweek_iso"),
    ("DAYOFYEAR", "dayofyear"),
    ("DAYS", "days"),
    ("DECFLOAT", "decfloat"),
    ("DIFFERENCE", "difference"),
    ("DIGITS", "digits"),
    ("DOUBLE", "double"),
    ("FLOAT", "double"),
    ("GENERATE_UNIQUE", "generate_unique"),
    ("HEX", "hex"),
    ("HOUR", "hour"),
    ("IDENTITY_VAL_LOCAL", "identity_val_local"),
    ("INSERT", "insert"),
    ("INSTR", "locate_in_string"),
    ("INT", "\"integer\""),
    ("INTEGER", "\"integer\""),
    ("JULIAN_DAY", "julian_day"),
    ("LAST_DAY", "last_day"),
    ("LEFT", "\"left\""),
    ("LENGTH", "length"),
    ("LOCATE", "locate"),
    ("LOCATE_IN_STRING", "locate_in_string"),
    ("MICROSECOND", "microsecond"),
    ("MIDNIGHT_SECONDS", "midnight_seconds"),
    ("MINUTE", "minute"),
    ("MONTH", "month"),
    ("MONTHS_BETWEEN", "months_between"),
    ("MULTIPLY_ALT", "multiply_alt"),
    ("NEXT_DAY", "next_day"),
    ("OVERLAY", "\"overlay\""),
    ("POSITION", "\"position\""),
    ("POSSTR", "posstr"),
    ("QUARTER", "quarter"),
    ("RAISE_ERROR", "raise_error"),
    ("REAL", "double"),
    ("REPEAT", "repeat"),
    ("REPLACE", "replace"),
    ("RIGHT", "\"right\""),
    ("SECOND", "second"),
    ("SMALLINT", "\"smallint\""),
    ("SOUNDEX", "soundex"),
    ("SPACE", "space"),
    ("SUBSTR", "substr"),
    ("TIME", "\"time\""),
    ("TIMESTAMP", "\"timestamp\""),
    ("TIMESTAMPDIFF", "timestampdiff"),
    ("TIMESTAMP_FORMAT", "timestamp_format"),
    ("TO_CHAR", "varchar_format"),
    ("TO_DATE", "timestamp_format"),
    ("TRANSLATE", "translate"),
    ("TRUNC_TIMESTAMP", "trunc_timestamp"),
    ("VARCHAR", "\"varchar\""),
    ("VARCHAR_FORMAT", "varchar_format"),
    ("WEEK", "week"),
    ("WEEK_ISO", "week_iso"),
    ("YEAR", "year"),
];

/// Rewrites the functions of a statement.
pub(crate) fn apply(words: &mut Words) {
    let mut at = 0;
    while at < words.len() {
        if is_call(words, at) {
            call(words, at);
        }
        at += 1;
    }
}

/// Returns true if a word in front of a parenthesis is a function, and not a type, a table or a column.
fn is_call(words: &Words, at: usize) -> bool {
    const OTHERS: [&str; 9] = [".", "AS", "INTO", "TABLE", "UPDATE", "JOIN", "EXISTS", "INNER", "OUTER"];
    words.has_kind(at, Kind::Word)
        && words.is(at + 1, &["("])
        && !at.checked_sub(1).is_some_and(|before| words.is_any(before, &OTHERS))
}

fn call(words: &mut Words, at: usize) {
    let name = words.list[at].text.to_uppercase();
    let arguments = words.arguments(at + 1);
    match &*name {
        "DECIMAL" | "DEC" | "NUMERIC" => decimal(words, at),
        "STRIP" => strip(words, at),
        "TRIM" => {}
        "LISTAGG" => listagg(words, at),
        "DECODE" if arguments.len() > 2 => decode(words, at),
        "MAX" | "MIN" if arguments.len() > 1 => {
            words.put(at..at + 1, if name == "MAX" { "greatest" } else { "least" });
        }
        "LENGTH" if constant_length(words, &arguments).is_some() => {
            let length = constant_length(words, &arguments).unwrap_or_default();
            words.put(at..words.close(at + 1), length.to_string());
        }
        "CHAR" | "CHAR_LENGTH" | "CHARACTER_LENGTH" | "INSTR" | "LENGTH" | "LOCATE_IN_STRING" | "OVERLAY"
        | "POSITION" | "VARCHAR" => {
            word_as_text(words, at);
            // With words between the arguments they are the standard's, and PostgreSQL's, too.
            if !matches!(&*name, "OVERLAY" | "POSITION") || arguments.len() > 1 {
                ours(words, at, &name);
            }
        }
        "XMLELEMENT" => xml::element(words, at),
        "XMLATTRIBUTES" | "XMLFOREST" => xml::names(words, at),
        "XMLSERIALIZE" => xml::serialize(words, at),
        "INSERT" if arguments.len() != 4 => {}
        // LEFT and RIGHT are joins, too.
        "LEFT" | "RIGHT" if arguments.len() != 2 => {}
        _ => {
            if let Some((_, new)) = RENAMED.iter().find(|(old, _)| *old == name) {
                words.put(at..at + 1, *new);
            } else {
                ours(words, at, &name);
            }
        }
    }
}

fn ours(words: &mut Words, at: usize, name: &str) {
    if let Some((_, new)) = OURS.iter().find(|(old, _)| *old == name) {
        words.put(at..at + 1, format!("db2.{new}"));
    }
}

/// CHAR(D, ISO), LENGTH(S, OCTETS): the word becomes a text.
fn word_as_text(words: &mut Words, at: usize) {
    let arguments = words.arguments(at + 1);
    if let [_, .., last] = arguments.as_slice()
        && last.len() == 1
        && words.has_kind(last.start, Kind::Word)
    {
        const FORMATS: [&str; 8] =
            ["ISO", "USA", "EUR", "JIS", "LOCAL", "OCTETS", "CODEUNITS16", "CODEUNITS32"];
        if words.is_any(last.start, &FORMATS) {
            let word = words.list[last.start].text.to_lowercase();
            words.put(last.clone(), format!("'{word}'"));
        }
    }
}

/// The bytes of a constant number: a floating-point one has 8, a decimal one as many as its digits need. Of others the server knows
/// the type.
fn constant_length(words: &Words, arguments: &[std::ops::Range<usize>]) -> Option<usize> {
    let [argument] = arguments else { return None };
    let at = argument.end - 1;
    let is_signed = argument.len() == 2 && words.is_any(argument.start, &["-", "+"]);
    if !(argument.len() == 1 || is_signed) || !words.has_kind(at, Kind::Number) {
        return None;
    }
    let text = &words.list[at].text;
    if text.contains(['e', 'E']) {
        return Some(8);
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.contains('.').then_some(digits / 2 + 1)
}

/// DECIMAL(x, p, s) cuts off what it has no place for, where CAST would round.
fn decimal(words: &mut Words, at: usize) {
    let end = words.close(at + 1);
    let number = |words: &Words, range: &std::ops::Range<usize>| {
        let one = range.len() == 1 && words.has_kind(range.start, Kind::Number);
        one.then(|| words.list[range.start].text.clone())
    };
    let arguments = words.arguments(at + 1);
    let (first, precision, scale) = match arguments.as_slice() {
        [first] => (first.clone(), None, "0".to_string()),
        [first, p] => match number(words, p) {
            Some(p) => (first.clone(), Some(p), "0".into()),
            None => return,
        },
        [first, p, s, ..] => match (number(words, p), number(words, s)) {
            (Some(p), Some(s)) => (first.clone(), Some(p), s),
            _ => return,
        },
        [] => return,
    };
    let behind = match precision {
        Some(precision) => format!("), {scale}) AS numeric({precision},{scale}))"),
        None => format!("), {scale})"),
    };
    let front = if behind.contains("AS") { "CAST(trunc(db2.\"decimal\"(" } else { "trunc(db2.\"decimal\"(" };
    words.put(first.end..end, behind);
    words.list[first.end].glued = true;
    words.put(at..at + 2, front);
    words.list[at + 1].glued = true;
}

/// STRIP(x [, side [, character]]).
fn strip(words: &mut Words, at: usize) {
    let arguments = words.arguments(at + 1);
    let side = arguments.get(1).filter(|range| range.len() == 1).map(|range| range.start);
    let is = |long: &str, short: &str| side.is_some_and(|at| words.is_any(at, &[long, short]));
    let (leading, trailing, both) = (is("LEADING", "L"), is("TRAILING", "T"), is("BOTH", "B"));
    let function = match (leading, trailing) {
        (true, _) => "ltrim",
        (_, true) => "rtrim",
        _ => "btrim",
    };
    if leading || trailing || both {
        // With the comma in front of it.
        let side = side.unwrap_or_default();
        words.cut(side - 1..side + 1);
    }
    words.put(at..at + 1, function);
}

/// DECODE(x, a, b, c, d …, e): NULL is equal to NULL.
fn decode(words: &mut Words, at: usize) {
    let arguments = words.arguments(at + 1);
    let end = words.close(at + 1);
    let texts: Vec<Vec<Token>> = arguments.iter().map(|range| words.list[range.clone()].to_vec()).collect();
    let Some((operand, rest)) = texts.split_first() else { return };
    let mut whole = Words::new(Vec::new());
    let mut add = |word: &str, tokens: &[Token]| {
        whole.insert(whole.len(), word);
        whole.list.extend_from_slice(tokens);
    };
    add("CASE", &[]);
    let mut pairs = rest.chunks_exact(2);
    for pair in &mut pairs {
        add("WHEN", operand);
        add("IS NOT DISTINCT FROM", &pair[0]);
        add("THEN", &pair[1]);
    }
    if let [otherwise] = pairs.remainder() {
        add("ELSE", otherwise);
    }
    add("END", &[]);
    words.list.splice(at..end, whole.list);
}

/// LISTAGG(x, ',') WITHIN GROUP (ORDER BY y).
fn listagg(words: &mut Words, at: usize) {
    let mut end = words.close(at + 1);
    if words.arguments(at + 1).len() == 1 && words.is(end - 1, &[")"]) {
        words.insert(end - 1, ", ''");
        end += 1;
    }
    if words.is(end, &["WITHIN", "GROUP", "("]) {
        let last = words.close(end + 2);
        // The order goes into the parentheses of the function.
        let close = words.list.remove(last - 1);
        words.cut(end..end + 3);
        words.list.remove(end - 1);
        let order_end = last - 1 - 3 - 1;
        words.list.insert(order_end, close);
    }
    words.put(at..at + 1, "string_agg");
}
