//! WRITEQ TS, READQ TS, DELETEQ TS.

use spec::{cmd, cond, opt};

use crate::exec::call::Delivery;
use crate::exec::{Answers, Call, Handler};
use crate::limits::TS_ITEM_LENGTH_MAX;
use crate::name::{Name8, Name16};
use crate::raise::{Outcome, RaiseCondition};
use crate::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::WRITEQ_TS, Handler::Now(writeq)),
    (cmd::READQ_TS, Handler::Now(readq)),
    (cmd::DELETEQ_TS, Handler::Now(deleteq)),
];

/// The queue: QUEUE has eight characters, QNAME sixteen. A name of low-values is none.
fn queue(task: &mut Task, call: &Call<'_>) -> Outcome<Name16> {
    let name = match call.name::<8>(opt::QUEUE)? {
        Some(name) => Name16::new(name),
        None => call.need_name(opt::QNAME)?,
    };
    if name.is_blank() {
        return Err(cond::INVREQ.raise(0));
    }
    task.level_mut().eib.set_resource(Name8::new(name));
    Ok(name)
}

/// WRITEQ TS: adds an item, or with REWRITE replaces the one that ITEM names. ITEM or NUMITEMS tells how many.
fn writeq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name = queue(task, call)?;
    let data = call.outgoing(opt::FROM, opt::LENGTH, TS_ITEM_LENGTH_MAX)?;
    let data = data.ok_or_else(|| cond::INVREQ.raise(0))?;
    let ts = &task.region.temporary_storage;
    if call.keyword(opt::REWRITE) {
        let number = call.number(opt::ITEM)?.ok_or_else(|| cond::ITEMERR.raise(0))?;
        let count = ts.replace(name, number, &data)?;
        return call.put_number(opt::NUMITEMS, count as i64);
    }
    let number = ts.add(name, &data)? as i64;
    call.put_number(opt::ITEM, number)?;
    call.put_number(opt::NUMITEMS, number)
}

/// READQ TS: ITEM, or NEXT (also when nothing is said).
fn readq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name = queue(task, call)?;
    let number = call.number(opt::ITEM)?;
    let (item, count) = task.region.temporary_storage.read(name, number)?;
    call.put_number(opt::NUMITEMS, count as i64)?;
    call.deliver(&item, Delivery::PLAIN, |data| task.hold(data))
}

/// DELETEQ TS: the whole queue.
fn deleteq(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name = queue(task, call)?;
    task.region.temporary_storage.delete(name)
}
