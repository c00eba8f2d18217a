//! INQUIRE and SET JOURNALNAME, INQUIRE JOURNALMODEL, DISCARD JOURNALNAME.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use domains::journals::{Journal, Journals, Model, SYSTEM_LOGS, Status};
use domains::statistics::Statistics;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};
use kernel::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_JOURNALNAME, Handler::Now(|task, call| JOURNALS.inquire(task, call))),
    (cmd::SET_JOURNALNAME, Handler::Waits(set)),
    (cmd::DISCARD_JOURNALNAME, Handler::Now(discard)),
    (cmd::INQUIRE_JOURNALMODEL, Handler::Now(|task, call| MODELS.inquire(task, call))),
];

/// RESP2 of JIDERR and NOTFND: no journal of that name.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: the system log cannot be changed.
const SYSTEM_LOG: i32 = 3;
/// RESP2 of INVREQ: FLUSH or RESET of a journal whose stream is not connected.
const NOT_CONNECTED: i32 = 7;
/// RESP2 of IOERR: the stream cannot be opened or written.
const STREAM_FAILED: i32 = 6;
/// Characters of a log stream's name.
const STREAM_NAME: usize = 26;

pub(super) static JOURNALS: Resource<Arc<Journal>> = Resource {
    name: opt::JOURNALNAME,
    key: Key::Name,
    names: |by| Journals::of(&by.region).list().iter().map(|j| j.name.as_bytes().to_vec()).collect(),
    find: |by, name| Journals::of(&by.region).get(Name8::new(name)),
    missing: Raise::Condition(cond::JIDERR, NOT_FOUND),
    rows: &[
        (opt::STATUS, |_, j| {
            Value::Cvda(match j.status() {
                Status::Enabled => "ENABLED",
                Status::Disabled => "DISABLED",
                Status::Failed => "FAILED",
            })
        }),
        (opt::STREAMNAME, |_, j| Value::padded(&j.stream_name, STREAM_NAME)),
    ],
    settings: &[
        Setting {
            option: opt::ACTION,
            takes: Takes::OneOf(&[("FLUSH", opt::FLUSH), ("RESET", opt::RESET)]),
            resp2: 4,
            set: Set::Waits(act),
        },
        Setting {
            option: opt::STATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: 5,
            set: Set::Now(|_, journal, to| journal.enable(to.is("ENABLED")).map_err(of_stream)),
        },
    ],
};

pub(super) static MODELS: Resource<Model> = Resource {
    name: opt::JOURNALMODEL,
    key: Key::Name,
    names: |by| Journals::of(&by.region).models().iter().map(|m| m.name.as_bytes().to_vec()).collect(),
    find: |by, name| {
        let name = Name8::new(name);
        Journals::of(&by.region).models().into_iter().find(|model| model.name == name)
    },
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::JOURNALNAME, |_, m| Value::padded(&m.journal, 8)),
        (opt::STREAMNAME, |_, m| Value::padded(&m.stream_name, STREAM_NAME)),
    ],
    settings: &[],
};

/// SET JOURNALNAME: also of a journal that has not been used yet.
fn set<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let name: Name8 = call.need_name(opt::JOURNALNAME)?;
        if SYSTEM_LOGS.iter().any(|log| Name8::from(*log) == name) {
            return Err(cond::INVREQ.raise(SYSTEM_LOG));
        }
        Journals::of(&task.region).open(name)?;
        JOURNALS.set(task, call).await
    })
}

fn act<'a>(by: &'a Manager, journal: &'a Arc<Journal>, to: &'a Given) -> Waiting<'a> {
    Box::pin(async move {
        let is_reset = to.is("RESET");
        // RESET is also the way back of a journal that is disabled or has failed.
        let may_be_closed = match journal.status() {
            Status::Enabled => false,
            Status::Disabled => is_reset,
            Status::Failed => true,
        };
        if !journal.is_connected() && !may_be_closed {
            return Err(cond::INVREQ.raise(NOT_CONNECTED));
        }
        if is_reset {
            return journal.reset().map_err(of_stream);
        }
        match by.wait(WaitKind::LOG, journal.force(None)).await? {
            // Nothing was written: there is nothing to flush.
            Err(Raise::Condition(cond::NOTOPEN, _)) => Ok(()),
            flushed => flushed.map_err(of_stream),
        }
    })
}

/// IOERR with the RESP2 of this command.
fn of_stream(raise: Raise) -> Raise {
    match raise {
        Raise::Condition(cond::IOERR, _) => cond::IOERR.raise(STREAM_FAILED),
        other => other,
    }
}

fn discard(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name: Name8 = call.need_name(opt::JOURNALNAME)?;
    // Its counts go with it.
    Statistics::of(&task.region).discards(&task.region, "JOURNALNAME", &name.to_string());
    let found = Journals::of(&task.region).discard(name);
    if found { Ok(()) } else { Err(cond::JIDERR.raise(NOT_FOUND)) }
}
