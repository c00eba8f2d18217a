//! Enqueues: names that one task at a time may hold.
//!
//! A name is the bytes of RESOURCE (with LENGTH) or, without LENGTH, its address. The lock manager is that of the
//! record engine, so that a deadlock across a record and an enqueue is found.

pub mod definition;

use records::{Error, Lifetime, Resource, Wait};
use spec::{cmd, cond, opt};

use crate::enqueue::definition::Models;
use kernel::exec::{Answers, Call, Handler, at_once};
use kernel::lines::often;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::storage::POINTER_LENGTH;
use kernel::task::{Task, WaitKind};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[(cmd::ENQ, at_once!(enq)), (cmd::DEQ, Handler::Now(deq))];

/// Longest name of an enqueue.
const RESOURCE_LENGTH_MAX: usize = 255;
/// The prefixes of the lock manager's names of these.
const NAME: &[u8; 9] = b"ENQ name ";
const ADDRESS: &[u8; 12] = b"ENQ address ";

/// ENQ: waits in order, unless NOSUSPEND. The same task may hold a name several times.
async fn enq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let resource = resource(call)?;
    if shown(resource.name()) != b"address" && Models::of(&task.region).forbid(shown(resource.name())) {
        return Err(Raise::abend("ANQE"));
    }
    let lifetime = lifetime(call)?;
    let wait = if call.keyword(opt::NOSUSPEND) { Wait::No } else { task.patience() };
    let granted = task.work.enqueue(resource, lifetime, wait);
    match task.wait(WaitKind::ENQUEUE, granted).await? {
        Ok(()) => Ok(()),
        // A unit of work that is indoubt may keep it for days.
        Err(Error::Locked | Error::Retained) => Err(cond::ENQBUSY.raise(0)),
        Err(Error::Deadlock | Error::TimedOut | Error::Cancelled) => Err(Raise::abend("AKCS")),
        Err(error) => {
            often!(error, target: "NQ", "task {}: enqueue failed: {error}", task.number);
            Err(Raise::abend("AKCS"))
        }
    }
}

/// DEQ: a name that is not held is not an error.
fn deq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let resource = resource(call)?;
    let lifetime = lifetime(call)?;
    task.work.dequeue(&resource, lifetime);
    Ok(())
}

/// Returns the resource to enqueue upon: a name if there is a length, an address otherwise. The two never meet.
fn resource(call: &Call<'_>) -> Outcome<Resource> {
    let Some(length) = call.number(opt::LENGTH)? else {
        // Bytes that are no storage of the task have no address.
        let address = call.address(opt::RESOURCE).ok_or_else(|| cond::LENGERR.raise(1))?;
        let mut name = [0; ADDRESS.len() + POINTER_LENGTH];
        name[..ADDRESS.len()].copy_from_slice(ADDRESS);
        name[ADDRESS.len()..].copy_from_slice(&address.to_pointer());
        return Ok(Resource::named(&name));
    };
    let length = usize::try_from(length).ok().filter(|length| (1..=RESOURCE_LENGTH_MAX).contains(length));
    let length = NAME.len() + length.ok_or_else(|| cond::LENGERR.raise(1))?;
    let mut name = [0; NAME.len() + RESOURCE_LENGTH_MAX];
    name[..NAME.len()].copy_from_slice(NAME);
    call.copy_to(opt::RESOURCE, &mut name[NAME.len()..length])?;
    Ok(Resource::named(&name[..length]))
}

/// Returns the lock manager's name of an enqueue as a person would know it; any other name is itself.
pub fn shown(name: &[u8]) -> &[u8] {
    name.strip_prefix(NAME).unwrap_or_else(|| if name.starts_with(ADDRESS) { b"address" } else { name })
}

/// UOW unless TASK, by keyword or by MAXLIFETIME.
fn lifetime(call: &Call<'_>) -> Outcome<Lifetime> {
    let by_value = match call.number(opt::MAXLIFETIME)? {
        None => None,
        Some(value) => match spec::cvda_name(value as i32) {
            Some("TASK") => Some(Lifetime::Task),
            Some("UOW") => Some(Lifetime::Unit),
            _ => return Err(cond::INVREQ.raise(2)),
        },
    };
    let by_keyword = if call.keyword(opt::TASK) { Lifetime::Task } else { Lifetime::Unit };
    Ok(by_value.unwrap_or(by_keyword))
}
