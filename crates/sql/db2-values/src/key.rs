//! Keys: bytes that sort as values do.
//!
//! ```text
//! a column  mark (1: a value, 2: NULL, which is the highest), then for a value:
//!   whole numbers   2, 4, 8 bytes, most significant first, the sign turned
//!   DECIMAL         as many bytes as its digits need, the sign turned
//!   REAL, DOUBLE    8 bytes; of a negative number all bits turned, else the sign
//!   CHAR            its whole length, each character by its place in the order
//!   VARCHAR         eight characters and a mark, as often as needed; blanks at the end are none.
//!                   The mark: what follows is 1 less than blanks, 2 blanks alone (the end), 3 more
//!   VARBINARY       eight bytes and a mark, as often as needed. The mark: bytes of the last eight, or 9: more follow
//!   DATE, TIME      4 bytes
//!   TIMESTAMP       4 bytes of the day, 8 of its picoseconds
//! a descending column: all of these turned
//! ```
//!
//! No key is the beginning of another of the same columns, so that keys of several columns stand one behind the other.

use crate::decimal::Decimal;
use crate::order::{BLANK, Order};
use crate::types::Type;
use crate::value::Value;

const VALUE: u8 = 1;
const NULL: u8 = 2;
/// Characters of a text between two marks.
const GROUP: usize = 8;
const LESS: u8 = 1;
const END: u8 = 2;
const MORE: u8 = 3;
const FURTHER: u8 = GROUP as u8 + 1;

/// Appends the key of a column's value. A value of another type than the column's has the key of NULL: convert it before.
pub fn append(key: &mut Vec<u8>, value: &Value, kind: Type, is_descending: bool, order: Order) {
    let begin = key.len();
    key.push(VALUE);
    if !append_value(key, value, kind, order) {
        key.truncate(begin);
        key.push(NULL);
    }
    if is_descending {
        key[begin..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}

/// The most bytes of a column's key.
pub fn longest(kind: Type) -> usize {
    let length = kind.length().unwrap_or_default() as usize;
    1 + match kind {
        Type::SmallInt => 2,
        Type::Integer | Type::Date | Type::Time => 4,
        Type::BigInt | Type::Real | Type::Double => 8,
        Type::Decimal { precision, .. } => decimal_width(precision),
        Type::Timestamp(_) => 12,
        Type::Char(_) | Type::Bytes(_) | Type::Binary(_) => length,
        Type::VarChar(_) | Type::VarBytes(_) | Type::VarBinary(_) => {
            length.div_ceil(GROUP).max(1) * (GROUP + 1)
        }
    }
}

/// Bytes that hold a number of so many digits with its sign.
pub(crate) fn decimal_width(precision: u8) -> usize {
    let most = 10u128.checked_pow(precision.into()).unwrap_or(u128::MAX >> 1);
    ((u128::BITS - most.leading_zeros() + 1) as usize).div_ceil(8).min(16)
}

/// Returns false if the value is NULL, or not of this type.
fn append_value(key: &mut Vec<u8>, value: &Value, kind: Type, order: Order) -> bool {
    match (value, kind) {
        (Value::Whole(number), Type::SmallInt) => turned(key, i128::from(*number), 2),
        (Value::Whole(number), Type::Integer) => turned(key, i128::from(*number), 4),
        (Value::Whole(number), Type::BigInt) => turned(key, i128::from(*number), 8),
        (Value::Decimal(Decimal { unscaled, scale }), Type::Decimal { precision, scale: wanted })
            if *scale == u32::from(wanted) =>
        {
            turned(key, *unscaled, decimal_width(precision));
        }
        (Value::Double(number), Type::Real | Type::Double) => {
            // Both zeros are one.
            let bits = if *number == 0.0 { 0 } else { number.to_bits() };
            let sign = 1 << 63;
            key.extend((if bits & sign == 0 { bits | sign } else { !bits }).to_be_bytes());
        }
        (Value::Text(text), Type::Char(length)) => fixed(key, text, length, |byte| order.place(byte), BLANK),
        (Value::Text(text), Type::Bytes(length)) => fixed(key, text, length, |byte| byte, BLANK),
        (Value::Text(text), Type::Binary(length)) => fixed(key, text, length, |byte| byte, 0),
        (Value::Text(text), Type::VarChar(_)) => varying(key, text, order),
        (Value::Text(text), Type::VarBytes(_)) => varying(key, text, Order::default()),
        (Value::Text(text), Type::VarBinary(_)) => binary(key, text),
        (Value::Date(date), Type::Date) => key.extend(date.days().to_be_bytes()),
        (Value::Time(time), Type::Time) => key.extend(time.seconds().to_be_bytes()),
        (Value::Timestamp(timestamp), Type::Timestamp(_)) => {
            key.extend(timestamp.date().days().to_be_bytes());
            key.extend(timestamp.picoseconds().to_be_bytes());
        }
        _ => return false,
    }
    true
}

/// The last bytes of a number, its sign turned.
fn turned(key: &mut Vec<u8>, number: i128, width: usize) {
    let bytes = number.to_be_bytes();
    let begin = key.len();
    key.extend(&bytes[bytes.len() - width..]);
    key[begin] ^= 0x80;
}

fn fixed(key: &mut Vec<u8>, text: &[u8], length: u32, place: impl Fn(u8) -> u8, filler: u8) {
    let filled = text.iter().copied().chain(std::iter::repeat(filler));
    key.extend(filled.take(length as usize).map(place));
}

fn varying(key: &mut Vec<u8>, text: &[u8], order: Order) {
    let end = text.iter().rposition(|byte| *byte != BLANK).map_or(0, |at| at + 1);
    let mut rest = &text[..end];
    let blank = order.place(BLANK);
    loop {
        let (group, behind) = rest.split_at(rest.len().min(GROUP));
        fixed(key, group, GROUP as u32, |byte| order.place(byte), BLANK);
        // The rest does not end with a blank, so one of its characters differs from it.
        match behind.iter().map(|byte| order.place(*byte)).find(|place| *place != blank) {
            None => return key.push(END),
            Some(place) => key.push(if place < blank { LESS } else { MORE }),
        }
        rest = behind;
    }
}

fn binary(key: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    loop {
        let (group, behind) = rest.split_at(rest.len().min(GROUP));
        fixed(key, group, GROUP as u32, |byte| byte, 0);
        if behind.is_empty() {
            return key.push(group.len() as u8);
        }
        key.push(FURTHER);
        rest = behind;
    }
}
