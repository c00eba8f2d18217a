//! Functions of one text.

use super::{Call, Function};
use crate::datetime::Timestamp;
use crate::decimal::Decimal;
use crate::limits;
use crate::order::BLANK;
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

impl Call<'_> {
    pub(super) fn of_text(&self) -> Result<Value, Unfit> {
        let text = match self.function {
            Function::Length => return self.length(),
            Function::Digits => self.digits()?,
            Function::Hex => self.hex()?,
            Function::Space => vec![BLANK; self.number_of_characters(0, Unfit::ARGUMENT)?],
            Function::Substring => self.substring()?,
            Function::Upper => upper(&self.text_at(0)?),
            Function::Lower => lower(&self.text_at(0)?),
            Function::Left => {
                let length = self.number_of_characters(1, Unfit::SUBSTRING)?;
                let text = self.text_at(0)?;
                text[..length.min(text.len())].to_vec()
            }
            Function::Right => {
                let length = self.number_of_characters(1, Unfit::SUBSTRING)?;
                let text = self.text_at(0)?;
                text[text.len().saturating_sub(length)..].to_vec()
            }
            Function::Repeat => {
                let number = self.number_of_characters(1, Unfit::ARGUMENT)?;
                let text = self.text_at(0)?;
                if text.len().saturating_mul(number) > limits::TEXT_MAX {
                    return Err(Unfit::TOO_LONG);
                }
                text.repeat(number)
            }
            _ => self.strip()?,
        };
        Ok(Value::Text(text))
    }

    /// A number of characters, which no text has more of than [`limits::TEXT_MAX`].
    fn number_of_characters(&self, at: usize, negative: Unfit) -> Result<usize, Unfit> {
        let number = usize::try_from(self.whole_at(at)?).map_err(|_| negative)?;
        if number > limits::TEXT_MAX { Err(Unfit::TOO_LONG) } else { Ok(number) }
    }

    fn length(&self) -> Result<Value, Unfit> {
        let length = match (self.value_at(0)?, self.kind_at(0)) {
            (Value::Text(text), _) => text.len() as i64,
            (_, Type::SmallInt) => 2,
            (_, Type::Integer | Type::Date | Type::Real) => 4,
            (_, Type::BigInt | Type::Double) => 8,
            (_, Type::Decimal { precision, .. }) => i64::from(precision) / 2 + 1,
            (_, Type::Time) => 3,
            (_, Type::Timestamp(digits)) => 7 + (i64::from(digits) + 1) / 2,
            _ => return Err(Unfit::ARGUMENT),
        };
        Ok(Value::Whole(length))
    }

    fn digits(&self) -> Result<Vec<u8>, Unfit> {
        let digits = match self.value_at(0)? {
            Value::Whole(number) => number.unsigned_abs().to_string(),
            Value::Decimal(number) => number.unscaled.unsigned_abs().to_string(),
            _ => return Err(Unfit::ARGUMENT),
        };
        let wanted = self.types.result.length().unwrap_or_default() as usize;
        Ok(format!("{digits:0>wanted$}").into_bytes())
    }

    fn hex(&self) -> Result<Vec<u8>, Unfit> {
        let bytes = match (self.value_at(0)?, self.kind_at(0)) {
            (Value::Text(text), _) => text.clone(),
            (Value::Whole(number), Type::SmallInt) => number.to_be_bytes()[6..].to_vec(),
            (Value::Whole(number), Type::BigInt) => number.to_be_bytes().to_vec(),
            (Value::Whole(number), _) => number.to_be_bytes()[4..].to_vec(),
            (Value::Decimal(number), Type::Decimal { precision, .. }) => packed(*number, precision)?,
            (Value::Date(date), _) => return Ok(date.text(Default::default()).replace('-', "").into_bytes()),
            (Value::Time(time), _) => return Ok(time.text(Default::default()).replace('.', "").into_bytes()),
            (Value::Timestamp(timestamp), Type::Timestamp(digits)) => {
                return Ok(stamp_digits(*timestamp, digits));
            }
            _ => return Err(Unfit::ARGUMENT),
        };
        Ok(bytes.iter().flat_map(|byte| format!("{byte:02X}").into_bytes()).collect())
    }

    fn substring(&self) -> Result<Vec<u8>, Unfit> {
        let text = self.text_at(0)?;
        let kind = self.kind_at(0);
        let most = kind.length().unwrap_or(text.len() as u32) as usize;
        let start = usize::try_from(self.whole_at(1)?).ok().and_then(|start| start.checked_sub(1));
        let start = start.filter(|start| *start < most.max(1)).ok_or(Unfit::SUBSTRING)?;
        if self.values.len() < 3 {
            return Ok(text.get(start..).unwrap_or_default().to_vec());
        }
        let length = usize::try_from(self.whole_at(2)?).map_err(|_| Unfit::SUBSTRING)?;
        if length > most - start {
            return Err(Unfit::SUBSTRING);
        }
        // Of a shorter text the part that is missing is blanks.
        let filler = if kind.is_binary() { 0 } else { BLANK };
        let padded = text.iter().copied().chain(std::iter::repeat(filler));
        Ok(padded.skip(start).take(length).collect())
    }

    fn strip(&self) -> Result<Vec<u8>, Unfit> {
        let character = match self.values.len() {
            0 | 1 if self.kind_at(0).is_binary() => 0,
            0 | 1 => BLANK,
            _ => match *self.text_at(1)? {
                [character] => character,
                _ => return Err(Unfit::ARGUMENT),
            },
        };
        let text = self.text_at(0)?;
        let is_kept = |byte: &u8| *byte != character;
        let first = match self.function {
            Function::StripRight => 0,
            _ => text.iter().position(is_kept).unwrap_or(text.len()),
        };
        let last = match self.function {
            Function::StripLeft => text.len(),
            _ => text.iter().rposition(is_kept).map_or(first, |at| at + 1),
        };
        Ok(text[first..last].to_vec())
    }
}

/// A text in capitals.
pub(super) fn upper(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    ebcdic::to_upper(&mut text);
    text
}

fn lower(text: &[u8]) -> Vec<u8> {
    let small = |byte: &u8| match byte {
        b'A'..=b'Z' | 0xC0..=0xD6 | 0xD8..=0xDE => byte + 0x20,
        byte => *byte,
    };
    text.iter().map(small).collect()
}

/// A number of so many digits as Db2 keeps it: two digits a byte, the sign behind them.
fn packed(number: Decimal, precision: u8) -> Result<Vec<u8>, Unfit> {
    let mut bytes = vec![0; usize::from(precision) / 2 + 1];
    ebcdic::decimal::pack(number.unscaled, true, &mut bytes).map_err(|_| Unfit::OVERFLOW)?;
    Ok(bytes)
}

/// The digits of a timestamp, two a byte.
fn stamp_digits(timestamp: Timestamp, digits: u8) -> Vec<u8> {
    let text = timestamp.text(digits);
    let mut digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    if !digits.len().is_multiple_of(2) {
        digits.push(b'0');
    }
    digits
}
