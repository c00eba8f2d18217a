//! The place of a map on the screen.
//!
//! A map that gives numbers is placed by them; one that says NEXT or SAME is placed in relation to the map before it on
//! the same page. [`Page`] is the state that a logical message (ACCUM) keeps; without one every map is the first.

use tn3270::datastream::Size;

use crate::display::SendError;
use crate::map::{Map, Start};

/// The content of a page so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    last: Option<Area>,
}

impl Page {
    /// The page with one more map.
    pub fn with(self, area: Area) -> Self {
        Self { last: Some(area) }
    }
}

/// The part of the screen that a map takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its first line, from 0.
    pub line: u16,
    /// Its first column, from 0.
    pub column: u16,
    /// Its size: that of the map.
    pub size: Size,
}

impl Area {
    /// The screen position of a position of the map.
    pub(crate) fn screen_position(self, position: usize, screen: Size) -> usize {
        let columns = usize::from(self.size.columns.max(1));
        let line = usize::from(self.line) + position / columns;
        line * usize::from(screen.columns) + usize::from(self.column) + position % columns
    }

    /// The screen position of the data that follows a position of the map: a field wraps at the screen's edges, not at
    /// the map's.
    pub(crate) fn data_position(self, position: usize, screen: Size) -> usize {
        (self.screen_position(position, screen) + 1) % screen.positions().max(1)
    }
}

/// The area of a map on a page.
pub fn place(map: &Map, screen: Size, page: Page) -> Result<Area, SendError> {
    let last = page.last;
    let line = offset(map.line, last.map(|area| (area.line, area.size.rows)));
    let column = offset(map.column, last.map(|area| (area.column, area.size.columns)));
    let line = if map.placement.last { 0 } else { line };
    let too_large = || SendError::MapTooLarge { map: map.name.clone(), screen };
    let spare_lines = spare(screen.rows, map.size.rows, line).ok_or_else(too_large)?;
    let spare_columns = spare(screen.columns, map.size.columns, column).ok_or_else(too_large)?;
    Ok(Area {
        line: if map.placement.last { spare_lines } else { line },
        column: if map.placement.right { spare_columns } else { column },
        size: map.size,
    })
}

/// The distance from the margin at which a map starts, given start and extent of the one before it.
fn offset(start: Start, last: Option<(u16, u16)>) -> u16 {
    match (start, last) {
        (Start::At(number), _) => number.saturating_sub(1),
        (Start::Next, Some((first, extent))) => first.saturating_add(extent),
        (Start::Same, Some((first, _))) => first,
        (Start::Next | Start::Same, None) => 0,
    }
}

/// The space that the screen has left beyond a map and its distance from the margin.
fn spare(screen: u16, map: u16, offset: u16) -> Option<u16> {
    screen.checked_sub(map)?.checked_sub(offset)
}
