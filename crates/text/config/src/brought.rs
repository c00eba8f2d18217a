//! Sections that domains bring: read by their records.

use keys::{Given, Key, Kind, Sections};

use crate::Located;
use crate::names::{LONG_NAME, resource_name};
use crate::reader::Table;

/// All of them, with defaults where the file has nothing.
pub(crate) fn read(root: &Table<'_>) -> Sections {
    Sections::read(|section| {
        let Some(table) = root.table(section.name) else { return Vec::new() };
        let given = section.keys.iter().map(|key| value(&table, key)).collect();
        table.finish();
        given
    })
}

/// The value of a key; `None` if it is absent, or wrong.
fn value(table: &Table<'_>, key: &'static Key) -> Option<Given> {
    match key.kind {
        Kind::Number { least, most, .. } => table.number(key.name, least..=most).map(Given::Number),
        Kind::Flag { .. } => table.boolean(key.name).map(Given::Flag),
        Kind::Choice { words, .. } => {
            let choices: Vec<_> = words.iter().enumerate().map(|(place, word)| (*word, place)).collect();
            table.choice(key.name, &choices).map(Given::Choice)
        }
        Kind::Names { resource, .. } => {
            let name = |name: Located<String>| match resource {
                Some(what) => resource_name(table, what, &name, LONG_NAME),
                None => name.value.to_ascii_uppercase(),
            };
            Some(Given::Names(table.strings(key.name)?.into_iter().map(name).collect()))
        }
    }
}
