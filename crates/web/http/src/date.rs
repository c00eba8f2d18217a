//! Dates of HTTP: written in one form, read in three (RFC 9110, 5.6.7). Time is in seconds since 1970, UTC.

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY: u64 = 86_400;
/// Years of two digits from here on belong to the last century.
const PIVOT: u64 = 70;
/// The year in which four digits end.
const YEAR_MAX: u64 = 9_999;

/// Writes a date: `Sun, 06 Nov 1994 08:49:37 GMT`. Years beyond 9999 have more digits than a reader expects.
pub fn write(seconds: u64) -> String {
    let (days, second) = (seconds / DAY, seconds % DAY);
    let (year, month, day) = civil(days);
    let weekday = DAYS[usize::try_from(days % 7).unwrap_or_default()];
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{weekday}, {day:02} {} {year:04} {hour:02}:{minute:02}:{second:02} GMT", MONTHS[month])
}

/// Reads a date in any of its forms. The name of the day is not compared.
pub fn read(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.split_once(',') {
        Some((_, rest)) if rest.contains('-') => {
            let (date, time) = rest.trim().strip_suffix(" GMT")?.split_once(' ')?;
            let mut parts = date.split('-');
            let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
            let short = digits(year, 2)?;
            let century = if short < PIVOT { 2000 } else { 1900 };
            seconds(century + short, month, digits(day, 2)?, time)
        }
        Some((_, rest)) => {
            let mut parts = rest.trim().strip_suffix(" GMT")?.split(' ');
            let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
            seconds(digits(year, 4)?, month, digits(day, 2)?, parts.next()?)
        }
        None => {
            let mut parts = text.split_ascii_whitespace().skip(1);
            let (month, day, time) = (parts.next()?, parts.next()?, parts.next()?);
            seconds(digits(parts.next()?, 4)?, month, digits(day, day.len().min(2))?, time)
        }
    }
}

fn seconds(year: u64, month: &str, day: u64, time: &str) -> Option<u64> {
    let month = MONTHS.iter().position(|name| *name == month)?;
    if !(1970..=YEAR_MAX).contains(&year) || day == 0 || day > days_of(year, month) {
        return None;
    }
    let mut parts = time.split(':');
    let mut part = |most: u64| digits(parts.next()?, 2).filter(|value| *value <= most);
    // It may be a leap second.
    let (hour, minute, second) = (part(23)?, part(59)?, part(60)?);
    let before: u64 = (0..month).map(|month| days_of(year, month)).sum();
    Some((days_before(year) + before + day - 1) * DAY + hour * 3600 + minute * 60 + second)
}

/// Year, month from 0 and day from 1.
fn civil(days: u64) -> (u64, usize, u64) {
    let mut year = 1970 + days / 366;
    while days_before(year + 1) <= days {
        year += 1;
    }
    let mut left = days - days_before(year);
    let mut month = 0;
    while left >= days_of(year, month) {
        left -= days_of(year, month);
        month += 1;
    }
    (year, month, left + 1)
}

/// Days from 1970 to the beginning of a year.
fn days_before(year: u64) -> u64 {
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
}

fn days_of(year: u64, month: usize) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 => 28 + u64::from(leap),
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

fn digits(text: &str, count: usize) -> Option<u64> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_are_one_moment() {
        for text in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(read(text), Some(784_111_777), "{text}");
        }
        assert_eq!(write(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(write(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(write(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
    }

    #[test]
    fn what_is_written_is_read() {
        let mut random = fastrand::Rng::with_seed(17);
        for _ in 0..10_000 {
            let moment = random.u64(0..253_402_300_800);
            assert_eq!(read(&write(moment)), Some(moment));
        }
    }

    #[test]
    fn no_date_is_guessed() {
        for text in [
            "",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, 06 Nov +994 08:49:37 GMT",
            "x",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
