//! Resources as CEMT shows them: attributes with labels, some of which may be overtyped.

use ebcdic::Characters;
use spec::{OptionId, opt};

use super::command::{Selection, Word};
use super::shown::Shown;
use kernel::exec::value::Value;
use kernel::recovery::UnitId;
use kernel::registry::{Manager, Table, Takes};

/// The options that a list shows only of a task that waits.
const OF_WAITS: [OptionId; 3] = [opt::SUSPENDTYPE, opt::SUSPENDVALUE, opt::OWNER];
/// Letters of labels and values in a list.
const LIST_LETTERS: usize = 3;

/// A resource and its values; `None` if no resource has that name.
pub(super) struct ShownEntry {
    /// Its name, as the table has it.
    pub name: Vec<u8>,
    /// Its values.
    pub values: Option<Vec<(OptionId, Value)>>,
}

impl ShownEntry {
    /// Returns true if its name is a pattern, or a shorter form, of this one.
    pub(super) fn stands_for(&self, name: &[u8]) -> bool {
        fits(&text(name), &text(&self.name))
    }
}

/// One attribute on the screen.
pub(super) struct Cell {
    /// The attribute.
    pub option: OptionId,
    /// The text before the value.
    pub before: String,
    /// The value.
    pub value: String,
    /// The text after the value.
    pub after: &'static str,
    /// Columns for another value, if it may be overtyped.
    pub room: Option<usize>,
}

/// The resources that are meant, by name; a name or pattern without a match gets an entry of its own.
pub(super) fn select(by: &Manager, selection: &Selection) -> Vec<ShownEntry> {
    let table = selection.kind.table();
    let wanted = |name: &[u8]| {
        let is_meant = selection.names.is_empty() || selection.names.iter().any(|n| fits(&text(name), n));
        is_meant && by.sees(selection.kind.kind.inquire, name)
    };
    let all = table.tell_all(by, &wanted).into_iter();
    let fit = all.filter(|(_, values)| selection.conditions.iter().all(|one| holds(values, one)));
    let mut entries: Vec<_> = fit.map(|(name, values)| ShownEntry { name, values: Some(values) }).collect();
    let all = [String::from("*")];
    let asked = if selection.names.is_empty() { &all } else { &selection.names[..] };
    for name in asked {
        if !entries.iter().any(|entry| fits(&text(&entry.name), name)) {
            entries.push(ShownEntry { name: name.clone().into_bytes(), values: None });
        }
    }
    entries
}

fn text(bytes: &[u8]) -> String {
    Characters::default().text(bytes).trim_end().to_owned()
}

/// Returns true if a name fits a pattern: `*` is any characters, `+` any one. Numbers fit with or without leading
/// zeros.
pub(super) fn fits(name: &str, pattern: &str) -> bool {
    let number = |text: &str| text.parse::<u32>().ok();
    let same_number = number(pattern).is_some() && number(name) == number(pattern);
    same_number || generic(name.as_bytes(), pattern.as_bytes())
}

/// Goes back to the last asterisk only, so that no pattern takes longer than name times pattern.
fn generic(name: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut p) = (0, 0);
    let mut asterisk = None;
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

fn holds(values: &[(OptionId, Value)], condition: &Word) -> bool {
    values.iter().any(|(option, value)| match (&condition.argument, value) {
        (Some(pattern), value) => {
            option.name().starts_with(&condition.word)
                && fits(&told(*option, value), &pattern.to_ascii_uppercase())
        }
        (None, Value::Cvda(name)) => name.starts_with(&condition.word),
        (None, _) => false,
    })
}

/// A value as it is.
fn plain(value: &Value) -> String {
    match value {
        Value::Text(bytes) => text(bytes),
        Value::Number(number) => number.to_string(),
        Value::Cvda(name) => (*name).to_owned(),
        Value::Flag(yes) => String::from(if *yes { "YES" } else { "NO" }),
    }
}

/// A value as an operator reads it.
fn told(option: OptionId, value: &Value) -> String {
    match value {
        // The name of a unit of work is no text.
        Value::Text(bytes) if option == opt::UOW && bytes.len() == UnitId::LENGTH => {
            UnitId::of_name(bytes).to_string()
        }
        value => plain(value),
    }
}

