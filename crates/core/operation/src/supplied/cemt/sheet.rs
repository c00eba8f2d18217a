//! The rows of CEMT's screen between its head and its foot: choices, a list of resources, or all of one.

use super::entry::{Cell, ShownEntry, full_cells, full_heading, list_cells, list_heading};
use super::shown::Shown;
use super::view::{Spot, View};
use crate::supplied::frame::{FIRST_ROW, Frame};
use crate::supplied::panel::Panel;

/// The column at which the attributes of a resource go on in a further row.
const INDENT: u16 = 7;

/// The rows of resources.
pub(super) struct Sheet {
    /// The screen.
    pub panel: Panel,
    /// Its places.
    pub frame: Frame,
    /// Its fields.
    pub spots: Vec<Spot>,
    /// Rows written, those above the screen included.
    pub row: usize,
    /// Rows that lie above the screen.
    pub above: usize,
}

impl Sheet {
    /// The next row: its number on the screen, if it is there.
    fn next_row(&mut self) -> Option<u16> {
        let at = self.row.checked_sub(self.above).filter(|at| *at < self.frame.rows());
        self.row += 1;
        at.map(|at| FIRST_ROW + at as u16)
    }

    /// Words that may come next.
    pub(super) fn choices(&mut self, choices: &[&str]) {
        for choice in choices {
            if let Some(row) = self.next_row() {
                self.panel.text((row, 4), choice);
            }
        }
    }

    /// One resource with some attributes; as many rows as they need.
    pub(super) fn listed(&mut self, kind: &'static Shown, entry: &ShownEntry, view: &View<'_>) {
        let mut row = self.next_row();
        if let Some(row) = row {
            let place = (row, 2);
            self.panel.entry(place, 1, "");
            self.spots.push(Spot { place, name: entry.name.clone(), attribute: None });
        }
        let mut column = self.word(row, 4, &list_heading(kind, &entry.name));
        for cell in list_cells(kind, entry) {
            let width = (cell.before.len() + cell.value.len() + cell.after.len()) as u16;
            if column + width > self.frame.right() {
                row = self.next_row();
                column = INDENT;
            }
            column = match cell.room.filter(|_| view.may_change) {
                Some(room) => self.overtyped(row, column, entry, &cell, room),
                None => self.word(row, column, &format!("{}{}{}", cell.before, cell.value, cell.after)),
            };
        }
        if let Some(note) = view.note(entry) {
            if column + note.len() as u16 > self.frame.right() {
                row = self.next_row();
                column = INDENT;
            }
            if let Some(row) = row {
                self.panel.bright((row, column), note);
            }
        }
    }

    /// Puts a text; returns the column where the next one may begin.
    fn word(&mut self, row: Option<u16>, column: u16, text: &str) -> u16 {
        if let Some(row) = row {
            self.panel.text((row, column), text);
        }
        column + text.len() as u16 + 1
    }

    /// Puts a value that may be overtyped; returns the column where the next may begin.
    fn overtyped(
        &mut self,
        row: Option<u16>,
        column: u16,
        entry: &ShownEntry,
        cell: &Cell,
        room: usize,
    ) -> u16 {
        if let Some(row) = row {
            let place = (row, column);
            self.panel.entry(place, room, &cell.value);
            let attribute = Some((cell.option, cell.value.clone()));
            self.spots.push(Spot { place, name: entry.name.clone(), attribute });
        }
        column + room as u16 + 1
    }

    /// One resource with all its attributes, each on a row.
    pub(super) fn full(&mut self, kind: &'static Shown, entry: &ShownEntry, may_change: bool) {
        let row = self.next_row();
        self.word(row, 4, &full_heading(kind, &entry.name));
        for cell in full_cells(kind, entry) {
            let row = self.next_row();
            match cell.room.filter(|_| may_change) {
                None => {
                    self.word(row, 6, &format!("{}{}{}", cell.before, cell.value, cell.after));
                }
                Some(room) => {
                    let column = self.word(row, 6, &cell.before);
                    let column = self.overtyped(row, column, entry, &cell, room);
                    self.word(row, column, cell.after);
                }
            }
        }
    }
}
