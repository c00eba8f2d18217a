//! INQUIRE TDQUEUE, SET TDQUEUE.

use std::ops::RangeInclusive;
use std::sync::Arc;

use spec::{cmd, cond, opt};

use domains::transient_data::{Intrapartition, Queue, Recovery, TransientData, Trigger};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name, Name8, QueueName, TerminalName};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Key, Resource, Set, Setting, Takes};
use kernel::security::may_start_as;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TDQUEUE, Handler::Now(|task, call| QUEUES.inquire(task, call))),
    (cmd::SET_TDQUEUE, Handler::Waits(|task, call| Box::pin(QUEUES.set(task, call)))),
];

/// RESP2 of QIDERR: no such queue.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ where its number is not known here.
const REFUSED: i32 = 0;
/// Records that a trigger level may ask for.
const TRIGGER_LEVELS: RangeInclusive<i64> = 0..=32_767;

pub(super) static QUEUES: Resource<Arc<Queue>> = Resource {
    name: opt::TDQUEUE,
    key: Key::Name,
    names: |by| TransientData::of(&by.region).names().iter().map(|name| name.as_bytes().to_vec()).collect(),
    find: |by, name| TransientData::of(&by.region).definition(QueueName::new(name)),
    missing: Raise::Condition(cond::QIDERR, NOT_FOUND),
    rows: &[
        (opt::ATIFACILITY, |_, q| {
            Value::either(trigger(q).is_some_and(|t| t.terminal.is_some()), "TERMINAL", "NOTERMINAL")
        }),
        (opt::ATITERMID, |_, q| Value::text(trigger(q).and_then(|t| t.terminal).unwrap_or_default())),
        (opt::ATITRANID, |_, q| Value::text(trigger(q).map(|t| t.transaction).unwrap_or_default())),
        (opt::ATIUSERID, |_, q| Value::text(trigger(q).and_then(|t| t.user).unwrap_or_default())),
        (opt::ENABLESTATUS, |_, q| Value::either(q.is_enabled(), "ENABLED", "DISABLED")),
        (opt::INDIRECTNAME, |_, q| match **q {
            Queue::Indirect(to) => Value::text(to),
            _ => Value::text(QueueName::BLANK),
        }),
        (opt::INDOUBT, |_, q| {
            Value::Cvda(q.intrapartition().map_or("NOTAPPLIC", |q| match q.waits_for_indoubt {
                true => "QUEUE",
                false => "REJECT",
            }))
        }),
        (opt::INDOUBTWAIT, |_, q| {
            Value::Cvda(q.intrapartition().map_or("NOTAPPLIC", |q| match q.may_be_in_doubt {
                true => "WAIT",
                false => "NOWAIT",
            }))
        }),
        (opt::NUMITEMS, |_, q| Value::Number(q.intrapartition().map_or(0, |q| q.len() as i64))),
        (opt::OPENSTATUS, |_, q| match &**q {
            Queue::Extrapartition(file) => Value::either(file.is_open(), "OPEN", "CLOSED"),
            Queue::Intrapartition(_) | Queue::Indirect(_) | Queue::Remote(_) => Value::Cvda("NOTAPPLIC"),
        }),
        (opt::RECOVSTATUS, |_, q| {
            Value::Cvda(match q.intrapartition().map(|q| q.recovery) {
                Some(Recovery::Logical) => "LOGICAL",
                Some(Recovery::Physical) => "PHYSICAL",
                Some(Recovery::None) | None => "NOTRECOVABLE",
            })
        }),
        (opt::REMOTENAME, |_, q| match **q {
            Queue::Remote(remote) => Value::text(Name8::new(remote.name)),
            _ => Value::text(Name8::BLANK),
        }),
        (opt::REMOTESYSTEM, |_, q| match **q {
            Queue::Remote(remote) => Value::text(remote.system),
            _ => Value::text([b' '; 4]),
        }),
        (opt::TRIGGERLEVEL, |_, q| Value::Number(trigger(q).map_or(0, |t| t.level as i64))),
        (opt::TYPE, |_, q| {
            Value::Cvda(match **q {
                Queue::Intrapartition(_) => "INTRA",
                Queue::Extrapartition(_) => "EXTRA",
                Queue::Indirect(_) => "INDIRECT",
                Queue::Remote(_) => "REMOTE",
            })
        }),
    ],
    settings: &[
        Setting {
            option: opt::ATIFACILITY,
            takes: Takes::OneOf(&[("TERMINAL", opt::TERMINAL), ("NOTERMINAL", opt::NOTERMINAL)]),
            resp2: REFUSED,
            set: Set::Now(|_, queue, to| {
                let terminal = TerminalName::new(within(queue)?.name);
                change(queue, |trigger| {
                    trigger.terminal = to.is("TERMINAL").then(|| trigger.terminal.unwrap_or(terminal));
                })
            }),
        },
        Setting {
            option: opt::ATITERMID,
            takes: Takes::Text,
            resp2: REFUSED,
            set: Set::Now(|_, queue, to| change(queue, |trigger| trigger.terminal = Some(name(to)))),
        },
        Setting {
            option: opt::ATITRANID,
            takes: Takes::Text,
            resp2: REFUSED,
            set: Set::Now(|_, queue, to| change(queue, |trigger| trigger.transaction = name(to))),
        },
        Setting {
            option: opt::ATIUSERID,
            takes: Takes::Text,
            resp2: REFUSED,
            set: Set::Now(|by, queue, to| {
                let user = name(to);
                // The setter needs the right to start work as the user of the trigger.
                if !may_start_as(&by.region, by.user(), &by.control().transaction, Name8::new(user)) {
                    return Err(cond::NOTAUTH.raise(REFUSED));
                }
                change(queue, |trigger| trigger.user = Some(user))
            }),
        },
        Setting {
            option: opt::TRIGGERLEVEL,
            takes: Takes::Number(TRIGGER_LEVELS),
            resp2: REFUSED,
            set: Set::Now(|_, queue, to| match to {
                Given::Number(level) => change(queue, |trigger| trigger.level = *level as usize),
                Given::Cvda(_) | Given::Text(_) => Ok(()),
            }),
        },
        Setting {
            option: opt::OPENSTATUS,
            takes: Takes::OneOf(&[("OPEN", opt::OPEN), ("CLOSED", opt::CLOSED)]),
            resp2: REFUSED,
            set: Set::Now(|_, queue, to| match &**queue {
                Queue::Extrapartition(file) => {
                    file.open(to.is("OPEN"));
                    Ok(())
                }
                Queue::Intrapartition(_) | Queue::Indirect(_) | Queue::Remote(_) => {
                    Err(cond::INVREQ.raise(REFUSED))
                }
            }),
        },
        Setting {
            option: opt::ENABLESTATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: REFUSED,
            set: Set::Now(|_, queue, to| {
                queue.enable(to.is("ENABLED"));
                Ok(())
            }),
        },
    ],
};

/// The queue as one that can have a trigger.
fn within(queue: &Queue) -> Outcome<&Intrapartition> {
    queue.intrapartition().ok_or_else(|| cond::INVREQ.raise(REFUSED))
}

fn change(queue: &Queue, change: impl FnOnce(&mut Trigger)) -> Outcome {
    within(queue)?.change_trigger(change);
    Ok(())
}

fn name<const N: usize>(given: &Given) -> Name<N> {
    match given {
        Given::Text(text) => Name::new(text),
        Given::Cvda(_) | Given::Number(_) => Name::BLANK,
    }
}

fn trigger(queue: &Queue) -> Option<Trigger> {
    queue.intrapartition()?.trigger()
}
