//! INQUIRE STATISTICS, SET STATISTICS.

use jiff::Zoned;
use jiff::civil::DateTime;
use spec::{cmd, cond, opt};

use domains::statistics::{DAY_S, Statistics, Why};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_STATISTICS, Handler::Now(|task, call| STATISTICS.inquire(task, call))),
    (cmd::SET_STATISTICS, Handler::Waits(|task, call| Box::pin(STATISTICS.set(task, call)))),
];

/// RESP2 of INVREQ for a value that is not valid.
const INTERVAL: i32 = 1;
const END_OF_DAY: i32 = 2;
const RECORDING: i32 = 3;

/// The shortest and the longest interval as HHMMSS, and the last second of a day.
const INTERVAL_MIN: i64 = 100;
const INTERVAL_MAX: i64 = 24_00_00;
const TIME_MAX: i64 = 23_59_59;

/// The statistics of the region: there is one.
pub(super) static STATISTICS: Resource<()> = Resource {
    name: opt::STATS,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::ENDOFDAY, |by, ()| Value::Number(hhmmss(end_of_day(by)))),
        (opt::ENDOFDAYHRS, |by, ()| Value::Number(hhmmss(end_of_day(by)) / 10_000)),
        (opt::ENDOFDAYMINS, |by, ()| Value::Number(hhmmss(end_of_day(by)) / 100 % 100)),
        (opt::ENDOFDAYSECS, |by, ()| Value::Number(hhmmss(end_of_day(by)) % 100)),
        (opt::INTERVAL, |by, ()| Value::Number(hhmmss(interval(by)))),
        (opt::INTERVALHRS, |by, ()| Value::Number(hhmmss(interval(by)) / 10_000)),
        (opt::INTERVALMINS, |by, ()| Value::Number(hhmmss(interval(by)) / 100 % 100)),
        (opt::INTERVALSECS, |by, ()| Value::Number(hhmmss(interval(by)) % 100)),
        (opt::NEXTTIME, |by, ()| Value::Number(next(by))),
        (opt::NEXTTIMEHRS, |by, ()| Value::Number(next(by) / 10_000)),
        (opt::NEXTTIMEMINS, |by, ()| Value::Number(next(by) / 100 % 100)),
        (opt::NEXTTIMESECS, |by, ()| Value::Number(next(by) % 100)),
        (opt::RECORDING, |by, ()| {
            Value::either(Statistics::of(&by.region).schedule().recording, "ON", "OFF")
        }),
    ],
    settings: &[
        Setting {
            option: opt::INTERVAL,
            takes: Takes::Number(INTERVAL_MIN..=INTERVAL_MAX),
            resp2: INTERVAL,
            set: Set::Now(set_interval),
        },
        Setting {
            option: opt::ENDOFDAY,
            takes: Takes::Number(0..=TIME_MAX),
            resp2: END_OF_DAY,
            set: Set::Now(set_end_of_day),
        },
        Setting {
            option: opt::RECORDNOW,
            takes: Takes::OneOf(&[("RECORDNOW", opt::RECORDNOW)]),
            resp2: RECORDING,
            set: Set::Now(record_now),
        },
        Setting {
            option: opt::RESETNOW,
            takes: Takes::OneOf(&[("RESETNOW", opt::RESETNOW)]),
            resp2: RECORDING,
            set: Set::Now(reset_now),
        },
        Setting {
            option: opt::RECORDING,
            takes: Takes::OneOf(&[("ON", opt::ON), ("OFF", opt::OFF)]),
            resp2: RECORDING,
            set: Set::Now(set_recording),
        },
    ],
};

fn end_of_day(by: &Manager) -> u32 {
    Statistics::of(&by.region).schedule().end_of_day_s
}

fn interval(by: &Manager) -> u32 {
    Statistics::of(&by.region).schedule().interval_s
}

/// The time of the next collection.
fn next(by: &Manager) -> i64 {
    let next: DateTime = Statistics::of(&by.region).schedule().next(Zoned::now().datetime()).0;
    i64::from(next.hour()) * 10_000 + i64::from(next.minute()) * 100 + i64::from(next.second())
}

fn hhmmss(seconds: u32) -> i64 {
    (seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60).into()
}

/// Seconds of HHMMSS; `None` if it is not a time.
fn seconds(hhmmss: i64) -> Option<u32> {
    let (hours, minutes, seconds) = (hhmmss / 10_000, hhmmss / 100 % 100, hhmmss % 100);
    let total = u32::try_from(hours * 3600 + minutes * 60 + seconds).ok()?;
    (minutes < 60 && seconds < 60 && total <= DAY_S).then_some(total)
}

fn set_interval(by: &Manager, (): &(), to: &Given) -> Outcome {
    let Given::Number(number) = to else { return Ok(()) };
    let interval_s = seconds(*number).ok_or_else(|| cond::INVREQ.raise(INTERVAL))?;
    Statistics::of(&by.region).set_schedule(|schedule| schedule.interval_s = interval_s);
    Ok(())
}

fn set_end_of_day(by: &Manager, (): &(), to: &Given) -> Outcome {
    let Given::Number(number) = to else { return Ok(()) };
    let end_of_day_s = seconds(*number).ok_or_else(|| cond::INVREQ.raise(END_OF_DAY))?;
    Statistics::of(&by.region).set_schedule(|schedule| schedule.end_of_day_s = end_of_day_s);
    Ok(())
}

fn set_recording(by: &Manager, (): &(), to: &Given) -> Outcome {
    let recording = to.is("ON");
    Statistics::of(&by.region).set_schedule(|schedule| schedule.recording = recording);
    Ok(())
}

/// RECORDNOW: records the present counts, before RECORDING changes; counters go on.
fn record_now(by: &Manager, (): &(), _: &Given) -> Outcome {
    Statistics::of(&by.region).collect(&by.region, Why::Requested, false, |_| true);
    Ok(())
}

/// RESETNOW: resets the counters, and records nothing.
fn reset_now(by: &Manager, (): &(), _: &Given) -> Outcome {
    Statistics::of(&by.region).collect(&by.region, Why::RequestedReset, true, |_| false);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_six_digits_and_minutes_and_seconds_end_at_59() {
        for (digits, expected) in
            [(0, Some(0)), (1_00, Some(60)), (24_00_00, Some(DAY_S)), (60, None), (60_00, None)]
        {
            assert_eq!(seconds(digits), expected, "{digits}");
        }
        assert_eq!(hhmmss(3_661), 1_01_01);
    }
}
