//! Dates and times as Db2 writes them, in a statement's text: `'31.12.1999'`, `'12/31/1999'`, `'13.30.05'`.
//!
//! PostgreSQL would misread some of them and refuse others, and only it knows whether such a text is compared with a date or is
//! just a text. So each becomes a parameter: its type says what it is, and its value is read as a host variable's is. PostgreSQL's
//! own words for times (`'now'`, `'infinity'`) go the same way, for no date of Db2's is written so.

use crate::oid::Oid;
use crate::value::{Argument, Field, own_form};

/// Texts that a statement has as parameters, behind those of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants(Box<[Constant]>);

#[derive(Clone, Debug)]
struct Constant {
    /// Position in the statement's text, with the quotes.
    at: std::ops::Range<usize>,
    value: Box<[u8]>,
}

/// Statements whose texts may be parameters.
const CHANGES_AND_QUERIES: [&[u8]; 8] =
    [b"SELECT", b"INSERT", b"UPDATE", b"DELETE", b"MERGE", b"WITH", b"VALUES", b"DECLARE"];
/// Texts that PostgreSQL takes for a date or a time, and Db2 does not.
const FOREIGN_TIMES: [&[u8]; 8] =
    [b"now", b"today", b"tomorrow", b"yesterday", b"epoch", b"infinity", b"-infinity", b"allballs"];
/// Words before a text that is a part of them.
const TYPES: [&[u8]; 5] = [b"DATE", b"TIME", b"TIMESTAMP", b"INTERVAL", b"ESCAPE"];

impl Constants {
    /// Takes them out of a text: each makes room for a parameter and as many blanks as keep all places.
    pub(crate) fn take(text: &mut [u8]) -> Self {
        let first = text.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'('));
        let start = &text[first.unwrap_or_default()..];
        let is_of = |word: &&[u8]| start.get(..word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word));
        if !CHANGES_AND_QUERIES.iter().any(is_of) {
            return Self::default();
        }
        let mut scan = Scan { text, at: 0, word: 0..0, parameters: 0, found: Vec::new() };
        scan.run();
        let Scan { parameters, found, .. } = scan;
        for (number, constant) in found.iter().enumerate() {
            let parameter = format!("${}", parameters + 1 + number);
            text[constant.at.clone()].fill(b' ');
            text[constant.at.start..][..parameter.len()].copy_from_slice(parameter.as_bytes());
        }
        Self(found.into())
    }

    /// Number of literals.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Their values, in order.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = Argument<'_>> {
        let argument = |Constant { value, .. }: &'_ Constant| Field::char(value.len() as u32);
        self.0.iter().map(move |constant| Argument {
            field: argument(constant),
            bytes: &constant.value,
            indicator: None,
        })
    }

    /// Puts them back into a text, dates and times in PostgreSQL's form; `types` are those of the last parameters.
    pub(crate) fn put_back(&self, text: &[u8], types: &[Oid]) -> Vec<u8> {
        let mut whole = Vec::with_capacity(text.len() + 8);
        let mut end = 0;
        for (Constant { at, value }, &oid) in self.0.iter().zip(types) {
            whole.extend(&text[end..at.start]);
            whole.push(b'\'');
            match own_form(oid, value) {
                Some(meant) => whole.extend(meant.as_bytes()),
                None => whole.extend(value.as_ref()),
            }
            whole.push(b'\'');
            end = at.end;
        }
        whole.extend(&text[end..]);
        whole
    }
}

/// One pass over a text in PostgreSQL's words.
struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    /// The word that was read last.
    word: std::ops::Range<usize>,
    /// The highest parameter's number.
    parameters: usize,
    found: Vec<Constant>,
}

