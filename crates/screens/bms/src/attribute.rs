//! Field attributes and extended attributes: their meaning, and their values on the wire.
//!
//! A *field attribute* is the six bits before every field of a 3270 screen. An *extended attribute* is a pair of type
//! and value that may accompany it. Out of scope: which field has which of them.

/// The graphic characters of six-bit values in a 3270 data stream (attributes, write control characters, 12-bit
/// addresses).
const SIX_BIT_CODES: [u8; 64] = [
    0x40, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, //
    0x50, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0x5A, 0x5B, 0x5C, 0x5D, 0x5E, 0x5F, //
    0x60, 0x61, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, //
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F,
];

/// The low six bits of a byte.
const SIX_BITS: u8 = 0x3F;

/// The valid 3270 character for a six-bit value; higher bits are ignored.
pub(crate) fn six_bit_code(value: u8) -> u8 {
    SIX_BIT_CODES[usize::from(value & SIX_BITS)]
}

/// A bit that no attribute has.
const RESERVED: u8 = 0x02;

/// Returns true if an EBCDIC character is one of the 32 that are attributes.
fn is_attribute(character: u8) -> bool {
    character & RESERVED == 0 && six_bit_code(character) == character
}

/// The six bits of a field's attribute character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldAttribute(u8);

impl FieldAttribute {
    /// Nothing set: unprotected, normal intensity.
    pub const UNPROTECTED: Self = Self(0x00);
    /// The operator cannot key data into the field.
    pub const PROTECTED: Self = Self(0x20);
    /// Numeric data only; together with protected: the cursor skips the field.
    pub const NUMERIC: Self = Self(0x10);
    /// Protected and numeric: the cursor skips the field.
    pub const AUTOSKIP: Self = Self(0x30);
    /// Normal intensity, selectable with a light pen.
    pub const DETECTABLE: Self = Self(0x04);
    /// High intensity (and selectable).
    pub const BRIGHT: Self = Self(0x08);
    /// Not displayed.
    pub const DARK: Self = Self(0x0C);
    /// The modified data tag: the field comes back on the next read.
    pub const MODIFIED: Self = Self(0x01);

    /// The attribute of an EBCDIC attribute character; the two high bits carry no meaning.
    pub fn from_ebcdic(character: u8) -> Self {
        Self(character & SIX_BITS)
    }

    /// The attribute that a program means by a character: `ebcdic` is the character's EBCDIC value. Programs that came
    /// from z/OS write attributes in hexadecimal, too, and these are EBCDIC already; if both spellings are an attribute
    /// (X'40', X'4D'), the character counts.
    pub(crate) fn meant(character: u8, ebcdic: u8) -> Self {
        let spelled = !is_attribute(ebcdic) && is_attribute(character);
        Self::from_ebcdic(if spelled { character } else { ebcdic })
    }

    /// The attribute character in a data stream: always a valid graphic character.
    pub fn to_ebcdic(self) -> u8 {
        six_bit_code(self.0)
    }

    /// Both together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns true if every bit of `other` is set here.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A kind of extended attribute. The order is that of the bytes in a symbolic map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extended {
    /// Foreground colour.
    Colour,
    /// Programmed symbols: the character set.
    Symbols,
    /// Highlighting.
    Highlight,
    /// Validation.
    Validation,
    /// Field outlining.
    Outline,
    /// Mixed single- and double-byte data.
    Mixed,
    /// Background transparency.
    Transparency,
}

/// The number of kinds of extended attribute.
pub(crate) const EXTENDED_KINDS: usize = 7;

impl Extended {
    /// Every kind, in the order of the symbolic map.
    pub const ALL: [Self; EXTENDED_KINDS] = [
        Self::Colour,
        Self::Symbols,
        Self::Highlight,
        Self::Validation,
        Self::Outline,
        Self::Mixed,
        Self::Transparency,
    ];

