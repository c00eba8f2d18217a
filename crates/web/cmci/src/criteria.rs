//! CRITERIA: the records that are wanted.
//!
//! ```text
//! any     := all ( OR all )*
//! all     := one ( AND one )*
//! one     := NOT one | ( any ) | ATTRIBUTE operator value
//! ```
//!
//! Words are in any case. A value is in quotes or ends at a blank or a parenthesis; `=` and `¬=` take `*` for any characters
//! and `+` for any one, other operators do not.

use crate::limits::{CRITERIA_MAX, DEPTH_MAX, TERMS_MAX};
use crate::{Datum, Record};

/// A condition for records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Criteria {
    /// One of these holds.
    Any(Vec<Self>),
    /// All of these hold.
    All(Vec<Self>),
    /// This one does not hold.
    Not(Box<Self>),
    /// An attribute, in small letters, beside a value.
    Is(String, Operator, String),
}

/// Operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `=`: the value may be a pattern.
    Like,
    /// `¬=`, `!=`, `<>`.
    Unlike,
    /// `==`: the very value.
    Same,
    /// `<`.
    Less,
    /// `<=`.
    LessOrSame,
    /// `>`.
    More,
    /// `>=`.
    MoreOrSame,
}

/// The operators as they are written, the longer ones first.
const OPERATORS: [(&str, Operator); 11] = [
    ("==", Operator::Same),
    ("¬=", Operator::Unlike),
    ("!=", Operator::Unlike),
    ("<>", Operator::Unlike),
    ("<=", Operator::LessOrSame),
    (">=", Operator::MoreOrSame),
    ("=<", Operator::LessOrSame),
    ("=>", Operator::MoreOrSame),
    ("=", Operator::Like),
    ("<", Operator::Less),
    (">", Operator::More),
];

/// Reasons why a text is no criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCriteria(pub String);

impl Criteria {
    /// Reads CRITERIA.
    ///
    /// # Errors
    /// The reason, with the place in the text; or the name of a limit.
    pub fn read(text: &str) -> Result<Self, NotCriteria> {
        if text.len() > CRITERIA_MAX {
            return Err(NotCriteria(format!("CRITERIA_MAX: it has more than {CRITERIA_MAX} bytes")));
        }
        let mut reader = Reader { text, at: 0, terms: 0, depth: 0 };
        let criteria = reader.any()?;
        reader.skip();
        match reader.rest() {
            "" | "." => Ok(criteria),
            _ => Err(reader.wrong("AND or OR is missing")),
        }
    }

    /// The attributes that are named.
    pub fn attributes(&self) -> Vec<&str> {
        match self {
            Self::Any(parts) | Self::All(parts) => parts.iter().flat_map(Self::attributes).collect(),
            Self::Not(part) => part.attributes(),
            Self::Is(name, ..) => vec![name],
        }
    }

    /// Returns true if a record is wanted. Nothing holds of an attribute that it does not have.
    pub fn holds(&self, record: &Record) -> bool {
        match self {
            Self::Any(parts) => parts.iter().any(|part| part.holds(record)),
            Self::All(parts) => parts.iter().all(|part| part.holds(record)),
            Self::Not(part) => !part.holds(record),
            Self::Is(name, operator, value) => {
                record.get(name).is_some_and(|datum| operator.holds(datum, value))
            }
        }
    }
}

impl Operator {
    fn holds(self, datum: &Datum, value: &str) -> bool {
        match self {
            Self::Like => is_like(datum, value),
            Self::Unlike => !is_like(datum, value),
            Self::Same => compared(datum, value).is_eq(),
            Self::Less => compared(datum, value).is_lt(),
            Self::LessOrSame => compared(datum, value).is_le(),
            Self::More => compared(datum, value).is_gt(),
            Self::MoreOrSame => compared(datum, value).is_ge(),
        }
    }
}

fn is_like(datum: &Datum, pattern: &str) -> bool {
    match datum {
        Datum::Word(word) => generic(word.as_bytes(), pattern.to_ascii_uppercase().as_bytes()),
        _ => compared(datum, pattern).is_eq() || generic(datum.text().as_bytes(), pattern.as_bytes()),
    }
}

