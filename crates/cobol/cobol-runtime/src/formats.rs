//! Dates and times as ISO 8601 writes them: the formats of FORMATTED-DATETIME and its like.
//!
//! A format is a literal of the program: `YYYY-MM-DDThh:mm:ss.ss+hh:mm`. A moment is a day of INTDATE(ANSI) and nanoseconds of
//! that day; the hundreds of formats are three parts.

use crate::dates::{
    Epoch, date_of_integer, day_of_integer, integer_of_date, integer_of_day, test_date, test_day,
};
use serde::{Deserialize, Serialize};

/// Decimals of a second, at most.
const FRACTION_MAX: usize = 9;
/// Nanoseconds of a second, and seconds of a day.
const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400;
/// Minutes by which a place may be ahead of UTC, or behind.
const OFFSET_MAX: i64 = 1439;

/// The form of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Calendar {
    /// Year, month and day.
    Month,
    /// Year, and day of it.
    Ordinal,
    /// Year, week, and day of that: Monday is 1.
    Week,
}

/// The form of the distance to UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Zone {
    /// Not at all: local time.
    Local,
    /// `Z`: the time is that of UTC.
    Utc,
    /// `+hhmm`: local time with its distance.
    Offset,
}

/// The form of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Decimals of a second.
    pub fraction: usize,
    /// UTC.
    pub zone: Zone,
}

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    /// The date.
    pub date: Option<Calendar>,
    /// The time.
    pub time: Option<Clock>,
    /// With `-` and `:` between the parts.
    pub extended: bool,
    /// The character between seconds and their decimals.
    pub point: u8,
}

/// A moment in local time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Local {
    /// The day; 1 is 1601-01-01.
    pub day: i64,
    /// Nanoseconds since midnight.
    pub nanos: i64,
    /// Minutes by which it is ahead of UTC.
    pub offset: i64,
}

/// A date as the format has it: its letters, and what they are in text.
const DATES: [(&str, Calendar, bool); 6] = [
    ("YYYYMMDD", Calendar::Month, false),
    ("YYYY-MM-DD", Calendar::Month, true),
    ("YYYYDDD", Calendar::Ordinal, false),
    ("YYYY-DDD", Calendar::Ordinal, true),
    ("YYYYWwwD", Calendar::Week, false),
    ("YYYY-Www-D", Calendar::Week, true),
];

impl Format {
    /// The format that a literal is; none for any other text.
    pub fn parse(text: &str, point: u8) -> Option<Self> {
        let (date, time) = match text.split_once('T') {
            Some((date, time)) => (Some(date), Some(time)),
            None if text.starts_with("hh") => (None, Some(text)),
            None => (Some(text), None),
        };
        let date = match date {
            Some(date) => Some(DATES.iter().find(|(own, ..)| *own == date)?),
            None => None,
        };
        let time = match time {
            Some(time) => Some(Clock::parse(time, point)?),
            None => None,
        };
        let extended = date.map(|(_, _, extended)| *extended);
        if let (Some(date), Some((_, time))) = (extended, time)
            && date != time
        {
            return None;
        }
        let extended = extended.or(time.map(|(_, extended)| extended))?;
        Some(Self {
            date: date.map(|(_, calendar, _)| *calendar),
            time: time.map(|(clock, _)| clock),
            extended,
            point,
        })
    }

    /// Returns the number of its characters.
    pub fn length(&self) -> usize {
        let marks = |count: usize| if self.extended { count } else { 0 };
        let date = self.date.map_or(0, |calendar| match calendar {
            Calendar::Month => 8 + marks(2),
            Calendar::Ordinal => 7 + marks(1),
            Calendar::Week => 8 + marks(2),
        });
        let time = self.time.map_or(0, |clock| {
            let fraction = if clock.fraction > 0 { clock.fraction + 1 } else { 0 };
            let zone = match clock.zone {
                Zone::Local => 0,
                Zone::Utc => 1,
                Zone::Offset => 5 + marks(1),
            };
            6 + marks(2) + fraction + zone
        });
        date + time + usize::from(self.date.is_some() && self.time.is_some())
    }

