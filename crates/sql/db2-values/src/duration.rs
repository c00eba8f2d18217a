//! Durations: labeled ones and those of digits, added to dates and times and made of two of them.

use crate::datetime::{Date, Time, Timestamp, days_of};
use crate::decimal::Decimal;
use crate::unfit::Unfit;
use crate::value::Value;

/// Units of labeled durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// YEARS.
    Years,
    /// MONTHS.
    Months,
    /// DAYS.
    Days,
    /// HOURS.
    Hours,
    /// MINUTES.
    Minutes,
    /// SECONDS, with a fraction where the number has one.
    Seconds,
    /// MICROSECONDS.
    Microseconds,
}

/// A way that a date, time or timestamp goes: its parts are added in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shift {
    /// Months, and twelve for each year.
    pub months: i64,
    /// Days.
    pub days: i64,
    /// Picoseconds.
    pub picoseconds: i128,
}

const PICOSECONDS: i128 = Timestamp::SECOND as i128;

impl Shift {
    /// A number of units; of all but seconds the digits behind the point are cut. `None`: more than there are years.
    pub fn of(number: Decimal, unit: Unit) -> Option<Self> {
        let whole = i64::try_from(number.at_scale(0)?).ok()?;
        let of_day = |seconds: i128| i128::from(whole).checked_mul(seconds * PICOSECONDS);
        let shift = Self::default();
        Some(match unit {
            Unit::Years => Self { months: whole.checked_mul(12)?, ..shift },
            Unit::Months => Self { months: whole, ..shift },
            Unit::Days => Self { days: whole, ..shift },
            Unit::Hours => Self { picoseconds: of_day(3600)?, ..shift },
            Unit::Minutes => Self { picoseconds: of_day(60)?, ..shift },
            Unit::Seconds => Self { picoseconds: number.at_scale(12)?, ..shift },
            Unit::Microseconds => {
                Self { picoseconds: i128::from(whole).checked_mul(PICOSECONDS / 1_000_000)?, ..shift }
            }
        })
    }

    /// A duration of digits beside a date (yyyymmdd), a time (hhmmss) or a timestamp (yyyymmddhhmmss, and a fraction of a second).
    /// Digits of eight and six beside a timestamp are a duration of dates and of times. `None`: no duration of this type.
    pub fn of_digits(number: Decimal, precision: u8) -> Option<Self> {
        let scale = number.scale;
        let whole = number.at_scale(0)?;
        let fraction = Decimal { unscaled: number.unscaled - Decimal::whole(whole).at_scale(scale)?, scale }
            .at_scale(12)?;
        let date = |digits: i128| (digits / 10_000 * 12 + digits / 100 % 100, digits % 100);
        let time = |digits: i128| digits / 10_000 * 3600 + digits / 100 % 100 * 60 + digits % 100;
        let (dates, times) = match (precision, scale) {
            (8, 0) => (whole, 0),
            (6, 0) => (0, whole),
            (_, _) if u32::from(precision) == 14 + scale => (whole / 1_000_000, whole % 1_000_000),
            _ => return None,
        };
        let (months, days) = date(dates);
        let picoseconds = time(times) * PICOSECONDS + fraction;
        Some(Self { months: i64::try_from(months).ok()?, days: i64::try_from(days).ok()?, picoseconds })
    }

    /// The same way back.
    #[must_use]
    pub fn back(self) -> Self {
        Self { months: -self.months, days: -self.days, picoseconds: -self.picoseconds }
    }

    fn date(self, date: Date) -> Result<(Date, bool), Unfit> {
        let (mut moved, mut is_adjusted) = (date, false);
        if self.months != 0 {
            let months = i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
            let months = months.checked_add(self.months).ok_or(Unfit::YEARS)?;
            let month = months.rem_euclid(12) as u32 + 1;
            (moved, is_adjusted) =
                Date::in_month(months.div_euclid(12), month, date.day()).ok_or(Unfit::YEARS)?;
        }
        let days = i64::from(moved.days()).checked_add(self.days).and_then(|days| i32::try_from(days).ok());
        Ok((days.and_then(Date::from_days).ok_or(Unfit::YEARS)?, is_adjusted))
    }
}

