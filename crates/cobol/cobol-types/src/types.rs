//! Types of items: the inputs of every rule about moves, comparisons and intermediate results.

use crate::picture::{Category, Picture};
use serde::{Deserialize, Serialize};

/// Representations of a number in storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Representation {
    /// DISPLAY: a digit a byte.
    Zoned(SignPlace),
    /// COMP-3.
    Packed,
    /// COMP, COMP-4, BINARY: cut to the digits of the picture as TRUNC says.
    Binary,
    /// COMP-5: as wide as the field.
    Native,
    /// USAGE NATIONAL: a digit is a character of two bytes.
    National(SignPlace),
    /// BINARY-CHAR, COMP-X, COMP-N, COMP-5 of characters: so many bytes, and as wide as they are.
    Bytes {
        /// Bytes: 1 to 8.
        count: u8,
        /// False for COMP-X, whose highest byte comes first on every machine; the others lie as the machine has them.
        native: bool,
    },
}

/// Places of a zoned number's sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignPlace {
    /// It has none.
    None,
    /// In the zone of the last digit.
    Trailing,
    /// In the zone of the first.
    Leading,
    /// A character behind.
    TrailingSeparate,
    /// A character in front.
    LeadingSeparate,
}

/// A fixed-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numeric {
    /// Digits, without those that P stands for.
    pub digits: u16,
    /// Digits behind the decimal point, those of P among them; negative where P stands for digits before it.
    pub scale: i16,
    /// True if it may be negative.
    pub signed: bool,
    /// Representation in storage.
    pub representation: Representation,
}

/// Length of an item of UTF-8. A character takes four bytes at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Utf8Length {
    /// So many characters, with room for all of them whatever they are.
    Characters(u32),
    /// BYTE-LENGTH: so many bytes, whatever characters they hold.
    Bytes(u32),
    /// GROUP-USAGE UTF-8: as many bytes as its parts have.
    Parts,
}

/// Types of items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Type {
    /// A group: to most statements, characters.
    Group,
    /// PIC A.
    Alphabetic,
    /// PIC X.
    Alphanumeric,
    /// PIC X with B, 0 or /.
    AlphanumericEdited(Box<Picture>),
    /// A picture with Z, *, signs, money …; the number that it takes has these digits.
    NumericEdited(Box<Picture>),
    /// A fixed-point number.
    Numeric(Numeric),
    /// PIC N, or GROUP-USAGE NATIONAL.
    National,
    /// PIC N with B, 0 or /, or edited numbers of USAGE NATIONAL.
    NationalEdited(Box<Picture>),
    /// PIC G.
    DoubleByte,
    /// PIC U, or GROUP-USAGE UTF-8.
    Utf8(Utf8Length),
    /// COMP-1.
    FloatShort,
    /// COMP-2.
    FloatLong,
    /// A picture with E: floating point as characters.
    FloatEdited(Box<Picture>),
    /// USAGE INDEX.
    Index,
    /// INDEXED BY.
    IndexName,
    /// POINTER, POINTER-32.
    Pointer,
    /// PROCEDURE-POINTER.
    ProcedurePointer,
    /// FUNCTION-POINTER.
    FunctionPointer,
    /// OBJECT REFERENCE.
    Object,
    /// A level 88.
    Condition,
    /// A level 78.
    Constant,
    /// Its description could not be read, which has been told.
    Unknown,
}

impl Numeric {
    /// A whole number that takes all values of its one, two, four or eight bytes.
    pub fn of_bytes(bytes: u8, signed: bool) -> Self {
        let native = Representation::Native;
        let (digits, representation) = match bytes {
            1 => (3, Representation::Bytes { count: 1, native: true }),
            ..=2 => (4, native),
            3..=4 => (9, native),
            _ => (18, native),
        };
        Self { digits, scale: 0, signed, representation }
    }

    /// A number without a sign in so many bytes, with the digits that they may hold: COMP-X of characters.
    pub fn of_characters(count: u8, native: bool) -> Self {
        let representation = Representation::Bytes { count, native };
        Self { digits: digits_of_bytes(count.into(), false) as u16, scale: 0, signed: false, representation }
    }

