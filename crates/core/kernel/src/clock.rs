//! The region's clock: ABSTIME and local time.
//!
//! ABSTIME counts milliseconds of *local* time since 1900-01-01 00:00, as the published interface does.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// Milliseconds from 1900-01-01 to 1970-01-01.
const MS_1900_TO_1970: i64 = 2_208_988_800_000;
/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// The milliseconds since 1970 at which the clocks of this process stand still; [`GOES`]: they do not.
static STANDS_AT: AtomicI64 = AtomicI64::new(GOES);
const GOES: i64 = i64::MIN;

/// Stops the clocks that programs and people see, in this process, at what calendar and clock show: for tests. Timers go on.
pub fn stop_at(local: DateTime) {
    let unix_ms = Stamp::of(local).abstime() - MS_1900_TO_1970;
    STANDS_AT.store(unix_ms, Ordering::Relaxed);
}

/// A moment, and how the zone of the process (TZ) stood then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    pub unix_ms: i64,
    /// Seconds by which local time is ahead.
    pub offset_s: i32,
}

impl Moment {
    /// Now.
    pub fn now() -> Self {
        let stands_at = STANDS_AT.load(Ordering::Relaxed);
        if stands_at != GOES {
            return Self { unix_ms: stands_at, offset_s: 0 };
        }
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let unix_s = since.as_secs() as i64;
        let minute = unix_s / 60;
        let offset_s = OFFSET.with(|last| last.of(minute, || offset_in(minute)));
        Self { unix_ms: unix_s * 1000 + i64::from(since.subsec_millis()), offset_s }
    }

    /// Time that clocks in the zone showed.
    pub fn stamp(self) -> Stamp {
        Stamp { abstime: self.unix_ms + i64::from(self.offset_s) * 1000 + MS_1900_TO_1970 }
    }
}

thread_local! {
    /// The zone's offset in a minute since 1970: zones change theirs at full minutes.
    static OFFSET: Last<i32> = const { Last::nothing() };
}

/// Last result of a thread, and its number: it mostly asks for the same again.
pub(crate) struct Last<T>(Cell<Option<(i64, T)>>);

impl<T: Copy> Last<T> {
    /// Nothing yet.
    pub(crate) const fn nothing() -> Self {
        Self(Cell::new(None))
    }

    /// Result for a number.
    pub(crate) fn of(&self, number: i64, work_out: impl FnOnce() -> T) -> T {
        match self.0.get() {
            Some((last, value)) if last == number => value,
            _ => {
                let value = work_out();
                self.0.set(Some((number, value)));
                value
            }
        }
    }
}

/// The zone's offset in a minute since 1970.
fn offset_in(minute: i64) -> i32 {
    let begins = Timestamp::from_second(minute * 60).unwrap_or(Timestamp::MAX);
    TimeZone::system().to_offset(begins).seconds()
}

/// A moment in the region's time zone, to the millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    abstime: i64,
}

impl Stamp {
    /// Now, in the zone of the process (TZ).
    pub fn now() -> Self {
        Moment::now().stamp()
    }

    /// The moment of so many seconds since 1970, in the zone of the process.
    pub fn of_unix(seconds: i64) -> Self {
        Moment { unix_ms: seconds * 1000, offset_s: offset_in(seconds / 60) }.stamp()
    }

    /// The moment of an ABSTIME; `None` beyond the calendar.
    pub fn from_abstime(abstime: i64) -> Option<Self> {
        let ms = abstime.checked_sub(MS_1900_TO_1970)?;
        Timestamp::from_millisecond(ms).ok().map(|_| Self { abstime })
    }

    /// The moment that calendar and clock show.
    pub fn of(local: DateTime) -> Self {
        // Local time read as if it were UTC: the published count knows no zone.
        let utc = local.to_zoned(TimeZone::UTC).map(|z| z.timestamp().as_millisecond());
        Self { abstime: utc.unwrap_or_default() + MS_1900_TO_1970 }
    }

    /// The local time on calendar and clock.
    pub fn local(&self) -> DateTime {
        let ms = Timestamp::from_millisecond(self.abstime - MS_1900_TO_1970);
        Offset::UTC.to_datetime(ms.unwrap_or(Timestamp::MAX))
    }

    /// ABSTIME.
    pub fn abstime(&self) -> i64 {
        self.abstime
    }

    /// Time as 0hhmmss.
    pub fn hhmmss(&self) -> u64 {
        let seconds = self.ms_of_day() / 1000;
        seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60
    }

    /// Date as 0cyyddd: c counts centuries from 1900.
    pub fn cyyddd(&self) -> u64 {
        let local = self.local();
        let years = (i64::from(local.year()) - 1900).max(0) as u64;
        years * 1000 + local.day_of_year() as u64
    }

    /// Seconds since 1900.
    pub fn second(&self) -> i64 {
        self.abstime.div_euclid(1000)
    }

    /// Milliseconds since midnight.
    pub fn ms_of_day(&self) -> u64 {
        self.abstime.rem_euclid(DAY_MS) as u64
    }
}

/// The moment after an interval; the end of the calendar where that is beyond it.
pub fn after(interval: Duration) -> Timestamp {
    let interval = SignedDuration::try_from(interval).unwrap_or(SignedDuration::MAX);
    Timestamp::now().checked_add(interval).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abstime_is_local_milliseconds_since_1900() {
        let midnight = Stamp::from_abstime(0).expect("1900 is on the calendar");
        assert_eq!((midnight.cyyddd(), midnight.hhmmss()), (1, 0));
        let stamp = Stamp::from_abstime(3_002_545_045_250).expect("1995 is on the calendar");
        assert_eq!(stamp.abstime(), 3_002_545_045_250);
        assert_eq!((stamp.local().year(), stamp.hhmmss()), (1995, 161_725));
        assert!(Stamp::from_abstime(i64::MIN).is_none());
    }

    #[test]
    fn the_century_counts_from_1900() {
        let stamp = Stamp::of(jiff::civil::date(2026, 11, 21).at(19, 45, 1, 0));
        assert_eq!((stamp.cyyddd(), stamp.hhmmss()), (126_325, 194_501));
        let next_day = Stamp::of(jiff::civil::date(2026, 11, 22).at(0, 0, 0, 0));
        assert_eq!((next_day.cyyddd(), next_day.hhmmss()), (126_326, 0));
    }

    #[test]
    fn now_is_what_the_zone_s_clocks_show() {
        let (before, now, after) =
            (jiff::Zoned::now().datetime(), Stamp::now().local(), jiff::Zoned::now().datetime());
        let to_the_ms = |local| Stamp::of(local).local();
        assert!(to_the_ms(before) <= now && now <= after, "{before} {now} {after}");
    }
}
