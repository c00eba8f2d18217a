//! EVENTBINDING, EPADAPTER, EPADAPTERSET and EVENTPROCESS as resource types.

use std::sync::Arc;

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::raise::Raise;
use kernel::registry::signature::of_part;
use kernel::registry::{Key, Kind, Resource, Set, Setting, Takes};
use policies::ep_adapter::{AdapterKind, AdapterUser};
use policies::event_binding::EVENT_NAME_MAX;
use policies::limits::USER_TAG_MAX;
use spec::{cmd, cond, opt};

use super::adapter::{Adapter, AdapterSet};
use super::binding::Binding;
use super::names::{padded, trimmed};
use super::{Events, Status, rows};

/// RESP2 of NOTFND. Recalled, not read.
const NOT_FOUND: i32 = 3;
/// RESP2 of INVREQ of SET: another value. Recalled, not read.
const VALUE: i32 = 2;

/// These commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_EVENTBINDING, Handler::Now(|task, call| BINDINGS.inquire(task, call))),
    (cmd::SET_EVENTBINDING, Handler::Waits(|task, call| Box::pin(BINDINGS.set(task, call)))),
    (cmd::INQUIRE_EPADAPTER, Handler::Now(|task, call| ADAPTERS.inquire(task, call))),
    (cmd::SET_EPADAPTER, Handler::Waits(|task, call| Box::pin(ADAPTERS.set(task, call)))),
    (cmd::INQUIRE_EPADAPTERSET, Handler::Now(|task, call| SETS.inquire(task, call))),
    (cmd::SET_EPADAPTERSET, Handler::Waits(|task, call| Box::pin(SETS.set(task, call)))),
    (cmd::INQUIRE_EVENTPROCESS, Handler::Now(|task, call| PROCESS.inquire(task, call))),
    (cmd::SET_EVENTPROCESS, Handler::Waits(|task, call| Box::pin(PROCESS.set(task, call)))),
    (cmd::INQUIRE_CAPTURESPEC, Handler::Now(rows::inquire_capture)),
    (cmd::INQUIRE_CAPDATAPRED, Handler::Now(rows::inquire_data)),
    (cmd::INQUIRE_CAPINFOSRCE, Handler::Now(rows::inquire_source)),
    (cmd::INQUIRE_CAPOPTPRED, Handler::Now(rows::inquire_option)),
    (cmd::INQUIRE_EPADAPTINSET, Handler::Now(rows::inquire_in_set)),
];

/// The resource types.
pub(crate) const KINDS: &[&Kind] = &[&BINDING_KIND, &ADAPTER_KIND, &SET_KIND, &PROCESS_KIND];

static BINDING_KIND: Kind = Kind {
    name: "EVENTBINDING",
    table: &BINDINGS,
    inquire: cmd::INQUIRE_EVENTBINDING,
    set: Some(cmd::SET_EVENTBINDING),
    defined: None,
};
static ADAPTER_KIND: Kind = Kind {
    name: "EPADAPTER",
    table: &ADAPTERS,
    inquire: cmd::INQUIRE_EPADAPTER,
    set: Some(cmd::SET_EPADAPTER),
    defined: None,
};
static SET_KIND: Kind = Kind {
    name: "EPADAPTERSET",
    table: &SETS,
    inquire: cmd::INQUIRE_EPADAPTERSET,
    set: Some(cmd::SET_EPADAPTERSET),
    defined: None,
};
static PROCESS_KIND: Kind = Kind {
    name: "EVENTPROCESS",
    table: &PROCESS,
    inquire: cmd::INQUIRE_EVENTPROCESS,
    set: Some(cmd::SET_EVENTPROCESS),
    defined: None,
};

/// The rows of a resource with those of its signature.
macro_rules! signed {
    ($($own:expr),* $(,)?) => {
        &[
            $($own,)*
            (opt::CHANGEAGENT, |by, it| of_part(by, it.bundle, opt::CHANGEAGENT)),
            (opt::CHANGEAGREL, |by, it| of_part(by, it.bundle, opt::CHANGEAGREL)),
            (opt::CHANGETIME, |by, it| of_part(by, it.bundle, opt::CHANGETIME)),
            (opt::CHANGEUSRID, |by, it| of_part(by, it.bundle, opt::CHANGEUSRID)),
            (opt::DEFINESOURCE, |by, it| of_part(by, it.bundle, opt::DEFINESOURCE)),
            (opt::DEFINETIME, |by, it| of_part(by, it.bundle, opt::DEFINETIME)),
            (opt::INSTALLAGENT, |by, it| of_part(by, it.bundle, opt::INSTALLAGENT)),
            (opt::INSTALLTIME, |by, it| of_part(by, it.bundle, opt::INSTALLTIME)),
            (opt::INSTALLUSRID, |by, it| of_part(by, it.bundle, opt::INSTALLUSRID)),
        ]
    };
}

const STATUSES: Takes = Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]);

