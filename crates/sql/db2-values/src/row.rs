//! Rows as bytes.
//!
//! ```text
//! 1  format
//! 2  number of columns
//! n  a bit for each column, from the left: 1 where it is NULL
//! .. of each column that is not NULL: whole numbers 2, 4, 8 bytes; DECIMAL as many as its digits need; REAL, DOUBLE 8; CHAR its
//!    length; VARCHAR 2 bytes of length and the text; DATE, TIME 4; TIMESTAMP 4 and 8
//! ```
//! All numbers have their most significant byte first. A row may have fewer columns than its table has got since.

use crate::datetime::{Date, Time, Timestamp};
use crate::decimal::Decimal;
use crate::key::decimal_width;
use crate::types::Type;
use crate::value::Value;

const FORMAT: u8 = 1;

/// Bytes that are no row of the columns that they should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The bytes of a row: values in the types of its columns, as many as there are values.
pub fn encode(values: &[Value], kinds: &[Type]) -> Vec<u8> {
    let mut row = vec![FORMAT];
    row.extend((values.len() as u16).to_be_bytes());
    let marks = row.len();
    row.resize(marks + values.len().div_ceil(8), 0);
    for (at, (value, kind)) in values.iter().zip(kinds).enumerate() {
        if !append(&mut row, value, *kind) {
            row[marks + at / 8] |= 0x80 >> (at % 8);
        }
    }
    row
}

/// Returns false if the value is NULL.
fn append(row: &mut Vec<u8>, value: &Value, kind: Type) -> bool {
    let number = |row: &mut Vec<u8>, number: i128, width: usize| {
        let bytes = number.to_be_bytes();
        row.extend(&bytes[bytes.len() - width..]);
    };
    match value {
        Value::Null => return false,
        Value::Whole(whole) => number(row, i128::from(*whole), width(kind)),
        Value::Decimal(decimal) => number(row, decimal.unscaled, width(kind)),
        Value::Double(double) => row.extend(double.to_be_bytes()),
        Value::Text(text) => {
            if !kind.is_fixed() {
                row.extend((text.len() as u16).to_be_bytes());
            }
            row.extend(text);
        }
        Value::Date(date) => row.extend(date.days().to_be_bytes()),
        Value::Time(time) => row.extend(time.seconds().to_be_bytes()),
        Value::Timestamp(timestamp) => {
            row.extend(timestamp.date().days().to_be_bytes());
            row.extend(timestamp.picoseconds().to_be_bytes());
        }
    }
    true
}

/// Bytes of a value that has always as many.
fn width(kind: Type) -> usize {
    match kind {
        Type::SmallInt => 2,
        Type::Integer | Type::Date | Type::Time => 4,
        Type::BigInt | Type::Real | Type::Double => 8,
        Type::Decimal { precision, .. } => decimal_width(precision),
        Type::Timestamp(_) => 12,
        Type::Char(length) | Type::Bytes(length) | Type::Binary(length) => length as usize,
        Type::VarChar(_) | Type::VarBytes(_) | Type::VarBinary(_) => 2,
    }
}

/// Adds the values of a row behind those that are there; of columns that the row does not have there are none.
///
/// # Errors
/// The bytes are no row of these columns.
pub fn decode(row: &[u8], kinds: &[Type], values: &mut Vec<Value>) -> Result<(), Malformed> {
    let mut reader = Reader::new(row)?;
    for kind in kinds.iter().take(reader.columns) {
        let value = reader.next(*kind)?.map_or(Ok(Value::Null), |bytes| value_of(bytes, *kind))?;
        values.push(value);
    }
    if reader.columns <= kinds.len() && reader.rest.is_empty() { Ok(()) } else { Err(Malformed) }
}

