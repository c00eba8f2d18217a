//! Timestamps.

use super::date::{Date, DateStyle};
use super::text::Text;
use super::time::{Time, TimeStyle};
use crate::limits;
use crate::unfit::Unfit;

/// A day and picoseconds of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    date: Date,
    picoseconds: u64,
}

impl Timestamp {
    /// Picoseconds of a second.
    pub const SECOND: u64 = 1_000_000_000_000;
    /// Picoseconds of a day.
    pub const DAY: u64 = Time::DAY as u64 * Self::SECOND;
    /// The first of all.
    pub const FIRST: Self = Self { date: Date::FIRST, picoseconds: 0 };

    /// A timestamp by its day and picoseconds of the day; a whole day of them is the next day. `None`: there is no such day.
    pub fn new(date: Date, picoseconds: u64) -> Option<Self> {
        match picoseconds {
            ..Self::DAY => Some(Self { date, picoseconds }),
            Self::DAY => Some(Self { date: Date::from_days(date.days() + 1)?, picoseconds: 0 }),
            _ => None,
        }
    }

    /// Midnight, when a day begins.
    pub fn midnight(date: Date) -> Self {
        Self { date, picoseconds: 0 }
    }

    /// Its day.
    pub fn date(self) -> Date {
        self.date
    }

    /// Picoseconds of its day.
    pub fn picoseconds(self) -> u64 {
        self.picoseconds
    }

    /// Its time of day, without the fraction of a second.
    pub fn time(self) -> Time {
        Time::of_second((self.picoseconds / Self::SECOND) as u32)
    }

    /// Picoseconds of its second.
    pub fn fraction(self) -> u64 {
        self.picoseconds % Self::SECOND
    }

    /// With so many digits behind the point of its seconds, the rest cut.
    #[must_use]
    pub fn with_digits(self, digits: u8) -> Self {
        let unit = unit_of(digits);
        Self { picoseconds: self.picoseconds - self.picoseconds % unit, ..self }
    }

    /// Reads `2026-01-31-10.30.00.123456`, or with blank or T and colons. Zeros at the end of the fraction may be missing, and so
    /// may the fraction.
    ///
    /// # Errors
    /// -180: it is none. -181: there is no such time.
    pub fn parse(text: &[u8]) -> Result<Self, Unfit> {
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
        Self::of(Date::new(year, month, day)?, Time::new(hour, minute, second)?, fraction)
    }

    /// Reads what the function TIMESTAMP takes besides: 14 digits, or a date, which is its midnight.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_any(text: &[u8]) -> Result<Self, Unfit> {
        let trimmed = text.trim_ascii();
        if trimmed.len() != 14 || !trimmed.iter().all(u8::is_ascii_digit) {
            return match Date::parse(trimmed) {
                Err(Unfit::DATETIME) => Self::parse(trimmed),
                date => date.map(Self::midnight),
            };
        }
        let mut text = Text(trimmed);
        let date = Date::new(text.exactly(4)?, text.exactly(2)?, text.exactly(2)?)?;
        Self::of(date, Time::new(text.exactly(2)?, text.exactly(2)?, text.exactly(2)?)?, 0)
    }

    /// A day, a time of it and picoseconds of the second.
    ///
    /// # Errors
    /// -181: there is no such time.
    pub fn of(date: Date, time: Time, fraction: u64) -> Result<Self, Unfit> {
        let picoseconds = u64::from(time.seconds()) * Self::SECOND + fraction;
        Self::new(date, picoseconds).ok_or(Unfit::CALENDAR)
    }

    /// `2026-01-31-10.30.00.123456`, with so many digits behind the point; without a point where there are none.
    pub fn text(self, digits: u8) -> String {
        let mut text = format!("{}-{}", self.date.text(DateStyle::Iso), self.time().text(TimeStyle::Iso));
        if digits > 0 {
            let fraction = self.fraction() / unit_of(digits);
            text += &format!(".{fraction:0width$}", width = usize::from(digits));
        }
        text
    }
}

/// Picoseconds of the last of so many digits.
fn unit_of(digits: u8) -> u64 {
    10u64.pow(u32::from(limits::FRACTION_MAX.saturating_sub(digits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        let stamp =
            |text: &str| Timestamp::parse(text.as_bytes()).map(|at| at.text(6)).map_err(|unfit| unfit.code);
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
        for text in ["2026-02-30-10.30.00", "2026-01-31-24.00.00.1", "9999-12-31-24.00.00"] {
            assert_eq!(stamp(text), Err(-181), "{text}");
        }
        let any = |text: &str| {
            Timestamp::parse_any(text.as_bytes()).map(|at| at.text(0)).map_err(|unfit| unfit.code)
        };
        assert_eq!(any("20240229103005"), Ok("2024-02-29-10.30.05".to_owned()));
        assert_eq!(any("29.02.2024"), Ok("2024-02-29-00.00.00".to_owned()));
        assert_eq!(
            [any("20230229103005"), any("2023-02-30"), any("2023")],
            [Err(-181), Err(-181), Err(-180)]
        );
        let exact = Timestamp::parse(b"2026-01-31-10.30.00.123456789012").unwrap();
        assert_eq!([exact.text(12), exact.text(0)].map(|text| text.len()), [32, 19]);
        assert_eq!(exact.with_digits(3).text(6), "2026-01-31-10.30.00.123000");
    }
}
