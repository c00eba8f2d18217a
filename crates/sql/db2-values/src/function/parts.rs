//! Parts of dates, times and durations.

use super::{Call, Function};
use crate::datetime::{Date, Time, Timestamp};
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

/// Julian days before the first that DAYS counts.
const JULIAN: i64 = 1_721_425;
/// Picoseconds of a microsecond.
const MICROSECOND: u64 = 1_000_000;

impl Call<'_> {
    pub(super) fn parts(&self) -> Result<Value, Unfit> {
        if let Value::Decimal(number) = self.value_at(0)? {
            return self.of_duration(number.unscaled, number.scale);
        }
        let part = match self.function {
            Function::Hour => self.time_at(0)?.hour(),
            Function::Minute => self.time_at(0)?.minute(),
            Function::Second => self.time_at(0)?.second(),
            Function::MidnightSeconds => self.time_at(0)?.seconds(),
            Function::Microsecond => (self.timestamp_at(0)?.fraction() / MICROSECOND) as u32,
            _ => return self.of_date(self.date_at(0)?),
        };
        Ok(Value::Whole(part.into()))
    }

    fn of_date(&self, date: Date) -> Result<Value, Unfit> {
        let part = match self.function {
            Function::Year => date.year(),
            Function::Month => date.month(),
            Function::Day => date.day(),
            Function::Quarter => date.month().div_ceil(3),
            Function::Week => date.week(),
            Function::WeekIso => date.iso_week().1,
            Function::DayOfYear => date.day_of_year(),
            Function::DayOfWeek => date.day_of_week(),
            Function::DayOfWeekIso => (date.day_of_week() + 5) % 7 + 1,
            Function::JulianDay => return Ok(Value::Whole(i64::from(date.days()) + JULIAN)),
            _ => return Ok(Value::Whole(date.days().into())),
        };
        Ok(Value::Whole(part.into()))
    }

    /// The part of a duration of digits: of a date's (yyyymmdd), a time's (hhmmss) or a timestamp's.
    fn of_duration(&self, unscaled: i128, scale: u32) -> Result<Value, Unfit> {
        let precision = match self.kind_at(0) {
            Type::Decimal { precision, .. } => u32::from(precision),
            _ => return Err(Unfit::ARGUMENT),
        };
        let whole = unscaled / 10i128.pow(scale);
        // Digits behind those of the day, and behind those of the second.
        let (day, second) = match (precision, scale) {
            (8, 0) => (Some(0), None),
            (6, 0) => (None, Some(0)),
            _ if precision == 14 + scale => (Some(6), Some(0)),
            _ => return Err(Unfit::ARGUMENT),
        };
        let of = |last: Option<u32>, before: u32, modulus: i128| {
            let last = last.ok_or(Unfit::ARGUMENT)?;
            Ok::<_, Unfit>(whole / 10i128.pow(last + before) % modulus)
        };
        let part = match self.function {
            Function::Year => of(day, 4, 10_000)?,
            Function::Month => of(day, 2, 100)?,
            Function::Day => of(day, 0, 100)?,
            Function::Hour => of(second, 4, 100)?,
            Function::Minute => of(second, 2, 100)?,
            Function::Second => of(second, 0, 100)?,
            Function::Microsecond if scale >= 6 => unscaled / 10i128.pow(scale - 6) % 1_000_000,
            _ => return Err(Unfit::ARGUMENT),
        };
        i64::try_from(part).map(Value::Whole).map_err(|_| Unfit::OVERFLOW)
    }

    /// A date: of a timestamp, a text of either.
    pub(super) fn date_at(&self, at: usize) -> Result<Date, Unfit> {
        match self.value_at(at)? {
            Value::Date(date) => Ok(*date),
            Value::Timestamp(timestamp) => Ok(timestamp.date()),
            Value::Text(text) => Timestamp::parse_any(text).map(Timestamp::date),
            _ => Err(Unfit::ARGUMENT),
        }
    }

    /// A time: of a timestamp, a text of either.
    pub(super) fn time_at(&self, at: usize) -> Result<Time, Unfit> {
        match self.value_at(at)? {
            Value::Time(time) => Ok(*time),
            Value::Timestamp(timestamp) => Ok(timestamp.time()),
            Value::Text(text) => match Time::parse(text) {
                Err(Unfit::DATETIME) => Timestamp::parse_any(text).map(Timestamp::time),
                time => time,
            },
            _ => Err(Unfit::ARGUMENT),
        }
    }

    /// A timestamp: of a date its midnight, a text of either.
    pub(super) fn timestamp_at(&self, at: usize) -> Result<Timestamp, Unfit> {
        match self.value_at(at)? {
            Value::Timestamp(timestamp) => Ok(*timestamp),
            Value::Date(date) => Ok(Timestamp::midnight(*date)),
            Value::Text(text) => Timestamp::parse_any(text),
            _ => Err(Unfit::ARGUMENT),
        }
    }
}