/// A date, time or timestamp moved by a shift. True: a day that its month does not have became the month's last.
///
/// # Errors
/// -183: it would lie before year 1 or behind year 9999. -401: the value is none of them.
pub fn shifted(value: &Value, by: Shift) -> Result<(Value, bool), Unfit> {
    match value {
        Value::Date(date) => by.date(*date).map(|(date, is_adjusted)| (Value::Date(date), is_adjusted)),
        Value::Time(time) => {
            let seconds = i128::from(time.seconds()) + by.picoseconds / PICOSECONDS;
            let seconds = match seconds {
                // The end of the day is not its beginning, as long as nothing moves it.
                seconds if by.picoseconds / PICOSECONDS == 0 => seconds,
                seconds => seconds.rem_euclid(i128::from(Time::DAY)),
            };
            Ok((Time::from_seconds(seconds as u32).map_or(Value::Null, Value::Time), false))
        }
        Value::Timestamp(timestamp) => {
            let (date, is_adjusted) = by.date(timestamp.date())?;
            let day = i128::from(Timestamp::DAY);
            let picoseconds =
                i128::from(timestamp.picoseconds()).checked_add(by.picoseconds).ok_or(Unfit::YEARS)?;
            let days = i64::try_from(picoseconds.div_euclid(day)).map_err(|_| Unfit::YEARS)?;
            let (date, _) = Shift { days, ..Shift::default() }.date(date)?;
            let moved = Timestamp::new(date, picoseconds.rem_euclid(day) as u64).ok_or(Unfit::YEARS)?;
            Ok((Value::Timestamp(moved), is_adjusted))
        }
        _ => Err(Unfit::TYPES),
    }
}

/// The duration from the second value to the first: yyyymmdd, hhmmss, or yyyymmddhhmmss with so many digits of a fraction.
///
/// # Errors
/// -401: they are not both dates, times or timestamps.
pub fn apart(a: &Value, b: &Value, digits: u8) -> Result<Decimal, Unfit> {
    let signed = |is_behind: bool, size: i128| if is_behind { -size } else { size };
    match (a, b) {
        (Value::Date(a), Value::Date(b)) => {
            let size = dates_apart(*a.max(b), (*a.min(b)).into());
            Ok(Decimal::whole(signed(a < b, size)))
        }
        (Value::Time(a), Value::Time(b)) => {
            let seconds = i128::from(a.seconds().abs_diff(b.seconds()));
            Ok(Decimal::whole(signed(a < b, clock(seconds))))
        }
        (Value::Timestamp(a), Value::Timestamp(b)) => {
            let (late, early) = (a.max(b), a.min(b));
            let mut earlier = Parts::from(early.date());
            let mut picoseconds = i128::from(late.picoseconds()) - i128::from(early.picoseconds());
            if picoseconds < 0 {
                picoseconds += i128::from(Timestamp::DAY);
                earlier.day += 1;
            }
            let dates = dates_apart(late.date(), earlier);
            let seconds = clock(picoseconds / PICOSECONDS);
            let fraction = Decimal { unscaled: picoseconds % PICOSECONDS, scale: 12 };
            let scale = u32::from(digits);
            let whole = Decimal::whole(dates * 1_000_000 + seconds);
            let unscaled = whole.at_scale(scale).zip(fraction.at_scale(scale)).map(|(a, b)| a + b);
            Ok(Decimal { unscaled: signed(a < b, unscaled.ok_or(Unfit::OVERFLOW)?), scale })
        }
        _ => Err(Unfit::TYPES),
    }
}

/// Seconds as hhmmss.
fn clock(seconds: i128) -> i128 {
    seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60
}

/// A date whose parts may be one too great while it is subtracted.
struct Parts {
    year: u32,
    month: u32,
    day: u32,
}

impl From<Date> for Parts {
    fn from(date: Date) -> Self {
        Self { year: date.year(), month: date.month(), day: date.day() }
    }
}

