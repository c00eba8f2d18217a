//! Dates, times and timestamps: the calendar, Db2's texts, PostgreSQL's counts from 2000-01-01.

use super::Unfit;
use crate::oid::{self, Oid};

/// Styles in which a date is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateStyle {
    /// `2026-01-31`
    #[default]
    Iso,
    /// `01/31/2026`
    Usa,
    /// `31.01.2026`
    Eur,
    /// `2026-01-31`
    Jis,
}

/// Styles in which a time is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeStyle {
    /// `10.30.00`
    #[default]
    Iso,
    /// `10:30 AM`
    Usa,
    /// `10.30.00`
    Eur,
    /// `10:30:00`
    Jis,
}

/// Microseconds of a day.
pub(crate) const DAY: i64 = 86_400_000_000;
const SECOND: i64 = 1_000_000;
/// Days from 1970-01-01 to 2000-01-01.
const EPOCH: i64 = 10_957;

/// A day of the calendar, from 0001-01-01 to 9999-12-31.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    year: u32,
    month: u32,
    day: u32,
}

impl Date {
    fn new(year: u32, month: u32, day: u32) -> Result<Self, Unfit> {
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            2 => 28 + u32::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=days).contains(&day) {
            Ok(Self { year, month, day })
        } else {
            Err(Unfit::CALENDAR)
        }
    }

    /// From days since 2000-01-01, or `None` where Db2 has no such date.
    pub(crate) fn from_days(days: i64) -> Option<Self> {
        // Years begin in March here, so that the odd day is the last of its year.
        let z = days.checked_add(EPOCH + 719_468)?;
        let era = z.div_euclid(146_097);
        let of_era = z.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        (1..=9999).contains(&year).then_some(Self { year: year as u32, month: month as u32, day: day as u32 })
    }

    /// Days since 2000-01-01.
    pub(crate) fn days(self) -> i64 {
        let (year, month) = (i64::from(self.year) - i64::from(self.month <= 2), i64::from(self.month));
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + i64::from(self.day) - 1;
        let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
        era * 146_097 + of_era - 719_468 - EPOCH
    }

    /// Reads any of the four forms; zeros in front of month and day may be missing.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Unfit> {
        let mut text = Text(text.trim_ascii());
        let length = text.0.len();
        let first = text.number(4)?;
        let has_year_first = length - text.0.len() > 2;
        match text.next() {
            Some(b'-') if has_year_first => {
                let (year, month) = (first, text.number(2)?);
                text.expect(b'-')?;
                let day = text.number(2)?;
                text.end()?;
                Self::new(year, month, day)
            }
            Some(mark @ (b'/' | b'.')) if !has_year_first => {
                let second = text.number(2)?;
                text.expect(mark)?;
                let year = text.number(4)?;
                text.end()?;
                if mark == b'/' { Self::new(year, first, second) } else { Self::new(year, second, first) }
            }
            _ => Err(Unfit::DATETIME),
        }
    }

    pub(crate) fn text(self, style: DateStyle) -> String {
        let Self { year, month, day } = self;
        match style {
            DateStyle::Iso | DateStyle::Jis => format!("{year:04}-{month:02}-{day:02}"),
            DateStyle::Usa => format!("{month:02}/{day:02}/{year:04}"),
            DateStyle::Eur => format!("{day:02}.{month:02}.{year:04}"),
        }
    }
}

/// A text in any of Db2's forms, in PostgreSQL's form for a type; `None`: the type is no date or time, or the text none.
pub(crate) fn own_form(oid: Oid, text: &[u8]) -> Option<String> {
    match oid {
        oid::DATE => Date::parse(text).ok().map(|date| date.text(DateStyle::Iso)),
        oid::TIME => parse_time(text).ok().map(|of_day| time_text(of_day, TimeStyle::Jis)),
        oid::TIMESTAMP => {
            let text = timestamp_text(parse_timestamp(text).ok()?)?;
            let (date, time) = text.split_at_checked(10)?;
            Some(format!("{date} {}", time.get(1..)?.replacen('.', ":", 2)))
        }
        _ => None,
    }
}

