//! One argument of a call: what the COBOL runtime knows of the field, and guarded access to its bytes.

use std::fmt;

use crate::call::{Parameters, SmallBytes};
use crate::error::AccessError;
use crate::layout::{Attribute, Field, flag, kind};
use crate::number::{self, BINARY_WIDEST, Format, Sign};

/// Bytes of the binary numbers that commands take.
const HALFWORD: usize = 2;
const FULLWORD: usize = 4;
/// Their form in storage.
const WORD: Format = Format::Binary { signed: true, big_endian: true };

/// What kind of field an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A group item.
    Group,
    /// A text: PIC X, PIC A, edited, or a literal.
    Text,
    /// A national text (UTF-16).
    National,
    /// A number, and how it is kept.
    Number(Format),
    /// A floating-point number of 4 or 8 bytes.
    Float,
    /// A pointer.
    Pointer,
}

/// An argument of the call at which a program waits.
#[derive(Clone, Copy)]
pub struct Arg<'r> {
    parameters: &'r Parameters<'r>,
    address: usize,
    size: usize,
    attribute: &'r Attribute,
}

impl<'r> Arg<'r> {
    /// # Safety
    /// A field of the calling program, in place.
    #[inline(always)]
    pub(crate) unsafe fn new(parameters: &'r Parameters<'r>, field: *const Field) -> Self {
        // SAFETY: attributes are constants of the module, which stays loaded while the call is answered.
        unsafe {
            let field = &*field;
            Self { parameters, address: field.data as usize, size: field.size, attribute: &*field.attribute }
        }
    }

    /// Its size in bytes.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Its address in the task.
    #[inline]
    pub fn address(&self) -> usize {
        self.address
    }

    /// True if it is a literal, which must not be written.
    pub fn is_constant(&self) -> bool {
        self.has(flag::CONSTANT)
    }

    /// Digits of a number; 0 for other kinds.
    pub fn digits(&self) -> u16 {
        self.attribute.digits
    }

    /// How many of its digits stand behind the decimal point.
    pub fn scale(&self) -> i16 {
        self.attribute.scale
    }

    fn has(&self, flags: u16) -> bool {
        self.attribute.flags & flags != 0
    }

    /// Whether it is a binary number, or a pointer, and has its highest byte first.
    #[inline]
    pub fn highest_byte_first(&self) -> Option<bool> {
        let binary = matches!(self.attribute.kind, kind::BINARY | kind::COMP5);
        binary.then(|| self.has(flag::BINARY_SWAP) && !self.has(flag::POINTER))
    }

    /// What kind of field it is.
    #[inline]
    pub fn kind(&self) -> Kind {
        let signed = self.has(flag::SIGNED);
        match self.attribute.kind {
            kind::GROUP => Kind::Group,
            _ if self.has(flag::POINTER) => Kind::Pointer,
            kind::DISPLAY => Kind::Number(Format::Zoned(match (signed, self.has(flag::SIGN_SEPARATE)) {
                (false, _) => Sign::None,
                (true, false) if self.has(flag::SIGN_LEADING) => Sign::LeadingOverpunch,
                (true, false) => Sign::TrailingOverpunch,
                (true, true) if self.has(flag::SIGN_LEADING) => Sign::LeadingSeparate,
                (true, true) => Sign::TrailingSeparate,
            })),
            kind::PACKED if self.has(flag::NO_SIGN_NIBBLE) => Kind::Number(Format::Comp6),
            kind::PACKED => Kind::Number(Format::Packed { signed }),
            kind::BINARY | kind::COMP5 => {
                Kind::Number(Format::Binary { signed, big_endian: self.has(flag::BINARY_SWAP) })
            }
            kind::FLOAT | kind::DOUBLE => Kind::Float,
            kind::NATIONAL | kind::NATIONAL_EDITED => Kind::National,
            _ => Kind::Text,
        }
    }

    /// Copies its first bytes: as many as `into` takes, at most its size; returns how many.
    ///
    /// # Errors
    /// If it is not storage.
    #[inline]
    pub fn read(&self, into: &mut [u8]) -> Result<usize, AccessError> {
        let length = into.len().min(self.size);
        self.parameters.read(self.address, &mut into[..length])?;
        Ok(length)
    }

