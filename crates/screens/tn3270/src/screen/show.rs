//! A screen as text.

use super::Screen;
use super::buffer::{Cell, ScreenField};
use crate::datastream::{Address, Visibility};

impl Screen {
    /// Its rows, each as wide as the screen; attributes and dark fields show as blanks.
    pub fn rows(&self) -> Vec<String> {
        let characters: Vec<char> = self.visible();
        characters.chunks(usize::from(self.size().columns)).map(|row| row.iter().collect()).collect()
    }

    /// All rows without trailing blanks, and without the empty rows at the end: for comparing and reading.
    pub fn text(&self) -> String {
        let rows = self.rows();
        let lines: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
        lines.join("\n").trim_end().to_string()
    }

    /// Returns true if a row contains the text.
    pub fn contains(&self, text: &str) -> bool {
        self.rows().iter().any(|row| row.contains(text))
    }

    /// A field's characters, blanks for nulls; dark ones too.
    pub fn field_text(&self, field: ScreenField) -> String {
        self.buffer.positions_of(field).map(|at| self.character(self.buffer.get(at))).collect()
    }

    /// The field that a row and a column lie in (both from 1).
    pub fn field_at(&self, row: u16, column: u16) -> Option<ScreenField> {
        self.buffer.field_at(Address::at(self.size(), row, column))
    }

    /// The position of a row and a column (both from 1).
    pub fn cell(&self, row: u16, column: u16) -> Cell {
        *self.buffer.get(Address::at(self.size(), row, column))
    }

    fn visible(&self) -> Vec<char> {
        // The first characters may belong to the last field.
        let last = self.buffer.cells().iter().rev().find_map(|cell| cell.field);
        let mut dark = last.is_some_and(|attribute| attribute.shown() == Visibility::Dark);
        let mut characters = Vec::with_capacity(self.buffer.cells().len());
        for cell in self.buffer.cells() {
            if let Some(attribute) = cell.field {
                dark = attribute.shown() == Visibility::Dark;
            }
            characters.push(if dark { ' ' } else { self.character(cell) });
        }
        characters
    }

    fn character(&self, cell: &Cell) -> char {
        match cell.field.is_some() || cell.character < 0x40 {
            true => ' ',
            false => self.code_page.shown(cell.character),
        }
    }
}
