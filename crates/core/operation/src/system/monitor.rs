//! INQUIRE MONITOR, SET MONITOR.

use spec::{OptionId, cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::meters::UsedLimits;
use kernel::monitoring::{Monitoring, Switch};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_MONITOR, Handler::Now(|task, call| MONITOR.inquire(task, call))),
    (cmd::SET_MONITOR, Handler::Waits(|task, call| Box::pin(MONITOR.set(task, call)))),
];

/// RESP2 of INVREQ for a value that is not valid.
mod resp2 {
    pub const STATUS: i32 = 1;
    pub const PERFCLASS: i32 = 2;
    pub const EXCEPTCLASS: i32 = 3;
    pub const CONVERSEST: i32 = 5;
    pub const SYNCPOINTST: i32 = 6;
    pub const FREQUENCY: i32 = 7;
    pub const HOURS: i32 = 8;
    pub const MINUTES: i32 = 9;
    pub const SECONDS: i32 = 10;
    pub const RESRCECLASS: i32 = 11;
    pub const IDNTYCLASS: i32 = 12;
    pub const COMPRESSST: i32 = 13;
    pub const FILELIMIT: i32 = 14;
    pub const TSQUEUELIMIT: i32 = 15;
    pub const DPLLIMIT: i32 = 16;
    pub const URIMAPLIMIT: i32 = 17;
    pub const WEBSERVLIMIT: i32 = 18;
}

/// The most resources of a kind that the records of one task tell.
const LIMIT_MAX: i64 = 64;
/// The shortest and the longest FREQUENCY in seconds; 0 is none.
const FREQUENCY_MIN: i64 = 60;
const FREQUENCY_MAX: i64 = 24 * 60 * 60;

/// The value of a switch.
fn is(by: &Manager, switch: Switch, yes: &'static str, no: &'static str) -> Value {
    Value::either(Monitoring::of(&by.region).is(switch), yes, no)
}

fn limit(by: &Manager, of: fn(UsedLimits) -> u8) -> Value {
    Value::Number(of(Monitoring::of(&by.region).limits()).into())
}

