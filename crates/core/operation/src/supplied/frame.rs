//! The frame of screens that show rows between a command line and a foot: CEMT, CECI.
//!
//! ```text
//! 1        the command
//! 2        its status, and a + where there is more above
//! 3 …      rows
//! last-3   a + where there is more below
//! last-2   where, last-1 the response, last the keys
//! ```

use tn3270::datastream::Size;

use super::panel::PanelPlace;

/// The first row between head and foot.
pub(super) const FIRST_ROW: u16 = 3;
/// Rows of the foot.
const FOOT: u16 = 4;

/// The places of a screen.
#[derive(Clone, Copy)]
pub(super) struct Frame(pub Size);

impl Frame {
    /// The number of rows between head and foot.
    pub fn rows(self) -> usize {
        usize::from(self.last_row().saturating_sub(FIRST_ROW) + 1)
    }

    /// The last row between head and foot.
    pub fn last_row(self) -> u16 {
        self.0.rows.saturating_sub(FOOT).max(FIRST_ROW)
    }

    /// Characters of the command line.
    pub fn command_length(self) -> usize {
        usize::from(self.0.columns.saturating_sub(2))
    }

    /// The column after the last one of a row.
    pub fn right(self) -> u16 {
        self.0.columns.saturating_sub(1)
    }

    /// The place of the + that says that there is more above.
    pub fn more_above(self) -> PanelPlace {
        (2, self.right())
    }

    /// The place of the + that says that there is more below.
    pub fn more_below(self) -> PanelPlace {
        (self.last_row() + 1, 2)
    }

    /// The row of the region's names, that of the response and that of the keys.
    pub fn foot(self) -> [u16; 3] {
        [self.last_row() + 2, self.last_row() + 3, self.last_row() + 4]
    }
}