impl Scan<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\'' => self.literal(),
                b'"' => self.at = self.behind(self.at + 1, b"\""),
                b'-' if self.text[self.at..].starts_with(b"--") => self.at = self.behind(self.at, b"\n"),
                b'/' if self.text[self.at..].starts_with(b"/*") => self.at = self.behind(self.at, b"*/"),
                b'$' => self.dollar(),
                _ if is_word(byte) => self.word(),
                _ => self.at += 1,
            }
        }
    }

    /// The place behind the next such mark, or the text's end.
    fn behind(&self, from: usize, mark: &[u8]) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let found = rest.windows(mark.len()).position(|window| window == mark);
        found.map_or(self.text.len(), |at| from + at + mark.len())
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        self.word = self.at..self.at + length;
        self.at += length;
    }

    /// A parameter, or a text between `$mark$`.
    fn dollar(&mut self) {
        let rest = &self.text[self.at + 1..];
        let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        let number = std::str::from_utf8(&rest[..length]).ok().and_then(|digits| digits.parse().ok());
        match number {
            Some(number) => {
                self.parameters = self.parameters.max(number);
                self.at += 1 + length;
            }
            None if rest.get(length) == Some(&b'$') => {
                let mark = &self.text[self.at..self.at + length + 2];
                self.at = self.behind(self.at + mark.len(), mark);
            }
            None => self.at += 1,
        }
    }

    fn literal(&mut self) {
        let start = self.at;
        let is_glued = start > 0 && (is_word(self.text[start - 1]) || self.text[start - 1] == b'&');
        let escapes = is_glued && self.text[start - 1].eq_ignore_ascii_case(&b'E');
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            let rest = &self.text[self.at..];
            self.at += 1;
            match byte {
                b'\\' if escapes => self.at += 1,
                b'\'' if rest.get(1) == Some(&b'\'') => self.at += 1,
                b'\'' => break,
                _ => {}
            }
        }
        let value = self.text.get(start + 1..self.at.saturating_sub(1)).unwrap_or_default();
        if !is_glued && !self.belongs_to_word(start) && is_datetime(value) {
            self.found.push(Constant { at: start..self.at, value: value.into() });
        }
    }

    /// Returns true if the word in front gives the type of a text.
    fn belongs_to_word(&self, start: usize) -> bool {
        let is_next = self.text[self.word.end..start].iter().all(u8::is_ascii_whitespace);
        is_next && TYPES.iter().any(|word| self.text[self.word.clone()].eq_ignore_ascii_case(word))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns true if a text has one of Db2's date or time forms that PostgreSQL lacks, or one of PostgreSQL's that Db2
/// lacks.
fn is_datetime(value: &[u8]) -> bool {
    if FOREIGN_TIMES.iter().any(|word| value.trim_ascii().eq_ignore_ascii_case(word)) {
        return true;
    }
    let shape: Vec<u8> = value.iter().map(|byte| if byte.is_ascii_digit() { b'9' } else { *byte }).collect();
    let dates: [&[u8]; 8] = [
        b"99.99.9999",
        b"9.99.9999",
        b"99.9.9999",
        b"9.9.9999",
        b"99/99/9999",
        b"9/99/9999",
        b"99/9/9999",
        b"9/9/9999",
    ];
    let stamp: &[u8] = b"9999-99-99-99.99.99";
    dates.contains(&shape.as_slice())
        || matches!(shape.as_slice(), b"99.99.99" | b"9.99.99")
        || shape.strip_prefix(stamp).is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oid;

    #[track_caller]
    fn check(text: &str, taken: &str, values: &str) {
        let mut own = text.as_bytes().to_vec();
        let constants = Constants::take(&mut own);
        assert_eq!(String::from_utf8_lossy(&own), taken);
        let all = constants.arguments().map(|argument| String::from_utf8_lossy(argument.bytes).into_owned());
        assert_eq!(all.collect::<Vec<_>>().join(" "), values);
    }

    #[test]
    fn texts_in_db2s_forms_become_parameters() {
        check(
            "SELECT A FROM T WHERE D > '31.12.1999'",
            "SELECT A FROM T WHERE D > $1          ",
            "31.12.1999",
        );
        check(
            "UPDATE T SET H = '13.30.05' WHERE K = $1",
            "UPDATE T SET H = $2         WHERE K = $1",
            "13.30.05",
        );
        check(
            "INSERT INTO T VALUES ('1/2/2024', '2024-02-29-13.30.05.5')",
            "INSERT INTO T VALUES ($1        , $2                     )",
            "1/2/2024 2024-02-29-13.30.05.5",
        );
        check("(SELECT '31.12.1999')", "(SELECT $1          )", "31.12.1999");
    }

    #[test]
    fn words_of_postgresqls_for_times_become_parameters() {
        check("SELECT A FROM T WHERE D < 'now'", "SELECT A FROM T WHERE D < $1   ", "now");
        check("UPDATE T SET D = ' Infinity '", "UPDATE T SET D = $1          ", " Infinity ");
    }

    #[test]
    fn others_stay() {
        for text in [
            "SELECT '2024-02-29', '12.50', 'it''s 31.12.1999', E'\\'31.12.1999'",
            "SELECT \"'31.12.1999'\" -- '31.12.1999'\n, /* '31.12.1999' */ $a$'31.12.1999'$a$",
            "SELECT DATE '31.12.1999', TIME '13.30.05'",
            "CREATE TABLE T (D DATE DEFAULT '31.12.1999')",
            "SELECT 'never ends",
        ] {
            let mut own = text.as_bytes().to_vec();
            let constants = Constants::take(&mut own);
            assert_eq!((String::from_utf8_lossy(&own).as_ref(), constants.len()), (text, 0));
        }
    }

    #[test]
    fn they_are_put_back_by_what_they_are() {
        let text = b"SELECT A FROM T WHERE D > '31.12.1999' AND C = '31.12.1999' AND H = '9.05.00'";
        let mut own = text.to_vec();
        let constants = Constants::take(&mut own);
        let back = constants.put_back(&own, &[oid::DATE, oid::BPCHAR, oid::TIME]);
        assert_eq!(
            String::from_utf8_lossy(&back),
            "SELECT A FROM T WHERE D > '1999-12-31' AND C = '31.12.1999' AND H = '09:05:00'"
        );
    }
}
