//! Records and their values.

use std::cmp::Ordering;

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// Characters, without blanks at their end.
    Text(String),
    /// A number.
    Number(i64),
    /// A word of the published interface: a CVDA, YES or NO.
    Word(String),
}

impl Datum {
    /// The value as it is written.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Text(text) | Self::Word(text) => text.as_str().into(),
            Self::Number(number) => number.to_string().into(),
        }
    }

    /// The order of two values: numbers by their size, all else by characters.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => one.cmp(two),
            _ => self.text().cmp(&other.text()),
        }
    }
}

/// A record of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The name of the resource as its region has it: what a change is done to.
    pub name: Vec<u8>,
    /// Attributes in small letters, and their values.
    pub attributes: Vec<(String, Datum)>,
}

impl Record {
    /// The value of an attribute, by its name in any case.
    pub fn get(&self, attribute: &str) -> Option<&Datum> {
        self.attributes.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute)).map(|(_, value)| value)
    }

    /// Bytes that it takes, about.
    pub fn size(&self) -> usize {
        const OVERHEAD: usize = 64;
        let of = |(name, value): &(String, Datum)| name.len() + value.text().len() + OVERHEAD;
        self.name.len() + self.attributes.iter().map(of).sum::<usize>() + OVERHEAD
    }
}
