//! SUSPEND, CHANGE TASK, WAIT EVENT, WAIT EXTERNAL, WAITCICS.

use spec::{cmd, cond, opt};

use super::is_posted;
use crate::events::Events;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::limits::WAIT_EVENTS_MAX;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::storage::StorageAddress;
use kernel::task::{Task, WaitKind};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::SUSPEND, Handler::Waits(suspend)),
    (cmd::CHANGE_TASK, Handler::Now(change_task)),
    (cmd::WAIT_EVENT, Handler::Waits(wait_event)),
    (cmd::WAIT_EXTERNAL, Handler::Waits(|task, call| wait_any(task, call, WaitKind::EXTERNAL))),
    (cmd::WAITCICS, Handler::Waits(|task, call| wait_any(task, call, WaitKind::EVENT))),
];

/// RESP2 of INVREQ.
mod refusal {
    pub const PRIORITY: i32 = 1;
    pub const EVENT_ADDRESS: i32 = 2;
    pub const LIST_ADDRESS: i32 = 1;
    pub const LIST_ENTRY: i32 = 2;
    pub const COUNT: i32 = 3;
    pub const PURGEABILITY: i32 = 4;
}

/// SUSPEND: every other task that is ready goes first.
fn suspend<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        task.control.wait_through(WaitKind::GAVE_UP, tokio::task::yield_now()).await;
        // A task that never waits may still be purged here.
        if task.control.is_purged() { Err(Raise::abend("AKCS")) } else { Ok(()) }
    })
}

/// CHANGE TASK PRIORITY: kept and shown; tasks are dispatched in the order in which they become ready.
fn change_task(task: &mut Task, call: &Call<'_>) -> Outcome {
    if let Some(priority) = call.number(opt::PRIORITY)? {
        task.priority = u8::try_from(priority).map_err(|_| cond::INVREQ.raise(refusal::PRIORITY))?;
    }
    Ok(())
}

/// WAIT EVENT: one area.
fn wait_event<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let address = call.pointer(opt::ECADDR)?.filter(|address| *address != StorageAddress::NULL);
        let address = address.ok_or_else(|| cond::INVREQ.raise(refusal::EVENT_ADDRESS))?;
        wait_for(task, call, WaitKind::EVENT, &[address]).await
    })
}

/// WAIT EXTERNAL and WAITCICS: any of a list of areas. Order of checks: list, number, purgeability, entries.
fn wait_any<'a>(task: &'a mut Task, call: &'a Call<'_>, kind: WaitKind) -> Waiting<'a> {
    Box::pin(async move {
        let list = call.pointer(opt::ECBLIST)?.filter(|address| *address != StorageAddress::NULL);
        let list = list.ok_or_else(|| cond::INVREQ.raise(refusal::LIST_ADDRESS))?;
        let count = call.number(opt::NUMEVENTS)?.unwrap_or(1);
        let count = usize::try_from(count).ok().filter(|n| (1..=WAIT_EVENTS_MAX).contains(n));
        let count = count.ok_or_else(|| cond::INVREQ.raise(refusal::COUNT))?;
        if let Some(value) = call.number(opt::PURGEABILITY)? {
            let known = ["PURGEABLE", "NOTPURGEABLE"].map(|name| spec::cvda(name).map(i64::from));
            if !known.contains(&Some(value)) {
                return Err(cond::INVREQ.raise(refusal::PURGEABILITY));
            }
        }
        let addresses = (0..count).map(|index| entry(call, list, index)).collect::<Outcome<Vec<_>>>()?;
        wait_for(task, call, kind, &addresses).await
    })
}

/// An entry of a list of areas: a pointer as the program writes it.
fn entry(call: &Call<'_>, list: StorageAddress, index: usize) -> Outcome<StorageAddress> {
    match call.pointer_of(list, index)? {
        StorageAddress::NULL => Err(cond::INVREQ.raise(refusal::LIST_ENTRY)),
        address => Ok(address),
    }
}

async fn wait_for(task: &Task, call: &Call<'_>, kind: WaitKind, addresses: &[StorageAddress]) -> Outcome {
    let name = call.name(opt::NAME)?.unwrap_or_default();
    let any_posted = || -> Outcome<bool> {
        for address in addresses {
            let mut first = [0];
            // Storage that programs share is in the region, and an area of the program's own in its storage.
            if !task.region.read_shared(*address, &mut first) {
                call.read_at(*address, &mut first)?;
            }
            if is_posted(first[0]) {
                return Ok(true);
            }
        }
        Ok(false)
    };
    task.control.wait_named(kind, name, Events::of(&task.region).wait(addresses, any_posted)).await?
}