    /// All its bytes.
    ///
    /// # Errors
    /// If it is not storage.
    pub fn bytes(&self) -> Result<SmallBytes, AccessError> {
        self.first_bytes(self.size)
    }

    /// Its first bytes: `length`, whatever its size, for areas whose length another option gives.
    ///
    /// # Errors
    /// If that much storage is not there.
    pub fn first_bytes(&self, length: usize) -> Result<SmallBytes, AccessError> {
        let mut bytes = SmallBytes::from_elem(0, length);
        self.read_first(&mut bytes)?;
        Ok(bytes)
    }

    /// Copies its first bytes: as many as `into` takes, whatever its size.
    ///
    /// # Errors
    /// If that much storage is not there.
    #[inline]
    pub fn read_first(&self, into: &mut [u8]) -> Result<(), AccessError> {
        if into.len() > self.size {
            return Ok(self.parameters.read_far(self.address, into)?);
        }
        Ok(self.parameters.read(self.address, into)?)
    }

    /// Whether it is signed and has its highest byte first, if it is a whole binary number: what most numbers are that a
    /// program passes.
    #[inline]
    fn whole_binary(&self) -> Option<(bool, bool)> {
        let Attribute { kind, scale, .. } = *self.attribute;
        let whole = matches!(kind, kind::BINARY | kind::COMP5) && scale == 0 && !self.has(flag::POINTER);
        whole.then(|| (self.has(flag::SIGNED), self.has(flag::BINARY_SWAP)))
    }

    /// How a number in it is kept.
    fn format(&self) -> Result<Format, AccessError> {
        match self.kind() {
            Kind::Number(format) => Ok(format),
            Kind::Pointer => Ok(Format::Binary { signed: false, big_endian: false }),
            Kind::Group if matches!(self.size, HALFWORD | FULLWORD) => Ok(WORD),
            Kind::Text | Kind::Group => Ok(Format::Zoned(Sign::None)),
            Kind::Float | Kind::National => Err(AccessError::NotNumeric),
        }
    }

    /// The number of a text or a group. The mainframe gets an address, and finds the binary number that stands there; digits
    /// of a text are taken for what they seem to be.
    fn number_of_characters(&self) -> Result<Option<i128>, AccessError> {
        let bytes = self.bytes()?;
        let digits = || number::decode(Format::Zoned(Sign::None), &bytes);
        let word = || {
            let length = if self.size == FULLWORD { FULLWORD } else { HALFWORD };
            number::decode(WORD, bytes.get(..length)?)
        };
        Ok(match (self.kind(), self.size) {
            (Kind::Group, HALFWORD) => word(),
            _ => digits().or_else(word),
        })
    }

    /// Ten to the power of its decimal places, or of the places that it leaves out.
    fn power(&self) -> Result<i128, AccessError> {
        10i128.checked_pow(self.attribute.scale.unsigned_abs().into()).ok_or(AccessError::TooLarge)
    }

    /// Its value as a whole number; decimal places are cut off. A text of digits is taken as one, any other text or group
    /// for the binary number that it begins with.
    ///
    /// # Errors
    /// If it is not storage or not a number.
    pub fn number(&self) -> Result<i64, AccessError> {
        let Some((signed, big_endian)) = self.whole_binary() else { return self.other_number() };
        let mut first = [0; BINARY_WIDEST];
        self.read(&mut first)?;
        let value = number::decode_binary(signed, big_endian, first, self.size);
        i64::try_from(value.ok_or(AccessError::NotNumeric)?).map_err(|_| AccessError::TooLarge)
    }

    /// The same where it is kept in any other way.
    #[inline(never)]
    fn other_number(&self) -> Result<i64, AccessError> {
        let value = match self.kind() {
            Kind::Text | Kind::Group => self.number_of_characters()?,
            _ => number::decode(self.format()?, &self.bytes()?),
        };
        let value = value.ok_or(AccessError::NotNumeric)?;
        let value = match self.attribute.scale {
            0 => value,
            ..0 => value.saturating_mul(self.power()?),
            _ => value / self.power()?,
        };
        i64::try_from(value).map_err(|_| AccessError::TooLarge)
    }

