//! Items as a COBOL description, by the published rules for names and types.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use copybook::parse;
use diagnostics::{Diagnostic, Source, any_error};
use mapping::{Hint, Holds, Mapping, compile};

use crate::items::{Item, ItemKind, refused};
use crate::limits::{ITEMS_MAX, TEXT_MAX};
use crate::parameters::Parameters;

/// Characters of a name; with `-num` behind it, fewer.
const NAME_MAX: usize = 28;
const COUNTED_MAX: usize = 23;
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

/// Makes the description of a message for a program: `record` is the name of its level 01.
///
/// # Errors
/// Items that have no place in a record.
pub fn generate(
    item: &Item,
    record: &str,
    namespace: &str,
    qualified: bool,
    parameters: &Parameters,
) -> Result<Generated, Vec<Diagnostic>> {
    let mut writer =
        Writer { parameters, names: HashSet::new(), hints: BTreeMap::new(), text: String::new(), items: 0 };
    let ItemKind::Group(parts) = &item.kind else {
        return Err(vec![refused(&item.name, "a message of a single value", "give it elements or members")]);
    };
    let record = writer.name(record, NAME_MAX);
    writer.line(0, &record, "");
    writer.group(parts, 1);
    if parts.is_empty() {
        writer.line(1, "FILLER", "PIC X");
    }
    if writer.items > ITEMS_MAX {
        return Err(vec![refused(&item.name, "a message of too many items", "describe a part of it")]);
    }
    let parsed = parse(&Source::new(format!("{record}.cpy"), writer.text.clone()));
    if any_error(&parsed.messages) {
        return Err(parsed.messages);
    }
    let mut options = parameters.options(namespace);
    (options.qualified, options.hints) = (qualified, writer.hints);
    options.moments = parameters.moments;
    let Some(layout) = parsed.layouts.first() else {
        return Err(vec![refused(&item.name, "a message without a record", "give it elements or members")]);
    };
    let mapping = compile(layout, &item.name, &options)?;
    Ok(Generated { text: writer.text, mapping })
}

/// The source of a generated description, for whoever wants to parse it again.
pub fn source(generated: &Generated, name: &str) -> Arc<Source> {
    Source::new(name, generated.text.clone())
}

struct Writer<'a> {
    parameters: &'a Parameters,
    /// All names in the record: hints find fields by them.
    names: HashSet<String>,
    hints: BTreeMap<String, Hint>,
    text: String,
    items: usize,
}

impl Writer<'_> {
    fn group(&mut self, parts: &[Item], depth: usize) {
        for part in parts {
            self.items += 1;
            if self.items > ITEMS_MAX {
                return;
            }
            self.item(part, depth);
        }
    }

    fn item(&mut self, item: &Item, depth: usize) {
        let is_counted = (item.min, item.max) != (1, Some(1));
        let name = self.name(&item.name, if is_counted { COUNTED_MAX } else { NAME_MAX });
        let mut hint = Hint { name: Some(item.name.clone()), is_array: item.is_array, ..Hint::default() };
        let mut occurs = String::new();
        if is_counted {
            let room = self.parameters.occurs_max;
            let max = item.max.unwrap_or(room).min(room).max(item.min);
            let counter = self.name(&format!("{name}-num"), NAME_MAX + 2);
            self.line(depth, &counter, "PIC S9(9) COMP-5");
            (hint.counter, hint.min) = (Some(counter), item.min);
            if max != 1 {
                occurs = format!(" OCCURS {max}");
            }
        }
        match &item.kind {
            ItemKind::Group(parts) => {
                self.line(depth, &name, occurs.trim_start());
                if parts.is_empty() {
                    self.line(depth + 1, "FILLER", "PIC X");
                }
                self.group(parts, depth + 1);
            }
            kind => {
                let (picture, holds) = self.picture(kind);
                hint.holds = holds;
                self.line(depth, &name, &(picture + &occurs));
            }
        }
        self.hints.insert(name, hint);
    }

    fn picture(&self, kind: &ItemKind) -> (String, Holds) {
        let room = |length: &Option<usize>| length.unwrap_or(self.parameters.text_max).clamp(1, TEXT_MAX);
        let text = |picture: String| (picture, Holds::Text);
        match kind {
            ItemKind::Group(_) => text(String::new()),
            ItemKind::Text(length) => text(format!("PIC X({})", room(length))),
            ItemKind::Bytes(length) => (format!("PIC X({})", room(length)), Holds::Bytes),
            ItemKind::Flag => ("PIC X".to_owned(), Holds::Flag),
            ItemKind::Integer { bytes, signed } => {
                let digits = match bytes {
                    0..=2 => 4,
                    3..=4 => 9,
                    _ => 18,
                };
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
        word.truncate(most);
        let word = word.trim_end_matches('-').to_ascii_uppercase();
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
