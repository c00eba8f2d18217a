//! Intrinsic functions of dates. Day 1 of INTDATE(ANSI) is 1601-01-01, of INTDATE(LILIAN) 1582-10-15.
//!
//! None means that an argument is outside of what the language reference allows; what happens then is the caller's.

use serde::{Deserialize, Serialize};

/// INTDATE: which day is day 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Epoch {
    /// 1601-01-01.
    #[default]
    Ansi,
    /// 1582-10-15.
    Lilian,
}

/// Days from 1582-10-14 to 1600-12-31: a Lilian day less the ANSI day of the same date.
const LILIAN_AHEAD: i64 = 6653;
/// The ANSI day of 9999-12-31.
const LAST: i64 = 3_067_671;

impl Epoch {
    /// Returns the number of days by which its days are ahead of ANSI days.
    pub fn ahead(self) -> i64 {
        match self {
            Self::Ansi => 0,
            Self::Lilian => LILIAN_AHEAD,
        }
    }
}

/// INTEGER-OF-DATE: the day of YYYYMMDD, from 1601 to 9999.
pub fn integer_of_date(date: i64, epoch: Epoch) -> Option<i64> {
    (test_date(date) == 0).then(|| {
        let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
        before_year(year) + before_month(year, month) + day + epoch.ahead()
    })
}

/// INTEGER-OF-DAY: the day of YYYYDDD.
pub fn integer_of_day(day: i64, epoch: Epoch) -> Option<i64> {
    (test_day(day) == 0).then(|| before_year(day / 1000) + day % 1000 + epoch.ahead())
}

/// DATE-OF-INTEGER: a day as YYYYMMDD.
pub fn date_of_integer(day: i64, epoch: Epoch) -> Option<i64> {
    let (year, within) = year_of(day, epoch)?;
    let month = (1..=12).rev().find(|month| before_month(year, *month) < within)?;
    Some(year * 10_000 + month * 100 + within - before_month(year, month))
}

/// DAY-OF-INTEGER: a day as YYYYDDD.
pub fn day_of_integer(day: i64, epoch: Epoch) -> Option<i64> {
    year_of(day, epoch).map(|(year, within)| year * 1000 + within)
}

/// TEST-DATE-YYYYMMDD: 0 for a date, 1 for a wrong year, 2 for the month, 3 for the day.
pub fn test_date(date: i64) -> i64 {
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    match () {
        () if !(1601..=9999).contains(&year) => 1,
        () if !(1..=12).contains(&month) => 2,
        () if day < 1 || day > before_month(year, month + 1) - before_month(year, month) => 3,
        () => 0,
    }
}

/// TEST-DAY-YYYYDDD: 0 for a day, 1 for a wrong year, 2 for the day.
pub fn test_day(day: i64) -> i64 {
    let (year, within) = (day / 1000, day % 1000);
    match () {
        () if !(1601..=9999).contains(&year) => 1,
        () if within < 1 || within > before_month(year, 13) => 2,
        () => 0,
    }
}

/// YEAR-TO-YYYY: the year of two digits in the hundred years that end `window` years after `this_year`.
pub fn year_to_yyyy(year: i64, window: i64, this_year: i64) -> Option<i64> {
    let last = this_year.checked_add(window)?;
    ((0..=99).contains(&year) && (1700..=9999).contains(&last)).then(|| last - (last - year).rem_euclid(100))
}

/// DATE-TO-YYYYMMDD: a date of two digits of year.
pub fn date_to_yyyymmdd(date: i64, window: i64, this_year: i64) -> Option<i64> {
    (0..=991_231).contains(&date).then_some(())?;
    Some(year_to_yyyy(date / 10_000, window, this_year)? * 10_000 + date % 10_000)
}

/// DAY-TO-YYYYDDD: a day of two digits of year.
pub fn day_to_yyyyddd(day: i64, window: i64, this_year: i64) -> Option<i64> {
    (0..=99_366).contains(&day).then_some(())?;
    Some(year_to_yyyy(day / 1000, window, this_year)? * 1000 + day % 1000)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from 1601-01-01 to the first of a year.
fn before_year(year: i64) -> i64 {
    let years = year - 1601;
    years * 365 + years / 4 - years / 100 + years / 400
}

/// Days of a year before the first of a month; month 13 is the whole year.
fn before_month(year: i64, month: i64) -> i64 {
    const BEFORE: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let days = usize::try_from(month - 1).ok().and_then(|at| BEFORE.get(at)).copied().unwrap_or(0);
    days + i64::from(month > 2 && is_leap(year))
}

/// Year of a day, and its day in that year.
fn year_of(day: i64, epoch: Epoch) -> Option<(i64, i64)> {
    let day = day.checked_sub(epoch.ahead())?;
    // INTEGER-OF-DATE gives no Lilian day before 1601 either.
    (1..=LAST).contains(&day).then_some(())?;
    let guess = 1601 + (day - 1) * 400 / 146_097;
    let year = if before_year(guess) >= day { guess - 1 } else { guess };
    let year = if before_year(year + 1) < day { year + 1 } else { year };
    Some((year, day - before_year(year)))
}
