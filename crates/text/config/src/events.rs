//! `[[event]]`: what SIGNAL EVENT captures, and where it goes.

use diagnostics::Diagnostic;

use crate::reader::Table;
use crate::{Located, at, codes};

/// Longest name of an event.
const EVENT_NAME_MAX: usize = 32;

/// `[[event]]`: a capture specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventConfig {
    /// The name of the events that are wanted; with `*` at its end, how their names begin.
    pub name: String,
    /// The file in the folder of events within the state: a line of JSON for each.
    pub file: String,
    /// True if an event is emitted when its unit of work commits; else at once.
    pub transactional: bool,
    /// The copybook of what FROM has; without one it is text.
    pub copybook: Option<Located<String>>,
    /// Copybooks of containers, by name; others are text.
    pub containers: Vec<(Located<String>, Located<String>)>,
}

impl EventConfig {
    pub(crate) fn read(table: Table<'_>) -> Option<Self> {
        let name = table.required_string("name", "ORDER.*").and_then(|name| event_name(&table, name));
        let file = table.required_string("file", "orders.jsonl").and_then(|file| file_name(&table, file));
        let transactional = table.boolean("transactional").unwrap_or(true);
        let copybook = table.string("copybook");
        let containers = table.table("containers").map(|named| named.string_entries()).unwrap_or_default();
        table.finish();
        Some(Self { name: name?, file: file?, transactional, copybook, containers })
    }
}

/// A name that SIGNAL EVENT can give, or the beginning of one.
fn event_name(table: &Table<'_>, name: Located<String>) -> Option<String> {
    let fits = !name.value.is_empty()
        && name.value.len() <= EVENT_NAME_MAX
        && name.value.bytes().all(|b| b.is_ascii_graphic());
    if fits {
        return Some(name.value);
    }
    let text = format!("'{}' is no name of events", name.value);
    let help =
        format!("up to {EVENT_NAME_MAX} characters without blanks; a * at the end stands for any others");
    table.report(at(Diagnostic::error(codes::VALUE, text).help(help), &name));
    None
}

/// A file within the folder of events, not elsewhere.
fn file_name(table: &Table<'_>, file: Located<String>) -> Option<String> {
    if !file.value.is_empty() && !file.value.contains('/') && !file.value.starts_with('.') {
        return Some(file.value);
    }
    let text = format!("'{}' is no file of the folder of events", file.value);
    let help = "a name without '/': files of events lie in the folder 'events' of the region's state";
    table.report(at(Diagnostic::error(codes::VALUE, text).help(help), &file));
    None
}