    /// The bytes that a number of so many digits takes where storage is counted in single bytes: COMP-X of digits.
    pub fn bytes_of_digits(digits: u16, signed: bool) -> u8 {
        const SIGNED: [u16; 8] = [2, 4, 6, 9, 11, 14, 16, 18];
        const UNSIGNED: [u16; 8] = [2, 4, 7, 9, 12, 14, 16, 18];
        let most = if signed { SIGNED } else { UNSIGNED };
        1 + most.iter().take_while(|most| digits > **most).count() as u8
    }

    /// Digits before the decimal point, those of P among them.
    pub fn integers(&self) -> i32 {
        i32::from(self.digits) - i32::from(self.scale)
    }

    /// Returns true if it has no digits behind the decimal point.
    pub fn is_integer(&self) -> bool {
        self.scale <= 0
    }

    /// Its length in bytes.
    pub fn length(&self) -> usize {
        let digits = usize::from(self.digits);
        let separate = |sign| matches!(sign, SignPlace::LeadingSeparate | SignPlace::TrailingSeparate);
        match self.representation {
            Representation::Zoned(sign) => digits + usize::from(separate(sign)),
            Representation::National(sign) => 2 * (digits + usize::from(separate(sign))),
            Representation::Packed => digits / 2 + 1,
            Representation::Binary | Representation::Native => match digits {
                0..=4 => 2,
                5..=9 => 4,
                10..=18 => 8,
                _ => 16,
            },
            Representation::Bytes { count, .. } => count.into(),
        }
    }

    /// The digits of the greatest value, where the bytes alone limit it: COMP-5 and its like.
    pub fn widest(&self) -> Option<usize> {
        let by_bytes = matches!(self.representation, Representation::Native | Representation::Bytes { .. });
        by_bytes.then(|| digits_of_bytes(self.length(), self.signed))
    }
}

/// The digits of the greatest number in so many bytes.
fn digits_of_bytes(count: usize, signed: bool) -> usize {
    match (count, signed) {
        (0..=1, _) => 3,
        (2, _) => 5,
        (3, true) => 7,
        (3, false) => 8,
        (4, _) => 10,
        (5, true) => 12,
        (5, false) => 13,
        (6, _) => 15,
        (7, _) => 17,
        (8, true) => 19,
        (8, false) => 20,
        // As many as a whole number of 16 bytes has in any case.
        _ => 38,
    }
}

impl Type {
    /// Returns true if arithmetic takes it.
    pub fn is_numeric(&self) -> bool {
        matches!(
            self,
            Self::Numeric(_) | Self::FloatShort | Self::FloatLong | Self::FloatEdited(_) | Self::Unknown
        )
    }

    /// Returns true if it is a number through a picture, in bytes or in national characters.
    pub fn is_edited_number(&self) -> bool {
        match self {
            Self::NumericEdited(_) => true,
            Self::NationalEdited(picture) => picture.category != Category::NationalEdited,
            _ => false,
        }
    }

    /// Returns true if it is characters of one byte to most statements.
    pub fn is_characters(&self) -> bool {
        matches!(
            self,
            Self::Group
                | Self::Alphabetic
                | Self::Alphanumeric
                | Self::AlphanumericEdited(_)
                | Self::NumericEdited(_)
                | Self::Unknown
        )
    }

    /// Name in messages and listings.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Alphabetic => "alphabetic",
            Self::Alphanumeric => "alphanumeric",
            Self::AlphanumericEdited(_) => "alphanumeric-edited",
            Self::NumericEdited(_) => "numeric-edited",
            Self::Numeric(numeric) => match numeric.representation {
                Representation::Zoned(_) => "zoned",
                Representation::Packed => "packed",
                Representation::Binary => "binary",
                Representation::Native => "native binary",
                Representation::National(_) => "national numeric",
                Representation::Bytes { .. } => "binary of bytes",
            },
            Self::National => "national",
            Self::NationalEdited(_) => "national-edited",
            Self::DoubleByte => "double-byte",
            Self::Utf8(_) => "UTF-8",
            Self::FloatShort => "short float",
            Self::FloatLong => "long float",
            Self::FloatEdited(_) => "external float",
            Self::Index => "index",
            Self::IndexName => "index name",
            Self::Pointer => "pointer",
            Self::ProcedurePointer => "procedure pointer",
            Self::FunctionPointer => "function pointer",
            Self::Object => "object",
            Self::Condition => "condition",
            Self::Constant => "constant",
            Self::Unknown => "unknown",
        }
    }
}
