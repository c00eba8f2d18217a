//! Values in other types.

use std::borrow::Cow;

use crate::datetime::{Date, Time, Timestamp};
use crate::decimal::Decimal;
use crate::order::BLANK;
use crate::setting::Setting;
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

/// The use of a value that gets another type: it decides about SQLCODEs, and about texts that are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// In an expression: a longer text is cut with a warning, a number out of range is -802.
    Expression,
    /// For a column: a longer text is -404 unless blanks alone are lost, a number out of range -406.
    Column,
}

impl Purpose {
    fn range(self) -> Unfit {
        match self {
            Self::Expression => Unfit::OVERFLOW,
            Self::Column => Unfit::COLUMN_RANGE,
        }
    }

    fn kind(self) -> Unfit {
        match self {
            Self::Expression => Unfit::TYPES,
            Self::Column => Unfit::COLUMN_TYPE,
        }
    }

    fn digits(self) -> Unfit {
        match self {
            Self::Expression => Unfit::DIGITS,
            Self::Column => Unfit::COLUMN_LENGTH,
        }
    }
}

/// A value in another type. Digits behind the point that the type does not have are cut; NULL stays NULL.
///
/// # Errors
/// It is out of range (-802, -406), no number (-420), no date or time (-180, -181), too long (-404, -433), or of a type that the
/// other does not take (-401, -408).
pub fn convert(value: Value, to: Type, purpose: Purpose, setting: &Setting) -> Result<Value, Unfit> {
    match to {
        _ if value.is_null() => Ok(value),
        Type::SmallInt | Type::Integer | Type::BigInt => whole(&value, to, purpose),
        Type::Decimal { precision, scale } => {
            let number = number(&value, purpose)?.ok_or(purpose.kind())?;
            let number = number.scaled(scale.into()).filter(|number| number.has_at_most(precision.into()));
            number.map(Value::Decimal).ok_or(purpose.range())
        }
        Type::Real | Type::Double => float(&value, to, purpose),
        Type::Date | Type::Time | Type::Timestamp(_) => datetime(&value, to, purpose),
        _ => {
            let is_number = matches!(value, Value::Whole(_) | Value::Decimal(_) | Value::Double(_));
            let longest = to.length().unwrap_or_default() as usize;
            let text = match value {
                Value::Text(text) => text,
                other => text_of(&other, setting).into_bytes(),
            };
            if is_number && text.len() > longest {
                return Err(purpose.digits());
            }
            fit(text, to, purpose, setting)
        }
    }
}

fn whole(value: &Value, to: Type, purpose: Purpose) -> Result<Value, Unfit> {
    let number = match value {
        Value::Whole(number) => Some(*number),
        value => {
            let number = number(value, purpose)?.ok_or(purpose.kind())?;
            number.at_scale(0).and_then(|number| i64::try_from(number).ok())
        }
    };
    number.filter(|number| is_within(*number, to)).map(Value::Whole).ok_or(purpose.range())
}

/// Returns true if a whole number is one of a type's.
pub(crate) fn is_within(number: i64, kind: Type) -> bool {
    match kind {
        Type::SmallInt => i16::try_from(number).is_ok(),
        Type::Integer => i32::try_from(number).is_ok(),
        _ => true,
    }
}

/// An exact number, of a number or the text of one; `None`: neither.
fn number(value: &Value, purpose: Purpose) -> Result<Option<Decimal>, Unfit> {
    Ok(Some(match value {
        Value::Whole(number) => Decimal::whole(*number),
        Value::Decimal(number) => *number,
        Value::Double(number) => Decimal::from_f64(*number).ok_or(purpose.range())?,
        Value::Text(text) => Decimal::parse(text).ok_or(Unfit::CAST)?,
        _ => return Ok(None),
    }))
}

fn float(value: &Value, to: Type, purpose: Purpose) -> Result<Value, Unfit> {
    let number = match value {
        Value::Whole(number) => *number as f64,
        Value::Decimal(number) => number.to_f64(),
        Value::Double(number) => *number,
        Value::Text(text) => float_of_text(text).ok_or(Unfit::CAST)?,
        _ => return Err(purpose.kind()),
    };
    let number = if to == Type::Real { f64::from(number as f32) } else { number };
    if number.is_finite() { Ok(Value::Double(number)) } else { Err(purpose.range()) }
}

