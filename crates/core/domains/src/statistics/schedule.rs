//! When statistics are collected by themselves: at intervals that are counted from the end of the day, and at that end.

use jiff::SignedDuration;
use jiff::civil::{DateTime, Time};

/// A time of day as HHMMSS.
pub(crate) fn digits(seconds: u32) -> String {
    format!("{:02}{:02}{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Seconds of a day.
pub const DAY_S: u32 = 24 * 60 * 60;

/// When: STATINT, STATEOD, STATRCD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Seconds between two collections.
    pub interval_s: u32,
    /// The end of the day, in seconds from midnight, local time.
    pub end_of_day_s: u32,
    /// True if interval statistics are recorded.
    pub recording: bool,
}

impl Default for Schedule {
    /// The published defaults: an hour, midnight, off.
    fn default() -> Self {
        Self { interval_s: 60 * 60, end_of_day_s: 0, recording: false }
    }
}

/// The reason why statistics are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The interval is over.
    Interval,
    /// The day is over, or the region.
    EndOfDay,
    /// It was asked for.
    Requested,
    /// It was asked for, and counters are reset.
    RequestedReset,
    /// A resource goes away.
    Unsolicited,
}

impl Why {
    /// The three letters of records and reports.
    pub fn letters(self) -> &'static str {
        match self {
            Self::Interval => "INT",
            Self::EndOfDay => "EOD",
            Self::Requested => "REQ",
            Self::RequestedReset => "RRT",
            Self::Unsolicited => "USS",
        }
    }
}

impl Schedule {
    /// The next collection after a moment.
    pub fn next(&self, now: DateTime) -> (DateTime, Why) {
        let since_midnight =
            u32::try_from(now.time().duration_since(Time::midnight()).as_secs()).unwrap_or(0);
        let of_day = (since_midnight + DAY_S - self.end_of_day_s % DAY_S) % DAY_S;
        let to_end = DAY_S - of_day;
        let to_interval = self.interval_s.max(1) - of_day % self.interval_s.max(1);
        let (seconds, why) = if self.recording && to_interval < to_end {
            (to_interval, Why::Interval)
        } else {
            (to_end, Why::EndOfDay)
        };
        let whole = now.with().subsec_nanosecond(0).build().unwrap_or(now);
        (whole.checked_add(SignedDuration::from_secs(seconds.into())).unwrap_or(now), why)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::datetime;

    use super::*;

    #[test]
    fn intervals_are_counted_from_the_end_of_the_day() {
        let hourly = Schedule { recording: true, ..Schedule::default() };
        let at_five = Schedule { end_of_day_s: 5 * 3600 + 600, ..hourly };
        let three_hours = Schedule { interval_s: 3 * 3600, ..at_five };
        let off = Schedule::default();
        let at = |hour, minute| datetime(2026, 3, 9, hour, minute, 30, 5);
        for (schedule, now, hour, minute, why) in [
            (hourly, at(10, 20), 11, 0, Why::Interval),
            (at_five, at(10, 20), 11, 10, Why::Interval),
            (three_hours, at(10, 20), 11, 10, Why::Interval),
            (three_hours, at(3, 0), 5, 10, Why::EndOfDay),
            (at_five, at(4, 59), 5, 10, Why::EndOfDay),
        ] {
            let (next, because) = schedule.next(now);
            assert_eq!((next.hour(), next.minute(), next.second(), because), (hour, minute, 0, why), "{now}");
        }
        assert_eq!(off.next(at(10, 20)), (datetime(2026, 3, 10, 0, 0, 0, 0), Why::EndOfDay));
    }
}
