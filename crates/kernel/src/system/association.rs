//! INQUIRE ASSOCIATION: who and what is behind a task.
//!
//! A task is its own origin: what started it is not followed.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::Manager;
use super::inquire::{Key, Resource, digits, number};
use super::task::NOT_FOUND;
use crate::exec::value::Value;
use crate::exec::{Answers, Handler};
use crate::name::Name8;
use crate::raise::Raise;
use crate::task::TaskControl;

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_ASSOCIATION, Handler::Now(|task, call| TASKS.inquire(task, call)))];

pub(super) static TASKS: Resource<Arc<TaskControl>> = Resource {
    name: opt::ASSOCIATION,
    key: Key::Number,
    names: |by| by.region.dispatcher().tasks().iter().map(|t| digits(t.number)).collect(),
    find: |by, name| number(name).and_then(|number| by.region.dispatcher().task(number)),
    missing: Raise::Condition(cond::TASKIDERR, NOT_FOUND),
    rows: &[
        (opt::APPLID, |by, _| Value::text(by.region.options.applid)),
        (opt::FACILNAME, |_, t| facility_name(t)),
        (opt::FACILTYPE, |_, t| facility_type(t)),
        (opt::LUNAME, net_name),
        (opt::NETID, |_, _| Value::text(Name8::BLANK)),
        (opt::ODAPPLID, |by, _| Value::text(by.region.options.applid)),
        (opt::ODFACILNAME, |_, t| facility_name(t)),
        (opt::ODFACILTYPE, |_, t| facility_type(t)),
        (opt::ODLUNAME, net_name),
        (opt::ODNETID, |_, _| Value::text(Name8::BLANK)),
        (opt::ODNETWORKID, |_, _| Value::text(Name8::BLANK)),
        (opt::ODTASKID, |_, t| Value::Number(t.number.into())),
        (opt::ODTRANSID, |_, t| Value::text(t.transaction)),
        (opt::ODUSERID, |_, t| Value::text(t.user)),
        (opt::PROGRAM, |by, t| {
            let transaction = by.region.transactions.get(t.transaction);
            Value::text(transaction.map_or(Name8::BLANK, |transaction| transaction.program))
        }),
        (opt::TRANSACTION, |_, t| Value::text(t.transaction)),
        (opt::USERID, |_, t| Value::text(t.user)),
    ],
    settings: &[],
};

fn facility_name(task: &Arc<TaskControl>) -> Value {
    Value::text(task.terminal.map_or(Name8::BLANK, Name8::new))
}

fn facility_type(task: &Arc<TaskControl>) -> Value {
    Value::either(task.terminal.is_some(), "TERMINAL", "START")
}

fn net_name(by: &Manager, control: &Arc<TaskControl>) -> Value {
    let terminal = control.terminal.and_then(|name| by.region.terminals.get(name));
    Value::text(terminal.map_or(Name8::BLANK, |terminal| terminal.netname))
}
