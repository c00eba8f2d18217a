//! Functions that make dates, times and timestamps, and durations of two.

use super::{Call, Function};
use crate::calculate::exact;
use crate::datetime::{Date, DateStyle, Format, Time, TimeStyle, Timestamp};
use crate::decimal::Decimal;
use crate::duration::{Shift, apart, shifted};
use crate::types::Type;
use crate::unfit::Unfit;
use crate::value::Value;

/// The style of times that goes with one of dates.
pub(super) fn style_of(style: DateStyle) -> TimeStyle {
    match style {
        DateStyle::Iso => TimeStyle::Iso,
        DateStyle::Usa => TimeStyle::Usa,
        DateStyle::Eur => TimeStyle::Eur,
        DateStyle::Jis => TimeStyle::Jis,
    }
}

impl Call<'_> {
    pub(super) fn of_times(&self) -> Result<Value, Unfit> {
        match self.function {
            Function::Date => self.date().map(Value::Date),
            Function::Time => self.time_at(0).map(Value::Time),
            Function::Timestamp => self.timestamp().map(Value::Timestamp),
            Function::LastDay => Ok(Value::Date(self.date_at(0)?.last_of_month())),
            Function::NextDay => self.next_day(),
            Function::AddMonths => self.add_months(),
            Function::MonthsBetween => self.months_between(),
            Function::TimestampFormat => {
                let read = Format::parse(&self.text_at(1)?)?.read(&self.text_at(0)?, self.setting.now);
                read.map(Value::Timestamp)
            }
            Function::VarcharFormat => {
                let text = Format::parse(&self.text_at(1)?)?.text(self.timestamp_at(0)?);
                Ok(Value::Text(text.into_bytes()))
            }
            Function::TimestampDifference => self.difference(),
            Function::TruncateTimestamp => self.truncated(),
            Function::Later(unit) => self.moved(Shift::of(exact(self.value_at(1)?)?, unit)),
            Function::Earlier(unit) => {
                self.moved(Shift::of(exact(self.value_at(1)?)?, unit).map(Shift::back))
            }
            Function::Forward => self.moved(self.duration()?),
            Function::Backward => self.moved(self.duration()?.map(Shift::back)),
            _ => {
                let digits = self.types.result.digits().map_or(0, |(_, scale)| scale);
                let first = self.beside(0, self.value_at(1)?)?;
                apart(&first, &self.beside(1, &first)?, digits).map(Value::Decimal)
            }
        }
    }

    /// A text beside a date, a time or a timestamp is one, too.
    fn beside(&self, at: usize, other: &Value) -> Result<Value, Unfit> {
        match (self.value_at(at)?, other) {
            (Value::Text(text), Value::Date(_)) => Date::parse(text).map(Value::Date),
            (Value::Text(text), Value::Time(_)) => Time::parse(text).map(Value::Time),
            (Value::Text(text), Value::Timestamp(_)) => Timestamp::parse(text).map(Value::Timestamp),
            (value, _) => Ok(value.clone()),
        }
    }

    fn duration(&self) -> Result<Option<Shift>, Unfit> {
        let precision = self.kind_at(1).digits().map_or(0, |(precision, _)| precision);
        Ok(Shift::of_digits(exact(self.value_at(1)?)?, precision))
    }

    fn moved(&self, shift: Option<Shift>) -> Result<Value, Unfit> {
        let (value, is_adjusted) = shifted(self.value_at(0)?, shift.ok_or(Unfit::YEARS)?)?;
        if is_adjusted {
            self.setting.warn_adjusted();
        }
        Ok(value)
    }

    /// DATE: of seven digits a year and a day in it, of a number its day from 0001-01-01.
    fn date(&self) -> Result<Date, Unfit> {
        match self.value_at(0)? {
            Value::Text(text) => {
                let text = text.trim_ascii();
                if text.len() != 7 || !text.iter().all(u8::is_ascii_digit) {
                    return self.date_at(0);
                }
                let number =
                    |digits: &[u8]| digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
                let first = Date::new(number(&text[..4]), 1, 1)?;
                let date = Date::from_days(first.days() + number(&text[4..]) as i32 - 1);
                date.filter(|date| date.year() == first.year()).ok_or(Unfit::CALENDAR)
            }
            number @ (Value::Whole(_) | Value::Decimal(_) | Value::Double(_)) => {
                let days = exact(number)?.at_scale(0).and_then(|days| i32::try_from(days).ok());
                days.and_then(Date::from_days).ok_or(Unfit::CALENDAR)
            }
            _ => self.date_at(0),
        }
    }

    fn timestamp(&self) -> Result<Timestamp, Unfit> {
        let timestamp = match self.values.len() {
            1 => self.timestamp_at(0)?,
            _ => Timestamp::of(self.date_at(0)?, self.time_at(1)?, 0)?,
        };
        Ok(match self.types.result {
            Type::Timestamp(digits) => timestamp.with_digits(digits),
            _ => timestamp,
        })
    }

    fn next_day(&self) -> Result<Value, Unfit> {
        const DAYS: [&[u8]; 7] = [b"SUN", b"MON", b"TUE", b"WED", b"THU", b"FRI", b"SAT"];
        let name = self.text_at(1)?.trim_ascii().to_ascii_uppercase();
        let wanted = DAYS.iter().position(|day| name.starts_with(day)).ok_or(Unfit::ARGUMENT)? as i32;
        let date = self.date_at(0)?;
        let today = date.day_of_week() as i32 - 1;
        let days = (wanted - today + 6).rem_euclid(7) + 1;
        Date::from_days(date.days() + days).map(Value::Date).ok_or(Unfit::YEARS)
    }

    fn add_months(&self) -> Result<Value, Unfit> {
        let months = self.whole_at(1)?;
        let value = match self.value_at(0)? {
            Value::Text(_) => Value::Timestamp(self.timestamp_at(0)?),
            value => value.clone(),
        };
        let (moved, _) = shifted(&value, Shift { months, ..Shift::default() })?;
        let date = self.date_at(0)?;
        let is_last = date == date.last_of_month();
        Ok(match moved {
            Value::Date(moved) if is_last => Value::Date(moved.last_of_month()),
            Value::Timestamp(moved) if is_last => {
                let date = moved.date().last_of_month();
                Value::Timestamp(Timestamp::new(date, moved.picoseconds()).unwrap_or(moved))
            }
            moved => moved,
        })
    }

    /// Parts of months count 31 days; two last days, or two days of one number, are whole months apart.
    fn months_between(&self) -> Result<Value, Unfit> {
        let (a, b) = (self.timestamp_at(0)?, self.timestamp_at(1)?);
        let months = |at: Timestamp| i128::from(at.date().year()) * 12 + i128::from(at.date().month());
        let whole = Decimal::whole(months(a) - months(b));
        let is_last = |at: Timestamp| at.date() == at.date().last_of_month();
        let scale = self.types.result.digits().map_or(15, |(_, scale)| scale.into());
        if a.date().day() == b.date().day() || (is_last(a) && is_last(b)) {
            return whole.scaled(scale).map(Value::Decimal).ok_or(Unfit::OVERFLOW);
        }
        let seconds = |at: Timestamp| i128::from(at.date().day()) * 86_400 + i128::from(at.time().seconds());
        let part = Decimal::whole(seconds(a) - seconds(b)).divide(Decimal::whole(31 * 86_400), scale)?;
        whole.add(part, scale).map(Value::Decimal)
    }

    /// Units in a duration as digits, where a month has 30 days and a year 365.
    fn difference(&self) -> Result<Value, Unfit> {
        let duration = match self.value_at(1)? {
            Value::Text(text) => Decimal::parse(text).ok_or(Unfit::CAST)?,
            value => exact(value)?,
        };
        let whole = duration.at_scale(0).ok_or(Unfit::OVERFLOW)?;
        let micro = duration.at_scale(6).ok_or(Unfit::OVERFLOW)? % 1_000_000;
        let digits = |behind: u32, modulus: i128| whole / 10i128.pow(behind) % modulus;
        let (years, months) = (digits(10, 10_000), digits(8, 100));
        let days = years * 365 + months * 30 + digits(6, 100);
        let seconds = (days * 24 + digits(4, 100)) * 3600 + digits(2, 100) * 60 + digits(0, 100);
        let units = match self.whole_at(0)? {
            1 => seconds * 1_000_000 + micro,
            2 => seconds,
            4 => seconds / 60,
            8 => seconds / 3600,
            16 => days,
            32 => days / 7,
            64 => years * 12 + months,
            128 => (years * 12 + months) / 3,
            256 => years,
            _ => return Err(Unfit::ARGUMENT),
        };
        i64::try_from(units).map(Value::Whole).map_err(|_| Unfit::OVERFLOW)
    }

    /// The beginning of a unit of time.
    fn truncated(&self) -> Result<Value, Unfit> {
        let at = self.timestamp_at(0)?;
        let unit = match self.values.len() {
            1 => b"DD".to_vec(),
            _ => self.text_at(1)?.trim_ascii().to_ascii_uppercase(),
        };
        let date = at.date();
        let of_seconds =
            |seconds: u64| at.picoseconds() / (seconds * Timestamp::SECOND) * seconds * Timestamp::SECOND;
        let (year, month, back) = match unit.as_slice() {
            b"HH" | b"HH12" | b"HH24" => return Ok(timestamp(Some(date), of_seconds(3600))),
            b"MI" => return Ok(timestamp(Some(date), of_seconds(60))),
            b"SS" => return Ok(timestamp(Some(date), of_seconds(1))),
            b"CC" | b"SCC" => ((date.year() - 1) / 100 * 100 + 1, 1, None),
            b"SYYYY" | b"YYYY" | b"YEAR" | b"SYEAR" | b"YYY" | b"YY" | b"Y" => (date.year(), 1, None),
            b"Q" => (date.year(), (date.month() - 1) / 3 * 3 + 1, None),
            b"MONTH" | b"MON" | b"MM" | b"RM" => (date.year(), date.month(), None),
            b"DDD" | b"DD" | b"J" => (0, 0, Some(0)),
            b"DAY" | b"DY" | b"D" => (0, 0, Some(date.day_of_week() - 1)),
            b"IW" => (0, 0, Some((date.day_of_week() + 5) % 7)),
            b"WW" => (0, 0, Some((date.day_of_year() - 1) % 7)),
            b"W" => (0, 0, Some((date.day() - 1) % 7)),
            b"IYYY" | b"IYY" | b"IY" | b"I" => {
                (0, 0, Some((date.iso_week().1 - 1) * 7 + (date.day_of_week() + 5) % 7))
            }
            _ => return Err(Unfit::FORMAT),
        };
        let first = match back {
            Some(days) => Date::from_days(date.days() - days as i32),
            None => Date::new(year, month, 1).ok(),
        };
        if first.is_none() { Err(Unfit::YEARS) } else { Ok(timestamp(first, 0)) }
    }
}

fn timestamp(date: Option<Date>, picoseconds: u64) -> Value {
    date.and_then(|date| Timestamp::new(date, picoseconds)).map_or(Value::Null, Value::Timestamp)
}