    /// Writes a moment; none for one that there is not.
    pub fn write(&self, local: Local) -> Option<String> {
        let in_day = (0..DAY * SECOND).contains(&local.nanos);
        if !in_day || local.offset.abs() > OFFSET_MAX {
            return None;
        }
        let is_utc = self.time.is_some_and(|clock| clock.zone == Zone::Utc);
        let shifted = local.nanos - if is_utc { local.offset * 60 * SECOND } else { 0 };
        let day = local.day + shifted.div_euclid(DAY * SECOND);
        let nanos = shifted.rem_euclid(DAY * SECOND);
        let mut text = String::new();
        if let Some(calendar) = self.date {
            text.push_str(&self.write_date(calendar, day)?);
        }
        if self.date.is_some() && self.time.is_some() {
            text.push('T');
        }
        if let Some(clock) = self.time {
            text.push_str(&self.write_time(clock, nanos, local.offset));
        }
        Some(text)
    }

    fn write_date(&self, calendar: Calendar, day: i64) -> Option<String> {
        let mark = if self.extended { "-" } else { "" };
        Some(match calendar {
            Calendar::Month => {
                let date = date_of_integer(day, Epoch::Ansi)?;
                format!("{:04}{mark}{:02}{mark}{:02}", date / 10_000, date / 100 % 100, date % 100)
            }
            Calendar::Ordinal => {
                let day = day_of_integer(day, Epoch::Ansi)?;
                format!("{:04}{mark}{:03}", day / 1000, day % 1000)
            }
            Calendar::Week => {
                let (year, week, day) = week_of(day)?;
                format!("{year:04}{mark}W{week:02}{mark}{day}")
            }
        })
    }

    fn write_time(&self, clock: Clock, nanos: i64, offset: i64) -> String {
        let mark = if self.extended { ":" } else { "" };
        let seconds = nanos / SECOND;
        let mut text =
            format!("{:02}{mark}{:02}{mark}{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        if clock.fraction > 0 {
            text.push(char::from(self.point));
            text.push_str(&format!("{:09}", nanos % SECOND)[..clock.fraction.min(FRACTION_MAX)]);
        }
        match clock.zone {
            Zone::Local => {}
            Zone::Utc => text.push('Z'),
            Zone::Offset => {
                let sign = if offset < 0 { '-' } else { '+' };
                text.push_str(&format!("{sign}{:02}{mark}{:02}", offset.abs() / 60, offset.abs() % 60));
            }
        }
        text
    }

    /// Reads a moment from a text.
    ///
    /// # Errors
    /// The place of the first character that is wrong, from 1; one after the text if something is missing.
    pub fn read(&self, text: &[u8]) -> Result<Local, usize> {
        let mut scan = Scan { text, at: 0 };
        let mut local = Local::default();
        if let Some(calendar) = self.date {
            local.day = self.read_date(calendar, &mut scan)?;
        }
        if self.date.is_some() && self.time.is_some() {
            scan.mark(b'T')?;
        }
        if let Some(clock) = self.time {
            self.read_time(clock, &mut scan, &mut local)?;
        }
        if scan.at < text.len() { Err(scan.at + 1) } else { Ok(local) }
    }

    fn read_date(&self, calendar: Calendar, scan: &mut Scan<'_>) -> Result<i64, usize> {
        let year = scan.number(4, 1601, 9999)?;
        self.dash(scan)?;
        match calendar {
            Calendar::Month => {
                let month = scan.number(2, 1, 12)?;
                self.dash(scan)?;
                let last = (28..=31).rev().find(|day| test_date(year * 10_000 + month * 100 + day) == 0);
                let day = scan.number(2, 1, last.unwrap_or(28))?;
                integer_of_date(year * 10_000 + month * 100 + day, Epoch::Ansi).ok_or(scan.at)
            }
            Calendar::Ordinal => {
                let last = if test_day(year * 1000 + 366) == 0 { 366 } else { 365 };
                let day = scan.number(3, 1, last)?;
                integer_of_day(year * 1000 + day, Epoch::Ansi).ok_or(scan.at)
            }
            Calendar::Week => {
                scan.mark(b'W')?;
                let first = first_week(year).ok_or(scan.at)?;
                let weeks = first_week(year + 1).map_or(52, |next| (next - first) / 7);
                let week = scan.number(2, 1, weeks)?;
                self.dash(scan)?;
                let day = scan.number(1, 1, 7)?;
                Ok(first + (week - 1) * 7 + day - 1)
            }
        }
    }

