//! INQUIRE TRANCLASS, SET TRANCLASS, and how they are defined.

pub(super) mod definition;

use spec::{cmd, cond, opt};

use kernel::dispatcher::{ClassInfo, Dispatcher};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TRANCLASS, Handler::Now(|task, call| CLASSES.inquire(task, call))),
    (cmd::SET_TRANCLASS, Handler::Waits(|task, call| Box::pin(CLASSES.set(task, call)))),
];

/// RESP2 of TCIDERR: no such class.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: MAXACTIVE out of range.
const OUT_OF_RANGE: i32 = 2;
/// The most that MAXACTIVE may be.
const ACTIVE_MAX: i64 = 999;

pub(super) static CLASSES: Resource<ClassInfo> = Resource {
    name: opt::TRANCLASS,
    key: Key::Name,
    names: |by| Dispatcher::of(&by.region).classes().iter().map(|c| c.name.as_bytes().to_vec()).collect(),
    find: |by, name| {
        let name = Name8::new(name);
        Dispatcher::of(&by.region).classes().into_iter().find(|class| class.name == name)
    },
    missing: Raise::Condition(cond::TCIDERR, NOT_FOUND),
    rows: &[
        (opt::ACTIVE, |_, c| Value::Number(c.running as i64)),
        (opt::MAXACTIVE, |_, c| Value::Number(c.tasks_max as i64)),
        (opt::QUEUED, |_, c| Value::Number(c.queued as i64)),
    ],
    settings: &[Setting {
        option: opt::MAXACTIVE,
        takes: Takes::Number(0..=ACTIVE_MAX),
        resp2: OUT_OF_RANGE,
        set: Set::Now(set_max_active),
    }],
};

fn set_max_active(by: &Manager, class: &ClassInfo, to: &Given) -> Outcome {
    if let Given::Number(most) = to {
        Dispatcher::of(&by.region).set_class_max(class.name, *most as usize);
        Dispatcher::of(&by.region).admit_waiting(&by.region);
    }
    Ok(())
}