    /// The word in MAPATTS and DSATTS.
    pub fn word(self) -> &'static str {
        match self {
            Self::Colour => "COLOR",
            Self::Symbols => "PS",
            Self::Highlight => "HILIGHT",
            Self::Validation => "VALIDN",
            Self::Outline => "OUTLINE",
            Self::Mixed => "SOSI",
            Self::Transparency => "TRANSP",
        }
    }

    /// The kind that a word of MAPATTS or DSATTS names.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The letter that ends the name of its byte in the symbolic map.
    pub fn suffix(self) -> char {
        match self {
            Self::Colour => 'C',
            Self::Symbols => 'P',
            Self::Highlight => 'H',
            Self::Validation => 'V',
            Self::Outline => 'U',
            Self::Mixed => 'M',
            Self::Transparency => 'T',
        }
    }

    /// The type byte in SFE and MF orders.
    pub(crate) fn order_type(self) -> u8 {
        match self {
            Self::Highlight => 0x41,
            Self::Colour => 0x42,
            Self::Symbols => 0x43,
            Self::Transparency => 0x46,
            Self::Validation => 0xC1,
            Self::Outline => 0xC2,
            Self::Mixed => 0xFE,
        }
    }

    /// Returns true if the values are small numbers. The others are characters in a program's code, as attributes are.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Validation | Self::Outline | Self::Mixed)
    }

    /// The value on the wire that a program means: `ebcdic` is the value's EBCDIC translation, unless only the value
    /// itself is one (`X'F2'` of a program that came from z/OS).
    pub(crate) fn meant(self, value: u8, ebcdic: u8) -> u8 {
        // Nearly every character is the name of a symbol set; these two are the sets that the value itself can name.
        let symbols = self == Self::Symbols && matches!(value, 0xF1 | 0xF8);
        if symbols || (self.accepts(value) && !self.accepts(ebcdic)) { value } else { ebcdic }
    }

    /// Returns true if a terminal accepts the value: one wrong pair makes it reject the whole data stream.
    pub(crate) fn accepts(self, value: u8) -> bool {
        match self {
            Self::Colour => matches!(value, 0x00 | 0xF0..=0xFF),
            Self::Symbols => matches!(value, 0x00 | 0x40..=0xEF | 0xF1 | 0xF8),
            Self::Highlight => matches!(value, 0x00 | 0xF0 | 0xF1 | 0xF2 | 0xF4 | 0xF8),
            Self::Validation => value <= 0x07,
            Self::Outline => value <= 0x0F,
            Self::Mixed => value <= 0x01,
            Self::Transparency => matches!(value, 0x00 | 0xF0 | 0xF1 | 0xF2 | 0xFF),
        }
    }
}

/// A set of kinds of extended attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtendedSet(u8);

impl ExtendedSet {
    /// No kind.
    pub const NONE: Self = Self(0);

    /// The set of some kinds.
    pub fn of(kinds: &[Extended]) -> Self {
        kinds.iter().fold(Self::NONE, |set, kind| set.with(*kind))
    }

    /// The kinds that EXTATT=YES and EXTATT=MAPONLY mean.
    pub fn extatt() -> Self {
        Self::of(&[Extended::Colour, Extended::Symbols, Extended::Highlight, Extended::Validation])
    }

    /// The set with one more kind.
    #[must_use]
    pub fn with(self, kind: Extended) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// The kinds of either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns true if a kind is in the set.
    pub fn contains(self, kind: Extended) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// The kinds, in the order of the symbolic map.
    pub fn kinds(self) -> impl Iterator<Item = Extended> {
        Extended::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }

    /// The number of kinds in the set.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns true if the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn to_bits(self) -> u8 {
        self.0
    }

    /// The set of these bits; `None` if a bit has no meaning.
    pub(crate) fn from_bits(bits: u8) -> Option<Self> {
        (bits >> EXTENDED_KINDS == 0).then_some(Self(bits))
    }
}

/// The values of a field's extended attributes; 0 is the device's default and is not sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtendedValues(pub(crate) [u8; EXTENDED_KINDS]);

impl ExtendedValues {
    /// The value of one kind, as in a data stream.
    pub fn get(self, kind: Extended) -> u8 {
        self.0[kind as usize]
    }

    /// The same with another value for a kind.
    #[must_use]
    pub fn with(mut self, kind: Extended, value: u8) -> Self {
        self.0[kind as usize] = value;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few characters of ISO 8859-1 in code page 037.
    fn ebcdic(character: u8) -> u8 {
        match character {
            b'A'..=b'I' => 0xC1 + (character - b'A'),
            b'J'..=b'R' => 0xD1 + (character - b'J'),
            b'0'..=b'9' => 0xF0 + (character - b'0'),
            b' ' => 0x40,
            b'<' => 0x4C,
            b'(' => 0x4D,
            b'@' => 0x7C,
            b'`' => 0x79,
            0xC1 => 0x65,
            0xF1 => 0x49,
            0xF2 => 0xCD,
            _ => 0xFF,
        }
    }

    #[test]
    fn an_attribute_may_be_written_as_a_character_or_in_hexadecimal() {
        for (character, expected) in [
            (b'A', 0xC1),
            (0xC1, 0xC1),
            (b'<', 0x4C),
            (0x4C, 0x4C),
            (b'0', 0xF0),
            (0xF0, 0xF0),
            (0x60, 0x60),
            (0x50, 0x50),
            (b' ', 0x40),
            // Both spellings are attributes: the character counts.
            (0x40, 0x7C),
            (0x4D, 0xD4),
        ] {
            let meant = FieldAttribute::meant(character, ebcdic(character));
            assert_eq!(meant.to_ebcdic(), expected, "{character:02X}");
        }
    }

    #[test]
    fn so_may_an_extended_attribute() {
        for (kind, value) in
            [(Extended::Colour, 0xF2), (Extended::Highlight, 0xF1), (Extended::Symbols, 0xF1)]
        {
            assert_eq!(kind.meant(value, ebcdic(value)), value, "{kind:?}");
            let character = value - 0xF0 + b'0';
            assert_eq!(kind.meant(character, ebcdic(character)), value, "{kind:?}");
        }
    }
}