/// The number of a text; words such as `inf` are none.
fn float_of_text(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text.trim_ascii()).ok()?;
    let are_digits = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,eE".contains(&byte));
    text.replace(',', ".").parse().ok().filter(|_| are_digits)
}

fn datetime(value: &Value, to: Type, purpose: Purpose) -> Result<Value, Unfit> {
    Ok(match (to, value) {
        (Type::Date, Value::Date(date)) => Value::Date(*date),
        (Type::Date, Value::Timestamp(timestamp)) => Value::Date(timestamp.date()),
        (Type::Date, Value::Text(text)) => Value::Date(Date::parse(text)?),
        (Type::Time, Value::Time(time)) => Value::Time(*time),
        (Type::Time, Value::Timestamp(timestamp)) => Value::Time(timestamp.time()),
        (Type::Time, Value::Text(text)) => Value::Time(Time::parse(text)?),
        (Type::Timestamp(digits), Value::Timestamp(timestamp)) => {
            Value::Timestamp(timestamp.with_digits(digits))
        }
        (Type::Timestamp(digits), Value::Text(text)) => {
            Value::Timestamp(Timestamp::parse(text)?.with_digits(digits))
        }
        (Type::Timestamp(_), Value::Date(date)) => Value::Timestamp(Timestamp::midnight(*date)),
        _ => return Err(purpose.kind()),
    })
}

/// A text in the length of its type: longer by blanks (zeros, in BINARY), or cut.
fn fit(mut text: Vec<u8>, to: Type, purpose: Purpose, setting: &Setting) -> Result<Value, Unfit> {
    let longest = to.length().unwrap_or_default() as usize;
    if text.len() > longest {
        let has_more = to.is_binary() || text[longest..].iter().any(|byte| *byte != BLANK);
        match purpose {
            Purpose::Column if has_more => return Err(Unfit::COLUMN_LENGTH),
            Purpose::Expression if has_more => setting.warn_cut(),
            _ => {}
        }
        text.truncate(longest);
    }
    Ok(Value::Text(filled(text, to)))
}

/// A text with the whole length of its type, where that is fixed.
pub(crate) fn filled(mut text: Vec<u8>, kind: Type) -> Vec<u8> {
    let longest = kind.length().unwrap_or_default() as usize;
    if kind.is_fixed() && text.len() < longest {
        text.resize(longest, if kind.is_binary() { 0 } else { BLANK });
    }
    text
}

/// A value as text: numbers as constants have them, dates and times in the setting's styles.
pub fn text_of(value: &Value, setting: &Setting) -> String {
    match value {
        Value::Null => String::new(),
        Value::Whole(number) => number.to_string(),
        Value::Decimal(number) => number.text(),
        Value::Double(number) => float_text(*number),
        Value::Text(text) => ebcdic::Characters::default().text(text),
        Value::Date(date) => date.text(setting.date),
        Value::Time(time) => time.text(setting.time),
        Value::Timestamp(timestamp) => timestamp.text(fraction_digits(*timestamp)),
    }
}

/// Six digits, or as many as tell a finer timestamp.
fn fraction_digits(timestamp: Timestamp) -> u8 {
    (6..crate::limits::FRACTION_MAX).find(|digits| timestamp.with_digits(*digits) == timestamp).unwrap_or(12)
}

/// A digit, a point, the rest, and an exponent.
fn float_text(number: f64) -> String {
    if number == 0.0 {
        return "0E0".to_owned();
    }
    let text = format!("{number:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}

/// A number's constant as a value of its type; `None`: it is none.
pub fn constant(text: &str, kind: Type) -> Option<Value> {
    match kind {
        Type::SmallInt | Type::Integer | Type::BigInt => text.parse().ok().map(Value::Whole),
        Type::Decimal { scale, .. } => {
            Decimal::parse(text.as_bytes())?.scaled(scale.into()).map(Value::Decimal)
        }
        _ => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Double),
    }
}

/// The characters of a text, or of a value as text.
pub(crate) fn characters<'v>(value: &'v Value, setting: &Setting) -> Cow<'v, [u8]> {
    match value {
        Value::Text(text) => Cow::Borrowed(text),
        other => Cow::Owned(text_of(other, setting).into_bytes()),
    }
}
