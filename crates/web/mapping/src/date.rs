//! Dates and moments: the calendar between 1900 and 9999.

use crate::fault::{FaultKind, MappingFault};

const DAY_MS: i64 = 86_400_000;
const YEARS: std::ops::RangeInclusive<i64> = 1900..=9999;

/// Reads `1994-11-06T08:49:37.5Z` as milliseconds since 1900, as ABSTIME counts. A moment without a zone is taken as
/// UTC.
///
/// # Errors
/// A text that is not a moment of these years.
pub fn read_moment(text: &str) -> Result<i128, MappingFault> {
    moment(text).map(i128::from).ok_or_else(|| {
        MappingFault::new(
            FaultKind::InvalidDate,
            format!("{text:?} is no moment such as 1994-11-06T08:49:37.000Z"),
        )
    })
}

/// Writes an ABSTIME.
///
/// # Errors
/// A moment of other years.
pub fn write_moment(milliseconds: i128, into: &mut Vec<u8>) -> Result<(), MappingFault> {
    let wrong = || MappingFault::new(FaultKind::InvalidDate, "the moment is not between 1900 and 9999");
    let milliseconds = i64::try_from(milliseconds).map_err(|_| wrong())?;
    let (year, month, day) = civil(milliseconds.div_euclid(DAY_MS)).ok_or_else(wrong)?;
    let time = milliseconds.rem_euclid(DAY_MS);
    let (hour, minute, second, rest) =
        (time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60, time % 1_000);
    let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z");
    into.extend_from_slice(text.as_bytes());
    Ok(())
}

/// Reads `1994-11-06` as 19941106. An empty text means no date: 0.
///
/// # Errors
/// A text that is not a date.
pub fn read_date(text: &str) -> Result<i128, MappingFault> {
    if text.is_empty() {
        return Ok(0);
    }
    let (year, month, day) = date(text).ok_or_else(|| {
        MappingFault::new(FaultKind::InvalidDate, format!("{text:?} is no date such as 1994-11-06"))
    })?;
    Ok(i128::from(year * 10_000 + month * 100 + day))
}

/// Writes 19941106 as a date; 0 means no date, and nothing is written.
///
/// # Errors
/// A number that is not a date.
pub fn write_date(number: i128, into: &mut Vec<u8>) -> Result<(), MappingFault> {
    if number == 0 {
        return Ok(());
    }
    let text = i64::try_from(number)
        .ok()
        .map(|number| format!("{:04}-{:02}-{:02}", number / 10_000, number / 100 % 100, number % 100));
    match text {
        Some(text) if date(&text).is_some() => {
            into.extend_from_slice(text.as_bytes());
            Ok(())
        }
        _ => Err(MappingFault::new(FaultKind::InvalidDate, format!("{number} is no date such as 19941106"))),
    }
}

fn moment(text: &str) -> Option<i64> {
    let (day, time) = text.split_once('T')?;
    let (year, month, day) = date(day)?;
    let (time, offset) = zone(time)?;
    let (time, fraction) =
        time.split_once('.').map_or((time, None), |(time, fraction)| (time, Some(fraction)));
    let mut parts = time.split(':');
    let mut part = |most| parts.next().and_then(|text| number(text, 2)).filter(|value| *value <= most);
    let (hour, minute, second) = (part(23)?, part(59)?, part(59)?);
    if parts.next().is_some() {
        return None;
    }
    let rest = match fraction {
        None => 0,
        // Thousandths are all that ABSTIME has.
        Some(digits)
            if (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            format!("{digits:0<3}")[..3].parse().ok()?
        }
        Some(_) => return None,
    };
    let milliseconds =
        days(year, month, day) * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1_000 + rest - offset;
    (milliseconds >= 0).then_some(milliseconds)
}

/// A time without its zone, and the zone in milliseconds east of UTC.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix('Z') {
        return Some((time, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (hours, minutes) = time[at + 1..].split_once(':')?;
    let offset = (number(hours, 2).filter(|hours| *hours <= 14)? * 60
        + number(minutes, 2).filter(|minutes| *minutes <= 59)?)
        * 60_000;
    Some((&time[..at], if time[at..].starts_with('-') { -offset } else { offset }))
}

fn date(text: &str) -> Option<(i64, i64, i64)> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    let fits = YEARS.contains(&year) && (1..=12).contains(&month) && day >= 1 && day <= days_of(year, month);
    (fits && parts.next().is_none()).then_some((year, month, day))
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// Days from the first of 1900.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
    days_before(year) + months + day - 1
}

fn days_before(year: i64) -> i64 {
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    (year - 1900) * 365 + leaps(year - 1) - leaps(1899)
}

fn civil(days: i64) -> Option<(i64, i64, i64)> {
    if !(0..days_before(*YEARS.end() + 1)).contains(&days) {
        return None;
    }
    let mut year = 1900 + days / 366;
    while days_before(year + 1) <= days {
        year += 1;
    }
    let mut left = days - days_before(year);
    let mut month = 1;
    while left >= days_of(year, month) {
        left -= days_of(year, month);
        month += 1;
    }
    Some((year, month, left + 1))
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_count_from_1900() {
        for (text, milliseconds) in [
            ("1900-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00.000Z", 2_208_988_800_000),
            ("1970-01-01T01:00:00.25+01:00", 2_208_988_800_250),
            ("1969-12-31T23:30:00-00:30", 2_208_988_800_000),
            ("1970-01-01T00:00:00", 2_208_988_800_000),
        ] {
            assert_eq!(read_moment(text), Ok(milliseconds), "{text}");
        }
        for text in [
            "",
            "1970-01-01",
            "1970-02-30T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:00:00.Z",
            "1899-12-31T00:00:00Z",
        ] {
            assert_eq!(read_moment(text).map_err(|fault| fault.kind), Err(FaultKind::InvalidDate), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..10_000 {
            let moment = i128::from(random.i64(0..days_before(10_000) * DAY_MS));
            let mut text = Vec::new();
            write_moment(moment, &mut text).expect("a moment");
            assert_eq!(read_moment(std::str::from_utf8(&text).expect("text")), Ok(moment));
            let mut date = Vec::new();
            let number = read_date(std::str::from_utf8(&text[..10]).expect("text")).expect("a date");
            write_date(number, &mut date).expect("a date");
            assert_eq!(date, text[..10]);
        }
        assert!(write_date(19_940_231, &mut Vec::new()).is_err());
        assert!(write_moment(-1, &mut Vec::new()).is_err());
    }
}