    /// Copies bytes to its start: at most its size.
    ///
    /// # Errors
    /// If it is not storage, or smaller.
    #[inline]
    pub fn write(&self, bytes: &[u8]) -> Result<(), AccessError> {
        if bytes.len() > self.size {
            return Err(AccessError::TooLarge);
        }
        self.write_first(bytes)
    }

    /// Copies bytes to its start: as many as it takes.
    ///
    /// # Errors
    /// If it is not storage.
    #[inline]
    pub fn write_start(&self, bytes: &[u8]) -> Result<(), AccessError> {
        self.write_first(&bytes[..bytes.len().min(self.size)])
    }

    /// Copies bytes to its start, whatever its size: for areas whose length another option gives.
    ///
    /// # Errors
    /// If that much storage is not there.
    #[inline]
    pub fn write_first(&self, bytes: &[u8]) -> Result<(), AccessError> {
        Ok(self.parameters.write(self.address, bytes)?)
    }

    /// Copies a text: cut to its size, or filled up with blanks.
    ///
    /// # Errors
    /// If it is not storage.
    pub fn write_text(&self, text: &[u8]) -> Result<(), AccessError> {
        let mut bytes = SmallBytes::from_slice(&text[..text.len().min(self.size)]);
        bytes.resize(self.size, b' ');
        self.write_first(&bytes)
    }

    /// Sets it to a whole number, by its own type; a group of a word's size to the binary number, a text to its digits.
    ///
    /// # Errors
    /// If it is not storage, or not a number of that many digits.
    pub fn write_number(&self, value: i64) -> Result<(), AccessError> {
        let Some((signed, big_endian)) = self.whole_binary() else { return self.write_other_number(value) };
        let first = number::encode_binary(signed, big_endian, value.into(), self.size);
        self.write_first(&first.ok_or(AccessError::TooLarge)?[..self.size])
    }

    /// The same where it is kept in any other way.
    #[inline(never)]
    fn write_other_number(&self, value: i64) -> Result<(), AccessError> {
        let value = i128::from(value);
        let value = match self.attribute.scale {
            0 => value,
            ..0 => value / self.power()?,
            _ => value.saturating_mul(self.power()?),
        };
        let mut bytes = SmallBytes::from_elem(0, self.size);
        number::encode(self.format()?, value, &mut bytes).ok_or(AccessError::TooLarge)?;
        self.write_first(&bytes)
    }

    /// Its value as an address.
    ///
    /// # Errors
    /// If it is not storage of a pointer's size.
    pub fn pointer(&self) -> Result<usize, AccessError> {
        let mut bytes = [0; size_of::<usize>()];
        match self.read(&mut bytes)? {
            n if n == bytes.len() => Ok(usize::from_ne_bytes(bytes)),
            _ => Err(AccessError::NotNumeric),
        }
    }

    /// Sets it to an address.
    ///
    /// # Errors
    /// If it is not storage of a pointer's size.
    pub fn write_pointer(&self, address: usize) -> Result<(), AccessError> {
        self.write(&address.to_ne_bytes())
    }
}

impl fmt::Debug for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arg").field("kind", &self.kind()).field("size", &self.size).finish_non_exhaustive()
    }
}

/// An attribute that a field of ours refers to.
pub(crate) struct ConstantAttribute(Attribute);

// SAFETY: never written, and its pointer is null.
unsafe impl Sync for ConstantAttribute {}

impl ConstantAttribute {
    pub(crate) const ALPHANUMERIC: Self = Self(Attribute {
        kind: kind::ALPHANUMERIC,
        digits: 0,
        scale: 0,
        flags: 0,
        picture: std::ptr::null(),
    });

    pub(crate) fn zoned(digits: usize, signed: bool) -> Self {
        Self(Attribute {
            kind: kind::DISPLAY,
            digits: u16::try_from(digits).unwrap_or(u16::MAX),
            scale: 0,
            flags: if signed { flag::SIGNED } else { 0 },
            picture: std::ptr::null(),
        })
    }

    pub(crate) const DOUBLE: Self = Self(Attribute {
        kind: kind::DOUBLE,
        digits: 34,
        scale: 17,
        flags: flag::SIGNED,
        picture: std::ptr::null(),
    });

    pub(crate) fn get(&self) -> *const Attribute {
        &raw const self.0
    }
}
