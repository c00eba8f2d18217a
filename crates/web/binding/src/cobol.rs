//! Items as a COBOL description, by the published rules for names and types.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use copybook::parse;
use diagnostics::{Diagnostic, Source, any_error};
use mapping::{Chosen, Form, Hint, Holds, Mapping, compile};

use crate::items::{Item, ItemKind, refused};
use crate::limits::{ALTERNATIVES_MAX, ITEMS_MAX, TEXT_MAX};
use crate::parameters::Parameters;

/// Characters of a name; with `-num` behind it, fewer.
const NAME_MAX: usize = 28;
const COUNTED_MAX: usize = 23;
/// Characters of an attribute's name between those that every attribute has.
const ATTRIBUTE_MAX: usize = 17;
/// Bytes of the name of a container.
const CONTAINER: usize = 16;
/// Digits of an integer of 2, 4 and 8 bytes.
const SHORT_DIGITS: usize = 4;
const INT_DIGITS: usize = 9;
const LONG_DIGITS: usize = 18;
/// The number of further digits that the greatest values have, if digits are all that is known.
const FURTHER_DIGITS: usize = 1;
/// The last column of a line of COBOL.
const COLUMN_MAX: usize = 72;
/// Bytes for moments that are text.
const MOMENT: usize = 32;

/// A description made for a program, and the mapping that fits it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The copybook.
    pub text: String,
    /// The mapping.
    pub mapping: Mapping,
}

/// Makes the description of a message for a program: `record` is the name of its level 01. `namespaces` are that of the
/// root and those of other elements.
///
/// # Errors
/// Items that have no place in a record.
pub fn generate(
    item: &Item,
    record: &str,
    (namespace, others): (&str, &[String]),
    qualified: bool,
    parameters: &Parameters,
) -> Result<Generated, Vec<Diagnostic>> {
    let mut writer = Writer {
        parameters,
        names: HashSet::new(),
        hints: BTreeMap::new(),
        text: String::new(),
        apart: String::new(),
        items: 0,
        problems: Vec::new(),
    };
    let ItemKind::Group(parts) = &item.kind else {
        return Err(vec![refused(&item.name, "a message of a single value", "give it elements or members")]);
    };
    let record = writer.name(record, NAME_MAX);
    writer.line(0, &record, "");
    writer.parts(parts, 1);
    if !writer.problems.is_empty() {
        return Err(writer.problems);
    }
    if writer.items > ITEMS_MAX {
        return Err(vec![refused(&item.name, "a message of too many items", "describe a part of it")]);
    }
    let text = writer.text + &writer.apart;
    let parsed = parse(&Source::new(format!("{record}.cpy"), text.clone()));
    if any_error(&parsed.messages) {
        return Err(parsed.messages);
    }
    let mut options = parameters.options(namespace);
    (options.qualified, options.hints) = (qualified, writer.hints);
    options.others = others.to_vec();
    let mut layouts = parsed.layouts.into_iter();
    let Some(layout) = layouts.next() else {
        return Err(vec![refused(&item.name, "a message without a record", "give it elements or members")]);
    };
    options.apart = layouts.collect();
    let mapping = compile(&layout, &item.name, &options)?;
    Ok(Generated { text, mapping })
}

/// Returns the source of a generated description, for a caller that parses it again.
pub fn source(generated: &Generated, name: &str) -> Arc<Source> {
    Source::new(name, generated.text.clone())
}

struct Writer<'a> {
    parameters: &'a Parameters,
    /// All names in the record: hints find fields by them.
    names: HashSet<String>,
    hints: BTreeMap<String, Hint>,
    text: String,
    /// Records of occurrences that stand in containers.
    apart: String,
    items: usize,
    problems: Vec<Diagnostic>,
}

/// The properties of an item that the items around it decide.
#[derive(Default)]
struct Around {
    /// It is one of items that exclude each other.
    choice: Option<Chosen>,
}

