//! Labelled durations: `CURRENT DATE - 30 DAYS`, `D + :N MONTHS`.

use crate::token::{Kind, Token};
use crate::words::Words;

/// Units, in the singular and the plural, and the function that makes an interval of them.
const UNITS: [(&str, &str, &str); 7] = [
    ("YEAR", "YEARS", "db2.years"),
    ("MONTH", "MONTHS", "db2.months"),
    ("DAY", "DAYS", "db2.days_of"),
    ("HOUR", "HOURS", "db2.hours"),
    ("MINUTE", "MINUTES", "db2.minutes"),
    ("SECOND", "SECONDS", "db2.seconds"),
    ("MICROSECOND", "MICROSECONDS", "db2.microseconds"),
];

/// Returns true if a token is the unit of a duration: YEAR, DAYS and their like.
pub fn is_duration_unit(word: &Token) -> bool {
    unit_of(word).is_some()
}

fn unit_of(word: &Token) -> Option<&'static (&'static str, &'static str, &'static str)> {
    UNITS.iter().find(|(one, many, _)| word.is(one) || word.is(many))
}

/// Puts a function in the place of each.
pub(crate) fn apply(words: &mut Words) {
    let mut at = 1;
    while at < words.len() {
        if let Some(function) = unit(words, at)
            && let Some(start) = operand(words, at - 1)
            && start.checked_sub(1).is_some_and(|before| words.is_any(before, &["+", "-"]))
        {
            words.put(at..at + 1, ")");
            words.list[at].glued = true;
            words.insert(start, format!("{function}("));
            words.list[start + 1].glued = true;
            at += 1;
        }
        at += 1;
    }
}

fn unit(words: &Words, at: usize) -> Option<&'static str> {
    let (_, _, function) = unit_of(words.get(at)?)?;
    // With parentheses it is a function of its own, with a full stop a name.
    (!words.is_any(at + 1, &["(", "."])).then_some(*function)
}

/// First token of the operand whose last token stands at `at`.
fn operand(words: &Words, at: usize) -> Option<usize> {
    let token = words.get(at)?;
    match token.kind {
        Kind::Number | Kind::Host | Kind::Marker => Some(at),
        Kind::Word | Kind::Delimited => Some(name_start(words, at)),
        _ if token.is(")") => {
            let open = words.open(at)?;
            let function = open.checked_sub(1).filter(|before| words.list[*before].is_name());
            Some(function.map_or(open, |name| name_start(words, name)))
        }
        _ => None,
    }
}

fn name_start(words: &Words, mut at: usize) -> usize {
    while at >= 2 && words.is(at - 1, &["."]) && words.list[at - 2].is_name() {
        at -= 2;
    }
    at
}