/// Microseconds since midnight, from a text in any of the four forms.
pub(crate) fn parse_time(text: &[u8]) -> Result<i64, Unfit> {
    let mut text = Text(text.trim_ascii());
    let hour = text.number(2)?;
    let (mut minute, mut second) = (0, 0);
    let mark = text.peek();
    if let Some(mark @ (b':' | b'.')) = mark {
        text.next();
        minute = text.number(2)?;
        if text.peek() == Some(mark) {
            text.next();
            second = text.number(2)?;
        }
    }
    let rest = text.0.trim_ascii_start();
    let half = [b"AM", b"PM"].iter().position(|half| rest.eq_ignore_ascii_case(*half));
    let hour = match half {
        None if rest.is_empty() && mark.is_some() => hour,
        None => return Err(Unfit::DATETIME),
        Some(_) if mark == Some(b'.') => return Err(Unfit::DATETIME),
        // A day begins at 00:00 AM and ends at 12:00 AM.
        Some(0) if hour == 0 && minute == 0 => 0,
        Some(0) if hour == 12 && minute == 0 => 24,
        Some(half) if (1..=12).contains(&hour) => hour % 12 + 12 * half as u32,
        Some(_) => return Err(Unfit::CALENDAR),
    };
    of_day(hour, minute, second)
}

fn of_day(hour: u32, minute: u32, second: u32) -> Result<i64, Unfit> {
    let is_end = hour == 24 && minute == 0 && second == 0;
    if (hour > 23 && !is_end) || minute > 59 || second > 59 {
        return Err(Unfit::CALENDAR);
    }
    Ok(i64::from(hour * 3600 + minute * 60 + second) * SECOND)
}

/// A time of day.
pub(crate) fn time_text(of_day: i64, style: TimeStyle) -> String {
    let seconds = of_day / SECOND;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match style {
        TimeStyle::Iso | TimeStyle::Eur => format!("{hour:02}.{minute:02}.{second:02}"),
        TimeStyle::Jis => format!("{hour:02}:{minute:02}:{second:02}"),
        TimeStyle::Usa => {
            let twelve = if hour % 12 == 0 && of_day != 0 { 12 } else { hour % 12 };
            let half = if hour % 24 < 12 { "AM" } else { "PM" };
            format!("{twelve:02}:{minute:02} {half}")
        }
    }
}

/// Microseconds since 2000-01-01, from `2026-01-31-10.30.00.123456`, or with blank or T and colons. Zeros at the end of
/// the fraction may be missing, and so may the fraction; digits beyond microseconds are cut.
pub(crate) fn parse_timestamp(text: &[u8]) -> Result<i64, Unfit> {
    let mut text = Text(text.trim_ascii());
    let year = text.number(4)?;
    text.expect(b'-')?;
    let month = text.number(2)?;
    text.expect(b'-')?;
    let day = text.number(2)?;
    let mark = match text.next() {
        Some(b'-') => b'.',
        Some(b' ' | b'T') => b':',
        _ => return Err(Unfit::DATETIME),
    };
    let hour = text.number(2)?;
    let mark = match text.next() {
        // Both marks go with a blank.
        Some(b'.') => b'.',
        Some(b':') if mark == b':' => b':',
        _ => return Err(Unfit::DATETIME),
    };
    let minute = text.number(2)?;
    text.expect(mark)?;
    let second = text.number(2)?;
    let fraction = match text.next() {
        Some(b'.') => text.fraction()?,
        None => 0,
        Some(_) => return Err(Unfit::DATETIME),
    };
    text.end()?;
    let of_day = of_day(hour, minute, second)?;
    if of_day == DAY && fraction != 0 {
        return Err(Unfit::CALENDAR);
    }
    Ok(Date::new(year, month, day)?.days() * DAY + of_day + fraction)
}

/// `2026-01-31-10.30.00.123456`, or `None` where Db2 has no such date.
pub(crate) fn timestamp_text(since: i64) -> Option<String> {
    let date = Date::from_days(since.div_euclid(DAY))?.text(DateStyle::Iso);
    let of_day = since.rem_euclid(DAY);
    Some(format!("{date}-{}.{:06}", time_text(of_day, TimeStyle::Iso), of_day % SECOND))
}

/// A text that is read from its front.
struct Text<'a>(&'a [u8]);

