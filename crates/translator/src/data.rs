//! The data items of a program: as much of their descriptions as decides what their bytes are.

use crate::origin::At;
use crate::token::{Kind, Token, is_level};

/// How an item's value is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Usage {
    /// Characters and digits.
    #[default]
    Display,
    /// COMP, COMP-4, COMP-5, BINARY.
    Binary,
    /// COMP-3.
    Packed,
    /// COMP-1 and COMP-2, by their length.
    Float(usize),
    Pointer,
    Index,
    National,
}

/// A data description entry.
#[derive(Debug, Default)]
pub(crate) struct Item {
    pub(crate) level: u8,
    /// In upper case; none for FILLER.
    pub(crate) name: Option<String>,
    /// The level number's token.
    pub(crate) token: usize,
    pub(crate) picture: Option<String>,
    usage: Option<Usage>,
    pub(crate) synchronized: bool,
    /// The most occurrences.
    pub(crate) occurs: Option<usize>,
    /// The number of occurrences is another item's value.
    pub(crate) varies: bool,
    pub(crate) redefines: Option<String>,
    /// The group that it belongs to; of a condition-name, the item whose value it names.
    pub(crate) parent: Option<usize>,
    pub(crate) is_group: bool,
    /// BLANK WHEN ZERO: what has it is edited.
    blank: bool,
}

/// The level of a condition-name.
pub(crate) const CONDITION: u8 = 88;

/// All items of a program, in order.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub(crate) list: Vec<Item>,
}

impl Items {
    /// Reads the descriptions among some tokens: those of a data division.
    pub(crate) fn read(tokens: &[Token], from: usize, to: usize) -> Self {
        let mut items = Self::default();
        let mut start = from;
        while start < to {
            let end = tokens[start..to].iter().position(Token::is_period).map_or(to, |length| start + length);
            if is_level(&tokens[start]) {
                items.add(read_item(tokens, start, end));
            }
            start = end + 1;
        }
        items
    }

    fn add(&mut self, mut item: Item) {
        let last = self.list.iter().rposition(|item| item.level != CONDITION);
        item.parent = match item.level {
            CONDITION => last,
            2..=49 => last.and_then(|last| self.above(last).find(|at| self.list[*at].level < item.level)),
            _ => None,
        };
        if let Some(parent) = item.parent.filter(|_| item.level != CONDITION) {
            self.list[parent].is_group = true;
        }
        self.list.push(item);
    }

    /// The item of a name, in any case: the first.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.list
            .iter()
            .position(|item| item.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name)))
    }

    /// How an item is stored, by its own USAGE or that of a group above it.
    pub(crate) fn usage(&self, item: usize) -> Usage {
        let usage = self.above(item).find_map(|at| self.list[at].usage).unwrap_or_default();
        let national = self.list[item].picture.as_deref().is_some_and(|p| p.starts_with(['N', 'G']));
        if national { Usage::National } else { usage }
    }

    /// The item and the groups above it.
    pub(crate) fn above(&self, item: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(item), |at| self.list[*at].parent)
    }

    /// The items directly below one.
    pub(crate) fn parts(&self, group: usize) -> impl Iterator<Item = usize> {
        let parts = self.list.iter().enumerate().skip(group + 1);
        parts.filter(move |(_, item)| item.parent == Some(group) && item.level != CONDITION).map(|(at, _)| at)
    }

    /// Whether an item holds characters and nothing describes the same bytes as a number in binary.
    pub(crate) fn is_text(&self, item: usize) -> bool {
        let item =
            if self.list[item].level == CONDITION { self.list[item].parent.unwrap_or(item) } else { item };
        self.usage(item) == Usage::Display && !self.above(item).any(|at| self.is_overlaid(at))
    }

    /// Whether an item redefines, or is redefined by, one that is no text.
    fn is_overlaid(&self, item: usize) -> bool {
        let own = &self.list[item];
        let redefined = own.redefines.as_deref().and_then(|name| self.named(name));
        let redefining = self.list.iter().enumerate().filter(|(_, other)| {
            other.redefines.is_some() && other.redefines.as_deref() == own.name.as_deref()
        });
        redefined.into_iter().chain(redefining.map(|(at, _)| at)).any(|at| self.holds_binary(at))
    }

    fn holds_binary(&self, item: usize) -> bool {
        match self.list[item].is_group {
            true => self.parts(item).any(|part| self.holds_binary(part)),
            false => self.usage(item) != Usage::Display,
        }
    }

    /// The length of an elementary item.
    pub(crate) fn length(&self, item: usize) -> usize {
        let (size, digits) = self.list[item].picture.as_deref().map_or((0, 0), measure);
        match self.usage(item) {
            Usage::Display => size,
            Usage::National => size * 2,
            Usage::Packed => digits / 2 + 1,
            Usage::Float(length) => length,
            Usage::Pointer => 8,
            Usage::Index => 4,
            Usage::Binary => match digits {
                0..=4 => 2,
                5..=9 => 4,
                10..=18 => 8,
                _ => 16,
            },
        }
    }

    /// Decimal places of a number.
    pub(crate) fn places(&self, item: usize) -> usize {
        let behind = self.list[item].picture.as_deref().and_then(|picture| picture.split_once(['V', '.']));
        behind.map_or(0, |(_, places)| measure(places).1)
    }

    /// Digits before and behind the decimal point of a zoned number without a sign.
    pub(crate) fn unsigned(&self, item: usize) -> Option<(usize, usize)> {
        let own = &self.list[item];
        let picture = own.picture.as_deref().filter(|_| !own.blank && self.usage(item) == Usage::Display)?;
        let (whole, places) = picture.split_once('V').unwrap_or((picture, ""));
        let is_digits = |part: &str| part.chars().all(|c| c.is_ascii_digit() || "()".contains(c));
        // The digit in parentheses is a count of the 9 in front of it.
        let digits = |part: &str| is_digits(part).then(|| measure(part).1);
        Some((digits(whole)?, digits(places)?))
    }

    /// Where an item is described.
    pub(crate) fn place(&self, tokens: &[Token], item: usize) -> At {
        let level = self.list[item].token;
        let at = tokens[level].at;
        tokens.get(level + 1).filter(|name| !name.is_period()).map_or(at, |name| at.to(name.at))
    }
}

