//! CEMT's answer as lines of text: for a command that comes without a terminal.

use super::Session;
use super::entry::{Cell, ShownEntry, full_cells, full_heading, list_cells, list_heading};
use super::screen::DONE;
use super::shown::Shown;
use crate::outside::Operated;
use ebcdic::Characters;
use kernel::registry::Manager;

/// A line for each resource, or everything of the only one; then the mistakes of the command.
pub(super) fn all(session: &Session, by: &Manager) -> Operated {
    let mut text = String::new();
    let entries = session.entries(by);
    let is_noted = |entry: &ShownEntry| session.notes.iter().any(|(name, _)| *name == entry.name);
    let (gone, there): (Vec<&ShownEntry>, Vec<&ShownEntry>) =
        entries.iter().partition(|entry| entry.values.is_none() && is_noted(entry));
    if let Some(kind) = session.selection.as_ref().map(|selection| selection.kind) {
        match there.as_slice() {
            [one] if gone.is_empty() => text += &full(kind, one),
            several => several.iter().for_each(|entry| text += &listed(kind, entry)),
        }
    }
    for (name, note) in &session.notes {
        text += &format!("{}: {note}\n", Characters::default().text(name).trim_end());
    }
    if let Some(told) = &session.told {
        text += &format!("{told}\n");
    } else if session.selection.is_none() && !session.choices.is_empty() {
        text += &format!("one of: {}\n", session.choices.join(", "));
    }
    session.mistakes.iter().for_each(|mistake| text += &format!("{mistake}\n"));
    let absent = there.iter().filter(|entry| entry.values.is_none()).count();
    let failed = session.notes.iter().filter(|(_, note)| note != DONE).count();
    let incomplete = usize::from(!session.choices.is_empty() && session.mistakes.is_empty());
    Operated { text, errors: absent + failed + session.mistakes.len() + incomplete }
}

fn listed(kind: &'static Shown, entry: &ShownEntry) -> String {
    let cells: Vec<String> = list_cells(kind, entry).iter().map(shown).collect();
    let absent = if entry.values.is_none() { " NOT FOUND" } else { "" };
    format!("{} {}{absent}\n", list_heading(kind, &entry.name), cells.join(" "))
}

fn full(kind: &'static Shown, entry: &ShownEntry) -> String {
    if entry.values.is_none() {
        return listed(kind, entry);
    }
    let cells: String = full_cells(kind, entry).iter().map(|cell| format!("  {}\n", shown(cell))).collect();
    format!("{}\n{cells}", full_heading(kind, &entry.name))
}

fn shown(cell: &Cell) -> String {
    format!("{}{}{}", cell.before, cell.value, cell.after)
}
