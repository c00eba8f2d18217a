//! INQUIRE TASK, INQUIRE TASK LIST, SET TASK.

use std::sync::Arc;

use records::{Decision, Holder, Resource as Awaited};
use spec::{cmd, cond, opt};

use domains::enqueue;
use kernel::catalog;
use kernel::dispatcher::Dispatcher;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::recovery::UnitId;
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes, digits, number};
use kernel::task::{Task, TaskControl};

use super::transaction::{indoubt_minutes, waits_indoubt};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TASK, Handler::Now(|task, call| TASKS.inquire(task, call))),
    (cmd::INQUIRE_TASK_LIST, Handler::Now(list)),
    (cmd::SET_TASK, Handler::Waits(|task, call| Box::pin(TASKS.set(task, call)))),
];

/// RESP2 of TASKIDERR: no such task.
pub(super) const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: PURGE of a task that may not be purged now.
const NOT_PURGEABLE: i32 = 5;

pub(super) static TASKS: Resource<Arc<TaskControl>> = Resource {
    name: opt::TASK,
    key: Key::Number,
    names: |by| Dispatcher::of(&by.region).tasks().iter().map(|t| digits(t.number)).collect(),
    find: |by, name| number(name).and_then(|number| Dispatcher::of(&by.region).task(number)),
    missing: Raise::Condition(cond::TASKIDERR, NOT_FOUND),
    rows: &[
        (opt::ATTACHTIME, |_, t| Value::Number(t.attached.stamp().abstime())),
        (opt::DB2PLAN, |by, t| catalog::of_task(opt::DB2PLAN, &by.region, t)),
        (opt::FACILITY, |_, t| Value::text(t.facility.terminal_name().unwrap_or_default())),
        (opt::FACILITYTYPE, |_, t| Value::either(t.terminal().is_some(), "TERM", "TASK")),
        (opt::INDOUBT, |_, t| Value::either(t.transaction.indoubt == Decision::Commit, "COMMIT", "BACKOUT")),
        (opt::INDOUBTMINS, |_, t| Value::Number(indoubt_minutes(&t.transaction))),
        (opt::INDOUBTWAIT, |_, t| Value::either(waits_indoubt(&t.transaction), "WAIT", "NOWAIT")),
        // Only for CEMT: the task that holds the resource that this one waits for, or the region of one that is elsewhere.
        (opt::OWNER, |by, t| Value::text(holder(by, t).unwrap_or_default())),
        (opt::PRIORITY, |_, t| Value::Number(t.transaction.priority.into())),
        (opt::PROGRAM, |_, t| Value::text(t.transaction.program)),
        (opt::REMOTENAME, |_, _| Value::text([b' '; 8])),
        (opt::REMOTESYSTEM, |_, _| Value::text([b' '; 4])),
        (opt::RUNSTATUS, |by, t| Value::Cvda(run_status(by, t))),
        (opt::STARTCODE, |_, t| Value::text(t.start_code.as_bytes())),
        (opt::SUSPENDTYPE, |_, t| {
            Value::padded(t.waits_for().map_or("", |kind| kind.row().resource_type), 8)
        }),
        (opt::SUSPENDVALUE, |by, t| Value::padded(&suspend_value(by, t), 8)),
        (opt::TRANCLASS, |_, t| Value::text(t.transaction.class)),
        (opt::TRANPRIORITY, |_, t| Value::Number(t.transaction.priority.into())),
        (opt::TRANSACTION, |_, t| Value::text(t.transaction.name)),
        (opt::TWASIZE, |_, t| Value::Number(t.transaction.twa_length as i64)),
        (opt::UOW, |by, t| Value::text(UnitId::of_run(&by.region, t.unit()).to_bytes())),
        (opt::USERID, |_, t| Value::text(t.user.id)),
    ],
    settings: &[Setting {
        option: opt::PURGETYPE,
        takes: Takes::OneOf(&[("PURGE", opt::PURGE), ("FORCEPURGE", opt::FORCEPURGE), ("KILL", opt::KILL)]),
        resp2: 3,
        set: Set::Now(purge),
    }],
};