/// Puts the values of a row into those that are there: of the columns that are wanted (an empty list: of all), the others and those
/// that the row does not have become NULL. Memory of texts is used again.
///
/// # Errors
/// The bytes are no row of these columns.
pub fn decode_into(
    row: &[u8],
    kinds: &[Type],
    wanted: &[bool],
    values: &mut [Value],
) -> Result<(), Malformed> {
    let mut reader = Reader::new(row)?;
    for (at, value) in values.iter_mut().enumerate() {
        let bytes = match kinds.get(at) {
            Some(kind) if at < reader.columns => reader.next(*kind)?.map(|bytes| (bytes, *kind)),
            _ => None,
        };
        match (bytes, value) {
            (Some((bytes, kind)), Value::Text(text)) if is_wanted(wanted, at) && kind.is_text() => {
                text.clear();
                text.extend_from_slice(bytes);
            }
            (Some((bytes, kind)), value) if is_wanted(wanted, at) => *value = value_of(bytes, kind)?,
            (_, value) => *value = Value::Null,
        }
    }
    if reader.columns <= kinds.len() && reader.rest.is_empty() { Ok(()) } else { Err(Malformed) }
}

fn is_wanted(wanted: &[bool], at: usize) -> bool {
    wanted.get(at).copied().unwrap_or(true)
}

/// The value of one column; `None` if the row does not have it.
///
/// # Errors
/// The bytes are no row of these columns.
pub fn column(row: &[u8], kinds: &[Type], number: usize) -> Result<Option<Value>, Malformed> {
    let mut reader = Reader::new(row)?;
    if number >= reader.columns {
        return Ok(None);
    }
    for kind in kinds.iter().take(number) {
        reader.next(*kind)?;
    }
    let kind = *kinds.get(number).ok_or(Malformed)?;
    reader.next(kind)?.map_or(Ok(Value::Null), |bytes| value_of(bytes, kind)).map(Some)
}

struct Reader<'r> {
    columns: usize,
    at: usize,
    marks: &'r [u8],
    rest: &'r [u8],
}

impl<'r> Reader<'r> {
    fn new(row: &'r [u8]) -> Result<Self, Malformed> {
        let [FORMAT, high, low, rest @ ..] = row else { return Err(Malformed) };
        let columns = usize::from(u16::from_be_bytes([*high, *low]));
        let (marks, rest) = rest.split_at_checked(columns.div_ceil(8)).ok_or(Malformed)?;
        Ok(Self { columns, at: 0, marks, rest })
    }

    /// The bytes of the next column, a length in front not among them; `None`: NULL.
    fn next(&mut self, kind: Type) -> Result<Option<&'r [u8]>, Malformed> {
        let is_null = self.marks.get(self.at / 8).ok_or(Malformed)? & (0x80 >> (self.at % 8)) != 0;
        self.at += 1;
        if is_null {
            return Ok(None);
        }
        let mut bytes = self.take(width(kind))?;
        if kind.is_text() && !kind.is_fixed() {
            bytes = self.take(usize::from(u16::from_be_bytes([bytes[0], bytes[1]])))?;
        }
        Ok(Some(bytes))
    }

    fn take(&mut self, length: usize) -> Result<&'r [u8], Malformed> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(bytes)
    }
}

fn value_of(bytes: &[u8], kind: Type) -> Result<Value, Malformed> {
    let number = || {
        let sign = bytes.first().map_or(0, |byte| *byte as i8 >> 7) as u8;
        let mut whole = [sign; 16];
        whole[16 - bytes.len()..].copy_from_slice(bytes);
        i128::from_be_bytes(whole)
    };
    let value = match kind {
        Type::SmallInt | Type::Integer | Type::BigInt => i64::try_from(number()).ok().map(Value::Whole),
        Type::Decimal { scale, .. } => {
            Some(Value::Decimal(Decimal { unscaled: number(), scale: scale.into() }))
        }
        Type::Real | Type::Double => {
            bytes.try_into().ok().map(|bytes| Value::Double(f64::from_be_bytes(bytes)))
        }
        Type::Date => date(bytes).map(Value::Date),
        Type::Time => u32::try_from(number()).ok().and_then(Time::from_seconds).map(Value::Time),
        Type::Timestamp(_) => bytes.split_at_checked(4).and_then(|(day, picoseconds)| {
            let picoseconds = u64::from_be_bytes(picoseconds.try_into().ok()?);
            Timestamp::new(date(day)?, picoseconds).map(Value::Timestamp)
        }),
        _ => Some(Value::Text(bytes.to_vec())),
    };
    value.ok_or(Malformed)
}

fn date(bytes: &[u8]) -> Option<Date> {
    Date::from_days(i32::from_be_bytes(bytes.try_into().ok()?))
}
