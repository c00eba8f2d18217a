//! Any message: type, bitmaps, fields.

use std::collections::BTreeMap;
use std::fmt;

use crate::iso8583::field::{Content, FieldSpec, field};
use crate::pan::Pan;

/// Bytes of the length before a message; it does not count itself.
pub const PREFIX_LENGTH: usize = 2;
/// Bytes of a frame at most: a receiver must be ready to take as many, and may hang up beyond it.
pub const FRAME_LENGTH_MAX: usize = 2048;

const TYPE_LENGTH: usize = 4;
const BITMAP_LENGTH: usize = 8;
/// Fields in one bitmap.
const BITMAP_FIELDS: u8 = 64;
/// The bit that announces the secondary bitmap.
const SECONDARY: u8 = 1;

/// A message: its type and its fields. It prints with the card number masked.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    mti: [u8; TYPE_LENGTH],
    fields: BTreeMap<u8, Vec<u8>>,
}

/// A fault in a message, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} at byte {at}: {problem}")]
pub struct IsoError {
    /// The part of the message.
    pub part: Part,
    /// The byte of the message at which that part begins, from 0; 0 for one that is being written.
    pub at: usize,
    /// The fault of the part.
    pub problem: Problem,
}

/// A part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The message type.
    Type,
    /// A bitmap.
    Bitmap,
    /// A field.
    Field(u8),
    /// The bytes after the last field.
    End,
}

/// A fault of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The message ends too early.
    #[error("{needed} bytes are needed, {there} are there")]
    Short {
        /// Bytes that the part has.
        needed: usize,
        /// Bytes that are left.
        there: usize,
    },
    /// Bytes that belong to nothing.
    #[error("{0} bytes too many")]
    Long(usize),
    /// A length that is not a number.
    #[error("the length before it is no number")]
    LengthNotDigits,
    /// A length that the field cannot have.
    #[error("{length} bytes where it has {limit}")]
    Length {
        /// Its bytes.
        length: usize,
        /// The exact or greatest number of its bytes.
        limit: usize,
    },
    /// A character that the field cannot hold.
    #[error("character {0} of it is not allowed")]
    Character(usize),
    /// A bit of a field that is not known.
    #[error("no such field is known")]
    Unknown,
    /// The message lacks the field.
    #[error("it is needed and not there")]
    Missing,
    /// The message has another type, or the field another value, than its reader takes.
    #[error("its value is not one that is expected here")]
    Unexpected,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type => f.write_str("message type"),
            Self::Bitmap => f.write_str("bitmap"),
            Self::End => f.write_str("end of the message"),
            Self::Field(number) => {
                let name = field(*number).map_or("unknown", |spec| spec.name);
                write!(f, "field {number} ({name})")
            }
        }
    }
}

impl Message {
    /// A message of a type without fields.
    pub fn new(mti: &[u8; TYPE_LENGTH]) -> Self {
        Self { mti: *mti, fields: BTreeMap::new() }
    }

    /// The type: four digits as 0100.
    pub fn mti(&self) -> &[u8; TYPE_LENGTH] {
        &self.mti
    }

    /// A field's bytes.
    pub fn get(&self, number: u8) -> Option<&[u8]> {
        self.fields.get(&number).map(Vec::as_slice)
    }

    /// A field's text, which the message must have.
    pub fn text(&self, number: u8) -> Result<&str, IsoError> {
        let fail = |problem| IsoError { part: Part::Field(number), at: 0, problem };
        let bytes = self.get(number).ok_or(fail(Problem::Missing))?;
        std::str::from_utf8(bytes).map_err(|error| fail(Problem::Character(error.valid_up_to())))
    }

    /// The numbers of the fields that are there.
    pub fn numbers(&self) -> impl Iterator<Item = u8> {
        self.fields.keys().copied()
    }

    /// Gives a field a value.
    pub fn set(&mut self, number: u8, value: impl Into<Vec<u8>>) -> Result<(), IsoError> {
        let value = value.into();
        let fail = |problem| IsoError { part: Part::Field(number), at: 0, problem };
        let spec = field(number).ok_or(fail(Problem::Unknown))?;
        check(spec, &value).map_err(fail)?;
        self.fields.insert(number, value);
        Ok(())
    }

