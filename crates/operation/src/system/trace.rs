//! INQUIRE and SET TRACEDEST, INQUIRE and SET TRACEFLAG.

use spec::{cmd, cond, opt};

use domains::statistics::Statistics;
use kernel::diagnostics::{AuxiliaryStatus, Trace};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TRACEDEST, Handler::Now(|task, call| DESTINATIONS.inquire(task, call))),
    (cmd::SET_TRACEDEST, Handler::Waits(|task, call| Box::pin(DESTINATIONS.set(task, call)))),
    (cmd::INQUIRE_TRACEFLAG, Handler::Now(|task, call| FLAGS.inquire(task, call))),
    (cmd::SET_TRACEFLAG, Handler::Waits(|task, call| Box::pin(FLAGS.set(task, call)))),
];

/// RESP2 of INVREQ for a value that is not valid, or cannot be.
mod resp2 {
    pub const INTSTATUS: i32 = 2;
    pub const AUXSTATUS: i32 = 3;
    pub const GTFSTATUS: i32 = 4;
    pub const SYSTEMSTATUS: i32 = 2;
    pub const USERSTATUS: i32 = 3;
    /// AUXPAUSE of a trace that is not written.
    pub const NOT_STARTED: i32 = 9;
}

/// The destinations of the trace.
pub(super) static DESTINATIONS: Resource<()> = Resource {
    name: opt::AUXSTATUS,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::AUXSTATUS, |by, ()| {
            Value::Cvda(match Trace::of(&by.region).auxiliary() {
                AuxiliaryStatus::Started => "AUXSTART",
                AuxiliaryStatus::Paused => "AUXPAUSE",
                AuxiliaryStatus::Stopped => "AUXSTOP",
            })
        }),
        // There are as many files as it takes: no two change places.
        (opt::CURAUXDS, |by, ()| {
            let is_open = Trace::of(&by.region).auxiliary() != AuxiliaryStatus::Stopped;
            Value::text(if is_open { "A" } else { " " })
        }),
        (opt::GTFSTATUS, |_, ()| Value::Cvda("GTFSTOP")),
        (opt::INTSTATUS, |by, ()| Value::either(Trace::of(&by.region).is_internal(), "INTSTART", "INTSTOP")),
        (opt::SWITCHSTATUS, |_, ()| Value::Cvda("SWITCHALL")),
        (opt::TABLESIZE, |by, ()| {
            let meters = Statistics::of(&by.region).meters();
            let bytes: usize = meters.iter().map(|meter| meter.trace.bytes()).sum();
            Value::Number((bytes / 1024) as i64)
        }),
    ],
    settings: &[
        Setting {
            option: opt::AUXSTATUS,
            takes: Takes::OneOf(&[
                ("AUXSTART", opt::AUXSTART),
                ("AUXSTOP", opt::AUXSTOP),
                ("AUXPAUSE", opt::AUXPAUSE),
            ]),
            resp2: resp2::AUXSTATUS,
            set: Set::Now(set_auxiliary),
        },
        Setting {
            option: opt::INTSTATUS,
            takes: Takes::OneOf(&[("INTSTART", opt::INTSTART), ("INTSTOP", opt::INTSTOP)]),
            resp2: resp2::INTSTATUS,
            set: Set::Now(set_internal),
        },
        Setting {
            option: opt::GTFSTATUS,
            takes: Takes::OneOf(&[("GTFSTOP", opt::GTFSTOP), ("GTFSTART", opt::GTFSTART)]),
            resp2: resp2::GTFSTATUS,
            set: Set::Now(set_gtf),
        },
    ],
};

/// The flags of the trace. SINGLESTATUS is of the task that asks.
pub(super) static FLAGS: Resource<()> = Resource {
    name: opt::USERSTATUS,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::SINGLESTATUS, |_, ()| Value::Cvda("SINGLEON")),
        (opt::SYSTEMSTATUS, |by, ()| {
            Value::either(Trace::of(&by.region).takes_system(), "SYSTEMON", "SYSTEMOFF")
        }),
        (opt::TCEXITSTATUS, |_, ()| Value::Cvda("TCEXITNONE")),
        (opt::USERSTATUS, |by, ()| Value::either(Trace::of(&by.region).takes_user(), "USERON", "USEROFF")),
    ],
    settings: &[
        Setting {
            option: opt::SYSTEMSTATUS,
            takes: Takes::OneOf(&[("SYSTEMON", opt::SYSTEMON), ("SYSTEMOFF", opt::SYSTEMOFF)]),
            resp2: resp2::SYSTEMSTATUS,
            set: Set::Now(|by, (), to| {
                Trace::of(&by.region).set_system(to.is("SYSTEMON"));
                Ok(())
            }),
        },
        Setting {
            option: opt::USERSTATUS,
            takes: Takes::OneOf(&[("USERON", opt::USERON), ("USEROFF", opt::USEROFF)]),
            resp2: resp2::USERSTATUS,
            set: Set::Now(|by, (), to| {
                Trace::of(&by.region).set_user(to.is("USERON"));
                Ok(())
            }),
        },
    ],
};

fn set_auxiliary(by: &Manager, (): &(), to: &Given) -> Outcome {
    let trace = Trace::of(&by.region);
    let status = match to {
        to if to.is("AUXSTART") => AuxiliaryStatus::Started,
        to if to.is("AUXPAUSE") => AuxiliaryStatus::Paused,
        _ => AuxiliaryStatus::Stopped,
    };
    if status == AuxiliaryStatus::Paused && trace.auxiliary() == AuxiliaryStatus::Stopped {
        return Err(cond::INVREQ.raise(resp2::NOT_STARTED));
    }
    trace.set_auxiliary(&by.region, status).map_err(|error| {
        tracing::error!(target: "TR", "the auxiliary trace cannot be started: {error}");
        cond::INVREQ.raise(resp2::AUXSTATUS)
    })
}

fn set_internal(by: &Manager, (): &(), to: &Given) -> Outcome {
    apply_internal(&by.region, to.is("INTSTART"));
    Ok(())
}

/// The internal trace is written from now on, or not.
pub(crate) fn apply_internal(region: &kernel::region::Region, on: bool) {
    Trace::of(region).set_internal(on);
    Statistics::of(region).meters().iter().for_each(|meter| meter.trace.set_on(on));
}

/// There is no GTF: it can only be stopped.
fn set_gtf(_: &Manager, (): &(), to: &Given) -> Outcome {
    if to.is("GTFSTART") { Err(cond::INVREQ.raise(resp2::GTFSTATUS)) } else { Ok(()) }
}