/// A task that waits for nothing and that no TCB runs at this moment will soon be.
fn run_status(by: &Manager, control: &TaskControl) -> &'static str {
    match control.waits_for() {
        _ if control.number == by.task_number() || control.is_dispatched() => "RUNNING",
        Some(_) => "SUSPENDED",
        None => "DISPATCHABLE",
    }
}

/// The lock or the name that a task waits for.
fn awaited(by: &Manager, control: &TaskControl) -> Option<Awaited> {
    control.waits_for()?;
    by.region.records.awaited(control.owner())
}

/// The number of the task that holds it; the APPLID of its region, where that is another one.
fn holder(by: &Manager, control: &TaskControl) -> Option<String> {
    awaited(by, control)?;
    match by.region.records.holder_for(control.owner())? {
        Holder::Here(owner) => {
            let task = Dispatcher::of(&by.region).task_of(owner)?;
            Some(String::from_utf8_lossy(&digits(task.number)).into_owned())
        }
        Holder::Elsewhere(applid) => Some(applid),
    }
}

/// The name of the thing that a task waits for: the key of a record, the name of an enqueue, or the name that the
/// program has given.
fn suspend_value(by: &Manager, control: &TaskControl) -> String {
    let name = match awaited(by, control) {
        Some(resource) => enqueue::shown(resource.name()).to_vec(),
        None if control.waits_for().is_some() => control.wait_in_hand().name.as_bytes().to_vec(),
        None => Vec::new(),
    };
    let printable = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte) } else { ' ' };
    name.iter().map(printable).collect::<String>().trim().to_owned()
}

/// PURGE spares a task whose transaction says SPURGE(NO), and a program that runs; FORCEPURGE and KILL do not.
fn purge(_: &Manager, control: &Arc<TaskControl>, to: &Given) -> Outcome {
    match (to.is("PURGE"), control.transaction.purgeable) {
        (true, false) => return Err(cond::INVREQ.raise(NOT_PURGEABLE)),
        (true, true) => control.purge(),
        (false, _) => control.force_purge(),
    }
    Ok(())
}

/// Bytes of a task's number in a list: packed, as EIBTASKN is.
const LISTED_NUMBER_LENGTH: usize = 4;

/// INQUIRE TASK LIST: the numbers and transactions of the tasks of the states asked for; of all if no state is.
fn list(task: &mut Task, call: &Call<'_>) -> Outcome {
    let states =
        [("DISPATCHABLE", opt::DISPATCHABLE), ("RUNNING", opt::RUNNING), ("SUSPENDED", opt::SUSPENDED)];
    let any = !states.iter().any(|(_, keyword)| call.keyword(*keyword));
    let by = Manager::of(task);
    let mut tasks = Dispatcher::of(&by.region).tasks();
    tasks.retain(|t| {
        let status = run_status(&by, t);
        any || states.iter().any(|(name, keyword)| *name == status && call.keyword(*keyword))
    });
    call.put_number(opt::LISTSIZE, tasks.len() as i64)?;
    if call.has(opt::SET) {
        let numbers: Vec<u8> = tasks.iter().flat_map(|t| packed(t.number)).collect();
        call.put_pointer(opt::SET, task.hold(&numbers)?)?;
    }
    if call.has(opt::SETTRANSID) {
        let names: Vec<u8> = tasks.iter().flat_map(|t| *t.transaction.name.as_bytes()).collect();
        call.put_pointer(opt::SETTRANSID, task.hold(&names)?)?;
    }
    Ok(())
}

/// Seven digits and a plus sign, packed.
fn packed(number: u32) -> [u8; LISTED_NUMBER_LENGTH] {
    const PLUS: u32 = 0xC;
    let mut nibbles = PLUS;
    let mut rest = number;
    for place in 1..LISTED_NUMBER_LENGTH * 2 {
        nibbles |= (rest % 10) << (4 * place);
        rest /= 10;
    }
    nibbles.to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_number_is_packed() {
        assert_eq!(packed(12_345), [0x00, 0x12, 0x34, 0x5C]);
    }
}
