//! INQUIRE TSQUEUE, INQUIRE TSQNAME, SET TSQUEUE, SET TSQNAME: short and long names of the same queues.

use std::time::Duration;

use spec::{OptionId, cmd, cond, opt};

use domains::temporary_storage::{Location, QueueInfo, TemporaryStorage};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name16;
use kernel::raise::Raise;
use kernel::registry::{Key, Resource, Row, Set, Setting, Takes};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TSQUEUE, Handler::Now(|task, call| QUEUES.inquire(task, call))),
    (cmd::INQUIRE_TSQNAME, Handler::Now(|task, call| NAMED.inquire(task, call))),
    (cmd::SET_TSQUEUE, Handler::Waits(|task, call| Box::pin(QUEUES.set(task, call)))),
    (cmd::SET_TSQNAME, Handler::Waits(|task, call| Box::pin(NAMED.set(task, call)))),
];

/// RESP2 of QIDERR: no such queue.
const NOT_FOUND: i32 = 1;

/// By TSQUEUE.
static QUEUES: Resource<QueueInfo> = queues(opt::TSQUEUE);
/// By TSQNAME.
pub(super) static NAMED: Resource<QueueInfo> = queues(opt::TSQNAME);

const fn queues(name: OptionId) -> Resource<QueueInfo> {
    Resource {
        name,
        key: Key::Name,
        names: |by| {
            TemporaryStorage::of(&by.region).list().iter().map(|q| q.name.as_bytes().to_vec()).collect()
        },
        find: |by, name| {
            let name = Name16::new(name);
            TemporaryStorage::of(&by.region).list().into_iter().find(|queue| queue.name == name)
        },
        missing: Raise::Condition(cond::QIDERR, NOT_FOUND),
        rows: ROWS,
        settings: SETTINGS,
    }
}

const ROWS: &[Row<QueueInfo>] = &[
    (opt::EXPIRYINT, |_, q| Value::Number(hours(q.expires_after))),
    (opt::EXPIRYINTMIN, |_, q| Value::Number(minutes(q.expires_after))),
    (opt::FLENGTH, |_, q| Value::Number(q.bytes as i64)),
    (opt::LOCATION, |_, q| Value::either(q.location == Location::Main, "MAIN", "AUXILIARY")),
    (opt::MAXITEMLEN, |_, q| Value::Number(q.lengths.1 as i64)),
    (opt::MINITEMLEN, |_, q| Value::Number(q.lengths.0 as i64)),
    (opt::NUMITEMS, |_, q| Value::Number(q.items as i64)),
    (opt::RECOVSTATUS, |_, q| Value::either(q.recoverable, "RECOVERABLE", "NOTRECOVABLE")),
];

/// Seconds of a minute, and minutes of an hour.
const SIXTY: u64 = 60;

/// An interval of expiry in minutes; 0: never.
pub(super) fn minutes(expires_after: Option<Duration>) -> i64 {
    expires_after.map_or(0, |after| after.as_secs().div_ceil(SIXTY)) as i64
}

/// The same in hours.
pub(super) fn hours(expires_after: Option<Duration>) -> i64 {
    (minutes(expires_after) as u64).div_ceil(SIXTY) as i64
}

const SETTINGS: &[Setting<QueueInfo>] = &[Setting {
    option: opt::ACTION,
    takes: Takes::OneOf(&[("DELETE", opt::DELETE)]),
    resp2: 3,
    set: Set::Waits(|by, queue, _| Box::pin(TemporaryStorage::delete(by, queue.name))),
}];
