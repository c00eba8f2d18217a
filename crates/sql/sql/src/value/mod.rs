//! Values between COBOL's fields and PostgreSQL's binary formats.
//!
//! In scope: one value at a time, both ways, and what does not fit. Out of scope: a statement, a session.

mod characters;
mod datetime;
mod numeric;
mod put;
mod take;
mod typed;

use ebcdic::decimal::ZonedSign;

pub use characters::{receive, sent};
pub(crate) use datetime::own_form;
pub use db2_values::{DateStyle, Decimal, TimeStyle, Unfit};
pub(crate) use put::parameters;
pub use take::{FieldTarget, Styles, Taken, take_row};
pub use typed::{take_values, value_of};

use crate::codes::Sqlca;
use crate::oid::{self, Oid};

/// Forms in which a program's field holds its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// COMP, and COMP-5 where it is native: a whole number of 2, 4 or 8 bytes.
    Binary,
    /// COMP-3.
    Packed,
    /// DISPLAY: a digit a byte.
    Zoned(ZonedSign),
    /// COMP-1 and COMP-2: 4 or 8 bytes in the machine's own form.
    Float,
    /// PIC X: padded with blanks.
    Char,
    /// A group of a COMP length of 2 bytes and a text.
    Varchar,
    /// A group of a COMP length of 4 bytes and a text.
    Large,
    /// PIC N: 2 bytes a character, UTF-16, padded with blanks.
    Graphic,
    /// A group of a COMP length of 2 bytes, in characters, and PIC N.
    Vargraphic,
    /// PIC U: UTF-8, padded with blanks; so many characters, or as many as fit where that is 0.
    Utf8(u32),
}

/// A program's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Form in which the field holds its value.
    pub kind: Kind,
    /// Of a number: its digits, those behind the point included.
    pub digits: u8,
    /// Of a number: digits behind the point.
    pub scale: u8,
    /// Of a number: whether it has a sign.
    pub is_signed: bool,
    /// The whole field, a length in front included.
    pub bytes: u32,
    /// True if a COMP number, which may be a length, is in the machine's own order (COMP-5); otherwise its most
    /// significant byte comes first. For floating point: true if it has the processor's own form; otherwise it is
    /// hexadecimal.
    pub is_native: bool,
}

/// A field's value for a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// Form of the value.
    pub field: Field,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Value of the indicator, if there is one: a negative one is NULL.
    pub indicator: Option<i16>,
}

/// The SQLCA of a value that does not suit, with the position of the field from 1.
pub fn refused(unfit: Unfit, position: usize) -> Sqlca {
    Sqlca::error(unfit.code, unfit.state).token(position.to_string())
}

impl Field {
    /// A whole number, COMP, of so many bytes.
    pub const fn binary(bytes: u32) -> Self {
        let digits = match bytes {
            0..=2 => 4,
            3..=4 => 9,
            _ => 18,
        };
        Self { kind: Kind::Binary, digits, scale: 0, is_signed: true, bytes, is_native: false }
    }

    /// PIC S9 COMP-3 with so many digits, some behind the point.
    pub const fn packed(digits: u8, scale: u8) -> Self {
        Self {
            kind: Kind::Packed,
            digits,
            scale,
            is_signed: true,
            bytes: digits as u32 / 2 + 1,
            is_native: false,
        }
    }

    /// PIC S9 DISPLAY with so many digits, some behind the point.
    pub const fn zoned(digits: u8, scale: u8, sign: ZonedSign) -> Self {
        let bytes = digits as u32 + sign.is_separate() as u32;
        let is_signed = !matches!(sign, ZonedSign::None);
        Self { kind: Kind::Zoned(sign), digits, scale, is_signed, bytes, is_native: false }
    }

    /// COMP-1 (4 bytes) or COMP-2 (8) in the processor's own form.
    pub const fn float(bytes: u32) -> Self {
        Self { kind: Kind::Float, digits: 0, scale: 0, is_signed: true, bytes, is_native: true }
    }

    /// PIC X of so many bytes.
    pub const fn char(bytes: u32) -> Self {
        Self { kind: Kind::Char, digits: 0, scale: 0, is_signed: false, bytes, is_native: false }
    }

    /// A group for a VARCHAR of up to so many bytes.
    pub const fn varchar(longest: u32) -> Self {
        Self {
            kind: Kind::Varchar,
            digits: 0,
            scale: 0,
            is_signed: false,
            bytes: longest + 2,
            is_native: false,
        }
    }

    /// PIC N of so many characters.
    pub const fn graphic(characters: u32) -> Self {
        Self {
            kind: Kind::Graphic,
            digits: 0,
            scale: 0,
            is_signed: false,
            bytes: characters * 2,
            is_native: false,
        }
    }

    /// PIC U of so many characters.
    pub const fn utf8(characters: u32) -> Self {
        Self {
            kind: Kind::Utf8(characters),
            digits: 0,
            scale: 0,
            is_signed: false,
            bytes: characters * 4,
            is_native: false,
        }
    }

    /// The type to say of a parameter: whole numbers have one, so that an index on whole numbers is used; of texts the
    /// server finds out what they are.
    pub fn type_of_parameter(&self) -> Oid {
        if self.is_text() { oid::UNKNOWN } else { self.own_type() }
    }

    /// The type that the field itself has.
    pub fn own_type(&self) -> Oid {
        match self.kind {
            Kind::Binary if self.scale == 0 => match self.bytes {
                0..=2 => oid::INT2,
                3..=4 => oid::INT4,
                _ => oid::INT8,
            },
            Kind::Packed | Kind::Zoned(_) if self.scale == 0 => match self.digits {
                0..=4 => oid::INT2,
                5..=9 => oid::INT4,
                10..=18 => oid::INT8,
                _ => oid::NUMERIC,
            },
            Kind::Binary | Kind::Packed | Kind::Zoned(_) => oid::NUMERIC,
            Kind::Float if self.bytes == 4 => oid::FLOAT4,
            Kind::Float => oid::FLOAT8,
            Kind::Char | Kind::Varchar | Kind::Large | Kind::Graphic | Kind::Vargraphic | Kind::Utf8(_) => {
                oid::BPCHAR
            }
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        let is_number = matches!(self.kind, Kind::Binary | Kind::Packed | Kind::Zoned(_) | Kind::Float);
        !is_number
    }
}