    /// The message as bytes, without a length before it.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.mti.to_vec();
        let secondary = self.fields.keys().any(|number| *number > BITMAP_FIELDS);
        let mut bitmap: u128 = if secondary { bit(SECONDARY) } else { 0 };
        bitmap |= self.fields.keys().fold(0, |bits, number| bits | bit(*number));
        let bitmap_length = if secondary { 2 * BITMAP_LENGTH } else { BITMAP_LENGTH };
        bytes.extend(&bitmap.to_be_bytes()[..bitmap_length]);
        for (number, value) in &self.fields {
            let digits = field(*number).map_or(0, |spec| spec.length.digits());
            if digits > 0 {
                bytes.extend(format!("{:0digits$}", value.len()).bytes());
            }
            bytes.extend(value);
        }
        bytes
    }

    /// The message after its length.
    pub fn frame(&self) -> Vec<u8> {
        let message = self.encode();
        // No set of known fields is as long as the largest length.
        let length = u16::try_from(message.len()).unwrap_or(u16::MAX);
        [&length.to_be_bytes()[..], &message].concat()
    }

    /// Reads a message that has no length before it. All bytes must belong to it.
    pub fn decode(bytes: &[u8]) -> Result<Self, IsoError> {
        let mut reader = Reader { bytes, at: 0 };
        let mti = reader.array(Part::Type)?;
        if let Some(wrong) = mti.iter().position(|byte| !byte.is_ascii_digit()) {
            return Err(IsoError { part: Part::Type, at: 0, problem: Problem::Character(wrong) });
        }
        let bitmap = reader.bitmap()?;
        let mut message = Self::new(&mti);
        for number in (SECONDARY + 1..=2 * BITMAP_FIELDS).filter(|number| bitmap & bit(*number) != 0) {
            message.fields.insert(number, reader.field(number)?.to_vec());
        }
        match reader.rest() {
            0 => Ok(message),
            rest => Err(IsoError { part: Part::End, at: reader.at, problem: Problem::Long(rest) }),
        }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", String::from_utf8_lossy(&self.mti))?;
        for (number, value) in &self.fields {
            let text = String::from_utf8_lossy(value);
            match number {
                2 => write!(f, " {number}={:?}", Pan::new(&text))?,
                35 => write!(f, " {number}={:?}", crate::track2::Track2::parse(&text))?,
                52 | 55 => write!(f, " {number}=({} bytes)", value.len())?,
                _ => write!(f, " {number}={text}")?,
            }
        }
        Ok(())
    }
}

/// The bit of a field in both bitmaps together.
fn bit(number: u8) -> u128 {
    1 << (2 * BITMAP_FIELDS - number)
}

fn check(spec: &FieldSpec, value: &[u8]) -> Result<(), Problem> {
    if !spec.length.allows(value.len()) {
        return Err(Problem::Length { length: value.len(), limit: spec.length.max() });
    }
    match value.iter().position(|byte| !spec.content.allows(*byte)) {
        Some(wrong) if spec.content != Content::B => Err(Problem::Character(wrong)),
        _ => Ok(()),
    }
}

/// Bytes and how far they have been read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take(&mut self, length: usize, part: Part) -> Result<&'a [u8], IsoError> {
        let problem = Problem::Short { needed: length, there: self.rest() };
        let taken = self.bytes.get(self.at..self.at + length);
        let taken = taken.ok_or(IsoError { part, at: self.at, problem })?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, part: Part) -> Result<[u8; N], IsoError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, part)?);
        Ok(array)
    }

    /// Both bitmaps; the second is empty where it is not there.
    fn bitmap(&mut self) -> Result<u128, IsoError> {
        let primary = u64::from_be_bytes(self.array(Part::Bitmap)?);
        let both = u128::from(primary) << BITMAP_FIELDS;
        if both & bit(SECONDARY) == 0 {
            return Ok(both);
        }
        Ok(both | u128::from(u64::from_be_bytes(self.array(Part::Bitmap)?)))
    }

    fn field(&mut self, number: u8) -> Result<&'a [u8], IsoError> {
        let part = Part::Field(number);
        let at = self.at;
        let fail = |problem| IsoError { part, at, problem };
        let spec = field(number).ok_or(fail(Problem::Unknown))?;
        let length = match spec.length.digits() {
            0 => spec.length.max(),
            digits => {
                let digits = std::str::from_utf8(self.take(digits, part)?).unwrap_or_default();
                let length = crate::digits::number(digits).filter(|_| !digits.is_empty());
                // At most three digits.
                usize::try_from(length.ok_or(fail(Problem::LengthNotDigits))?).unwrap_or(usize::MAX)
            }
        };
        if !spec.length.allows(length) {
            return Err(fail(Problem::Length { length, limit: spec.length.max() }));
        }
        let value = self.take(length, part)?;
        check(spec, value).map_err(fail)?;
        Ok(value)
    }
}
