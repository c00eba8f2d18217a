//! The properties of a terminal that SEND and RECEIVE need: its screen sizes, its features, its code page.

use ebcdic::CodePage;
use thiserror::Error;
use tn3270::datastream::{Capabilities, Size};

use crate::attribute::{Extended, ExtendedSet};

/// The display of a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Display {
    /// Its screen.
    pub screen: Screen,
    /// Extended attributes that it supports; a data stream holds no others.
    pub features: ExtendedSet,
    /// Its code page.
    pub code_page: CodePage,
}

impl From<&Capabilities> for ExtendedSet {
    /// The extended attributes of a terminal with these capabilities.
    fn from(can: &Capabilities) -> Self {
        let kinds = [
            (can.colour, Extended::Colour),
            (can.highlight, Extended::Highlight),
            (can.validation, Extended::Validation),
            (can.outlining, Extended::Outline),
        ];
        kinds.into_iter().filter(|(can, _)| *can).fold(Self::NONE, |set, (_, kind)| set.with(kind))
    }
}

/// A screen of one or two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// The size after ERASE DEFAULT.
    pub default: Size,
    /// The size after ERASE ALTERNATE.
    pub alternate: Size,
    /// True if the alternate size is in use.
    pub alternate_in_use: bool,
}

impl Screen {
    /// A screen that has one size.
    pub const fn of(size: Size) -> Self {
        Self { default: size, alternate: size, alternate_in_use: false }
    }

    /// The size in use.
    pub fn size(self) -> Size {
        if self.alternate_in_use { self.alternate } else { self.default }
    }

    /// The screen as a command leaves it.
    #[must_use]
    pub fn after(self, erase: Erase) -> Self {
        let alternate_in_use = match erase {
            Erase::Default => false,
            Erase::Alternate => true,
            Erase::No | Erase::Whole | Erase::Unprotected => self.alternate_in_use,
        };
        Self { alternate_in_use, ..self }
    }
}

/// The part of the screen that a command erases before it writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Erase {
    /// Nothing.
    #[default]
    No,
    /// The screen; its size stays (ERASE).
    Whole,
    /// The screen; the default size is taken (ERASE DEFAULT).
    Default,
    /// The screen; the alternate size is taken (ERASE ALTERNATE).
    Alternate,
    /// Unprotected fields only (ERASEAUP).
    Unprotected,
}

impl Erase {
    /// Returns true if nothing of the old screen is left.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Whole | Self::Default | Self::Alternate)
    }
}

/// The reason why data cannot be sent.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SendError {
    /// The map does not fit the screen: condition INVMPSZ.
    #[error("map {map} does not fit a screen of {} rows by {} columns", .screen.rows, .screen.columns)]
    MapTooLarge {
        /// The map.
        map: String,
        /// The screen's size.
        screen: Size,
    },
    /// The map takes no data from a program (MODE=IN): only MAPONLY sends it.
    #[error("map {map} is for input only")]
    InputOnly {
        /// The map.
        map: String,
    },
    /// The cursor would be outside the screen: condition INVREQ.
    #[error("cursor position {position} is outside the screen")]
    CursorOutside {
        /// The position asked for.
        position: u16,
    },
    /// Header and trailer leave no line for text: condition INVREQ.
    #[error("header and trailer leave no line for the text")]
    NoRoomForText,
    /// The screen has no positions, or more than an address can name.
    #[error("no 3270 address reaches a screen of {} rows by {} columns", .0.rows, .0.columns)]
    Unaddressable(Size),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_of_a_terminal_is_one_kind_of_attribute() {
        let none = Capabilities::unqueried(Size::MODEL_2);
        let cases = [
            (none.clone(), ExtendedSet::NONE),
            (Capabilities { colour: true, ..none.clone() }, ExtendedSet::of(&[Extended::Colour])),
            (Capabilities { highlight: true, ..none.clone() }, ExtendedSet::of(&[Extended::Highlight])),
            (Capabilities { outlining: true, ..none.clone() }, ExtendedSet::of(&[Extended::Outline])),
            (Capabilities { validation: true, ..none }, ExtendedSet::of(&[Extended::Validation])),
        ];
        for (can, expected) in cases {
            assert_eq!(ExtendedSet::from(&can), expected, "{can:?}");
        }
    }
}
