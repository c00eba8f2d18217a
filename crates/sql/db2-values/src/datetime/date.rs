//! Days of the calendar.

use super::text::Text;
use crate::unfit::Unfit;

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

/// A day of the calendar, from 0001-01-01 to 9999-12-31.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// Days from 0000-03-01, where years are counted from in the calendar's arithmetic, to the day before 0001-01-01.
const BEFORE: i64 = 305;

/// The number of days of a month.
pub(crate) fn days_of(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Date {
    /// The first of all.
    pub const FIRST: Self = Self { year: 1, month: 1, day: 1 };

    /// A day by its parts.
    ///
    /// # Errors
    /// -181: there is no such day.
    pub fn new(year: u32, month: u32, day: u32) -> Result<Self, Unfit> {
        let is_one = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_of(year, month)).contains(&day);
        if is_one {
            Ok(Self { year: year as u16, month: month as u8, day: day as u8 })
        } else {
            Err(Unfit::CALENDAR)
        }
    }

    /// The day of a month, or its last one if it has fewer days. True: it has. `None`: the year is out of range.
    pub fn in_month(year: i64, month: u32, day: u32) -> Option<(Self, bool)> {
        let year = u32::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
        let last = days_of(year, month);
        let date = Self { year: year as u16, month: month as u8, day: day.min(last) as u8 };
        Some((date, day > last))
    }

    /// From its number, as DAYS counts: 0001-01-01 is 1. `None` where there is no such date.
    pub fn from_days(days: i32) -> Option<Self> {
        // Years begin in March here, so that the odd day is the last of its year.
        let z = i64::from(days) + BEFORE;
        let era = z.div_euclid(146_097);
        let of_era = z.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        (1..=9999).contains(&year).then_some(Self { year: year as u16, month: month as u8, day: day as u8 })
    }

    /// Its number, as DAYS counts: 0001-01-01 is 1.
    pub fn days(self) -> i32 {
        let (year, month) = (i64::from(self.year) - i64::from(self.month <= 2), i64::from(self.month));
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + i64::from(self.day) - 1;
        let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
        (era * 146_097 + of_era - BEFORE) as i32
    }

    /// Reads any of the four forms; zeros in front of month and day may be missing.
    ///
    /// # Errors
    /// -180: it is none. -181: there is no such day.
    pub fn parse(text: &[u8]) -> Result<Self, Unfit> {
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

    /// As text.
    pub fn text(self, style: DateStyle) -> String {
        let Self { year, month, day } = self;
        match style {
            DateStyle::Iso | DateStyle::Jis => format!("{year:04}-{month:02}-{day:02}"),
            DateStyle::Usa => format!("{month:02}/{day:02}/{year:04}"),
            DateStyle::Eur => format!("{day:02}.{month:02}.{year:04}"),
        }
    }

    /// Its year.
    pub fn year(self) -> u32 {
        self.year.into()
    }

    /// Its month, from 1.
    pub fn month(self) -> u32 {
        self.month.into()
    }

    /// Its day in the month, from 1.
    pub fn day(self) -> u32 {
        self.day.into()
    }

    /// Its day in the year, from 1.
    pub fn day_of_year(self) -> u32 {
        (self.days() - Self { month: 1, day: 1, ..self }.days()) as u32 + 1
    }

    /// Its day in the week: 1 is Sunday.
    pub fn day_of_week(self) -> u32 {
        self.days().rem_euclid(7) as u32 + 1
    }

    /// Its week: it begins on Sunday, and the first has January 1.
    pub fn week(self) -> u32 {
        let first = Self { month: 1, day: 1, ..self };
        (self.day_of_year() + first.day_of_week() - 2) / 7 + 1
    }

    /// The year and the number of its week by ISO: it begins on Monday, and the first has January 4.
    pub fn iso_week(self) -> (i32, u32) {
        let monday_first = (self.days() - 1).rem_euclid(7);
        // The Thursday of a week says whose year it is.
        let thursday = self.days() - monday_first + 3;
        let year = Self::from_days(thursday).map_or(10_000, |date| date.year().cast_signed());
        let first = Self::in_month(year.into(), 1, 1).map_or(3_652_060, |(date, _)| date.days());
        (year, (thursday - first) as u32 / 7 + 1)
    }

    /// The last day of its month.
    pub fn last_of_month(self) -> Self {
        Self { day: days_of(self.year(), self.month()) as u8, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Result<String, i32> {
        Date::parse(text.as_bytes()).map(|date| date.text(DateStyle::Iso)).map_err(|unfit| unfit.code)
    }

    fn day(text: &str) -> Date {
        Date::parse(text.as_bytes()).unwrap()
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
        let last = day("9999-12-31").days();
        assert_eq!((Date::FIRST.days(), last, day("2000-01-01").days()), (1, 3_652_059, 730_120));
        for days in 1..=last {
            assert_eq!(Date::from_days(days).unwrap().days(), days);
        }
        assert_eq!((Date::from_days(0), Date::from_days(last + 1)), (None, None));
        assert_eq!((Date::from_days(i32::MIN), Date::from_days(i32::MAX)), (None, None));
    }

    #[test]
    fn weeks() {
        // 2026-11-29 is a Sunday.
        assert_eq!((day("2026-11-29").day_of_week(), day("2026-11-28").day_of_week()), (1, 7));
        assert_eq!((day("2026-01-01").week(), day("2026-01-03").week(), day("2026-01-04").week()), (1, 1, 2));
        assert_eq!(day("2027-01-01").iso_week(), (2026, 53));
        assert_eq!((day("2024-12-30").iso_week(), day("9999-12-31").iso_week()), ((2025, 1), (9999, 52)));
        assert_eq!((day("2024-12-31").day_of_year(), day("2024-02-10").last_of_month().day()), (366, 29));
    }
}
