//! Constructs that the hosted compiler gets wrong without a word, and what a user is told of each.
//!
//! One row for each of them; what is mended loses its row.

use diagnostics::{Diagnostic, Severity};

use crate::data::{CONDITION, Items, Usage};
use crate::messages::Messages;
use crate::token::{Kind, Token, phrase};
use crate::unit::Unit;

/// A construct.
struct Construct {
    code: &'static str,
    severity: Severity,
    message: &'static str,
    help: &'static str,
}

const SLACK: Construct = Construct {
    code: "SPTR081",
    severity: Severity::Warning,
    message: "SYNCHRONIZED lays this out differently on z/OS",
    help: "leave out SYNCHRONIZED, or write the slack bytes as FILLER in front of the group",
};
const BEHIND_VARYING: Construct = Construct {
    code: "SPTR082",
    severity: Severity::Warning,
    message: "this stands behind a table of varying size, at a fixed place here",
    help: "put the table last in its record: on z/OS what stands behind it moves with its size",
};
const LONG_LITERAL: Construct = Construct {
    code: "SPTR083",
    severity: Severity::Warning,
    message: "a number of more than 18 digits is not calculated with exactly here",
    help: "MOVE it to an item, and calculate with that",
};
const NATIONAL: Construct = Construct {
    code: "SPTR084",
    severity: Severity::Warning,
    message: "national characters take one byte here, and hold no more than ISO 8859-1",
    help: "records with such fields cannot be exchanged; use PIC X where the text allows it",
};
const NATIONAL_FUNCTION: Construct = Construct {
    code: "SPTR085",
    severity: Severity::Error,
    message: "functions of national text are not built",
    help: "the text is ISO 8859-1 here: leave the conversion out",
};
const XML_GENERATE: Construct = Construct {
    code: "SPTR086",
    severity: Severity::Warning,
    message: "XML GENERATE adds to COUNT IN, and its exception phrases may not run",
    help: "set COUNT IN to zero before it, and look at XML-CODE behind it",
};
const NO_TREES: Construct = Construct {
    code: "SPTR087",
    severity: Severity::Error,
    message: "JSON GENERATE, JSON PARSE and XML PARSE are not built",
    help: "build or read the text with STRING, UNSTRING and INSPECT",
};

/// Tells of each such construct of one program.
pub(crate) fn check(tokens: &[Token], unit: &Unit, items: &Items, messages: &mut Messages) {
    let mut told = Told { messages };
    described(tokens, items, &mut told);
    let procedure = unit.procedure.unwrap_or(unit.tokens.end);
    for at in procedure..unit.tokens.end {
        let Some(construct) = stated(tokens, at) else { continue };
        told.add(construct, tokens[at].at);
    }
}

struct Told<'m> {
    messages: &'m mut Messages,
}

impl Told<'_> {
    fn add(&mut self, construct: &Construct, at: crate::origin::At) {
        let Construct { code, severity, message, help } = *construct;
        self.messages.add(at, Diagnostic::new(severity, code, message).help(help));
    }
}

/// The construct that begins at a word of the procedure division.
fn stated(tokens: &[Token], at: usize) -> Option<&'static Construct> {
    const NATIONAL_FUNCTIONS: [&str; 5] = ["NATIONAL-OF", "DISPLAY-OF", "HEX-OF", "ULENGTH", "USUBSTR"];
    let token = &tokens[at];
    let behind = |words: &[&str]| tokens.get(at + 1).is_some_and(|next| next.is_any(words));
    match () {
        () if token.kind == Kind::Literal => token.text.starts_with(['N', 'n']).then_some(&NATIONAL),
        () if phrase(tokens, at, &["XML", "GENERATE"]) => Some(&XML_GENERATE),
        () if phrase(tokens, at, &["XML", "PARSE"]) => Some(&NO_TREES),
        () if token.is("JSON") && behind(&["GENERATE", "PARSE"]) => Some(&NO_TREES),
        () if token.is("FUNCTION") && behind(&NATIONAL_FUNCTIONS) => Some(&NATIONAL_FUNCTION),
        () if is_too_long(token) && !tokens[at - 1].is("MOVE") => Some(&LONG_LITERAL),
        () => None,
    }
}

/// Whether a number's digits, its point aside, do not fit the 64 bits that arithmetic takes them in.
fn is_too_long(token: &Token) -> bool {
    token.is_number() && token.text.replace('.', "").parse::<u64>().is_err() && token.text.len() > 18
}

