//! Dates, times and timestamps as PostgreSQL has them: counts from 2000-01-01 and from midnight.

use db2_values::{Date, DateStyle, Time, TimeStyle, Timestamp, Unfit};

use crate::oid::{self, Oid};

/// Microseconds of a second, and of a day.
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;
/// Picoseconds of a microsecond.
const MICROSECOND: u64 = 1_000_000;
/// The number that 2000-01-01 has among days.
const EPOCH: i32 = 730_120;
/// Digits of a timestamp behind the point of its seconds.
const DIGITS: u8 = 6;

/// A text in any of Db2's forms, in PostgreSQL's form for a type; `None`: the type is no date or time, or the text none.
pub(crate) fn own_form(oid: Oid, text: &[u8]) -> Option<String> {
    match oid {
        oid::DATE => Date::parse(text).ok().map(|date| date.text(DateStyle::Iso)),
        oid::TIME => Time::parse(text).ok().map(|time| time.text(TimeStyle::Jis)),
        oid::TIMESTAMP => {
            let text = Timestamp::parse(text).ok()?.text(DIGITS);
            let (date, time) = text.split_at_checked(10)?;
            Some(format!("{date} {}", time.get(1..)?.replacen('.', ":", 2)))
        }
        _ => None,
    }
}

/// Days since 2000-01-01 of a text.
pub(crate) fn days(text: &[u8]) -> Result<i32, Unfit> {
    Ok(Date::parse(text)?.days() - EPOCH)
}

/// The date of days since 2000-01-01; `None` where Db2 has no such date.
pub(crate) fn date(days: i32) -> Option<Date> {
    Date::from_days(days.checked_add(EPOCH)?)
}

/// Microseconds since midnight of a text.
pub(crate) fn of_day(text: &[u8]) -> Result<i64, Unfit> {
    Ok(i64::from(Time::parse(text)?.seconds()) * SECOND)
}

/// The time of microseconds since midnight, a fraction of a second cut; `None`: a day has fewer.
pub(crate) fn time(of_day: i64) -> Option<Time> {
    Time::from_seconds(u32::try_from(of_day / SECOND).ok()?)
}

/// Microseconds since 2000-01-01 of a text; digits beyond microseconds are cut.
pub(crate) fn since(text: &[u8]) -> Result<i64, Unfit> {
    let timestamp = Timestamp::parse(text)?;
    let days = timestamp.date().days() - EPOCH;
    Ok(i64::from(days) * DAY + (timestamp.picoseconds() / MICROSECOND) as i64)
}

/// `2026-01-31-10.30.00.123456`, of microseconds since 2000-01-01; `None` where Db2 has no such date.
pub(crate) fn timestamp_text(since: i64) -> Option<String> {
    let date = date(i32::try_from(since.div_euclid(DAY)).ok()?)?;
    let of_day = since.rem_euclid(DAY) as u64;
    Some(Timestamp::new(date, of_day * MICROSECOND)?.text(DIGITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_another_one() {
        assert_eq!((days(b"2000-01-01"), days(b"0001-01-01")), (Ok(0), Ok(-730_119)));
        assert_eq!(date(-730_119).map(|date| date.text(DateStyle::Iso)).as_deref(), Some("0001-01-01"));
        assert_eq!((date(-730_120), date(i32::MAX)), (None, None));
    }

    #[test]
    fn timestamps_are_cut_to_microseconds() {
        let back = |text: &str| since(text.as_bytes()).map(|at| timestamp_text(at).unwrap());
        assert_eq!(back("2026-01-31-10.30.00.123456789"), Ok("2026-01-31-10.30.00.123456".to_owned()));
        assert_eq!(back("0001-01-01-00.00.00"), Ok("0001-01-01-00.00.00.000000".to_owned()));
        assert_eq!(timestamp_text(i64::MAX), None);
    }

    #[test]
    fn texts_in_the_form_of_the_server() {
        assert_eq!(
            own_form(oid::TIMESTAMP, b"2026-01-31-10.30.00.5").as_deref(),
            Some("2026-01-31 10:30:00.500000")
        );
        assert_eq!(own_form(oid::DATE, b"31.01.2026").as_deref(), Some("2026-01-31"));
        assert_eq!(own_form(oid::TIME, b"1:05 PM").as_deref(), Some("13:05:00"));
        assert_eq!(own_form(oid::DATE, b"x"), None);
    }
}
