//! INQUIRE MONITOR, SET MONITOR.

use spec::{cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::monitoring::Monitoring;
use kernel::raise::{Outcome, Raise};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_MONITOR, Handler::Now(|task, call| MONITOR.inquire(task, call))),
    (cmd::SET_MONITOR, Handler::Waits(|task, call| Box::pin(MONITOR.set(task, call)))),
];

/// RESP2 of INVREQ for a value that is not valid.
const STATUS: i32 = 1;
const PERFCLASS: i32 = 2;

/// The monitoring of the region: there is one.
pub(super) static MONITOR: Resource<()> = Resource {
    name: opt::MONITOR,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::EXCEPTCLASS, |_, ()| Value::Cvda("NOEXCEPT")),
        (opt::FREQUENCY, |_, ()| Value::Number(0)),
        (opt::FREQUENCYHRS, |_, ()| Value::Number(0)),
        (opt::FREQUENCYMINS, |_, ()| Value::Number(0)),
        (opt::FREQUENCYSECS, |_, ()| Value::Number(0)),
        (opt::PERFCLASS, |by, ()| {
            Value::either(Monitoring::of(&by.region).performance_is_on(), "PERF", "NOPERF")
        }),
        (opt::STATUS, |by, ()| Value::either(Monitoring::of(&by.region).is_on(), "ON", "OFF")),
    ],
    settings: &[
        Setting {
            option: opt::STATUS,
            takes: Takes::OneOf(&[("ON", opt::ON), ("OFF", opt::OFF)]),
            resp2: STATUS,
            set: Set::Now(set_status),
        },
        Setting {
            option: opt::PERFCLASS,
            takes: Takes::OneOf(&[("PERF", opt::PERF), ("NOPERF", opt::NOPERF)]),
            resp2: PERFCLASS,
            set: Set::Now(set_performance),
        },
    ],
};

fn set_status(by: &Manager, (): &(), to: &Given) -> Outcome {
    Monitoring::of(&by.region).set_on(to.is("ON"));
    Ok(())
}

fn set_performance(by: &Manager, (): &(), to: &Given) -> Outcome {
    Monitoring::of(&by.region).set_performance(to.is("PERF"));
    Ok(())
}
