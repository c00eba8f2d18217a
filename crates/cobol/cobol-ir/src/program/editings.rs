//! Editing by table: what a picture makes of a number depends on its sign, on how many zeros its digits begin with, and on the
//! digits that are shown.

use serde::{Deserialize, Serialize};

/// A picture as a table among the program's literals.
///
/// The table has a row for each number of zeros in front, from none to [`Editing::ZEROS_MAX`], and behind them, if the picture
/// shows signs, as many rows for numbers below zero. A row has a mask of ones for the digits that are shown and, behind it,
/// what stands in all other places; digits that are shown have the character zero there. Mask and characters each have
/// [`Self::width`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Editing {
    /// The picture, by its place in [`super::Program::pictures`].
    pub picture: u32,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: bool,
    /// Start of the table in [`super::Program::constants`].
    pub at: u32,
    /// Place of each digit in the result.
    pub places: Vec<u8>,
    /// Bytes of what is edited.
    pub size: u8,
    /// True if there are rows for numbers below zero.
    pub signed: bool,
}

impl Editing {
    /// Digits of a picture that has a table, at most: two words of eight bytes.
    pub const DIGITS_MAX: usize = 16;
    /// Bytes of what is edited, at most.
    pub const SIZE_MAX: usize = 32;

    /// Bytes of a mask: a power of two.
    pub fn width(&self) -> usize {
        usize::from(self.size).next_power_of_two().max(8)
    }

    /// Words that hold the digits, eight in each.
    pub fn words(&self) -> usize {
        self.places.len().div_ceil(8)
    }

    /// Rows of one sign: zero alone has as many zeros in front as the words have digits.
    pub fn rows(&self) -> usize {
        8 * self.words() + 1
    }

    /// Bytes of a row.
    pub fn stride(&self) -> usize {
        2 * self.width()
    }

    /// Bytes of the table.
    pub fn length(&self) -> usize {
        self.rows() * self.stride() * if self.signed { 2 } else { 1 }
    }
}
