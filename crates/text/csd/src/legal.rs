//! The legal values of an attribute, read from the notation of the published tables.
//!
//! The notation: keywords and number ranges separated by commas (`NO,1-99`); a list of numbers where every part is a
//! range (`0-255,0-255`); `char8` for text of a length; lower-case words (`path`, `hostname`) for values without
//! further rules. Words in parentheses are remarks.

use std::ops::RangeInclusive;

use crate::names::{Found, abbreviated};

/// The greatest length of a value that can be a name, so that its case does not matter.
const NAME_LENGTH: usize = 8;
/// The greatest length of a data set name.
const DATA_SET_LENGTH: usize = 44;

/// The legal values of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Legal {
    /// Anything.
    Any,
    /// One of several things.
    Choice {
        /// Keywords.
        words: Vec<&'static str>,
        /// Numbers.
        ranges: Vec<RangeInclusive<u64>>,
        /// The greatest length of a text.
        text: Option<usize>,
    },
    /// Numbers separated by commas; those at the end may be left out.
    List(Vec<RangeInclusive<u64>>),
}

impl Legal {
    /// Reads the notation.
    pub(crate) fn read(notation: &'static str) -> Self {
        let notation = notation.split(" (").next().unwrap_or_default();
        let parts: Vec<&'static str> = notation.split(',').map(str::trim).collect();
        let ranges: Vec<_> = parts.iter().filter_map(|part| range(part)).collect();
        if parts.len() > 1 && ranges.len() == parts.len() {
            return Self::List(ranges);
        }
        let (mut words, mut ranges, mut text) = (Vec::new(), Vec::new(), None);
        for part in parts {
            if let Some(range) = range(part).or_else(|| number(part)) {
                ranges.push(range);
            } else if let Some(length) = text_length(part) {
                text = Some(length);
            } else if let Some(keys) = numbered_words(part) {
                words.extend(keys);
            } else if part.is_empty() || part.contains(|c: char| c.is_ascii_lowercase() || "?./".contains(c))
            {
                return Self::Any;
            } else {
                words.push(part);
            }
        }
        Self::Choice { words, ranges, text }
    }

    /// A value in its full form: keywords whole and in upper case, names in upper case, numbers without blanks. The
    /// error gives the legal values.
    pub(crate) fn check(&self, value: &str, keeps_case: bool) -> Result<String, String> {
        match self {
            Self::Any => Ok(value.to_owned()),
            Self::List(ranges) => list(value, ranges).ok_or_else(|| self.to_string()),
            Self::Choice { words, ranges, text } => {
                if let Some(word) = keyword(value, words, text.is_some()) {
                    return Ok(word.to_owned());
                }
                if ranges.iter().any(|range| within(value, range)) {
                    return Ok(value.to_owned());
                }
                match text {
                    Some(length) if value.chars().count() <= *length => {
                        let folds = !keeps_case && (*length <= NAME_LENGTH || *length == DATA_SET_LENGTH);
                        Ok(if folds { value.to_ascii_uppercase() } else { value.to_owned() })
                    }
                    _ => Err(self.to_string()),
                }
            }
        }
    }
}

impl std::fmt::Display for Legal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let spell = |range: &RangeInclusive<u64>| match (range.start(), range.end()) {
            (from, &u64::MAX) => format!("a number from {from}"),
            (from, to) if from == to => from.to_string(),
            (from, to) => format!("{from} to {to}"),
        };
        match self {
            Self::Any => f.write_str("anything"),
            Self::List(ranges) => {
                let spelled: Vec<String> = ranges.iter().map(spell).collect();
                write!(f, "{} numbers separated by commas: {}", ranges.len(), spelled.join(", "))
            }
            Self::Choice { words, ranges, text } => {
                let mut parts: Vec<String> = words.iter().map(ToString::to_string).collect();
                parts.extend(ranges.iter().map(spell));
                parts.extend(text.map(|length| format!("at most {length} characters")));
                f.write_str(&parts.join(", "))
            }
        }
    }
}

/// `1-99`, with or without a unit after it; only text that starts with such a range.
fn range(part: &str) -> Option<RangeInclusive<u64>> {
    let part = part.split([' ', '(']).next()?;
    let (from, to) = part.split_once('-')?;
    Some(from.parse().ok()?..=to.parse().ok()?)
}

/// A number, or one of the words that stand for any number.
fn number(part: &str) -> Option<RangeInclusive<u64>> {
    if matches!(part, "number" | "seconds" | "hhmmss") {
        return Some(0..=u64::MAX);
    }
    let number = part.parse().ok()?;
    Some(number..=number)
}

/// `char8`, `path255`, `hex16`, `char1-255`: the greatest length.
fn text_length(part: &str) -> Option<usize> {
    let kinds = ["char", "path", "uri", "hex", "string"];
    let lengths = kinds.iter().find_map(|kind| part.strip_prefix(kind))?;
    lengths.rsplit('-').next()?.parse().ok()
}

/// `PF1-24`: twenty-four words.
fn numbered_words(part: &'static str) -> Option<Vec<&'static str>> {
    const KEYS: [(&str, &[&str]); 2] = [
        ("PA1-3", &["PA1", "PA2", "PA3"]),
        (
            "PF1-24",
            &[
                "PF1", "PF2", "PF3", "PF4", "PF5", "PF6", "PF7", "PF8", "PF9", "PF10", "PF11", "PF12",
                "PF13", "PF14", "PF15", "PF16", "PF17", "PF18", "PF19", "PF20", "PF21", "PF22", "PF23",
                "PF24",
            ],
        ),
    ];
    KEYS.iter().find(|(notation, _)| *notation == part).map(|(_, words)| words.to_vec())
}

/// A keyword, abbreviated only where no other text is legal.
fn keyword(value: &str, words: &[&'static str], text_too: bool) -> Option<&'static str> {
    if text_too {
        return words.iter().copied().find(|word| word.eq_ignore_ascii_case(value));
    }
    match abbreviated(value, words, |word| word) {
        Found::One(word) if !value.is_empty() => Some(word),
        _ => None,
    }
}

fn within(value: &str, range: &RangeInclusive<u64>) -> bool {
    value.bytes().all(|b| b.is_ascii_digit()) && value.parse().is_ok_and(|number| range.contains(&number))
}

fn list(value: &str, ranges: &[RangeInclusive<u64>]) -> Option<String> {
    let numbers: Vec<&str> = value.split(',').map(str::trim).collect();
    let legal =
        numbers.len() <= ranges.len() && numbers.iter().zip(ranges).all(|(n, range)| within(n, range));
    legal.then(|| numbers.join(","))
}