/// Constructs among the data descriptions.
fn described(tokens: &[Token], items: &Items, told: &mut Told<'_>) {
    for (at, item) in items.list.iter().enumerate() {
        if items.usage(at) == Usage::National && !item.is_group && item.level != CONDITION {
            told.add(&NATIONAL, items.place(tokens, at));
        }
        let is_record = item.level == 1 && item.is_group;
        if let Some(moved) = is_record.then(|| moves(items, at)).flatten() {
            told.add(&SLACK, items.place(tokens, moved));
        }
        if let Some(behind) = behind_varying(items, at) {
            told.add(&BEHIND_VARYING, items.place(tokens, behind));
        }
    }
}

/// The first item behind a table of varying size in the same record.
fn behind_varying(items: &Items, table: usize) -> Option<usize> {
    if !items.list[table].varies {
        return None;
    }
    items.above(table).find_map(|inner| {
        let group = items.list[inner].parent?;
        // A table that is repeated itself varies in each of its places.
        if items.list[group].occurs.is_some() {
            return Some(table);
        }
        items.parts(group).find(|part| *part > inner && items.list[*part].redefines.is_none())
    })
}

/// How slack bytes are put in.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// In front of the item itself, at a multiple of its length.
    Hosted,
    /// In front of the groups that begin with the item; numbers in binary at halfwords and words.
    Published,
}

/// The first item of a record that lies elsewhere, or has another length, by the published rule.
fn moves(items: &Items, record: usize) -> Option<usize> {
    let [hosted, published] = [Rule::Hosted, Rule::Published].map(|rule| {
        let mut layout = Layout { items, rule, places: Vec::new() };
        layout.place(record, 0, rule == Rule::Published && items.list[record].synchronized);
        layout.places.sort_unstable();
        layout.places
    });
    let both = || hosted.iter().zip(&published);
    let elsewhere = both().find(|(hosted, published)| hosted.1 != published.1);
    elsewhere.or_else(|| both().find(|(hosted, published)| hosted != published)).map(|(hosted, _)| hosted.0)
}

struct Layout<'i> {
    items: &'i Items,
    rule: Rule,
    /// Item, offset, length.
    places: Vec<(usize, usize, usize)>,
}

impl Layout<'_> {
    /// Places an item and its parts from an offset on; answers where it ends, and the greatest alignment in it. `all`:
    /// every item is synchronized, for the record says so.
    fn place(&mut self, item: usize, offset: usize, all: bool) -> (usize, usize) {
        let own = &self.items.list[item];
        let start = match self.rule {
            _ if !own.is_group => offset.next_multiple_of(self.alignment(item, all)),
            Rule::Published => offset.next_multiple_of(self.first_alignment(item, all)),
            Rule::Hosted => offset,
        };
        let (mut end, mut greatest) = (start, self.alignment(item, all));
        if own.is_group {
            for part in self.items.parts(item).collect::<Vec<_>>() {
                let redefined =
                    self.items.list[part].redefines.as_deref().and_then(|name| self.items.named(name));
                let at = redefined.and_then(|at| self.places.iter().find(|place| place.0 == at));
                let (part_end, align) = self.place(part, at.map_or(end, |place| place.1), all);
                (end, greatest) = (end.max(part_end), greatest.max(align));
            }
        } else {
            end = start.saturating_add(self.items.length(item));
        }
        let mut length = end - start;
        let times = own.occurs.unwrap_or(1);
        if times > 1 {
            length = length.next_multiple_of(greatest);
        }
        self.places.push((item, start, length));
        (start.saturating_add(length.saturating_mul(times)), greatest)
    }

    /// To what an item is aligned; 1 for a group.
    fn alignment(&self, item: usize, all: bool) -> usize {
        let own = &self.items.list[item];
        if own.is_group || !(own.synchronized || all) {
            return 1;
        }
        let length = self.items.length(item);
        match self.items.usage(item) {
            Usage::Binary if self.rule == Rule::Published => length.clamp(2, 4),
            Usage::Binary | Usage::Float(_) | Usage::Pointer | Usage::Index if length.is_power_of_two() => {
                length
            }
            _ => 1,
        }
    }

    /// To what the first elementary item of a group is aligned.
    fn first_alignment(&self, group: usize, all: bool) -> usize {
        let first = std::iter::successors(Some(group), |at| self.items.parts(*at).next()).last();
        first.map_or(1, |first| self.alignment(first, all))
    }
}
