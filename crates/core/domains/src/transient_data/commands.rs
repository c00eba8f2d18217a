//! WRITEQ TD, READQ TD, DELETEQ TD.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::trigger::{Writer, fire};
use super::{Intrapartition, Queue, QueueName, Recovery, kept as recoverable};
use crate::transient_data::TransientData;
use kernel::exec::call::{Bytes, Delivery};
use kernel::exec::{Answers, Call, Handler, Waiting, leads};
use kernel::limits::TD_RECORD_LENGTH_MAX;
use kernel::name::{Name, Name8};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::security::User;
use kernel::task::{Action, Task};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::WRITEQ_TD, Handler::NowOr(writeq, writeq_recoverable)),
    (cmd::READQ_TD, Handler::NowOr(readq, readq_recoverable)),
    (cmd::DELETEQ_TD, Handler::NowOr(deleteq, deleteq_recoverable)),
];

/// The outcome of a command on a queue of another system that cannot be asked.
const NOBODY_THERE: Raise = Raise::Condition(cond::SYSIDERR, 0);

/// The queue of a command, if programs may use it.
fn queue(task: &mut Task, call: &Call<'_>) -> Outcome<Arc<Queue>> {
    let name: QueueName = call.need_name(opt::QUEUE)?;
    task.level_mut().eib.set_resource(Name8::new(name));
    let system: Option<Name<4>> = call.name(opt::SYSID)?;
    if let Some(system) = system.filter(|system| *system != task.region.options.sysid) {
        return Err(leads(task, call, system, None, NOBODY_THERE));
    }
    let queue = match TransientData::of(&task.region).get(name) {
        Err(NOBODY_THERE) => {
            let remote = TransientData::of(&task.region).elsewhere(name).ok_or(NOBODY_THERE)?;
            let there = Some((opt::QUEUE, remote.name.trimmed()));
            return Err(leads(task, call, remote.system, there, NOBODY_THERE));
        }
        queue => queue?,
    };
    if let Some(requests) = queue.requests() {
        task.uses(requests);
    }
    if queue.is_enabled() { Ok(queue) } else { Err(cond::DISABLED.raise(0)) }
}

/// Runs a command on a queue that needs no unit of work; `None` if the queue needs one.
fn plain<T>(queue: &Queue, use_it: impl FnOnce(&Queue) -> Outcome<T>) -> Outcome<Option<T>> {
    let recoverable = queue.intrapartition().is_some_and(|queue| queue.recovery != Recovery::None);
    if recoverable { Ok(None) } else { use_it(queue).map(Some) }
}

/// The queue as one that is recoverable: [`plain`] has seen that it is.
fn kept(queue: &Queue) -> Outcome<&Intrapartition> {
    queue.intrapartition().ok_or_else(|| cond::QIDERR.raise(0))
}

fn record(call: &Call<'_>) -> Outcome<Bytes> {
    let record = call.outgoing(opt::FROM, opt::LENGTH, TD_RECORD_LENGTH_MAX)?.unwrap_or_default();
    if record.is_empty() { Err(cond::LENGERR.raise(0)) } else { Ok(record) }
}

/// WRITEQ TD. Order of checks: queue, length.
fn writeq(task: &mut Task, call: &Call<'_>) -> Outcome<Option<()>> {
    let queue = queue(task, call)?;
    let record = record(call)?;
    let written =
        plain(&queue, |queue| write_now(&task.region, queue, &record, Writer::Task(&task.control)))?;
    written.map(|()| show(task, call, "WRITEQ", &record)).transpose()
}

/// Shows a record in the trace beyond level 1.
fn show(task: &Task, call: &Call<'_>, function: &str, record: &[u8]) -> Outcome {
    if task.may_be_detailed() {
        let queue: QueueName = call.need_name(opt::QUEUE)?;
        task.traces_detail("TD", (function, queue.trimmed(), record.len() as u64), String::new);
        task.traces_data("TD", ("RECORD", queue.trimmed()), record);
    }
    Ok(())
}

fn write_now(region: &Arc<Region>, queue: &Queue, record: &[u8], writer: Writer<'_>) -> Outcome {
    match queue {
        Queue::Extrapartition(file) => file.write(record),
        Queue::Intrapartition(records) => {
            if let Some(trigger) = records.write(record.to_vec())? {
                fire(region, trigger, writer);
            }
            Ok(())
        }
        Queue::Indirect(_) | Queue::Remote(_) => Err(cond::QIDERR.raise(0)),
    }
}

/// Writes a record for a front door, which has no unit of work.
///
/// # Errors
/// Those of WRITEQ TD; INVREQ for a queue that is recoverable.
pub fn put(region: &Arc<Region>, queue: QueueName, record: &[u8], user: &Arc<User>) -> Outcome {
    let queue = TransientData::of(region).get(queue)?;
    plain(&queue, |queue| write_now(region, queue, record, Writer::User(user)))?
        .ok_or_else(|| cond::INVREQ.raise(0))
}

fn writeq_recoverable<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (queue, record) = (queue(task, call)?, record(call)?);
        recoverable::write(task, &queue, kept(&queue)?, &record).await?;
        show(task, call, "WRITEQ", &record)
    })
}

/// READQ TD: the first record, which is gone then; of a logically recoverable queue, when the unit of work commits.
fn readq(task: &mut Task, call: &Call<'_>) -> Outcome<Option<()>> {
    let queue = queue(task, call)?;
    let record = plain(&queue, |queue| match queue {
        Queue::Extrapartition(file) => file.read(),
        Queue::Intrapartition(records) => records.read(),
        Queue::Indirect(_) | Queue::Remote(_) => Err(cond::QIDERR.raise(0)),
    })?;
    record.map(|record| give(task, call, &record)).transpose()
}

fn readq_recoverable<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let queue = queue(task, call)?;
        let nosuspend = does_not_wait(task, call);
        let record = recoverable::read(task, &queue, kept(&queue)?, nosuspend).await?;
        give(task, call, &record)
    })
}

/// NOSUSPEND, or a HANDLE CONDITION for QBUSY that counts for this command.
fn does_not_wait(task: &Task, call: &Call<'_>) -> bool {
    let is_taken = call.keyword(opt::NOHANDLE) || call.has(opt::RESP);
    let is_handled = || matches!(task.level().handles.action(cond::QBUSY), Action::Label(_));
    call.keyword(opt::NOSUSPEND) || !is_taken && is_handled()
}

fn give(task: &mut Task, call: &Call<'_>, record: &[u8]) -> Outcome {
    show(task, call, "READQ", record)?;
    call.deliver(record, Delivery::PLAIN, |data| task.hold(data))
}

/// DELETEQ TD: all records of an intrapartition queue.
fn deleteq(task: &mut Task, call: &Call<'_>) -> Outcome<Option<()>> {
    let queue = queue(task, call)?;
    plain(&queue, |queue| match queue {
        Queue::Intrapartition(records) => {
            records.delete();
            Ok(())
        }
        Queue::Extrapartition(_) | Queue::Indirect(_) | Queue::Remote(_) => Err(cond::INVREQ.raise(0)),
    })
}

fn deleteq_recoverable<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let queue = queue(task, call)?;
        recoverable::delete(task, &queue, kept(&queue)?).await
    })
}
