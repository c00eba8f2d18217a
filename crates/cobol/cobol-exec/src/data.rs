//! The data items of a program: as much of their descriptions as decides what their bytes are.

use crate::token::{Kind, Token, is_level};

/// Storage forms of an item's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Usage {
    /// Characters and digits.
    #[default]
    Display,
    /// Anything else.
    Other,
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
    pub(crate) redefines: Option<String>,
    /// The group that it belongs to; of a condition-name, the item whose value it names.
    pub(crate) parent: Option<usize>,
    pub(crate) is_group: bool,
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

    /// Storage form of an item, by its own USAGE or that of a group above it.
    pub(crate) fn usage(&self, item: usize) -> Usage {
        let usage = self.above(item).find_map(|at| self.list[at].usage).unwrap_or_default();
        let national = self.list[item].picture.as_deref().is_some_and(|p| p.starts_with(['N', 'G']));
        if national { Usage::Other } else { usage }
    }

    /// The item and the groups above it.
    pub(crate) fn above(&self, item: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(item), |at| self.list[*at].parent)
    }

    /// Returns true if an item holds characters and nothing describes the same bytes as a number in binary.
    pub(crate) fn is_text(&self, item: usize) -> bool {
        let item =
            if self.list[item].level == CONDITION { self.list[item].parent.unwrap_or(item) } else { item };
        self.usage(item) == Usage::Display && !self.above(item).any(|at| self.is_overlaid(at))
    }

    /// Returns true if an item redefines, or is redefined by, one that is no text.
    fn is_overlaid(&self, item: usize) -> bool {
        let own = &self.list[item];
        let redefined = own.redefines.as_deref().and_then(|name| self.named(name));
        let redefining = self.list.iter().enumerate().filter(|(_, other)| {
            other.redefines.is_some() && other.redefines.as_deref() == own.name.as_deref()
        });
        redefined.into_iter().chain(redefining.map(|(at, _)| at)).any(|at| self.holds_binary(at))
    }

    /// The items directly below one.
    fn parts(&self, group: usize) -> impl Iterator<Item = usize> {
        let parts = self.list.iter().enumerate().skip(group + 1);
        parts.filter(move |(_, item)| item.parent == Some(group) && item.level != CONDITION).map(|(at, _)| at)
    }

    fn holds_binary(&self, item: usize) -> bool {
        match self.list[item].is_group {
            true => self.parts(item).any(|part| self.holds_binary(part)),
            false => self.usage(item) != Usage::Display,
        }
    }
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
        } else if token.is_any(&["VALUE", "VALUES"]) {
            break;
        } else if let Some(usage) = usage(token) {
            item.usage = Some(usage);
        }
        at += 1;
    }
    // Clauses may stand behind the values, which are literals and constants.
    for token in &tokens[at.min(end)..end] {
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
    match &*token.upper() {
        "DISPLAY" => Some(Usage::Display),
        "COMP" | "COMP-1" | "COMP-2" | "COMP-3" | "COMP-4" | "COMP-5" | "BINARY" | "PACKED-DECIMAL"
        | "COMPUTATIONAL" | "COMPUTATIONAL-1" | "COMPUTATIONAL-2" | "COMPUTATIONAL-3" | "COMPUTATIONAL-4"
        | "COMPUTATIONAL-5" | "POINTER" | "PROCEDURE-POINTER" | "FUNCTION-POINTER" | "INDEX" | "NATIONAL"
        | "DISPLAY-1" => Some(Usage::Other),
        _ => None,
    }
}
