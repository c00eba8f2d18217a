//! Functions of values.

mod numbers;
mod parts;
mod places;
mod sounds;
mod texts;
mod times;

use crate::compare::compare;
use crate::convert::{Purpose, convert, filled, is_within};
use crate::datetime::DateStyle;
use crate::duration::Unit;
use crate::limits;
use crate::setting::Setting;
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

/// Functions of values. An argument in brackets may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// COALESCE, VALUE, IFNULL, NVL: the first that is not NULL, in the type of the result.
    Coalesce,
    /// NULLIF: NULL if both are equal, else the first.
    NullIf,
    /// MAX, GREATEST: the greatest; NULL if one is.
    Greatest,
    /// MIN, LEAST: the least; NULL if one is.
    Least,
    /// INTEGER, DECIMAL, CHAR, CAST and the like: the value in the type of the result.
    Convert,
    /// CHAR, VARCHAR of a date or a time in a style.
    Styled(DateStyle),

    /// UPPER, UCASE.
    Upper,
    /// LOWER, LCASE.
    Lower,
    /// SUBSTR: text, place \[length\].
    Substring,
    /// STRIP, TRIM: text \[character\].
    Strip,
    /// RTRIM, and STRIP of trailing ones.
    StripRight,
    /// LTRIM, and STRIP of leading ones.
    StripLeft,
    /// LENGTH, in bytes.
    Length,
    /// DIGITS.
    Digits,
    /// HEX.
    Hex,
    /// POSSTR: text, what is looked for.
    Position,
    /// LOCATE, POSITION: what is looked for, text \[place\].
    Locate,
    /// LOCATE_IN_STRING: text, what is looked for \[place \[which one\]\].
    LocateInString,
    /// LEFT: text, length.
    Left,
    /// RIGHT: text, length.
    Right,
    /// REPEAT: text, number.
    Repeat,
    /// SPACE: number.
    Space,
    /// REPLACE: text, what is looked for, what takes its place.
    Replace,
    /// INSERT: text, place, length, what takes its place.
    Insert,
    /// OVERLAY: text, what takes a place, place \[length\].
    Overlay,
    /// TRANSLATE: text \[to, from \[filler\]\]; alone it is UPPER.
    Translate,
    /// SOUNDEX.
    Soundex,
    /// DIFFERENCE: how many letters of both SOUNDEX are the same.
    Difference,

    /// MOD.
    Modulo,
    /// ABS.
    Absolute,
    /// CEILING.
    Ceiling,
    /// FLOOR.
    Floor,
    /// ROUND: number \[digits behind the point\].
    Round,
    /// TRUNCATE: number \[digits behind the point\].
    Truncate,
    /// SIGN.
    Sign,
    /// MULTIPLY_ALT.
    MultiplyAlternative,
    /// BITAND.
    BitAnd,
    /// BITANDNOT.
    BitAndNot,
    /// BITOR.
    BitOr,
    /// BITXOR.
    BitXor,
    /// BITNOT.
    BitNot,

    /// YEAR, of a date, a timestamp or a duration, as those that follow.
    Year,
    /// MONTH.
    Month,
    /// DAY.
    Day,
    /// HOUR.
    Hour,
    /// MINUTE.
    Minute,
    /// SECOND.
    Second,
    /// MICROSECOND.
    Microsecond,
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// TIMESTAMP: timestamp, or date and time.
    Timestamp,
    /// DAYS.
    Days,
    /// DAYOFWEEK: 1 is Sunday.
    DayOfWeek,
    /// DAYOFWEEK_ISO: 1 is Monday.
    DayOfWeekIso,
    /// DAYOFYEAR.
    DayOfYear,
    /// WEEK.
    Week,
    /// WEEK_ISO.
    WeekIso,
    /// QUARTER.
    Quarter,
    /// JULIAN_DAY.
    JulianDay,
    /// LAST_DAY.
    LastDay,
    /// NEXT_DAY: date, day of the week.
    NextDay,
    /// ADD_MONTHS: date, number. A month's last day stays one.
    AddMonths,
    /// MONTHS_BETWEEN.
    MonthsBetween,
    /// MIDNIGHT_SECONDS.
    MidnightSeconds,
    /// TIMESTAMP_FORMAT, TO_DATE, TO_TIMESTAMP: text, format.
    TimestampFormat,
    /// VARCHAR_FORMAT, TO_CHAR: timestamp, format.
    VarcharFormat,
    /// TIMESTAMPDIFF: unit, duration as text.
    TimestampDifference,
    /// TRUNC_TIMESTAMP: timestamp \[unit\].
    TruncateTimestamp,
    /// date + number UNITS.
    Later(Unit),
    /// date - number UNITS.
    Earlier(Unit),
    /// date + a duration of digits.
    Forward,
    /// date - a duration of digits.
    Backward,
    /// date - date: a duration of digits.
    Apart,
}

/// The types of a call.
#[derive(Clone, Copy, Debug)]
pub struct Types<'t> {
    /// Those of the arguments.
    pub arguments: &'t [Type],
    /// That of the result.
    pub result: Type,
}

/// A call while it is carried out: it has all arguments, and none is NULL.
struct Call<'c> {
    function: Function,
    values: &'c [Value],
    types: Types<'c>,
    setting: &'c Setting,
}

