//! WRITEQ TS, READQ TS, DELETEQ TS.

use spec::{cmd, cond, opt};

use super::{Location, recoverable, shared};
use crate::temporary_storage::TemporaryStorage;
use kernel::exec::call::{Bytes, Delivery};
use kernel::exec::{Answers, Call, Handler, Waiting, leads};
use kernel::limits::TS_ITEM_LENGTH_MAX;
use kernel::meters::{Figure, Stopwatch, Timed, UsedFigure, UsedKind, UsedName};
use kernel::name::{Name, Name8, Name16};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Amount, Task, WaitKind};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::WRITEQ_TS, Handler::NowOr(writeq, writeq_recoverable)),
    (cmd::READQ_TS, Handler::NowOr(readq, readq_recoverable)),
    (cmd::DELETEQ_TS, Handler::NowOr(deleteq, deleteq_recoverable)),
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
    let system: Option<Name<4>> = call.name(opt::SYSID)?;
    match system {
        Some(system) if system == task.region.options.sysid => Ok(name),
        Some(system) => Err(leads(task, call, system, None, NOBODY_THERE)),
        None => match TemporaryStorage::of(&task.region).elsewhere(name) {
            None => Ok(name),
            Some((system, there)) => {
                let option = if call.has(opt::QUEUE) { opt::QUEUE } else { opt::QNAME };
                Err(leads(task, call, system, Some((option, there.trimmed())), NOBODY_THERE))
            }
        },
    }
}

/// The outcome of a command on a queue of another system that cannot be asked.
const NOBODY_THERE: Raise = Raise::Condition(cond::SYSIDERR, 0);

/// The queue, if it is one that needs no unit of work.
fn plain_queue(task: &mut Task, call: &Call<'_>) -> Outcome<Option<Name16>> {
    let name = queue(task, call)?;
    let ts = TemporaryStorage::of(&task.region);
    Ok((!ts.is_recoverable(name) && ts.pool_of(name).is_none()).then_some(name))
}

/// Returns the input of WRITEQ TS: its data, and the number of the item that REWRITE replaces.
fn written(call: &Call<'_>) -> Outcome<(Bytes, Option<i64>)> {
    let data = call.outgoing(opt::FROM, opt::LENGTH, TS_ITEM_LENGTH_MAX)?;
    let data = data.ok_or_else(|| cond::INVREQ.raise(0))?;
    let rewritten = match call.keyword(opt::REWRITE) {
        true => Some(call.number(opt::ITEM)?.ok_or_else(|| cond::ITEMERR.raise(0))?),
        false => None,
    };
    Ok((data, rewritten))
}

/// ITEM is the new item, unless REWRITE brought it; NUMITEMS is how many there are.
fn tell_count(call: &Call<'_>, count: usize) -> Outcome {
    let count = count as i64;
    if !call.keyword(opt::REWRITE) {
        call.put_number(opt::ITEM, count)?;
    }
    call.put_number(opt::NUMITEMS, count)
}

/// Counts a WRITEQ TS, whatever it has come to, by the place of the queue.
fn measure_write(task: &Task, call: &Call<'_>, name: Name16, watch: Stopwatch) {
    if task.performance().is_none() && !task.is_overseen() {
        return;
    }
    let asked = if call.keyword(opt::MAIN) { Location::Main } else { Location::Auxiliary };
    let length = call.outgoing_length(opt::FROM, opt::LENGTH, TS_ITEM_LENGTH_MAX).unwrap_or_default();
    let location = TemporaryStorage::of(&task.region).wanted(name, asked).location;
    let (figure, clock, bytes) = match location {
        Location::Main => (Figure::TsPutsMain, UsedFigure::QueuePutMain, UsedFigure::QueuePutMainBytes),
        Location::Auxiliary => {
            (Figure::TsPutsAuxiliary, UsedFigure::QueuePutAuxiliary, UsedFigure::QueuePutAuxiliaryBytes)
        }
    };
    let (writes, written) = match location {
        Location::Main => (Amount::TsWritesMain, Amount::TsBytesMain),
        Location::Auxiliary => (Amount::TsWritesAuxiliary, Amount::TsBytesAuxiliary),
    };
    task.adds_to(writes, 1);
    task.adds_to(written, length);
    task.adds_to(Amount::TsWrites, 1);
    task.adds_to(Amount::TsBytes, length);
    task.adds(figure, 1);
    let queue = (UsedKind::Queue, name.trimmed(), &[][..]);
    task.used(queue, watch, (&[clock, UsedFigure::QueueTotal], &[(bytes, length)]));
}

