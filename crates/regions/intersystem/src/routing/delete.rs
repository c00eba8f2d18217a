//! DELETSHIPPED: terminals of other regions that no task uses any more are taken away.

use std::sync::Arc;
use std::time::Duration;

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler, Waiting};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Changes, Given, Key, Kind, Manager, Resource, Set, Setting, Takes};
use spec::{OptionId, cmd, cond, opt};

use super::route::Routing;

/// These commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_DELETSHIPPED, Handler::Now(|task, call| SHIPPED.inquire(task, call))),
    (cmd::SET_DELETSHIPPED, Handler::Waits(|task, call| Box::pin(SHIPPED.set(task, call)))),
    (
        cmd::PERFORM_DELETSHIPPED,
        Handler::Now(|task, _| {
            perform(&task.region);
            Ok(())
        }),
    ),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "DELETSHIPPED",
    table: &SHIPPED,
    inquire: cmd::INQUIRE_DELETSHIPPED,
    set: Some(cmd::SET_DELETSHIPPED),
    defined: None,
};

/// RESP2 of INVREQ: the interval; the time after which a terminal is idle. Recalled, not read.
const INTERVAL: i32 = 1;
const IDLE: i32 = 2;
/// The largest of each, as HHMMSS, and of hours, minutes and seconds alone.
const TIME_MAX: i64 = 99_59_59;
const HOURS_MAX: i64 = 99;
const MINUTES_MAX: i64 = 5_999;
const SECONDS_MAX: i64 = 359_999;

/// Takes idle terminals away at each interval, until the region ends.
pub(crate) async fn tidy(region: Arc<Region>) {
    let routing = Routing::of(&region);
    loop {
        let changed = routing.times.changed.notified();
        match routing.times.interval() {
            0 => changed.await,
            seconds => tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(Duration::from_secs(seconds.into())) => perform(&region),
            },
        }
    }
}

/// Takes away the terminals that are idle now.
fn perform(region: &Region) {
    let routing = Routing::of(region);
    let idle = Duration::from_secs(routing.times.idle().into());
    let gone = routing.shipped.tidy(region, idle);
    if gone > 0 {
        tracing::info!(target: "IS", "terminals of other regions that were idle, and are taken away: {gone}");
    }
}

/// There is one.
static SHIPPED: Resource<()> = Resource {
    // No command has an option DELETSHIPPED, and no program names it.
    name: opt::INTERVAL,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::IDLE, |by, ()| Value::Number(hhmmss(idle(by)))),
        (opt::IDLEHRS, |by, ()| Value::Number(hhmmss(idle(by)) / 10_000)),
        (opt::IDLEMINS, |by, ()| Value::Number(hhmmss(idle(by)) / 100 % 100)),
        (opt::IDLESECS, |by, ()| Value::Number(hhmmss(idle(by)) % 100)),
        (opt::INTERVAL, |by, ()| Value::Number(hhmmss(interval(by)))),
        (opt::INTERVALHRS, |by, ()| Value::Number(hhmmss(interval(by)) / 10_000)),
        (opt::INTERVALMINS, |by, ()| Value::Number(hhmmss(interval(by)) / 100 % 100)),
        (opt::INTERVALSECS, |by, ()| Value::Number(hhmmss(interval(by)) % 100)),
    ],
    settings: &[
        setting(opt::IDLE, TIME_MAX, IDLE),
        setting(opt::IDLEHRS, HOURS_MAX, IDLE),
        setting(opt::IDLEMINS, MINUTES_MAX, IDLE),
        setting(opt::IDLESECS, SECONDS_MAX, IDLE),
        setting(opt::INTERVAL, TIME_MAX, INTERVAL),
        setting(opt::INTERVALHRS, HOURS_MAX, INTERVAL),
        setting(opt::INTERVALMINS, MINUTES_MAX, INTERVAL),
        setting(opt::INTERVALSECS, SECONDS_MAX, INTERVAL),
    ],
};

const fn setting(option: OptionId, most: i64, resp2: i32) -> Setting<()> {
    let set = Set::Among(if resp2 == IDLE { set_idle } else { set_interval });
    Setting { option, takes: Takes::Number(0..=most), resp2, set }
}

fn idle(by: &Manager) -> u32 {
    Routing::of(&by.region).times.idle()
}

fn interval(by: &Manager) -> u32 {
    Routing::of(&by.region).times.interval()
}

fn set_idle<'a>(by: &'a Manager, (): &'a (), _: &'a Given, all: Changes<'a>) -> Waiting<'a> {
    let given = seconds_of(all, [opt::IDLE, opt::IDLEHRS, opt::IDLEMINS, opt::IDLESECS]);
    Box::pin(async move {
        let idle = given.ok_or_else(|| cond::INVREQ.raise(IDLE))?;
        Routing::of(&by.region).times.set(interval(by), idle);
        Outcome::Ok(())
    })
}

fn set_interval<'a>(by: &'a Manager, (): &'a (), _: &'a Given, all: Changes<'a>) -> Waiting<'a> {
    let given = seconds_of(all, [opt::INTERVAL, opt::INTERVALHRS, opt::INTERVALMINS, opt::INTERVALSECS]);
    Box::pin(async move {
        let interval = given.ok_or_else(|| cond::INVREQ.raise(INTERVAL))?;
        Routing::of(&by.region).times.set(interval, idle(by));
        Outcome::Ok(())
    })
}

/// The seconds that HHMMSS, or hours, minutes and seconds, come to; `None`: they are no time.
fn seconds_of(all: Changes<'_>, [whole, hours, minutes, seconds]: [OptionId; 4]) -> Option<u32> {
    let given = |option| {
        let found = all.iter().find(|(other, _)| *other == option);
        found.map_or(0, |(_, given)| given.number())
    };
    let whole = given(whole);
    let (m, s) = (whole / 100 % 100, whole % 100);
    let parts = given(hours) * 3_600 + given(minutes) * 60 + given(seconds);
    let total = whole / 10_000 * 3_600 + m * 60 + s + parts;
    (m < 60 && s < 60 && total <= SECONDS_MAX).then_some(u32::try_from(total).ok()?)
}

fn hhmmss(seconds: u32) -> i64 {
    (seconds / 3_600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_hhmmss_or_its_parts() {
        let options = [opt::IDLE, opt::IDLEHRS, opt::IDLEMINS, opt::IDLESECS];
        type Case<'a> = (&'a [(OptionId, i64)], Option<u32>);
        let cases: [Case<'_>; 5] = [
            (&[(opt::IDLE, 1_02_03)], Some(3_723)),
            (&[(opt::IDLE, 60)], None),
            (&[(opt::IDLEHRS, 1), (opt::IDLEMINS, 2), (opt::IDLESECS, 3)], Some(3_723)),
            (&[(opt::IDLEMINS, 90)], Some(5_400)),
            (&[(opt::IDLEHRS, 99), (opt::IDLEMINS, 5_999)], None),
        ];
        for (given, expected) in cases {
            let given: Vec<_> = given.iter().map(|(o, n)| (*o, Given::Number(*n))).collect();
            assert_eq!(seconds_of(&given, options), expected, "{given:?}");
        }
        assert_eq!(hhmmss(3_723), 1_02_03);
    }
}