impl Text<'_> {
    fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn expect(&mut self, mark: u8) -> Result<(), Unfit> {
        if self.next() == Some(mark) { Ok(()) } else { Err(Unfit::DATETIME) }
    }

    fn end(&self) -> Result<(), Unfit> {
        if self.0.is_empty() { Ok(()) } else { Err(Unfit::DATETIME) }
    }

    /// A number of one up to so many digits.
    fn number(&mut self, longest: usize) -> Result<u32, Unfit> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > longest {
            return Err(Unfit::DATETIME);
        }
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        Ok(number.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    }

    /// Up to twelve digits behind a point, as microseconds.
    fn fraction(&mut self) -> Result<i64, Unfit> {
        let digits = std::mem::take(&mut self.0);
        if digits.len() > 12 || !digits.iter().all(u8::is_ascii_digit) {
            return Err(Unfit::DATETIME);
        }
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(6);
        Ok(padded.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Result<String, i32> {
        Date::parse(text.as_bytes()).map(|date| date.text(DateStyle::Iso)).map_err(|unfit| unfit.code)
    }

    #[test]
    fn dates_in_all_forms() {
        for text in ["2026-01-31", "01/31/2026", "31.01.2026", "1/31/2026", "2026-1-31  "] {
            assert_eq!(date(text), Ok("2026-01-31".to_owned()), "{text}");
        }
        for text in
            ["", "        ", "2026-01", "2026/01/31", "31-01-2026", "2026-01-31x", "\0\0\0\0\0\0\0\0\0\0"]
        {
            assert_eq!(date(text), Err(-180), "{text:?}");
        }
        for text in ["2026-02-29", "2026-13-01", "0000-01-01", "31.04.2026", "1900-02-29"] {
            assert_eq!(date(text), Err(-181), "{text}");
        }
        assert_eq!(date("2000-02-29"), Ok("2000-02-29".to_owned()));
    }

    #[test]
    fn every_day_has_its_number() {
        let first = Date::parse(b"0001-01-01").unwrap().days();
        let last = Date::parse(b"9999-12-31").unwrap().days();
        assert_eq!(last - first, 3_652_058);
        assert_eq!(Date::parse(b"2000-01-01").unwrap().days(), 0);
        for days in first..=last {
            assert_eq!(Date::from_days(days).unwrap().days(), days);
        }
        assert_eq!((Date::from_days(first - 1), Date::from_days(last + 1)), (None, None));
    }

    #[test]
    fn times_in_all_forms() {
        let time = |text: &str| {
            parse_time(text.as_bytes()).map(|time| time_text(time, TimeStyle::Jis)).map_err(|u| u.code)
        };
        for (text, expected) in [
            ("10.30.05", "10:30:05"),
            ("10:30:05", "10:30:05"),
            ("10.30", "10:30:00"),
            ("1:05 PM", "13:05:00"),
            ("12:00 AM", "24:00:00"),
            ("00:00 AM", "00:00:00"),
            ("12:30 pm", "12:30:00"),
            ("9 AM", "09:00:00"),
            ("24.00.00", "24:00:00"),
        ] {
            assert_eq!(time(text), Ok(expected.to_owned()), "{text}");
        }
        for text in ["", "10", "10.30:05", "10.30 AM", "x"] {
            assert_eq!(time(text), Err(-180), "{text}");
        }
        for text in ["24.00.01", "10.60.00", "13:00 PM"] {
            assert_eq!(time(text), Err(-181), "{text}");
        }
        let usa = |text: &[u8]| time_text(parse_time(text).unwrap(), TimeStyle::Usa);
        assert_eq!(
            [usa(b"00.00.00"), usa(b"00.30.00"), usa(b"12.00.00"), usa(b"23.59.00"), usa(b"24.00.00")],
            ["00:00 AM", "12:30 AM", "12:00 PM", "11:59 PM", "12:00 AM"]
        );
    }

    #[test]
    fn timestamps() {
        let stamp = |text: &str| {
            parse_timestamp(text.as_bytes()).map(|at| timestamp_text(at).unwrap()).map_err(|u| u.code)
        };
        for (text, expected) in [
            ("2026-01-31-10.30.00.123456", "2026-01-31-10.30.00.123456"),
            ("2026-01-31 10:30:00.12", "2026-01-31-10.30.00.120000"),
            ("2026-01-31T10:30:00", "2026-01-31-10.30.00.000000"),
            ("2026-01-31-10.30.00.123456789012", "2026-01-31-10.30.00.123456"),
            ("2026-01-31-24.00.00", "2026-02-01-00.00.00.000000"),
            ("0001-01-01-00.00.00.000000", "0001-01-01-00.00.00.000000"),
        ] {
            assert_eq!(stamp(text), Ok(expected.to_owned()), "{text}");
        }
        for text in ["2026-01-31", "2026-01-31-10.30", "2026-01-31-10:30:00", "2026-01-31-10.30.00.x", ""] {
            assert_eq!(stamp(text), Err(-180), "{text}");
        }
        assert_eq!(stamp("2026-02-30-10.30.00"), Err(-181));
        assert_eq!(timestamp_text(i64::MAX), None);
    }
}