/// Shows an item in the trace beyond level 1; `None`: the number was not said.
fn show(task: &Task, function: &str, name: Name16, (number, count): (Option<usize>, usize), data: &[u8]) {
    if !task.may_be_detailed() {
        return;
    }
    task.traces_detail("TS", (function, name.trimmed(), data.len() as u64), || {
        let which = number.map_or_else(|| String::from("the next item"), |number| format!("item {number}"));
        format!("{which} of {count}")
    });
    task.traces_data("TS", ("ITEM", name.trimmed()), data);
}

/// The number of an item that a command has replaced, or of the one that it has added.
fn place(rewritten: Option<i64>, count: usize) -> Option<usize> {
    rewritten.map_or(Some(count), |number| number.try_into().ok())
}

/// Counts another command; `clocks`: the times that it adds to beside that of all.
fn measure(task: &Task, call: &Call<'_>, watch: Stopwatch, clocks: &[UsedFigure]) {
    if let (Some(_), Some(name)) = (task.performance(), name_of(call)) {
        task.used((UsedKind::Queue, name.trimmed(), &[]), watch, (clocks, &[]));
    }
}

/// Waits for queues: for their locks, and for those who keep them.
const WAITS: [WaitKind; 2] = [WaitKind::TEMPORARY_STORAGE, WaitKind::RECORD_SERVER];

/// Waits for queues so far, of a task that is monitored.
fn waited(task: &Task) -> Timed {
    task.performance().map_or_else(Timed::default, |performance| performance.waited(&WAITS))
}

/// Tells the waits of a command for its queue.
fn measure_waits(task: &Task, name: Name16, before: Timed) {
    let Some(performance) = task.performance() else { return };
    let waits = performance.waited(&WAITS).since(before);
    let is_shared = TemporaryStorage::of(&task.region).pool_of(name).is_some();
    if is_shared {
        performance.clock(Figure::TsSharedWait, waits);
    }
    let figure = if is_shared { UsedFigure::QueueSharedWait } else { UsedFigure::QueueWait };
    performance.uses((UsedKind::Queue, UsedName::new(name.trimmed()), UsedName::BLANK), &[(figure, waits)]);
}

/// The queue that a command names.
fn name_of(call: &Call<'_>) -> Option<Name16> {
    let named = call.name::<8>(opt::QUEUE).ok().flatten().map(Name16::new);
    named.or_else(|| call.name(opt::QNAME).ok().flatten()).filter(|name| !name.is_blank())
}

/// The times of READQ TS, and of a command that neither reads nor writes.
const READ: &[UsedFigure] = &[UsedFigure::QueueGet, UsedFigure::QueueTotal];
const OTHER: &[UsedFigure] = &[UsedFigure::QueueTotal];

/// WRITEQ TS: adds an item, or with REWRITE replaces the one that ITEM names. ITEM or NUMITEMS tells how many.
fn writeq(task: &mut Task, call: &Call<'_>) -> Outcome<Option<()>> {
    let Some(name) = plain_queue(task, call)? else { return Ok(None) };
    let watch = task.stopwatch();
    let done = write_plain(task, call, name);
    measure_write(task, call, name, watch);
    done
}

fn write_plain(task: &mut Task, call: &Call<'_>, name: Name16) -> Outcome<Option<()>> {
    let (data, rewritten) = written(call)?;
    let ts = TemporaryStorage::of(&task.region);
    let count = match rewritten {
        Some(number) => ts.queues.replace(name, number, &data)?,
        None => {
            let location = if call.keyword(opt::MAIN) { Location::Main } else { Location::Auxiliary };
            ts.queues.add(name, ts.wanted(name, location), &data)?
        }
    };
    show(task, "WRITEQ", name, (place(rewritten, count), count), &data);
    tell_count(call, count).map(Some)
}

fn writeq_recoverable<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (name, watch, waited) = (queue(task, call)?, task.stopwatch(), waited(task));
        let done = write_recoverable(task, call, name).await;
        measure_write(task, call, name, watch);
        measure_waits(task, name, waited);
        done
    })
}