/// The value of a function. If an argument is NULL, so is the result (except of COALESCE and NULLIF).
///
/// # Errors
/// An argument is out of its range (-138, -171, -802), no date (-180, -181), no number (-420), or not of the types that the function
/// has (-171); a date is out of all years (-183).
pub fn call(
    function: Function,
    values: &[Value],
    types: Types<'_>,
    setting: &Setting,
) -> Result<Value, Unfit> {
    let kind = |at: usize| types.arguments.get(at).copied().unwrap_or(types.result);
    match function {
        Function::Coalesce => {
            let first = values.iter().find(|value| !value.is_null()).cloned().unwrap_or_default();
            return convert(first, types.result, Purpose::Expression, setting);
        }
        Function::NullIf => {
            let [a, b] = values else { return Err(Unfit::ARGUMENT) };
            let common = kind(0).common(kind(1)).ok_or(Unfit::TYPES)?;
            let order = comparison(a, b, common, setting)?;
            return if order.is_some_and(|order| order.is_eq()) { Ok(Value::Null) } else { Ok(a.clone()) };
        }
        _ if values.iter().any(Value::is_null) => return Ok(Value::Null),
        _ => {}
    }
    let call = Call { function, values, types, setting };
    let value = call.value()?;
    call.of_result(value)
}

/// The order of two values in a type that both have in common; texts beside other values are read first.
fn comparison(
    a: &Value,
    b: &Value,
    common: Type,
    setting: &Setting,
) -> Result<Option<std::cmp::Ordering>, Unfit> {
    let read = |value: &Value| match value {
        Value::Text(_) if !common.is_text() => convert(value.clone(), common, Purpose::Expression, setting),
        value => Ok(value.clone()),
    };
    Ok(compare(&read(a)?, &read(b)?, common, setting.order))
}

impl Call<'_> {
    fn value(&self) -> Result<Value, Unfit> {
        use Function as F;
        match self.function {
            F::Coalesce | F::NullIf | F::Greatest | F::Least | F::Convert | F::Styled(_) => self.general(),
            F::Upper
            | F::Lower
            | F::Substring
            | F::Strip
            | F::StripRight
            | F::StripLeft
            | F::Length
            | F::Digits
            | F::Hex
            | F::Left
            | F::Right
            | F::Repeat
            | F::Space => self.of_text(),
            F::Position
            | F::Locate
            | F::LocateInString
            | F::Replace
            | F::Insert
            | F::Overlay
            | F::Translate => self.of_places(),
            F::Soundex | F::Difference => self.of_sounds(),
            F::Modulo
            | F::Absolute
            | F::Ceiling
            | F::Floor
            | F::Round
            | F::Truncate
            | F::Sign
            | F::MultiplyAlternative
            | F::BitAnd
            | F::BitAndNot
            | F::BitOr
            | F::BitXor
            | F::BitNot => self.of_numbers(),
            F::Year
            | F::Month
            | F::Day
            | F::Hour
            | F::Minute
            | F::Second
            | F::Microsecond
            | F::Days
            | F::DayOfWeek
            | F::DayOfWeekIso
            | F::DayOfYear
            | F::Week
            | F::WeekIso
            | F::Quarter
            | F::JulianDay
            | F::MidnightSeconds => self.parts(),
            _ => self.of_times(),
        }
    }

    fn general(&self) -> Result<Value, Unfit> {
        let first = self.value_at(0)?;
        match self.function {
            Function::Styled(style) => {
                let setting =
                    Setting { date: style, time: times::style_of(style), ..Setting::at(self.setting.now) };
                convert(first.clone(), self.types.result, Purpose::Expression, &setting)
            }
            Function::Convert => convert(first.clone(), self.types.result, Purpose::Expression, self.setting),
            _ => {
                let mut found = first;
                for value in &self.values[1..] {
                    let order = comparison(value, found, self.types.result, self.setting)?;
                    let is_wanted = if self.function == Function::Greatest {
                        order.is_some_and(|order| order.is_gt())
                    } else {
                        order.is_some_and(|order| order.is_lt())
                    };
                    if is_wanted {
                        found = value;
                    }
                }
                convert(found.clone(), self.types.result, Purpose::Expression, self.setting)
            }
        }
    }

    /// A value as the type of the result has it: within its range, at its scale, in its whole length.
    fn of_result(&self, value: Value) -> Result<Value, Unfit> {
        match (value, self.types.result) {
            (Value::Whole(number), kind) if kind.is_whole() => {
                if is_within(number, kind) {
                    Ok(Value::Whole(number))
                } else {
                    Err(Unfit::OVERFLOW)
                }
            }
            (value @ (Value::Whole(_) | Value::Decimal(_) | Value::Double(_)), kind) if kind.is_number() => {
                convert(value, kind, Purpose::Expression, self.setting)
            }
            (Value::Text(text), kind) if text.len() <= limits::TEXT_MAX => {
                Ok(Value::Text(filled(text, kind)))
            }
            (Value::Text(_), _) => Err(Unfit::TOO_LONG),
            (value, _) => Ok(value),
        }
    }

    fn value_at(&self, at: usize) -> Result<&Value, Unfit> {
        self.values.get(at).ok_or(Unfit::ARGUMENT)
    }

    fn kind_at(&self, at: usize) -> Type {
        self.types.arguments.get(at).copied().unwrap_or(self.types.result)
    }

    /// An argument as a whole number.
    fn whole_at(&self, at: usize) -> Result<i64, Unfit> {
        match convert(self.value_at(at)?.clone(), Type::BigInt, Purpose::Expression, self.setting)? {
            Value::Whole(number) => Ok(number),
            _ => Err(Unfit::ARGUMENT),
        }
    }

    /// An argument as characters.
    fn text_at(&self, at: usize) -> Result<std::borrow::Cow<'_, [u8]>, Unfit> {
        self.value_at(at).map(|value| crate::convert::characters(value, self.setting))
    }
}