/// Characters of a picture, and digits among them.
fn measure(picture: &str) -> (usize, usize) {
    let (mut size, mut digits, mut last) = (0_usize, 0_usize, (0, 0));
    let mut rest = picture;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '(' {
            let (number, behind) = rest.split_once(')').unwrap_or((rest, ""));
            // One of the character is counted already.
            let more = number.trim().parse::<usize>().unwrap_or(1).saturating_sub(1);
            size = size.saturating_add(last.0 * more);
            digits = digits.saturating_add(last.1 * more);
            rest = behind;
            continue;
        }
        last = (usize::from(!"SVP".contains(c)), usize::from(c == '9'));
        size += last.0;
        digits += last.1;
    }
    (size, digits)
}

/// Reads the entry between a level number and its full stop.
fn read_item(tokens: &[Token], start: usize, end: usize) -> Item {
    let level = tokens[start].text.parse().unwrap_or_default();
    let named = tokens.get(start + 1).filter(|t| start + 1 < end && !is_clause(t));
    let name = named.filter(|t| !t.is("FILLER")).map(|t| t.upper());
    let mut item = Item { level, name, token: start, ..Item::default() };
    let mut at = start + 1 + usize::from(named.is_some());
    while at < end {
        let token = &tokens[at];
        let next = tokens.get(at + 1).filter(|_| at + 1 < end);
        if token.is_any(&["PIC", "PICTURE"]) {
            let first = at + 1 + usize::from(next.is_some_and(|t| t.is("IS")));
            let length = tokens[first.min(end)..end].iter().skip(1).take_while(|t| t.is_glued()).count() + 1;
            let last = (first + length).min(end);
            item.picture = Some(tokens[first.min(last)..last].iter().map(Token::upper).collect());
            at = last;
            continue;
        }
        if token.is("REDEFINES") {
            item.redefines = next.map(Token::upper);
        } else if token.is("OCCURS") {
            let numbers = tokens[at + 1..end].iter().take(3).filter_map(|t| t.text.parse::<usize>().ok());
            item.occurs = numbers.max();
        } else if token.is("BLANK") {
            item.blank = true;
        } else if token.is("DEPENDING") {
            item.varies = true;
        } else if token.is_any(&["SYNC", "SYNCHRONIZED"]) {
            item.synchronized = true;
        } else if token.is_any(&["VALUE", "VALUES"]) {
            break;
        } else if let Some(usage) = usage(token) {
            item.usage = Some(usage);
        }
        at += 1;
    }
    // Clauses may stand behind the values, which are literals and constants.
    for token in &tokens[at.min(end)..end] {
        item.synchronized |= token.is_any(&["SYNC", "SYNCHRONIZED"]);
        item.blank |= token.is("BLANK");
        item.usage = item.usage.or_else(|| usage(token));
    }
    item
}

fn is_clause(token: &Token) -> bool {
    const CLAUSES: [&str; 11] = [
        "PIC",
        "PICTURE",
        "USAGE",
        "OCCURS",
        "REDEFINES",
        "VALUE",
        "VALUES",
        "SIGN",
        "SYNC",
        "SYNCHRONIZED",
        "BLANK",
    ];
    token.kind != Kind::Word || token.is_any(&CLAUSES) || usage(token).is_some()
}

fn usage(token: &Token) -> Option<Usage> {
    if token.kind != Kind::Word {
        return None;
    }
    Some(match &*token.upper() {
        "DISPLAY" => Usage::Display,
        "COMP" | "COMP-4" | "COMP-5" | "BINARY" | "COMPUTATIONAL" | "COMPUTATIONAL-4" | "COMPUTATIONAL-5" => {
            Usage::Binary
        }
        "COMP-3" | "COMPUTATIONAL-3" | "PACKED-DECIMAL" => Usage::Packed,
        "COMP-1" | "COMPUTATIONAL-1" => Usage::Float(4),
        "COMP-2" | "COMPUTATIONAL-2" => Usage::Float(8),
        "POINTER" | "PROCEDURE-POINTER" | "FUNCTION-POINTER" => Usage::Pointer,
        "INDEX" => Usage::Index,
        "NATIONAL" | "DISPLAY-1" => Usage::National,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_measured() {
        for (picture, expected) in [
            ("X(10)", (10, 0)),
            ("S9(5)V99", (7, 7)),
            ("9", (1, 1)),
            ("ZZ9.99", (6, 3)),
            ("9(2)V9(3)", (5, 5)),
        ] {
            assert_eq!(measure(picture), expected, "{picture}");
        }
    }
}
