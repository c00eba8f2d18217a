//! What SEND and RECEIVE must know of a terminal: its screen sizes, its features, its code page.

use thiserror::Error;

use crate::attribute::ExtendedSet;
use crate::map::Size;

/// A terminal as BMS sees it.
#[derive(Clone, Copy, Debug)]
pub struct Terminal<'t> {
    /// Its screen.
    pub screen: Screen,
    /// Extended attributes that it supports; a data stream holds no others.
    pub features: ExtendedSet,
    /// Its code page.
    pub code_page: CodePage<'t>,
}

/// A screen of one or two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// The size after ERASE DEFAULT.
    pub default: Size,
    /// The size after ERASE ALTERNATE.
    pub alternate: Size,
    /// Whether the alternate size is in use.
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

/// What a command erases before it writes.
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
    /// Whether nothing of the old screen is left.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Whole | Self::Default | Self::Alternate)
    }
}

/// The border between a program's characters and a terminal's: one table for each direction.
#[derive(Clone, Copy, Debug)]
pub struct CodePage<'t> {
    /// By program character: the EBCDIC character.
    pub to_ebcdic: &'t [u8; 256],
    /// By EBCDIC character: the program's.
    pub to_program: &'t [u8; 256],
}

impl CodePage<'_> {
    pub(crate) fn ebcdic(self, character: u8) -> u8 {
        self.to_ebcdic[usize::from(character)]
    }

    pub(crate) fn program(self, character: u8) -> u8 {
        self.to_program[usize::from(character)]
    }
}

/// Why data cannot be sent.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SendError {
    /// The map does not fit the screen: condition INVMPSZ.
    #[error("map {map} does not fit a screen of {} lines by {} columns", .screen.lines, .screen.columns)]
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
    #[error("no 3270 address reaches a screen of {} lines by {} columns", .0.lines, .0.columns)]
    Unaddressable(Size),
}
