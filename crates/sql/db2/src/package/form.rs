//! Storage forms of a host variable's value.

use serde::{Deserialize, Serialize};

/// Storage form of a host variable's value, from the data division: the CALL's field need not be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// PIC X(n), a group as a text, edited items: `length` bytes of characters.
    Char {
        /// In bytes.
        length: u32,
    },
    /// A group of a two-byte length and characters (level 49): VARCHAR.
    Varchar {
        /// Most characters, in bytes.
        length: u32,
    },
    /// PIC N(n) or G(n): two bytes a character.
    Graphic {
        /// In bytes.
        length: u32,
    },
    /// As [`Form::Varchar`], of what [`Form::Graphic`] is; the length counts characters.
    Vargraphic {
        /// Most characters, in bytes.
        length: u32,
    },
    /// PIC U: characters of UTF-8, with blanks behind them.
    Utf8 {
        /// In bytes.
        length: u32,
        /// As many characters as the picture has; 0 where BYTE-LENGTH counts bytes.
        characters: u32,
    },
    /// A group of a four-byte length and bytes: CLOB, BLOB.
    Lob {
        /// Most bytes.
        length: u32,
        /// Bytes, and not characters.
        binary: bool,
    },
    /// COMP, COMP-4, COMP-5, BINARY: the highest byte first.
    Binary {
        /// 2, 4 or 8.
        bytes: u8,
        /// Decimal digits of the picture.
        digits: u8,
        /// Digits behind the decimal point.
        scale: i8,
        /// True if the value may be negative.
        signed: bool,
    },
    /// COMP-3.
    Packed {
        /// Decimal digits.
        digits: u8,
        /// Digits behind the decimal point.
        scale: i8,
        /// True if the value may be negative.
        signed: bool,
    },
    /// DISPLAY digits.
    Zoned {
        /// Decimal digits.
        digits: u8,
        /// Digits behind the decimal point.
        scale: i8,
        /// Place of the sign.
        sign: Sign,
    },
    /// COMP-1 (4 bytes) and COMP-2 (8): hexadecimal floating point.
    Float {
        /// 4 or 8.
        bytes: u8,
    },
}

/// Places of a zoned number's sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sign {
    /// It has none.
    None,
    /// In the first digit.
    Leading,
    /// In the last digit.
    Trailing,
    /// A character in front.
    SeparateLeading,
    /// A character behind.
    SeparateTrailing,
}

impl Form {
    /// Bytes that a value takes, a length in front of it included.
    pub fn size(self) -> usize {
        let bytes = match self {
            Self::Char { length } | Self::Graphic { length } | Self::Utf8 { length, .. } => length,
            Self::Varchar { length, .. } | Self::Vargraphic { length, .. } => length + 2,
            Self::Lob { length, .. } => length + 4,
            Self::Binary { bytes, .. } | Self::Float { bytes, .. } => u32::from(bytes),
            Self::Packed { digits, .. } => u32::from(digits) / 2 + 1,
            Self::Zoned { digits, sign, .. } => {
                u32::from(digits) + u32::from(matches!(sign, Sign::SeparateLeading | Sign::SeparateTrailing))
            }
        };
        bytes as usize
    }

    /// Returns true if the form holds characters.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Self::Char { .. }
                | Self::Varchar { .. }
                | Self::Graphic { .. }
                | Self::Vargraphic { .. }
                | Self::Utf8 { .. }
                | Self::Lob { .. }
        )
    }
}
