//! INQUIRE REQID.

use spec::{cmd, cond, opt};

use domains::interval::{IntervalControl, Pending};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::Raise;
use kernel::registry::{Key, Resource};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_REQID, Handler::Now(|task, call| REQUESTS.inquire(task, call)))];

/// RESP2 of NOTFND: no such request.
const NOT_FOUND: i32 = 1;

pub(super) static REQUESTS: Resource<Pending> = Resource {
    name: opt::REQID,
    key: Key::Name,
    names: |by| {
        IntervalControl::of(&by.region).list().iter().map(|p| p.request.as_bytes().to_vec()).collect()
    },
    find: |by, name| {
        let name = Name8::new(name);
        IntervalControl::of(&by.region).list().into_iter().find(|pending| pending.request == name)
    },
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::REQTYPE, |_, p| Value::either(p.transaction.is_some(), "START", "DELAY")),
        (opt::TERMID, |_, p| Value::text(p.terminal.unwrap_or_default())),
        (opt::TRANSID, |_, p| Value::text(p.transaction.unwrap_or_default())),
    ],
    settings: &[],
};
