//! The Gregorian calendar as Lilian days and seconds: day 1 is 15 October 1582.

/// The last supported day: 31 December 9999.
pub(crate) const LAST_LILIAN: i32 = 3_074_324;
/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;
/// The Lilian day of 1 January 1970.
pub(crate) const UNIX_EPOCH: i32 = 141_428;
/// The Lilian day of 31 December 1600: COBOL counts from there.
pub(crate) const COBOL_EPOCH: i32 = 6_653;

/// Days from 1 March of the year 0 to 14 October 1582.
const LILIAN_ZERO: i64 = 578_040;
/// Days of 400, 100 and 4 years.
const DAYS_400: i64 = 146_097;

/// A moment: Lilian day and milliseconds of that day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub lilian: i32,
    pub milliseconds: i64,
}

/// The Lilian day of a date, which must exist; not checked for range.
pub(crate) fn lilian(year: i32, month: u32, day: u32) -> i64 {
    // Years start in March here, so that the leap day is the last.
    let shifted = i64::from(year) - i64::from(month <= 2);
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * i64::from((month + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    era * DAYS_400 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - LILIAN_ZERO
}

/// Year, month and day of a Lilian day.
pub(crate) fn date_of(lilian: i32) -> (i32, u32, u32) {
    let days = i64::from(lilian) + LILIAN_ZERO;
    let (era, of_era) = (days.div_euclid(DAYS_400), days.rem_euclid(DAYS_400));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let calendar_month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(calendar_month <= 2);
    (year as i32, calendar_month as u32, day as u32)
}

/// Returns true if a year has a leap day.
pub(crate) fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The number of days of a month.
pub(crate) fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// The day of the week of a Lilian day: 1 is Sunday.
pub(crate) fn weekday(lilian: i32) -> u32 {
    (lilian + 4).rem_euclid(7) as u32 + 1
}

/// The names of the months and of the days of the week, in upper case.
pub(crate) const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
pub(crate) const WEEKDAYS: [&str; 7] =
    ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];
pub(crate) const ROMAN: [&str; 12] =
    ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        let cases = [
            ((1582, 10, 15), 1),
            ((1600, 12, 31), COBOL_EPOCH),
            ((1970, 1, 1), UNIX_EPOCH),
            ((1988, 5, 16), 148_138),
            ((1988, 6, 2), 148_155),
            ((1990, 6, 4), 148_887),
            ((9999, 12, 31), LAST_LILIAN),
        ];
        for ((year, month, day), number) in cases {
            assert_eq!(lilian(year, month, day), i64::from(number));
            assert_eq!(date_of(number), (year, month, day));
        }
    }

    #[test]
    fn every_day_follows_the_day_before() {
        let mut expected = (1582, 10, 15);
        for day in 1..=LAST_LILIAN {
            assert_eq!(date_of(day), expected);
            assert_eq!(lilian(expected.0, expected.1, expected.2), i64::from(day));
            expected.2 += 1;
            if expected.2 > days_in_month(expected.0, expected.1) {
                expected = (expected.0, expected.1 + 1, 1);
            }
            if expected.1 > 12 {
                expected = (expected.0 + 1, 1, 1);
            }
        }
    }

    #[test]
    fn days_of_the_week() {
        assert_eq!(weekday(1), 6, "15 October 1582 was a Friday");
        assert_eq!(weekday(148_138), 2, "16 May 1988 was a Monday");
        assert_eq!(weekday(UNIX_EPOCH), 5, "1 January 1970 was a Thursday");
    }
}