impl Writer<'_> {
    /// The items of a group, or its one byte that is unused.
    fn parts(&mut self, parts: &[Item], depth: usize) {
        if parts.is_empty() {
            self.line(depth, "FILLER", "PIC X");
        }
        for part in parts {
            self.items += 1;
            if self.items > ITEMS_MAX {
                return;
            }
            match &part.kind {
                ItemKind::Choice(alternatives) => self.choice(part, alternatives, depth),
                _ => self.item(part, depth, Around::default()),
            }
        }
    }

    /// Items that exclude each other: a byte says which is there, and all of them stand behind it.
    fn choice(&mut self, item: &Item, alternatives: &[Vec<Item>], depth: usize) {
        if alternatives.len() > ALTERNATIVES_MAX {
            let problem = format!("a choice of more than {ALTERNATIVES_MAX} elements");
            self.problems.push(refused(&item.name, &problem, "describe a part of it"));
            return;
        }
        let base = self.shortened(&item.name, COUNTED_MAX);
        let mark = self.mark(&base, "enum", depth);
        let may_be_none = item.min == 0 || alternatives.iter().any(Vec::is_empty);
        let filled: Vec<_> = alternatives.iter().filter(|parts| !parts.is_empty()).collect();
        for (at, parts) in filled.iter().enumerate() {
            for (place, part) in parts.iter().enumerate() {
                let is_last = at + 1 == filled.len() && place + 1 == parts.len();
                let value = u8::try_from(at + 1).unwrap_or(u8::MAX);
                self.items += 1;
                let choice = Chosen { field: mark.clone(), value, is_required: !may_be_none, is_last };
                self.item(part, depth, Around { choice: Some(choice) });
            }
        }
    }

    /// A byte that says something of a field: X'00' in a record if the message does not say it.
    fn mark(&mut self, base: &str, what: &str, depth: usize) -> String {
        let mark = self.name(&format!("{base}-{what}"), NAME_MAX + 2);
        self.line(depth, &mark, "PIC X");
        self.hints.insert(mark.clone(), Hint { holds: Holds::Mark, ..Hint::default() });
        mark
    }

    fn item(&mut self, item: &Item, depth: usize, around: Around) {
        let mut hint = Hint {
            name: Some(item.name.clone()),
            is_array: item.is_array,
            form: item.form,
            namespace: item.namespace,
            is_free: item.is_free,
            choice: around.choice,
            ..Hint::default()
        };
        match item.kind {
            ItemKind::Any => return self.any(item, depth, hint),
            _ if item.form == Form::Attribute => return self.attribute(item, depth, hint),
            _ => {}
        }
        let is_counted = (item.min, item.max) != (1, Some(1));
        let room = self.parameters.occurs_max;
        // What has no element of its own cannot be told from what follows it in a container.
        let is_unwrapped = item.form == Form::Unwrapped;
        if self.parameters.channel && !is_unwrapped && item.max.is_none_or(|max| max > room) {
            return self.apart(item, depth, hint);
        }
        let name = self.name(&item.name, if is_counted || item.is_nillable { COUNTED_MAX } else { NAME_MAX });
        let mut occurs = String::new();
        if is_counted {
            let max = item.max.unwrap_or(room).min(room).max(item.min);
            let counter = self.name(&format!("{name}-num"), NAME_MAX + 2);
            self.line(depth, &counter, "PIC S9(9) COMP-5");
            (hint.counter, hint.min) = (Some(counter), item.min);
            if max != 1 {
                occurs = format!(" OCCURS {max}");
            }
        }
        // What may be nil says so beside it; in a table, in its occurrence.
        let is_within = item.is_nillable && !occurs.is_empty();
        if item.is_nillable && !is_within {
            hint.nil = Some(self.mark(&name, "nil", depth));
        }
        match &item.kind {
            ItemKind::Group(parts) => {
                self.line(depth, &name, occurs.trim_start());
                if is_within {
                    hint.nil = Some(self.mark(&name, "nil", depth + 1));
                }
                self.parts(parts, depth + 1);
            }
            kind if is_within => {
                self.line(depth, &name, occurs.trim_start());
                hint.nil = Some(self.mark(&name, "nil", depth + 1));
                let value = Item { form: Form::Content, ..Item::new("value", kind.clone()) };
                self.content(&name, &value, depth + 1);
            }
            kind => {
                let (picture, holds) = self.picture(kind);
                hint.holds = holds;
                if item.form == Form::Content {
                    // It is no element, and its name is that of nothing in the message.
                    hint.name = Some("$".to_owned());
                }
                self.line(depth, &name, &(picture + &occurs));
            }
        }
        self.hints.insert(name, hint);
    }

    /// The text of an element that has more than its text.
    fn content(&mut self, of: &str, item: &Item, depth: usize) {
        let named = Item { name: format!("{of}-value"), ..item.clone() };
        self.item(&named, depth, Around::default());
    }

    /// An attribute: its value, and a byte that says that it is there, if it may be missing.
    fn attribute(&mut self, item: &Item, depth: usize, mut hint: Hint) {
        let base = self.shortened(&item.name, ATTRIBUTE_MAX);
        if item.min == 0 {
            hint.exists = Some(self.mark(&format!("attr-{base}"), "exist", depth));
        }
        let (picture, holds) = self.picture(&item.kind);
        hint.holds = holds;
        let name = self.name(&format!("attr-{base}-value"), NAME_MAX + 2);
        self.line(depth, &name, &picture);
        self.hints.insert(name, hint);
    }

    /// Elements of any name: a container has them as they are written.
    fn any(&mut self, item: &Item, depth: usize, mut hint: Hint) {
        if !self.parameters.channel {
            let problem = "elements of any name stand in a container";
            self.problems.push(refused(&item.name, problem, "use PGMINT=CHANNEL"));
            return;
        }
        let base = self.shortened(&item.name, COUNTED_MAX - "-xml".len());
        let name = self.name(&format!("{base}-xml-cont"), NAME_MAX + 2);
        self.line(depth, &name, &format!("PIC X({CONTAINER})"));
        (hint.holds, hint.min, hint.name) = (Holds::Raw, item.min, Some(String::new()));
        self.hints.insert(name, hint);
    }

    /// Occurrences in a container: how many there are, its name, and a record of their own.
    fn apart(&mut self, item: &Item, depth: usize, mut hint: Hint) {
        let name = self.name(&item.name, COUNTED_MAX);
        let counter = self.name(&format!("{name}-num"), NAME_MAX + 2);
        let container = self.name(&format!("{name}-cont"), NAME_MAX + 2);
        self.line(depth, &counter, "PIC S9(9) COMP-5");
        self.line(depth, &container, &format!("PIC X({CONTAINER})"));
        // The record's own lines go behind those of all that was begun before.
        let outer = std::mem::take(&mut self.text);
        self.line(0, &name, "");
        let is_scalar = match &item.kind {
            ItemKind::Group(parts) => {
                self.parts(parts, 1);
                false
            }
            kind => {
                let value = Item::new(format!("{name}-value"), kind.clone());
                self.item(&value, 1, Around::default());
                true
            }
        };
        let record = std::mem::replace(&mut self.text, outer);
        self.apart = record + &self.apart;
        (hint.counter, hint.min, hint.is_array) = (Some(counter), item.min, true);
        hint.apart = Some((name, is_scalar));
        self.hints.insert(container, hint);
    }

    /// A name that leaves room for what stands round it, without being taken by anything.
    fn shortened(&self, name: &str, most: usize) -> String {
        let plain: Vec<char> =
            name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
        let kept = if self.parameters.cuts_left {
            &plain[plain.len().saturating_sub(most)..]
        } else {
            &plain[..plain.len().min(most)]
        };
        kept.iter().collect::<String>().trim_matches('-').to_owned()
    }

    fn picture(&self, kind: &ItemKind) -> (String, Holds) {
        let room = |length: &Option<usize>| length.unwrap_or(self.parameters.text_max).clamp(1, TEXT_MAX);
        let text = |picture: String| (picture, Holds::Text);
        match kind {
            ItemKind::Group(_) | ItemKind::Choice(_) | ItemKind::Any => text(String::new()),
            ItemKind::Text(length) => text(format!("PIC X({})", room(length))),
            ItemKind::Bytes(length) => (format!("PIC X({})", room(length)), Holds::Bytes),
            ItemKind::Flag => ("PIC X".to_owned(), Holds::Flag),
            ItemKind::Integer { bytes, signed } => {
                let digits = match bytes {
                    0..=2 => SHORT_DIGITS,
                    3..=4 => INT_DIGITS,
                    _ => LONG_DIGITS,
                };
                if self.parameters.integers_as_digits {
                    let digits = (digits + FURTHER_DIGITS).min(LONG_DIGITS);
                    return text(format!("PIC {}9({digits})", if *signed { "S" } else { "" }));
                }
                text(format!("PIC {}9({digits}) COMP-5", if *signed { "S" } else { "" }))
            }
            ItemKind::Decimal { digits, scale, signed } => {
                let whole = digits.saturating_sub(*scale);
                let sign = if *signed { "S" } else { "" };
                let whole = if whole > 0 { format!("9({whole})") } else { String::new() };
                let part = if *scale > 0 { format!("V9({scale})") } else { String::new() };
                text(format!("PIC {sign}{whole}{part} COMP-3"))
            }
            ItemKind::Float(4) => text("COMP-1".to_owned()),
            ItemKind::Float(_) => text("COMP-2".to_owned()),
            ItemKind::Moment if self.parameters.moments => text("PIC S9(15) COMP-3".to_owned()),
            ItemKind::Moment => text(format!("PIC X({MOMENT})")),
        }
    }

    /// One entry; what does not fit on its line stands on the next.
    fn line(&mut self, depth: usize, name: &str, clauses: &str) {
        let level = if depth == 0 { 1 } else { (depth * 2 + 3).min(49) };
        let begin = format!("{}{level:02}  {name}", " ".repeat(7 + (depth * 2).min(20)));
        let joined = if clauses.is_empty() { format!("{begin}.") } else { format!("{begin} {clauses}.") };
        if joined.len() <= COLUMN_MAX {
            self.text += &joined;
        } else {
            self.text += &format!("{begin}\n{}{clauses}.", " ".repeat(30));
        }
        self.text.push('\n');
    }

    /// A COBOL name that is no other's: bad characters become X, reserved words get one before them.
    fn name(&mut self, name: &str, most: usize) -> String {
        let mut word: String = name
            .chars()
            .map(|character| match character {
                _ if character.is_ascii_alphanumeric() => character,
                '-' | '_' => '-',
                _ => 'X',
            })
            .collect();
        if word.starts_with('-') || !word.contains(|character: char| character.is_ascii_alphabetic()) {
            word.insert(0, 'X');
        }
        if is_reserved(&word) {
            word.insert(0, 'X');
        }
        if self.parameters.cuts_left && word.len() > most {
            word.drain(..word.len() - most);
        }
        word.truncate(most);
        let mut word = word.trim_matches('-').to_ascii_uppercase();
        if !word.contains(|character: char| character.is_ascii_alphabetic()) {
            word.insert(0, 'X');
        }
        let mut unique = word.clone();
        let mut number = 0;
        while !self.names.insert(unique.clone()) {
            number += 1;
            let mut end = number.to_string();
            end.insert(0, '-');
            let keep = most.saturating_sub(end.len()).min(word.len());
            unique = word[..keep].trim_end_matches('-').to_owned() + &end;
        }
        unique
    }
}

/// Words of the language, one a line.
const RESERVED: &str = include_str!("reserved.txt");

fn is_reserved(word: &str) -> bool {
    RESERVED.lines().any(|reserved| reserved.eq_ignore_ascii_case(word))
}
