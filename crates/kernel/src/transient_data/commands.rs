//! WRITEQ TD, READQ TD, DELETEQ TD.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::{Intrapartition, Queue, QueueName, Trigger};
use crate::dispatcher::Attach;
use crate::exec::call::Delivery;
use crate::exec::{Answers, Call, Handler};
use crate::limits::TD_RECORD_LENGTH_MAX;
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::region::Region;
use crate::security::User;
use crate::task::{StartCode, Task};
use crate::terminals::input;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::WRITEQ_TD, Handler::Now(writeq)),
    (cmd::READQ_TD, Handler::Now(readq)),
    (cmd::DELETEQ_TD, Handler::Now(deleteq)),
];

fn queue(task: &mut Task, call: &Call<'_>) -> Outcome<Arc<Queue>> {
    let name: QueueName = call.need_name(opt::QUEUE)?;
    task.level_mut().eib.set_resource(Name8::new(name));
    task.region.transient_data.get(name)
}

/// WRITEQ TD. Order of checks: queue, length.
fn writeq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let queue = queue(task, call)?;
    let record = call.outgoing(opt::FROM, opt::LENGTH, TD_RECORD_LENGTH_MAX)?.unwrap_or_default();
    if record.is_empty() {
        return Err(cond::LENGERR.raise(0));
    }
    match &*queue {
        Queue::Extrapartition(file) => file.write(&record),
        Queue::Intrapartition(records) if !records.recoverable => {
            write_now(&task.region, records, record.to_vec(), &task.user)
        }
        Queue::Intrapartition(_) => {
            let (queue, record, user) = (Arc::clone(&queue), record.to_vec(), Arc::clone(&task.user));
            task.work.at_commit(Box::new(move |region| {
                let Queue::Intrapartition(records) = &*queue else { return };
                if let Err(raise) = write_now(region, records, record, &user) {
                    tracing::error!(target: "TD", "a committed record was not kept: {raise}");
                }
            }));
            Ok(())
        }
        Queue::Indirect(_) => Err(cond::QIDERR.raise(0)),
    }
}

/// Writes a record for a front door, which has no unit of work: it counts at once.
///
/// # Errors
/// Those of WRITEQ TD.
pub fn put(region: &Arc<Region>, queue: QueueName, record: Vec<u8>, user: &Arc<User>) -> Outcome {
    match &*region.transient_data.get(queue)? {
        Queue::Extrapartition(file) => file.write(&record),
        Queue::Intrapartition(records) => write_now(region, records, record, user),
        Queue::Indirect(_) => Err(cond::QIDERR.raise(0)),
    }
}

fn write_now(region: &Arc<Region>, records: &Intrapartition, record: Vec<u8>, user: &Arc<User>) -> Outcome {
    if let Some(trigger) = records.write(record)? {
        fire(region, trigger, user);
    }
    Ok(())
}

/// Starts the task that should read the queue.
fn fire(region: &Arc<Region>, trigger: Trigger, user: &Arc<User>) {
    let mut attach = Attach::new(trigger.transaction, StartCode::Trigger, Arc::clone(user));
    attach.trigger_queue = Some(trigger.queue);
    match trigger.terminal.map(|name| region.terminals.get(name)) {
        Some(Some(terminal)) => input::start_at(region, &terminal, attach),
        Some(None) => {
            tracing::warn!(target: "TD", "transaction {}: its terminal is not there", trigger.transaction)
        }
        None => {
            if let Err(error) = region.attach(attach) {
                tracing::warn!(target: "TD", "transaction {} was not started: {error:?}", trigger.transaction);
            }
        }
    }
}

/// READQ TD: the first record, which is gone then; of a recoverable queue, when the unit of work commits.
fn readq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let queue = queue(task, call)?;
    let record = match &*queue {
        Queue::Extrapartition(file) => file.read()?,
        Queue::Intrapartition(records) => {
            let record = records.read()?;
            if records.recoverable {
                let (queue, record) = (Arc::clone(&queue), record.clone());
                task.work.at_backout(Box::new(move |_| {
                    if let Queue::Intrapartition(records) = &*queue {
                        records.unread(record);
                    }
                }));
            }
            record
        }
        Queue::Indirect(_) => return Err(cond::QIDERR.raise(0)),
    };
    call.deliver(&record, Delivery::PLAIN, |data| task.hold(data))
}

/// DELETEQ TD: all records of an intrapartition queue.
fn deleteq(task: &mut Task, call: &Call<'_>) -> Outcome {
    match &*queue(task, call)? {
        Queue::Intrapartition(records) => {
            records.delete();
            Ok(())
        }
        Queue::Extrapartition(_) | Queue::Indirect(_) => Err(cond::INVREQ.raise(0)),
    }
}