    fn read_time(&self, clock: Clock, scan: &mut Scan<'_>, local: &mut Local) -> Result<(), usize> {
        let hours = scan.number(2, 0, 23)?;
        self.colon(scan)?;
        let minutes = scan.number(2, 0, 59)?;
        self.colon(scan)?;
        let seconds = scan.number(2, 0, 59)?;
        local.nanos = (hours * 3600 + minutes * 60 + seconds) * SECOND;
        if clock.fraction > 0 {
            scan.mark(self.point)?;
            let digits = clock.fraction.min(FRACTION_MAX);
            let fraction = scan.number(digits, 0, i64::MAX)?;
            local.nanos += fraction * 10_i64.pow((FRACTION_MAX - digits) as u32);
        }
        match clock.zone {
            Zone::Local => {}
            Zone::Utc => scan.mark(b'Z')?,
            Zone::Offset => {
                let sign = match scan.text.get(scan.at) {
                    Some(b'+') => 1,
                    Some(b'-') => -1,
                    _ => return Err(scan.at + 1),
                };
                scan.at += 1;
                let hours = scan.number(2, 0, 23)?;
                self.colon(scan)?;
                local.offset = sign * (hours * 60 + scan.number(2, 0, 59)?);
            }
        }
        Ok(())
    }

    fn dash(&self, scan: &mut Scan<'_>) -> Result<(), usize> {
        if self.extended { scan.mark(b'-') } else { Ok(()) }
    }

    fn colon(&self, scan: &mut Scan<'_>) -> Result<(), usize> {
        if self.extended { scan.mark(b':') } else { Ok(()) }
    }
}

impl Clock {
    /// A time, and whether it has marks between its parts.
    fn parse(text: &str, point: u8) -> Option<(Self, bool)> {
        let (rest, extended) = match (text.strip_prefix("hh:mm:ss"), text.strip_prefix("hhmmss")) {
            (Some(rest), _) => (rest, true),
            (None, Some(rest)) => (rest, false),
            (None, None) => return None,
        };
        let (fraction, rest) = match rest.strip_prefix(char::from(point)) {
            None => (0, rest),
            Some(behind) => {
                let zone = behind.trim_start_matches('s');
                (behind.len() - zone.len(), zone)
            }
        };
        let is_empty_fraction = fraction == 0 && rest.len() < text.len() && text.contains(char::from(point));
        let zone = match (rest, extended) {
            ("", _) => Zone::Local,
            ("Z", _) => Zone::Utc,
            ("+hhmm", false) | ("+hh:mm", true) => Zone::Offset,
            _ => return None,
        };
        (fraction <= FRACTION_MAX && !is_empty_fraction).then_some((Self { fraction, zone }, extended))
    }
}

/// Text that is read from the left.
struct Scan<'t> {
    text: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    fn mark(&mut self, mark: u8) -> Result<(), usize> {
        if self.text.get(self.at) != Some(&mark) {
            return Err(self.at + 1);
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a number of so many digits within limits. The wrong digit is the first after which no number within the
    /// limits is left.
    fn number(&mut self, digits: usize, least: i64, greatest: i64) -> Result<i64, usize> {
        let mut value = 0;
        for index in 0..digits {
            let digit = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()).ok_or(self.at + 1)?;
            value = value * 10 + i64::from(digit - b'0');
            let worth = 10_i64.pow((digits - index - 1) as u32);
            if value * worth > greatest || value * worth + worth - 1 < least {
                return Err(self.at + 1);
            }
            self.at += 1;
        }
        Ok(value)
    }
}

/// The Monday of the first week of a year: that with the fourth of January.
fn first_week(year: i64) -> Option<i64> {
    let fourth = integer_of_date(year * 10_000 + 104, Epoch::Ansi)?;
    // 1601-01-01 was a Monday.
    Some(fourth - (fourth - 1).rem_euclid(7))
}

