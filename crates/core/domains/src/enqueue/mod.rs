//! Enqueues: names that one task at a time may hold.
//!
//! A name is the bytes of RESOURCE (with LENGTH) or, without LENGTH, its address. The lock manager is that of the
//! record engine, so that a deadlock across a record and an enqueue is found. A name whose model has a scope is one of all
//! regions that share the records: their record server has its lock.

pub mod definition;

use std::sync::Arc;

use records::{Error, Lifetime, Resource, Wait};
use spec::{cmd, cond, opt};

use crate::enqueue::definition::{Kind, Models};
use kernel::exec::{Answers, Call, Handler, at_once};
use kernel::lines::often;
use kernel::name::Name;
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
/// The prefix of names of several regions, before their scope.
const SCOPE: &[u8] = b"ENQ scope ";
/// Bytes of a scope.
const SCOPE_LENGTH: usize = 4;

/// ENQ: waits in order, unless NOSUSPEND. The same task may hold a name several times.
async fn enq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let resource = resource(call)?;
    let kind = match by_name(&resource) {
        Some(name) => Models::of(&task.region).kind_of(name),
        None => Kind::Here,
    };
    if kind == Kind::Forbidden {
        return Err(Raise::abend("ANQE"));
    }
    let lifetime = lifetime(call)?;
    let wait = if call.keyword(opt::NOSUSPEND) { Wait::No } else { task.patience() };
    let control = Arc::clone(&task.control);
    let everywhere;
    let granted = match kind {
        Kind::Everywhere(scope) => {
            everywhere = of_scope(scope, by_name(&resource).unwrap_or_default());
            task.work.enqueue_everywhere(&everywhere, lifetime, wait)
        }
        _ => task.work.enqueue(resource, lifetime, wait),
    };
    match control.wait(WaitKind::ENQUEUE, granted).await? {
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

/// DEQ: a name that is not held is not an error. A model may have come, gone or changed since the name was taken.
fn deq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let resource = resource(call)?;
    let lifetime = lifetime(call)?;
    if let Some(name) = by_name(&resource) {
        for scope in Models::of(&task.region).scopes_of(name) {
            task.work.dequeue_everywhere(&of_scope(scope, name), lifetime);
        }
    }
    task.work.dequeue(&resource, lifetime);
    Ok(())
}

/// The name of an enqueue; `None` if it is an address.
fn by_name(resource: &Resource) -> Option<&[u8]> {
    resource.name().strip_prefix(NAME)
}

/// The name among all regions with this scope.
fn of_scope(scope: Name<4>, name: &[u8]) -> Vec<u8> {
    [SCOPE, scope.as_bytes().as_slice(), name].concat()
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

/// An enqueue by the lock manager's name of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued<'a> {
    /// A name, and its scope; blank: of this region.
    Name(&'a [u8], Name<SCOPE_LENGTH>),
    /// An address.
    Address(&'a [u8]),
}

/// Returns the enqueue of a name of the lock manager; `None` if it is none.
pub fn enqueued(name: &[u8]) -> Option<Enqueued<'_>> {
    if let Some(name) = name.strip_prefix(NAME) {
        return Some(Enqueued::Name(name, Name::BLANK));
    }
    if let Some(scoped) = name.strip_prefix(SCOPE) {
        let (scope, name) = scoped.split_first_chunk::<SCOPE_LENGTH>()?;
        return Some(Enqueued::Name(name, Name::new(scope)));
    }
    name.strip_prefix(ADDRESS).map(Enqueued::Address)
}

/// Returns the lock manager's name of an enqueue as a person would know it; any other name is itself.
pub fn shown(name: &[u8]) -> &[u8] {
    let of_scope = || name.strip_prefix(SCOPE).and_then(|scoped| scoped.get(SCOPE_LENGTH..));
    let other = || if name.starts_with(ADDRESS) { b"address" } else { name };
    name.strip_prefix(NAME).or_else(of_scope).unwrap_or_else(other)
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