/// The order of a value and one that was typed. Words are typed in any case; numbers, and names of digits such as a task's,
/// with or without zeros before them.
fn compared(datum: &Datum, value: &str) -> std::cmp::Ordering {
    let value = value.trim_end();
    let number = value.parse::<i64>().ok();
    match (datum, number) {
        (Datum::Number(own), Some(number)) => own.cmp(&number),
        (Datum::Word(word), _) => word.as_str().cmp(&value.to_ascii_uppercase()),
        (Datum::Text(text), Some(number)) if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() => {
            text.parse::<i64>().map_or_else(|_| text.as_str().cmp(value), |own| own.cmp(&number))
        }
        (datum, _) => datum.text().as_ref().cmp(value),
    }
}

/// Goes back to the last asterisk only, so that no pattern takes longer than name times pattern.
fn generic(name: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut p) = (0, 0);
    let mut asterisk: Option<(usize, usize)> = None;
    while at < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                asterisk = Some((p, at));
                p += 1;
            }
            Some(c) if *c == b'+' || *c == name[at] => {
                at += 1;
                p += 1;
            }
            _ => match &mut asterisk {
                Some((place, taken)) => {
                    *taken += 1;
                    (p, at) = (*place + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    terms: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn wrong(&self, why: &str) -> NotCriteria {
        NotCriteria(format!("{why} at byte {}", self.at))
    }

    /// Takes a mark.
    fn takes(&mut self, mark: &str) -> bool {
        self.skip();
        let there = self.rest().starts_with(mark);
        self.at += if there { mark.len() } else { 0 };
        there
    }

    /// Takes a word in any case, if it stands alone.
    fn takes_word(&mut self, word: &str) -> bool {
        self.skip();
        let rest = self.rest();
        let there = rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            && rest[word.len()..].chars().next().is_none_or(|next| !is_of_name(next));
        // `NOT = X` compares an attribute of that name.
        let there = there && !starts_with_operator(rest[word.len()..].trim_start());
        self.at += if there { word.len() } else { 0 };
        there
    }

    fn any(&mut self) -> Result<Criteria, NotCriteria> {
        let mut parts = vec![self.all()?];
        while self.takes_word("OR") {
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Criteria::Any(parts) })
    }

    fn all(&mut self) -> Result<Criteria, NotCriteria> {
        let mut parts = vec![self.one()?];
        while self.takes_word("AND") {
            parts.push(self.one()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Criteria::All(parts) })
    }

    fn deeper(&mut self) -> Result<(), NotCriteria> {
        self.depth += 1;
        let fits = self.depth <= DEPTH_MAX;
        let limit = || NotCriteria(format!("DEPTH_MAX: it is deeper than {DEPTH_MAX}"));
        if fits { Ok(()) } else { Err(limit()) }
    }

    fn one(&mut self) -> Result<Criteria, NotCriteria> {
        if self.takes_word("NOT") || self.takes_alone("¬") {
            self.deeper()?;
            let part = self.one()?;
            self.depth -= 1;
            return Ok(Criteria::Not(Box::new(part)));
        }
        if self.takes("(") {
            self.deeper()?;
            let part = self.any()?;
            self.depth -= 1;
            return if self.takes(")") { Ok(part) } else { Err(self.wrong("a parenthesis is not closed")) };
        }
        self.term()
    }

    /// Takes a mark that is no part of an operator.
    fn takes_alone(&mut self, mark: &str) -> bool {
        self.skip();
        !starts_with_operator(self.rest()) && self.takes(mark)
    }

    fn term(&mut self) -> Result<Criteria, NotCriteria> {
        self.terms += 1;
        if self.terms > TERMS_MAX {
            return Err(NotCriteria(format!("TERMS_MAX: it has more than {TERMS_MAX} comparisons")));
        }
        self.skip();
        let rest = self.rest();
        let name = &rest[..rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len())];
        if name.is_empty() {
            return Err(self.wrong("an attribute is missing"));
        }
        self.at += name.len();
        self.skip();
        let found = OPERATORS.iter().find(|(mark, _)| self.rest().starts_with(mark));
        let Some((mark, operator)) = found else { return Err(self.wrong("an operator is missing")) };
        self.at += mark.len();
        let value = self.value()?;
        Ok(Criteria::Is(name.to_ascii_lowercase(), *operator, value))
    }

    fn value(&mut self) -> Result<String, NotCriteria> {
        self.skip();
        let rest = self.rest();
        let Some(quote) = rest.chars().next().filter(|c| ['\'', '"'].contains(c)) else {
            let end = rest.find(|c: char| c.is_whitespace() || "()'\"".contains(c)).unwrap_or(rest.len());
            self.at += end;
            let value = if self.rest().is_empty() { rest[..end].trim_end_matches('.') } else { &rest[..end] };
            return if value.is_empty() {
                Err(self.wrong("a value is missing"))
            } else {
                Ok(value.to_owned())
            };
        };
        let mut value = String::new();
        let mut letters = rest.char_indices().skip(1).peekable();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' if letters.peek().is_some_and(|(_, next)| [quote, '\\'].contains(next)) => {
                    value.extend(letters.next().map(|(_, next)| next));
                }
                _ if letter != quote => value.push(letter),
                _ if letters.peek().is_some_and(|(_, next)| *next == quote) => {
                    value.push(quote);
                    letters.next();
                }
                _ => {
                    self.at += at + quote.len_utf8();
                    return Ok(value);
                }
            }
        }
        Err(self.wrong("a quote is not closed"))
    }
}