static BINDINGS: Resource<Arc<Binding>> = Resource {
    name: opt::EVENTBINDING,
    key: Key::Name,
    names: |by| Events::of(&by.region).bindings().iter().map(|it| padded(&it.name)).collect(),
    find: |by, name| Events::of(&by.region).binding(&trimmed(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: signed![
        (opt::ENABLESTATUS, |_, it| Value::either(it.is_enabled(), "ENABLED", "DISABLED")),
        (opt::EPADAPTER, |_, it| Value::padded(it.adapter().0, EVENT_NAME_MAX)),
        (opt::EPADAPTERRES, |_, it| Value::either(it.adapter().1.is_empty(), "EPADAPTER", "EPADAPTERSET")),
        (opt::EPADAPTERSET, |_, it| Value::padded(it.adapter().1, EVENT_NAME_MAX)),
        (opt::USERTAG, |_, it| Value::padded(&it.binding.user_tag, USER_TAG_MAX)),
    ],
    settings: &[Setting {
        option: opt::ENABLESTATUS,
        takes: STATUSES,
        resp2: VALUE,
        set: Set::Now(|by, it, to| {
            it.set_enabled(to.is("ENABLED"));
            Events::of(&by.region).renew(&by.region);
            Ok(())
        }),
    }],
};

/// Characters of CONFIGDATA1, and of names of transactions and programs.
const CONFIGURATION: usize = 64;
const TRANSACTION: usize = 4;
const PROGRAM: usize = 8;

fn kind_of(adapter: &Adapter) -> &'static str {
    match adapter.adapter.kind {
        AdapterKind::TsQueue { .. } => "TSQUEUE",
        AdapterKind::TdQueue { .. } => "TDQUEUE",
        AdapterKind::Transaction { .. } => "TRANSTART",
        AdapterKind::LogStream { .. } => "LOGSTREAM",
        AdapterKind::Http { .. } => "HTTP",
        AdapterKind::Custom { .. } => "CUSTOM",
    }
}

/// The place to which an adapter emits, or the data of a custom one.
fn place(adapter: &Adapter) -> &str {
    match &adapter.adapter.kind {
        AdapterKind::TsQueue { queue, .. } | AdapterKind::TdQueue { queue } => queue,
        AdapterKind::Transaction { name, .. } => name,
        AdapterKind::LogStream { journal } => journal,
        AdapterKind::Http { urimap } => urimap,
        AdapterKind::Custom { data } => data,
    }
}

fn user(adapter: &Adapter) -> (&'static str, &str) {
    match &adapter.adapter.user {
        AdapterUser::Region => ("REGION", ""),
        AdapterUser::Context => ("CONTEXT", ""),
        AdapterUser::Named(name) => ("USERID", name),
    }
}

static ADAPTERS: Resource<Arc<Adapter>> = Resource {
    name: opt::EPADAPTER,
    key: Key::Name,
    names: |by| Events::of(&by.region).adapters().iter().map(|it| padded(&it.name)).collect(),
    find: |by, name| Events::of(&by.region).adapter(&trimmed(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: signed![
        (opt::ADAPTERTYPE, |_, it| Value::Cvda(kind_of(it))),
        (opt::AUTHORITY, |_, it| Value::Cvda(user(it).0)),
        (opt::AUTHUSERID, |_, it| Value::padded(user(it).1, PROGRAM)),
        (opt::CONFIGDATA1, |_, it| Value::padded(place(it), CONFIGURATION)),
        (opt::DATAFORMAT, |_, it| Value::Cvda(it.adapter.format.name())),
        (opt::EMITMODE, |_, it| Value::either(it.adapter.synchronous, "SYNCHRONOUS", "ASYNCHRONOUS")),
        (opt::ENABLESTATUS, |_, it| Value::either(it.is_enabled(), "ENABLED", "DISABLED")),
        (opt::INVOKETYPE, |_, it| Value::either(it.adapter.synchronous, "LINK", "ATTACH")),
        (opt::PRIORITY, |_, it| Value::either(it.adapter.is_urgent, "HIGH", "NORMAL")),
        (opt::PROGRAM, |_, _| Value::padded("", PROGRAM)),
        (opt::TRANSACTION, |_, it| Value::padded(&it.adapter.transaction, TRANSACTION)),
        (opt::TRANSMODE, |_, it| Value::either(it.adapter.transactional, "TRANS", "NONTRANS")),
    ],
    settings: &[Setting {
        option: opt::ENABLESTATUS,
        takes: STATUSES,
        resp2: VALUE,
        set: Set::Now(|_, it, to| {
            it.set_enabled(to.is("ENABLED"));
            Ok(())
        }),
    }],
};

static SETS: Resource<Arc<AdapterSet>> = Resource {
    name: opt::EPADAPTERSET,
    key: Key::Name,
    names: |by| Events::of(&by.region).sets().iter().map(|it| padded(&it.name)).collect(),
    find: |by, name| Events::of(&by.region).set(&trimmed(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: signed![
        (opt::ENABLESTATUS, |_, it| Value::either(it.is_enabled(), "ENABLED", "DISABLED")),
        (opt::EPADAPTERNUM, |_, it| Value::Number(it.adapters.len() as i64)),
    ],
    settings: &[Setting {
        option: opt::ENABLESTATUS,
        takes: STATUSES,
        resp2: VALUE,
        set: Set::Now(|_, it, to| {
            it.set_enabled(to.is("ENABLED"));
            Ok(())
        }),
    }],
};

/// Characters of SCHEMALEVEL: two of the version, two of the release.
const SCHEMA_LEVEL: &str = "0400";

/// Event processing as a whole.
static PROCESS: Resource<()> = Resource {
    name: opt::EVENTPROCESS,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::EPSTATUS, |by, ()| {
            Value::Cvda(match Events::of(&by.region).status() {
                Status::Started => "STARTED",
                Status::Drain => "DRAIN",
                Status::Stopped => "STOPPED",
            })
        }),
        (opt::SCHEMALEVEL, |_, ()| Value::text(SCHEMA_LEVEL)),
    ],
    settings: &[Setting {
        option: opt::EPSTATUS,
        takes: Takes::OneOf(&[("STARTED", opt::STARTED), ("DRAIN", opt::DRAIN), ("STOPPED", opt::STOPPED)]),
        resp2: VALUE,
        set: Set::Now(|by, (), to| {
            let status = match to {
                to if to.is("DRAIN") => Status::Drain,
                to if to.is("STOPPED") => Status::Stopped,
                _ => Status::Started,
            };
            Events::of(&by.region).set_status(&by.region, status);
            Ok(())
        }),
    }],
};
