//! A text with the place of each character.

use crate::package::Spot;

/// A text with the place of each character in the user's sources.
#[derive(Clone, Debug, Default)]
pub struct Letters {
    pub(crate) chars: Vec<char>,
    pub(crate) spots: Vec<Spot>,
}

impl Letters {
    /// A text that stands in one source as it is: a script, a statement that a program has made.
    pub fn plain(text: &str) -> Self {
        let mut letters = Self::default();
        letters.append(text, Spot { source: 0, line: 1, column: 1, width: 1 });
        letters
    }

    /// Adds a text as it is, whose first character stands at a place; the place behind its last.
    pub(crate) fn append(&mut self, text: &str, mut spot: Spot) -> Spot {
        for c in text.chars() {
            self.push(c, spot);
            if c == '\n' {
                spot = Spot { line: spot.line + 1, column: 1, ..spot };
            } else {
                spot.column = spot.column.saturating_add(1);
            }
        }
        spot
    }

    /// Adds a piece that stands at a place, behind a blank or, on a later line, behind the end of the line before.
    pub fn add(&mut self, piece: &str, spot: Spot, glued: bool) {
        let last = self.spots.last().copied();
        if let Some(last) = last {
            let same_line = (last.source, last.line) == (spot.source, spot.line);
            match same_line {
                false => self.push('\n', last),
                true if !glued => self.push(' ', last),
                true => {}
            }
        }
        for (c, column) in piece.chars().zip(spot.column..) {
            self.push(c, Spot { column, width: 1, ..spot });
        }
    }

    fn push(&mut self, c: char, spot: Spot) {
        self.chars.push(c);
        self.spots.push(spot);
    }

    pub(crate) fn at(&self, at: usize) -> Option<char> {
        self.chars.get(at).copied()
    }

    pub(crate) fn text(&self, from: usize, to: usize) -> String {
        self.chars[from..to.min(self.chars.len())].iter().collect()
    }

    pub(crate) fn spot(&self, from: usize, to: usize) -> Spot {
        match (self.spots.get(from), self.spots.get(to.saturating_sub(1))) {
            (Some(first), Some(last)) => first.to(*last),
            (first, _) => first.or(self.spots.last()).copied().unwrap_or_default(),
        }
    }
}
