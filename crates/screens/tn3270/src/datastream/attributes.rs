//! Field attributes, and the extended attributes of fields and characters.

use super::address::graphic;

/// Types of attributes in SFE, SA and MF.
pub mod attribute {
    /// All character attributes back to the field's.
    pub const RESET: u8 = 0x00;
    /// The 3270 field attribute.
    pub const FIELD: u8 = 0xC0;
    /// Field validation.
    pub const VALIDATION: u8 = 0xC1;
    /// Field outlining.
    pub const OUTLINING: u8 = 0xC2;
    /// Highlighting.
    pub const HIGHLIGHT: u8 = 0x41;
    /// Foreground colour.
    pub const COLOUR: u8 = 0x42;
    /// Character set.
    pub const CHARACTER_SET: u8 = 0x43;
    /// Background colour.
    pub const BACKGROUND: u8 = 0x45;
    /// Transparency.
    pub const TRANSPARENCY: u8 = 0x46;
}

/// The appearance of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Normal intensity, not for the pen.
    #[default]
    Normal,
    /// Normal intensity, for the pen.
    Detectable,
    /// Bright, for the pen.
    Bright,
    /// Not at all.
    Dark,
}

/// The attribute that starts a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldAttribute(u8);

impl FieldAttribute {
    const PROTECTED: u8 = 0x20;
    const NUMERIC: u8 = 0x10;
    const MODIFIED: u8 = 0x01;

    /// The attribute of a byte; bits 0 and 1 only make it a graphic, and bit 6 is reserved.
    pub fn of(byte: u8) -> Self {
        Self(byte & 0x3D)
    }

    /// Its byte as it is sent: a graphic.
    pub fn code(self) -> u8 {
        graphic(self.0)
    }

    /// The same, protected or not.
    #[must_use]
    pub fn protected(self, on: bool) -> Self {
        self.with(Self::PROTECTED, on)
    }

    /// The same, numeric or not; with protected: skipped by the cursor.
    #[must_use]
    pub fn numeric(self, on: bool) -> Self {
        self.with(Self::NUMERIC, on)
    }

    /// The same, modified data tag on or off.
    #[must_use]
    pub fn modified(self, on: bool) -> Self {
        self.with(Self::MODIFIED, on)
    }

    /// The same, shown otherwise.
    #[must_use]
    pub fn visibility(self, visibility: Visibility) -> Self {
        Self(self.0 & !0x0C | (visibility as u8) << 2)
    }

    /// Returns true if the user may not type.
    pub fn is_protected(self) -> bool {
        self.0 & Self::PROTECTED != 0
    }

    /// Returns true if only digits may be typed.
    pub fn is_numeric(self) -> bool {
        self.0 & Self::NUMERIC != 0
    }

    /// Returns true if the cursor jumps over it: protected and numeric.
    pub fn is_autoskip(self) -> bool {
        self.is_protected() && self.is_numeric()
    }

    /// Returns true if its data are sent: the modified data tag.
    pub fn is_modified(self) -> bool {
        self.0 & Self::MODIFIED != 0
    }

    /// The appearance of the field.
    pub fn shown(self) -> Visibility {
        match self.0 & 0x0C {
            0x00 => Visibility::Normal,
            0x04 => Visibility::Detectable,
            0x08 => Visibility::Bright,
            _ => Visibility::Dark,
        }
    }

    fn with(self, bit: u8, on: bool) -> Self {
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }
}

/// Foreground colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Default,
    /// Blue.
    Blue,
    /// Red.
    Red,
    /// Pink.
    Pink,
    /// Green.
    Green,
    /// Turquoise.
    Turquoise,
    /// Yellow.
    Yellow,
    /// White on a display, black on paper.
    Neutral,
    /// Another code, X'F8' to X'FF' of newer devices.
    Other(u8),
}

impl Colour {
    const NAMED: [Colour; 7] = [
        Colour::Blue,
        Colour::Red,
        Colour::Pink,
        Colour::Green,
        Colour::Turquoise,
        Colour::Yellow,
        Colour::Neutral,
    ];

    /// Its byte.
    pub fn code(self) -> u8 {
        match self {
            Colour::Default => 0x00,
            Colour::Other(code) => code,
            named => Self::NAMED.iter().position(|&c| c == named).map_or(0, |at| 0xF1 + at as u8),
        }
    }

    /// The colour of a byte.
    pub fn of(code: u8) -> Self {
        match code {
            0x00 => Colour::Default,
            0xF1..=0xF7 => Self::NAMED[usize::from(code - 0xF1)],
            _ => Colour::Other(code),
        }
    }
}

/// Highlighting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Highlight {
    /// The terminal's own.
    #[default]
    Default,
    /// None.
    Normal,
    /// Blinking.
    Blink,
    /// Reverse video.
    Reverse,
    /// Underscored.
    Underscore,
    /// Another code.
    Other(u8),
}

impl Highlight {
    /// Its byte.
    pub fn code(self) -> u8 {
        match self {
            Highlight::Default => 0x00,
            Highlight::Normal => 0xF0,
            Highlight::Blink => 0xF1,
            Highlight::Reverse => 0xF2,
            Highlight::Underscore => 0xF4,
            Highlight::Other(code) => code,
        }
    }

    /// The highlighting of a byte.
    pub fn of(code: u8) -> Self {
        match code {
            0x00 => Highlight::Default,
            0xF0 => Highlight::Normal,
            0xF1 => Highlight::Blink,
            0xF2 => Highlight::Reverse,
            0xF4 => Highlight::Underscore,
            _ => Highlight::Other(code),
        }
    }
}

/// The extended attributes of a field or a character: bytes as sent, 0 for the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extended {
    /// Foreground colour.
    pub colour: u8,
    /// Highlighting.
    pub highlight: u8,
    /// Character set.
    pub character_set: u8,
    /// Background colour.
    pub background: u8,
    /// Transparency.
    pub transparency: u8,
    /// Validation (fields only).
    pub validation: u8,
    /// Outlining (fields only).
    pub outlining: u8,
}

impl Extended {
    /// Sets the attribute of a type; unknown types are ignored, as terminals do.
    pub fn set(&mut self, kind: u8, value: u8) {
        match kind {
            attribute::RESET => *self = Self::default(),
            attribute::COLOUR => self.colour = value,
            attribute::HIGHLIGHT => self.highlight = value,
            attribute::CHARACTER_SET => self.character_set = value,
            attribute::BACKGROUND => self.background = value,
            attribute::TRANSPARENCY => self.transparency = value,
            attribute::VALIDATION => self.validation = value,
            attribute::OUTLINING => self.outlining = value,
            _ => {}
        }
    }

    /// The attributes that differ from the default, as (type, value).
    pub fn pairs(&self) -> impl Iterator<Item = (u8, u8)> {
        [
            (attribute::HIGHLIGHT, self.highlight),
            (attribute::COLOUR, self.colour),
            (attribute::CHARACTER_SET, self.character_set),
            (attribute::BACKGROUND, self.background),
            (attribute::TRANSPARENCY, self.transparency),
            (attribute::VALIDATION, self.validation),
            (attribute::OUTLINING, self.outlining),
        ]
        .into_iter()
        .filter(|&(_, value)| value != 0)
    }
}