/// FREQUENCY as hours, minutes and seconds.
fn frequency(by: &Manager) -> (i64, i64, i64) {
    let seconds = i64::from(Monitoring::of(&by.region).frequency_s());
    (seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// The monitoring of the region: there is one.
pub(super) static MONITOR: Resource<()> = Resource {
    name: opt::MONITOR,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::APPLNAMEST, |_, ()| Value::Cvda("NOAPPLNAME")),
        (opt::COMPRESSST, |_, ()| Value::Cvda("NOCOMPRESS")),
        (opt::CONVERSEST, |by, ()| is(by, Switch::Conversation, "CONVERSE", "NOCONVERSE")),
        (opt::DPLLIMIT, |by, ()| limit(by, |limits| limits.programs)),
        (opt::EXCEPTCLASS, |by, ()| is(by, Switch::Exception, "EXCEPT", "NOEXCEPT")),
        (opt::FILELIMIT, |by, ()| limit(by, |limits| limits.files)),
        (opt::FREQUENCY, |by, ()| {
            let (hours, minutes, seconds) = frequency(by);
            Value::Number(hours * 10_000 + minutes * 100 + seconds)
        }),
        (opt::FREQUENCYHRS, |by, ()| Value::Number(frequency(by).0)),
        (opt::FREQUENCYMINS, |by, ()| Value::Number(frequency(by).1)),
        (opt::FREQUENCYSECS, |by, ()| Value::Number(frequency(by).2)),
        (opt::IDNTYCLASS, |by, ()| is(by, Switch::Identity, "IDNTY", "NOIDNTY")),
        (opt::PERFCLASS, |by, ()| is(by, Switch::Performance, "PERF", "NOPERF")),
        (opt::RESRCECLASS, |by, ()| is(by, Switch::Resource, "RESRCE", "NORESRCE")),
        (opt::RMIST, |_, ()| Value::Cvda("RMI")),
        (opt::STATUS, |by, ()| is(by, Switch::On, "ON", "OFF")),
        (opt::SYNCPOINTST, |by, ()| is(by, Switch::Syncpoint, "SYNCPOINT", "NOSYNCPOINT")),
        (opt::TIME, |_, ()| Value::Cvda("GMT")),
        (opt::TSQUEUELIMIT, |by, ()| limit(by, |limits| limits.queues)),
        (opt::URIMAPLIMIT, |by, ()| limit(by, |limits| limits.maps)),
        (opt::WEBSERVLIMIT, |by, ()| limit(by, |limits| limits.services)),
    ],
    settings: &[
        switch(opt::STATUS, &[("ON", opt::ON), ("OFF", opt::OFF)], resp2::STATUS, |by, (), to| {
            turn(by, Switch::On, to.is("ON"))
        }),
        switch(
            opt::PERFCLASS,
            &[("PERF", opt::PERF), ("NOPERF", opt::NOPERF)],
            resp2::PERFCLASS,
            |by, (), to| turn(by, Switch::Performance, to.is("PERF")),
        ),
        switch(
            opt::EXCEPTCLASS,
            &[("EXCEPT", opt::EXCEPT), ("NOEXCEPT", opt::NOEXCEPT)],
            resp2::EXCEPTCLASS,
            |by, (), to| turn(by, Switch::Exception, to.is("EXCEPT")),
        ),
        switch(
            opt::RESRCECLASS,
            &[("RESRCE", opt::RESRCE), ("NORESRCE", opt::NORESRCE)],
            resp2::RESRCECLASS,
            |by, (), to| turn(by, Switch::Resource, to.is("RESRCE")),
        ),
        switch(
            opt::IDNTYCLASS,
            &[("IDNTY", opt::IDNTY), ("NOIDNTY", opt::NOIDNTY)],
            resp2::IDNTYCLASS,
            |by, (), to| turn(by, Switch::Identity, to.is("IDNTY")),
        ),
        switch(
            opt::CONVERSEST,
            &[("CONVERSE", opt::CONVERSE), ("NOCONVERSE", opt::NOCONVERSE)],
            resp2::CONVERSEST,
            |by, (), to| turn(by, Switch::Conversation, to.is("CONVERSE")),
        ),
        switch(
            opt::SYNCPOINTST,
            &[("SYNCPOINT", opt::SYNCPOINT), ("NOSYNCPOINT", opt::NOSYNCPOINT)],
            resp2::SYNCPOINTST,
            |by, (), to| turn(by, Switch::Syncpoint, to.is("SYNCPOINT")),
        ),
        // Records are written as short as they are.
        switch(opt::COMPRESSST, &[("NOCOMPRESS", opt::NOCOMPRESS)], resp2::COMPRESSST, |_, (), _| Ok(())),
        number(opt::FREQUENCY, 240_000, resp2::FREQUENCY, |by, (), to| {
            set_frequency(by, to, resp2::FREQUENCY, |number| {
                (number / 10_000, number / 100 % 100, number % 100)
            })
        }),
        number(opt::FREQUENCYHRS, 24, resp2::HOURS, |by, (), to| {
            let (_, minutes, seconds) = frequency(by);
            set_frequency(by, to, resp2::HOURS, |hours| (hours, minutes, seconds))
        }),
        number(opt::FREQUENCYMIN, 1_440, resp2::MINUTES, |by, (), to| {
            set_frequency(by, to, resp2::MINUTES, |minutes| (minutes / 60, minutes % 60, 0))
        }),
        number(opt::FREQUENCYSEC, FREQUENCY_MAX, resp2::SECONDS, |by, (), to| {
            set_frequency(by, to, resp2::SECONDS, |seconds| {
                (seconds / 3_600, seconds / 60 % 60, seconds % 60)
            })
        }),
        number(opt::FILELIMIT, LIMIT_MAX, resp2::FILELIMIT, |by, (), to| {
            set_limit(by, to, |limits| &mut limits.files)
        }),
        number(opt::TSQUEUELIMIT, LIMIT_MAX, resp2::TSQUEUELIMIT, |by, (), to| {
            set_limit(by, to, |limits| &mut limits.queues)
        }),
        number(opt::DPLLIMIT, LIMIT_MAX, resp2::DPLLIMIT, |by, (), to| {
            set_limit(by, to, |limits| &mut limits.programs)
        }),
        number(opt::URIMAPLIMIT, LIMIT_MAX, resp2::URIMAPLIMIT, |by, (), to| {
            set_limit(by, to, |limits| &mut limits.maps)
        }),
        number(opt::WEBSERVLIMIT, LIMIT_MAX, resp2::WEBSERVLIMIT, |by, (), to| {
            set_limit(by, to, |limits| &mut limits.services)
        }),
    ],
};

/// A function that changes monitoring.
type Change = fn(&Manager, &(), &Given) -> Outcome;

const fn switch(
    option: OptionId,
    words: &'static [(&'static str, OptionId)],
    resp2: i32,
    change: Change,
) -> Setting<()> {
    Setting { option, takes: Takes::OneOf(words), resp2, set: Set::Now(change) }
}

const fn number(option: OptionId, most: i64, resp2: i32, change: Change) -> Setting<()> {
    Setting { option, takes: Takes::Number(0..=most), resp2, set: Set::Now(change) }
}

fn turn(by: &Manager, switch: Switch, on: bool) -> Outcome {
    Monitoring::of(&by.region).set(switch, on);
    Ok(())
}

/// Changes FREQUENCY: 0, or from a minute to a day.
fn set_frequency(by: &Manager, to: &Given, resp2: i32, parts: impl Fn(i64) -> (i64, i64, i64)) -> Outcome {
    let Given::Number(number) = to else { return Ok(()) };
    let (hours, minutes, seconds) = parts(*number);
    let total = hours * 3_600 + minutes * 60 + seconds;
    let fits =
        minutes < 60 && seconds < 60 && (total == 0 || (FREQUENCY_MIN..=FREQUENCY_MAX).contains(&total));
    let total = u32::try_from(total).ok().filter(|_| fits).ok_or_else(|| cond::INVREQ.raise(resp2))?;
    Monitoring::of(&by.region).set_frequency_s(total);
    Ok(())
}

fn set_limit(by: &Manager, to: &Given, of: fn(&mut UsedLimits) -> &mut u8) -> Outcome {
    if let Given::Number(number) = to {
        let number = u8::try_from(*number).unwrap_or(u8::MAX);
        Monitoring::of(&by.region).set_limits(|limits| *of(limits) = number);
    }
    Ok(())
}
