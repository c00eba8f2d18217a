//! INQUIRE TDQUEUE.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::inquire::{Key, Resource};
use crate::exec::value::Value;
use crate::exec::{Answers, Handler};
use crate::raise::Raise;
use crate::transient_data::{Queue, QueueName, Recovery, Trigger};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_TDQUEUE, Handler::Now(|task, call| QUEUES.inquire(task, call)))];

/// RESP2 of QIDERR: no such queue.
const NOT_FOUND: i32 = 1;

pub(super) static QUEUES: Resource<Arc<Queue>> = Resource {
    name: opt::TDQUEUE,
    key: Key::Name,
    names: |task| task.region.transient_data.names().iter().map(|name| name.as_bytes().to_vec()).collect(),
    find: |task, name| task.region.transient_data.definition(QueueName::new(name)),
    missing: Raise::Condition(cond::QIDERR, NOT_FOUND),
    rows: &[
        (opt::ATIFACILITY, |_, q| {
            Value::either(trigger(q).is_some_and(|t| t.terminal.is_some()), "TERMINAL", "NOTERMINAL")
        }),
        (opt::ATITERMID, |_, q| Value::text(trigger(q).and_then(|t| t.terminal).unwrap_or_default())),
        (opt::ATITRANID, |_, q| Value::text(trigger(q).map(|t| t.transaction).unwrap_or_default())),
        (opt::ENABLESTATUS, |_, q| Value::either(q.is_enabled(), "ENABLED", "DISABLED")),
        (opt::INDIRECTNAME, |_, q| match **q {
            Queue::Indirect(to) => Value::text(to),
            _ => Value::text(QueueName::BLANK),
        }),
        (opt::NUMITEMS, |_, q| Value::Number(q.intrapartition().map_or(0, |q| q.len() as i64))),
        (opt::OPENSTATUS, |_, q| match &**q {
            Queue::Extrapartition(file) => Value::either(file.is_open(), "OPEN", "CLOSED"),
            Queue::Intrapartition(_) | Queue::Indirect(_) => Value::Cvda("NOTAPPLIC"),
        }),
        (opt::RECOVSTATUS, |_, q| {
            Value::Cvda(match q.intrapartition().map(|q| q.recovery) {
                Some(Recovery::Logical) => "LOGICAL",
                Some(Recovery::Physical) => "PHYSICAL",
                Some(Recovery::None) | None => "NOTRECOVABLE",
            })
        }),
        (opt::REMOTENAME, |_, _| Value::text([b' '; 8])),
        (opt::REMOTESYSTEM, |_, _| Value::text([b' '; 4])),
        (opt::TRIGGERLEVEL, |_, q| Value::Number(trigger(q).map_or(0, |t| t.level as i64))),
        (opt::TYPE, |_, q| {
            Value::Cvda(match **q {
                Queue::Intrapartition(_) => "INTRA",
                Queue::Extrapartition(_) => "EXTRA",
                Queue::Indirect(_) => "INDIRECT",
            })
        }),
    ],
    settings: &[],
};

fn trigger(queue: &Queue) -> Option<Trigger> {
    queue.intrapartition()?.trigger()
}