/// Year, week and day of the week.
fn week_of(day: i64) -> Option<(i64, i64, i64)> {
    let year = day_of_integer(day, Epoch::Ansi)? / 1000;
    let (year, first) = (year - 1..=year + 1)
        .rev()
        .filter_map(|year| Some((year, first_week(year)?)))
        .find(|(_, first)| *first <= day)?;
    Some((year, (day - first) / 7 + 1, (day - 1).rem_euclid(7) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str) -> Format {
        Format::parse(text, b'.').unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn written_and_read_back() {
        // 2026-11-23, a Monday, 23:05:09.25, two hours ahead.
        let day = integer_of_date(20_261_123, Epoch::Ansi).unwrap();
        let at = Local { day, nanos: 83_109 * SECOND + 250_000_000, offset: 120 };
        let check = |text: &str, expected: &str| {
            let format = format(text);
            assert_eq!(format.write(at).as_deref(), Some(expected), "{text}");
            assert_eq!(format.length(), expected.len(), "{text}");
            format.read(expected.as_bytes()).unwrap()
        };
        assert_eq!(check("YYYY-MM-DD", "2026-11-23").day, day);
        assert_eq!(check("YYYYMMDD", "20261123").day, day);
        assert_eq!(check("YYYYDDD", "2026327").day, day);
        assert_eq!(check("YYYY-DDD", "2026-327").day, day);
        assert_eq!(check("YYYYWwwD", "2026W481").day, day);
        assert_eq!(check("YYYY-Www-D", "2026-W48-1").day, day);
        assert_eq!(check("hhmmss", "230509").nanos, 83_109 * SECOND);
        assert_eq!(check("hh:mm:ss.ssss", "23:05:09.2500").nanos, at.nanos);
        assert_eq!(check("hh:mm:ssZ", "21:05:09Z").nanos, 75_909 * SECOND);
        assert_eq!(check("YYYY-MM-DDThh:mm:ss.ss+hh:mm", "2026-11-23T23:05:09.25+02:00"), at);
        assert_eq!(check("YYYYMMDDThhmmss+hhmm", "20261123T230509+0200").offset, 120);
        let early = Local { nanos: 3600 * SECOND, ..at };
        assert_eq!(format("YYYYMMDDThhmmssZ").write(early).as_deref(), Some("20261122T230000Z"));
    }

    #[test]
    fn weeks_at_the_turn_of_years() {
        let check = |date: i64, expected: &str| {
            let day = integer_of_date(date, Epoch::Ansi).unwrap();
            let format = format("YYYY-Www-D");
            assert_eq!(format.write(Local { day, ..Local::default() }).as_deref(), Some(expected), "{date}");
            assert_eq!(format.read(expected.as_bytes()).map(|local| local.day), Ok(day));
        };
        check(20_241_230, "2025-W01-1");
        check(20_270_101, "2026-W53-5");
        check(20_210_103, "2020-W53-7");
        check(20_240_101, "2024-W01-1");
    }

    #[test]
    fn what_is_wrong() {
        let check = |text: &str, value: &str, at: usize| {
            assert_eq!(format(text).read(value.as_bytes()), Err(at), "{text} {value}");
        };
        check("YYYYMMDD", "20261323", 6);
        check("YYYYMMDD", "20260230", 7);
        check("YYYYMMDD", "20260229", 8);
        check("YYYYMMDD", "1600", 4);
        check("YYYYMMDD", "15000101", 2);
        check("YYYY-MM-DD", "20260101", 5);
        check("YYYYMMDD", "2026", 5);
        check("YYYYMMDD", "202601011", 9);
        check("hh:mm:ss", "24:00:00", 2);
        check("hh:mm:ss", "12:60:00", 4);
        check("hhmmssZ", "120000", 7);
        check("YYYYMMDDThhmmss", "20260101 120000", 9);
        for text in ["YYYY", "YYYYMMDDThh:mm:ss", "hhmmss.", "hhmmss+hh:mm", "hh:mm", "", "YYYYMMDDT"] {
            assert_eq!(Format::parse(text, b'.'), None, "{text}");
        }
    }
}
