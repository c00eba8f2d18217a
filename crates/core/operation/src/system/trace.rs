//! INQUIRE and SET TRACEDEST, INQUIRE and SET TRACEFLAG, INQUIRE and SET TRACETYPE.

use spec::{cmd, cond, opt};

use domains::statistics::Statistics;
use kernel::diagnostics::{AuxiliaryStatus, Trace, Tracing};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};
use kernel::task::Task;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TRACEDEST, Handler::Now(|task, call| DESTINATIONS.inquire(task, call))),
    (cmd::SET_TRACEDEST, Handler::Waits(|task, call| Box::pin(DESTINATIONS.set(task, call)))),
    (cmd::INQUIRE_TRACEFLAG, Handler::Now(inquire_flags)),
    (cmd::SET_TRACEFLAG, Handler::Waits(set_flags)),
    (cmd::INQUIRE_TRACETYPE, Handler::Now(inquire_type)),
    (cmd::SET_TRACETYPE, Handler::Now(set_type)),
];

/// RESP2 of INVREQ for a value that is not valid, or cannot be.
mod resp2 {
    pub const INTSTATUS: i32 = 2;
    pub const AUXSTATUS: i32 = 3;
    pub const GTFSTATUS: i32 = 4;
    pub const SYSTEMSTATUS: i32 = 2;
    pub const USERSTATUS: i32 = 3;
    pub const SINGLESTATUS: i32 = 4;
    /// COMPID names no component.
    pub const NO_COMPONENT: i32 = 1;
    /// Neither STANDARD nor SPECIAL, or both.
    pub const WHICH: i32 = 2;
    /// FLAGSET is not there.
    pub const NO_FLAGS: i32 = 3;
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

/// The flags of the trace. SINGLESTATUS is of the task that asks: to others it says that tasks are traced.
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

fn inquire_flags(task: &mut Task, call: &Call<'_>) -> Outcome {
    FLAGS.inquire(task, call)?;
    if !call.has(opt::SINGLESTATUS) {
        return Ok(());
    }
    let is_traced = Trace::of(&task.region).takes_task(task);
    call.put_value(opt::SINGLESTATUS, &Value::either(is_traced, "SINGLEON", "SINGLEOFF"))
}

/// SET TRACEFLAG: SINGLESTATUS is of the task itself, the others are the region's.
fn set_flags<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let is = |name: &str, number: i64| spec::cvda(name).is_some_and(|known| i64::from(known) == number);
        let single = match call.number(opt::SINGLESTATUS)? {
            Some(number) if is("SINGLEON", number) => Some(true),
            Some(number) if is("SINGLEOFF", number) => Some(false),
            Some(_) => return Err(cond::INVREQ.raise(resp2::SINGLESTATUS)),
            None if call.keyword(opt::SINGLEON) => Some(true),
            None => call.keyword(opt::SINGLEOFF).then_some(false),
        };
        FLAGS.set(task, call).await?;
        if let Some(on) = single {
            Trace::set_task(task, on);
        }
        Ok(())
    })
}

/// The component that a command names, and the way of tracing.
fn named_type(call: &Call<'_>) -> Outcome<(String, Tracing)> {
    let tracing = match (call.keyword(opt::STANDARD), call.keyword(opt::SPECIAL)) {
        (true, false) => Tracing::Standard,
        (false, true) => Tracing::Special,
        _ => return Err(cond::INVREQ.raise(resp2::WHICH)),
    };
    let name = call.bytes_of(opt::COMPID, 2)?.unwrap_or_default();
    Ok((String::from_utf8_lossy(&name).to_ascii_uppercase(), tracing))
}

/// INQUIRE TRACETYPE: the levels of a component as 32 bits, level 1 the first one.
fn inquire_type(task: &mut Task, call: &Call<'_>) -> Outcome {
    let (component, tracing) = named_type(call)?;
    let levels = Trace::of(&task.region).levels(&component);
    let (standard, special) = levels.ok_or_else(|| cond::INVREQ.raise(resp2::NO_COMPONENT))?;
    let levels = if tracing == Tracing::Special { special } else { standard };
    call.put(opt::FLAGSET, &levels.to_be_bytes())
}

/// SET TRACETYPE.
fn set_type(task: &mut Task, call: &Call<'_>) -> Outcome {
    let (component, tracing) = named_type(call)?;
    let given = call.bytes_of(opt::FLAGSET, 4)?;
    let bytes: Option<[u8; 4]> = given.and_then(|bytes| bytes.as_slice().try_into().ok());
    let levels = bytes.map(u32::from_be_bytes).ok_or_else(|| cond::INVREQ.raise(resp2::NO_FLAGS))?;
    if !Trace::of(&task.region).set_levels(&task.region, &component, tracing, levels) {
        return Err(cond::INVREQ.raise(resp2::NO_COMPONENT));
    }
    Manager::of(task).has_changed("SET TRACETYPE", component.as_bytes(), format!("{tracing:?} {levels:08X}"));
    Ok(())
}
