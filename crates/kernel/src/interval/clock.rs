//! The region's clock: ABSTIME and local time.
//!
//! ABSTIME counts milliseconds of *local* time since 1900-01-01 00:00, as the published interface does.

use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};

/// Milliseconds from 1900-01-01 to 1970-01-01.
const MS_1900_TO_1970: i64 = 2_208_988_800_000;

/// A moment in the region's time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    local: DateTime,
}

impl Stamp {
    /// Now, in the zone of the process (TZ).
    pub fn now() -> Self {
        Self { local: Zoned::now().datetime() }
    }

    /// The moment of an ABSTIME; `None` beyond the calendar.
    pub fn from_abstime(abstime: i64) -> Option<Self> {
        let ms = abstime.checked_sub(MS_1900_TO_1970)?;
        let local = Timestamp::from_millisecond(ms).ok()?.to_zoned(TimeZone::UTC).datetime();
        Some(Self { local })
    }

    /// The moment that calendar and clock show.
    pub fn of(local: DateTime) -> Self {
        Self { local }
    }

    /// The local time on calendar and clock.
    pub fn local(&self) -> DateTime {
        self.local
    }

    /// ABSTIME.
    pub fn abstime(&self) -> i64 {
        // Local time read as if it were UTC: the published count knows no zone.
        let utc = self.local.to_zoned(TimeZone::UTC).map(|z| z.timestamp().as_millisecond());
        utc.unwrap_or_default() + MS_1900_TO_1970
    }

    /// Time as 0hhmmss.
    pub fn hhmmss(&self) -> u64 {
        let t = self.local;
        t.hour() as u64 * 10_000 + t.minute() as u64 * 100 + t.second() as u64
    }

    /// Date as 0cyyddd: c counts centuries from 1900.
    pub fn cyyddd(&self) -> u64 {
        let years = (i64::from(self.local.year()) - 1900).max(0) as u64;
        years * 1000 + self.local.day_of_year() as u64
    }

    /// Milliseconds since midnight.
    pub fn ms_of_day(&self) -> u64 {
        let t = self.local;
        let seconds = t.hour() as u64 * 3600 + t.minute() as u64 * 60 + t.second() as u64;
        seconds * 1000 + t.millisecond() as u64
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
        let stamp = Stamp { local: jiff::civil::date(2026, 11, 21).at(19, 45, 1, 0) };
        assert_eq!((stamp.cyyddd(), stamp.hhmmss()), (126_325, 194_501));
    }
}
