//! INCLUDE and OMIT: the choice of records.

use std::cmp::Ordering;

use super::control::Item;
use super::fields::{Field, Format};

/// A condition on records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    All,
    Nothing,
    And(Vec<Self>),
    Or(Vec<Self>),
    Compare(Field, Relation, Other),
    /// The field contains the text, or does not.
    Contains(Field, bool, Vec<u8>),
}

/// The other side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Other {
    Field(Field),
    Text(Vec<u8>),
    Number(i128),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Relation {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "EQ" => Self::Equal,
            "NE" => Self::NotEqual,
            "GT" => Self::Greater,
            "GE" => Self::GreaterOrEqual,
            "LT" => Self::Less,
            "LE" => Self::LessOrEqual,
            _ => return None,
        })
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
        }
    }
}

impl Condition {
    /// Reads a condition; `format` is that of FORMAT=. `None` if it is not understood or not built.
    pub fn read(item: &Item, format: Option<Format>) -> Option<Self> {
        match item {
            Item::Word(word) if word == "ALL" => Some(Self::All),
            Item::Word(word) if word == "NONE" => Some(Self::Nothing),
            Item::List(items) => {
                let mut parser = Parser { items, at: 0, format };
                let found = parser.any()?;
                (parser.at == items.len()).then_some(found)
            }
            _ => None,
        }
    }

    /// Returns true if a record is meant.
    pub fn holds(&self, record: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Nothing => false,
            Self::And(all) => all.iter().all(|one| one.holds(record)),
            Self::Or(all) => all.iter().any(|one| one.holds(record)),
            Self::Contains(field, yes, text) => {
                let bytes = field.bytes(record);
                let found = text.is_empty() || bytes.windows(text.len()).any(|part| part == text.as_slice());
                found == *yes
            }
            Self::Compare(field, relation, other) => {
                compare(field, other, record).is_some_and(|order| relation.holds(order))
            }
        }
    }
}

/// Compares a field with the other side; `None` if it holds no number, though one is needed.
fn compare(field: &Field, other: &Other, record: &[u8]) -> Option<Ordering> {
    match other {
        Other::Number(number) => Some(field.number(record)?.cmp(number)),
        Other::Field(other) if is_number(field) || is_number(other) => {
            Some(field.number(record)?.cmp(&other.number(record)?))
        }
        Other::Field(other) => Some(padded(field, &field.bytes(record), &other.bytes(record))),
        Other::Text(text) => Some(padded(field, &field.bytes(record), text)),
    }
}

fn is_number(field: &Field) -> bool {
    !matches!(field.format, Format::Bytes | Format::Binary)
}

/// Returns the order of two texts: the shorter one is filled with blanks, of a BI field with zeros.
fn padded(field: &Field, left: &[u8], right: &[u8]) -> Ordering {
    let fill = if field.format == Format::Binary { 0 } else { b' ' };
    let length = left.len().max(right.len());
    let fit = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes.resize(length, fill);
        bytes
    };
    fit(left).cmp(&fit(right))
}

struct Parser<'a> {
    items: &'a [Item],
    at: usize,
    format: Option<Format>,
}

impl Parser<'_> {
    fn takes(&mut self, words: &[&str]) -> bool {
        let there = self.items.get(self.at).and_then(Item::word).is_some_and(|word| words.contains(&word));
        self.at += usize::from(there);
        there
    }

    fn next(&mut self) -> Option<&Item> {
        let item = self.items.get(self.at)?;
        self.at += 1;
        Some(item)
    }

    fn any(&mut self) -> Option<Condition> {
        let mut parts = vec![self.all()?];
        while self.takes(&["OR", "|"]) {
            parts.push(self.all()?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) })
    }

    fn all(&mut self) -> Option<Condition> {
        let mut parts = vec![self.one()?];
        while self.takes(&["AND", "&"]) {
            parts.push(self.one()?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Condition::And(parts) })
    }

    fn one(&mut self) -> Option<Condition> {
        if let Some(list @ Item::List(_)) = self.items.get(self.at) {
            let found = Condition::read(list, self.format);
            self.at += 1;
            return found;
        }
        let (position, length) = (self.next()?.clone(), self.next()?.clone());
        let substring = self.takes(&["SS"]);
        let format = if substring { Format::Bytes } else { self.own_format()? };
        let field = Field::new(&position, &length, format)?;
        let relation = Relation::named(self.next()?.word()?)?;
        if substring {
            let Item::Text(text) = self.next()?.clone() else { return None };
            return match relation {
                Relation::Equal => Some(Condition::Contains(field, true, text)),
                Relation::NotEqual => Some(Condition::Contains(field, false, text)),
                _ => None,
            };
        }
        let other = match self.next()?.clone() {
            Item::Text(text) if !is_number(&field) => Other::Text(text),
            Item::Text(_) | Item::List(_) | Item::Pair(..) | Item::Implied(_) => return None,
            Item::Word(word) => {
                let is_field = self.items.get(self.at).and_then(Item::number).is_some();
                if is_field {
                    let length = self.next()?.clone();
                    let format = self.own_format()?;
                    Other::Field(Field::new(&Item::Word(word), &length, format)?)
                } else if field.format == Format::Bytes {
                    return None;
                } else {
                    Other::Number(word.trim_start_matches('+').parse().ok()?)
                }
            }
        };
        Some(Condition::Compare(field, relation, other))
    }

    /// Reads the format of a field: its own, or that of FORMAT=.
    fn own_format(&mut self) -> Option<Format> {
        let own = self.items.get(self.at).and_then(Item::word).and_then(Format::named);
        self.at += usize::from(own.is_some());
        own.or(self.format)
    }
}