fn starts_with_operator(text: &str) -> bool {
    OPERATORS.iter().any(|(mark, _)| text.starts_with(mark))
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let text = |text: &str| Datum::Text(text.to_owned());
        let attributes = vec![
            ("program".to_owned(), text("BKMENU")),
            ("task".to_owned(), text("00031")),
            ("note".to_owned(), text("O'Neil (a)")),
            ("status".to_owned(), Datum::Word("ENABLED".to_owned())),
            ("usecount".to_owned(), Datum::Number(12)),
        ];
        Record { name: b"BKMENU  ".to_vec(), attributes }
    }

    #[test]
    fn criteria_as_clients_send_them() {
        let table = [
            ("PROGRAM=BKMENU", true),
            ("(PROGRAM=BK*)", true),
            ("program = 'BK++++'", true),
            ("PROGRAM==BK*", false),
            ("PROGRAM=='BKMENU'", true),
            ("NOT (PROGRAM=CEE* OR PROGRAM=DFH* OR PROGRAM=IGZ*)", true),
            ("not(program=BK*)", false),
            ("NOT(a=='v')", true),
            ("¬(PROGRAM=BK*)", false),
            ("PROGRAM¬=BK*", false),
            ("(program='BKMENU') AND (usecount>'9')", true),
            ("(PROGRAM=X) OR ((STATUS=enabled) and (USECOUNT>=12))", true),
            ("PROGRAM=X AND STATUS=ENABLED OR USECOUNT<13", true),
            ("PROGRAM=X AND (STATUS=ENABLED OR USECOUNT<13)", false),
            ("USECOUNT<9", false),
            ("USECOUNT<=012", true),
            ("USECOUNT=1*", true),
            ("TASK='00031'", true),
            ("TASK=31", true),
            (r"note='O\'Neil (a)'", true),
            ("note='O''Neil (a)'", true),
            ("NOSUCH=X", false),
            ("NOT NOSUCH=X", true),
            ("PROGRAM=BKMENU.", true),
            ("(PROGRAM=BKMENU).", true),
        ];
        for (text, expected) in table {
            let criteria = Criteria::read(text).unwrap_or_else(|why| panic!("{text}: {why:?}"));
            assert_eq!(criteria.holds(&record()), expected, "{text}");
        }
    }

    #[test]
    fn a_text_that_ends_in_the_middle_is_none() {
        let texts = [
            "",
            "PROGRAM",
            "PROGRAM=",
            "(PROGRAM=A",
            "PROGRAM=A)",
            "PROGRAM='A",
            "A=B C=D",
            "A=B AND",
            "=A",
            "NOT",
            "()",
            "A==",
            "A=B OR OR C=D",
        ];
        for text in texts {
            assert!(Criteria::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn criteria_have_limits_of_bytes_terms_and_depth() {
        let refused = |text: &str| Criteria::read(text).expect_err("a limit").0;
        let deep = format!("{}A=B{}", "(".repeat(40), ")".repeat(40));
        assert!(refused(&deep).starts_with("DEPTH_MAX"));
        assert!(refused(&format!("{}A=B", "NOT ".repeat(40))).starts_with("DEPTH_MAX"));
        let long = vec!["A=B"; TERMS_MAX + 1].join(" OR ");
        assert!(refused(&long).starts_with("TERMS_MAX"));
        assert!(refused(&format!("A='{}'", "x".repeat(CRITERIA_MAX))).starts_with("CRITERIA_MAX"));
        let many = vec!["A=B"; TERMS_MAX].join(" OR ");
        assert!(Criteria::read(&many).is_ok());
    }
}