/// First letter large, the rest small.
fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1.min(word.len()));
    format!("{first}{}", rest.to_ascii_lowercase())
}

/// The label of an attribute in a list: its first letters, unless that would be another one's.
fn option_label(word: &str) -> String {
    match word {
        "TRANCLASS" => String::from("Tcl"),
        "SUSPENDTYPE" => String::from("Hty"),
        "SUSPENDVALUE" => String::from("Hva"),
        "OWNER" => String::from("Hol"),
        _ => label(word),
    }
}

/// The label of a value in a list: its first letters.
fn label(word: &str) -> String {
    match word {
        // A kind of access that a file does not allow is a gap.
        "NOTREADABLE" | "NOTUPDATABLE" | "NOTADDABLE" | "NOTBROWSABLE" | "NOTDELETABLE" => {
            " ".repeat(LIST_LETTERS)
        }
        _ => capitalised(&word[..LIST_LETTERS.min(word.len())]),
    }
}

/// A resource's name in a list, padded as it is published; nothing where there is only one.
pub(super) fn list_heading(kind: &Shown, name: &[u8]) -> String {
    match name {
        [] => kind.label.to_owned(),
        name => format!("{}({})", kind.label, Characters::default().text(name)),
    }
}

/// A resource's name above its attributes.
pub(super) fn full_heading(kind: &Shown, name: &[u8]) -> String {
    let word = capitalised(kind.table().name().name());
    match name {
        [] => word,
        name => format!("{word}({})", text(name)),
    }
}

/// The cells of a resource in a list: labels of three letters, values of CVDAs without one.
pub(super) fn list_cells(kind: &Shown, entry: &ShownEntry) -> Vec<Cell> {
    let values = entry.values.iter().flatten();
    let mut cells = Vec::new();
    for wanted in kind.list {
        let Some((option, value)) = values.clone().find(|(option, _)| option == wanted) else { continue };
        if OF_WAITS.contains(option) && plain(value).is_empty() {
            continue;
        }
        cells.push(match value {
            Value::Cvda(name) => Cell {
                option: *option,
                before: String::new(),
                value: label(name),
                after: "",
                room: takes(kind.table(), *option).map(|_| LIST_LETTERS),
            },
            value => {
                let label = option_label(option.name());
                Cell {
                    option: *option,
                    before: format!("{label}("),
                    value: told(*option, value),
                    after: ")",
                    room: None,
                }
            }
        });
    }
    cells
}

/// The cells of all values of a resource, an attribute a line.
pub(super) fn full_cells(kind: &Shown, entry: &ShownEntry) -> Vec<Cell> {
    let values = entry.values.iter().flatten();
    values
        .map(|(option, value)| {
            let value = match value {
                Value::Cvda(name) => capitalised(name),
                value => told(*option, value),
            };
            let room = takes(kind.table(), *option).map(|takes| room_for(takes, &value));
            Cell {
                option: *option,
                before: format!("{}(", capitalised(option.name())),
                value,
                after: ")",
                room,
            }
        })
        .collect()
}

/// The values by which an attribute may be overtyped. Names of data sets are long and dangerous: SET changes them.
pub(super) fn takes(table: &dyn Table, option: OptionId) -> Option<&'static Takes> {
    let settings = table.settings().into_iter();
    settings.filter(|(o, _)| *o == option && *o != opt::DSNAME).map(|(_, takes)| takes).next()
}

fn room_for(takes: &Takes, value: &str) -> usize {
    const DIGITS: usize = 10;
    let most = match takes {
        Takes::OneOf(choices) => choices.iter().map(|(name, _)| name.len()).max().unwrap_or(0),
        Takes::Number(_) => DIGITS,
        Takes::Text => 0,
    };
    most.max(value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns() {
        let table = [
            ("ACCT01", "ACCT01", true),
            ("ACCT01", "ACCT*", true),
            ("ACCT01", "*01", true),
            ("ACCT01", "ACCT++", true),
            ("ACCT01", "ACCT+", false),
            ("ACCT01", "*X*", false),
            ("00025", "25", true),
            ("00025", "2", false),
            ("A", "", false),
        ];
        for (name, pattern, expected) in table {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        }
    }
}