/// The published way to subtract: days that are missing come from the month of the earlier date, months from a year.
fn dates_apart(late: Date, mut early: Parts) -> i128 {
    let days = if early.day <= late.day() {
        late.day() - early.day
    } else {
        let borrowed = days_of(early.year, early.month) + late.day();
        early.month += 1;
        borrowed - early.day
    };
    let months = if early.month <= late.month() {
        late.month() - early.month
    } else {
        early.year += 1;
        12 + late.month() - early.month
    };
    let years = late.year() - early.year;
    i128::from(years) * 10_000 + i128::from(months) * 100 + i128::from(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        match Timestamp::parse(text.as_bytes()) {
            Ok(timestamp) => Value::Timestamp(timestamp),
            Err(_) => Date::parse(text.as_bytes())
                .map(Value::Date)
                .unwrap_or_else(|_| Value::Time(Time::parse(text.as_bytes()).unwrap())),
        }
    }

    #[track_caller]
    fn moved(from: &str, number: &str, unit: Unit) -> Result<(Value, bool), i32> {
        let shift = Shift::of(Decimal::parse(number.as_bytes()).unwrap(), unit).unwrap();
        shifted(&value(from), shift).map_err(|unfit| unfit.code)
    }

    #[test]
    fn a_month_ends_with_its_last_day() {
        for (from, number, unit, to, is_adjusted) in [
            ("2024-02-29", "1", Unit::Years, "2025-02-28", true),
            ("2024-02-29", "4", Unit::Years, "2028-02-29", false),
            ("2024-02-29", "-4", Unit::Years, "2020-02-29", false),
            ("2026-01-31", "1", Unit::Months, "2026-02-28", true),
            ("2026-03-31", "-1", Unit::Months, "2026-02-28", true),
            ("2026-01-31", "12", Unit::Months, "2027-01-31", false),
            ("2026-01-31", "-13", Unit::Months, "2024-12-31", false),
            ("2026-02-28", "1", Unit::Months, "2026-03-28", false),
            ("2026-12-31", "1.9", Unit::Days, "2027-01-01", false),
        ] {
            assert_eq!(moved(from, number, unit), Ok((value(to), is_adjusted)), "{from} {number} {unit:?}");
        }
        assert_eq!(moved("9999-12-31", "1", Unit::Days), Err(-183));
        assert_eq!(moved("0001-01-31", "-1", Unit::Months), Err(-183));
        assert_eq!(moved("2026-01-31", "9223372036854775807", Unit::Months), Err(-183));
    }

    #[test]
    fn a_time_goes_round_the_clock() {
        let time = |from, number, unit| moved(from, number, unit).map(|(value, _)| value);
        assert_eq!(time("23.30.00", "90", Unit::Minutes), Ok(value("01.00.00")));
        assert_eq!(time("00.00.00", "-1", Unit::Seconds), Ok(value("23.59.59")));
        assert_eq!(time("24.00.00", "0", Unit::Seconds), Ok(value("24.00.00")));
        assert_eq!(time("24.00.00", "1", Unit::Hours), Ok(value("01.00.00")));
    }

    #[test]
    fn a_timestamp_carries_into_its_date() {
        let stamp = |from, number, unit| moved(from, number, unit).map(|(value, _)| value);
        assert_eq!(
            stamp("2024-02-28-23.59.59.999999", "1", Unit::Microseconds),
            Ok(value("2024-02-29-00.00.00"))
        );
        assert_eq!(stamp("2024-03-01-00.00.00", "-0.5", Unit::Seconds), Ok(value("2024-02-29-23.59.59.5")));
        assert_eq!(stamp("9999-12-31-23.59.59", "1", Unit::Seconds), Err(-183));
    }

    #[test]
    fn durations_of_digits() {
        let by = |from: &str, number: &str, precision| {
            let shift = Shift::of_digits(Decimal::parse(number.as_bytes()).unwrap(), precision)?;
            shifted(&value(from), shift).ok().map(|(value, _)| value)
        };
        assert_eq!(by("2026-01-31", "10101", 8), Some(value("2027-03-01")));
        assert_eq!(by("10.00.00", "13005", 6), Some(value("11.30.05")));
        assert_eq!(by("2026-01-31-10.00.00", "-1000000.5", 15), Some(value("2026-01-30-09.59.59.5")));
        assert_eq!(by("2026-01-31", "10101", 9), None);
    }

    #[test]
    fn what_two_are_apart() {
        for (a, b, digits, expected) in [
            ("2026-03-15", "2000-03-15", 0, "260000"),
            ("2026-03-01", "2026-02-28", 0, "1"),
            ("2024-03-01", "2024-02-28", 0, "2"),
            ("2026-03-30", "2026-01-31", 0, "130"),
            ("2000-03-15", "2026-03-16", 0, "-260001"),
            ("2025-02-28", "2024-02-29", 0, "1128"),
            ("10.00.00", "11.30.05", 0, "-13005"),
            ("2026-03-01-00.00.00", "2026-02-28-23.59.59.5", 6, "0.500000"),
            ("2026-03-01-10.00.00", "2024-02-29-11.00.00", 6, "20000230000.000000"),
        ] {
            let found = apart(&value(a), &value(b), digits).map(Decimal::text);
            assert_eq!(found, Ok(expected.to_owned()), "{a} - {b}");
        }
    }
}