async fn write_recoverable(task: &mut Task, call: &Call<'_>, name: Name16) -> Outcome {
    let (data, rewritten) = written(call)?;
    let wait = task.patience();
    if let Some(pool) = TemporaryStorage::of(&task.region).pool_of(name) {
        let queue = shared::Queue { pool, name, wait };
        task.adds(Figure::TsSharedPuts, 1);
        let count = match rewritten {
            Some(number) => shared::replace(task, queue, number, &data).await?,
            None => shared::add(task, queue, &data).await?,
        };
        show(task, "WRITEQ", name, (place(rewritten, count), count), &data);
        return tell_count(call, count);
    }
    let count = match rewritten {
        Some(number) => recoverable::replace(&mut task.work, wait, name, number, &data).await?,
        None => recoverable::add(&mut task.work, wait, name, &data).await?,
    };
    show(task, "WRITEQ", name, (place(rewritten, count), count), &data);
    tell_count(call, count)
}

/// Runs READQ TS: ITEM, or NEXT (the default).
fn readq(task: &mut Task, call: &Call<'_>) -> Outcome<Option<()>> {
    let Some(name) = plain_queue(task, call)? else { return Ok(None) };
    let watch = task.stopwatch();
    let done = read_plain(task, call, name);
    measure(task, call, watch, READ);
    done
}

fn read_plain(task: &mut Task, call: &Call<'_>, name: Name16) -> Outcome<Option<()>> {
    let number = call.number(opt::ITEM)?;
    let (item, count) = TemporaryStorage::of(&task.region).queues.read(name, number)?;
    give(task, call, &item, count).map(Some)
}

fn readq_recoverable<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (name, watch, waited) = (queue(task, call)?, task.stopwatch(), waited(task));
        let done = read_recoverable(task, call, name).await;
        measure(task, call, watch, READ);
        measure_waits(task, name, waited);
        done
    })
}

async fn read_recoverable(task: &mut Task, call: &Call<'_>, name: Name16) -> Outcome {
    let number = call.number(opt::ITEM)?;
    if let Some(pool) = TemporaryStorage::of(&task.region).pool_of(name) {
        let queue = shared::Queue { pool, name, wait: task.patience() };
        task.adds(Figure::TsSharedGets, 1);
        let (item, count) = shared::read(task, queue, number).await?;
        return give(task, call, &item, count);
    }
    let (item, count) = recoverable::read(&mut task.work, name, number).await?;
    give(task, call, &item, count)
}

fn give(task: &mut Task, call: &Call<'_>, item: &[u8], count: usize) -> Outcome {
    if let (Some(performance), Some(name)) = (task.performance(), name_of(call)) {
        let bytes = Timed { time: 0, count: item.len() as u64 };
        let queue = (UsedKind::Queue, UsedName::new(name.trimmed()), UsedName::BLANK);
        performance.uses(queue, &[(UsedFigure::QueueGetBytes, bytes)]);
    }
    if task.may_be_detailed()
        && let Some(name) = name_of(call)
    {
        let number = call.number(opt::ITEM)?.and_then(|number| number.try_into().ok());
        show(task, "READQ", name, (number, count), item);
    }
    call.put_number(opt::NUMITEMS, count as i64)?;
    call.deliver(item, Delivery::PLAIN, |data| task.hold(data))
}

/// DELETEQ TS: the whole queue.
fn deleteq(task: &mut Task, call: &Call<'_>) -> Outcome<Option<()>> {
    let Some(name) = plain_queue(task, call)? else { return Ok(None) };
    let watch = task.stopwatch();
    let done = TemporaryStorage::of(&task.region).queues.delete(name).map(Some);
    measure(task, call, watch, OTHER);
    done
}

fn deleteq_recoverable<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (name, wait) = (queue(task, call)?, task.patience());
        let (watch, waited) = (task.stopwatch(), waited(task));
        let done = match TemporaryStorage::of(&task.region).pool_of(name) {
            Some(pool) => shared::delete(task, shared::Queue { pool, name, wait }).await,
            None => recoverable::delete(&mut task.work, wait, name).await,
        };
        measure(task, call, watch, OTHER);
        measure_waits(task, name, waited);
        done
    })
}
