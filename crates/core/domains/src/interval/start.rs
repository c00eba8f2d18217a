//! START, RETRIEVE, CANCEL.

use std::sync::Arc;
use std::time::Duration;

use spec::{OptionId, cmd, cond, opt};

use super::asked::{Start, StartData};
use super::delay;
use super::post::LastPost;
use super::record::user as known;
use crate::interval::IntervalControl;
use crate::temporary_storage::TemporaryStorage;
use kernel::clock;
use kernel::dispatcher::Attach;
use kernel::exec::call::Delivery;
use kernel::exec::{Answers, Call, Handler, Waiting, at_once, leads, routed, runs_here};
use kernel::limits::HALFWORD_LENGTH_MAX;
use kernel::meters::Figure;
use kernel::name::{Name, Name8, Name16, TerminalName, TransactionName};
use kernel::notices::{Notice, Notices};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::security::{User, may_attach, may_start_as};
use kernel::task::{Origin, Task, WaitKind};
use kernel::terminals::Terminals;
use kernel::transactions::{Transaction, Transactions};
use kernel::trial::elsewhere;

/// RESP2 of NOTAUTH: the task's user may not start work as that of USERID.
const NOT_A_SURROGATE: i32 = 9;

/// RESP2 of INVREQ: a rule of a policy refuses the request.
const REFUSED_BY_RULE: i32 = 400;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::START, Handler::NowOr(start, start_protected)),
    (cmd::START_ATTACH, Handler::NowOr(start, start_protected)),
    (cmd::START_CHANNEL, Handler::NowOr(start, start_protected)),
    (cmd::RETRIEVE, at_once!(retrieve)),
    (cmd::CANCEL, at_once!(cancel)),
];

/// A START as a command asks for it.
struct Asked {
    request: Name8,
    start: Start,
    after: Duration,
}

/// START without PROTECT: it counts from now on, whatever becomes of the unit of work.
fn start(task: &mut Task, call: &Call<'_>) -> Outcome<Option<()>> {
    if is_protected(task, call)? {
        return Ok(None);
    }
    let Asked { request, start, after } = asked(task, call)?;
    let passed = start.channel.as_ref().map(|channel| channel.bytes());
    IntervalControl::of(&task.region).start(&task.region, request, start, after)?;
    measure(task, passed);
    Ok(Some(()))
}

/// Counts a START with a channel of so many bytes.
fn measure(task: &Task, passed: Option<usize>) {
    if let Some(bytes) = passed {
        task.adds(Figure::StartsWithChannel, 1);
        task.adds(Figure::StartChannelBytes, bytes);
    }
}

/// Returns true if the request belongs to the unit of work: with PROTECT, or with data that a TSMODEL makes
/// recoverable.
fn is_protected(task: &Task, call: &Call<'_>) -> Outcome<bool> {
    if call.keyword(opt::PROTECT) || !call.has(opt::FROM) {
        return Ok(call.keyword(opt::PROTECT));
    }
    let request = call.name::<8>(opt::REQID)?;
    Ok(request.is_some_and(|request| TemporaryStorage::of(&task.region).is_recoverable(Name16::new(request))))
}

/// START with PROTECT: the request counts from the end of the unit of work on, and not at all if that is backed out. It
/// outlives the region.
fn start_protected<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let Asked { request, mut start, after } = asked(task, call)?;
        let passed = start.channel.as_ref().map(|channel| channel.bytes());
        let promise = IntervalControl::of(&task.region).promise(&task.region, request)?;
        let kept = IntervalControl::of(&task.region).new_kept();
        kept.put(&mut task.work, request, &start, clock::after(after)).await?;
        start.data.kept = Some(kept);
        task.work.at_commit(Box::new(move |_| promise.redeem(start, after)));
        measure(task, passed);
        Ok(())
    })
}

/// The START of a command. Order of checks: time, length, user, transaction, terminal, request identifier.
fn asked(task: &mut Task, call: &Call<'_>) -> Outcome<Asked> {
    let after = delay::due(call)?.unwrap_or_default();
    let data = call.outgoing(opt::FROM, opt::LENGTH, HALFWORD_LENGTH_MAX)?;
    if let Some(system) = other_system(task, call)? {
        return Err(match router_hears(task, call)? && !runs_here(task, call) {
            true => routed(task, call, NOBODY_THERE),
            false => leads(task, call, system, None, NOBODY_THERE),
        });
    }
    let user = user(task, call)?;
    let transaction: TransactionName = call.need_name(opt::TRANSID)?;
    task.level_mut().eib.set_resource(Name8::new(transaction));
    let definition =
        Transactions::of(&task.region).get(transaction).ok_or_else(|| cond::TRANSIDERR.raise(0))?;
    let terminal = call.name(opt::TERMID)?;
    if terminal.is_none() && may_be_routed(task, call, &definition) && !runs_here(task, call) {
        return Err(routed(task, call, NOBODY_THERE));
    }
    let is_known = |terminal| Terminals::of(&task.region).is_known(terminal);
    // At a terminal of this region a task of the other one is routed when its time has come.
    if let Some(remote) = definition.remote.filter(|_| !terminal.is_some_and(is_known)) {
        let there = Some((opt::TRANSID, remote.name.trimmed()));
        return Err(leads(task, call, remote.system, there, NOBODY_THERE));
    }
    if !may_attach(&task.region, &user, &definition) {
        return Err(cond::NOTAUTH.raise(7));
    }
    if terminal.is_some_and(|terminal| !Terminals::of(&task.region).is_known(terminal)) {
        return Err(cond::TERMIDERR.raise(0));
    }
    if Notices::are_wanted(&task.region) {
        tells_descriptor(task, call, terminal)?;
    }
    let channel = match call.name(opt::CHANNEL)? {
        Some(name) => Some(task.channel(name).ok_or_else(|| cond::CHANNELERR.raise(2))?.snapshot()),
        None => None,
    };
    let counted = match &data {
        Some(bytes) => Some(IntervalControl::of(&task.region).counts(bytes)?),
        None => None,
    };
    let data = StartData {
        counted,
        data: data.map(|bytes| bytes.to_vec()),
        transaction: call.name(opt::RTRANSID)?,
        terminal: call.name(opt::RTERMID)?,
        queue: call.name(opt::QUEUE)?,
        kept: None,
    };
    let request: Name8 = match call.name(opt::REQID)? {
        Some(request) => request,
        None => IntervalControl::of(&task.region).new_request(),
    };
    task.level_mut().eib.set_request(request);
    // As published, what begins at a terminal or with attach data is a new point of origin.
    let begins = terminal.is_some() || call.command() == cmd::START_ATTACH;
    let origin = if begins { Origin::default() } else { Origin::from_task(task) };
    let followed = if begins { None } else { task.kept.take() };
    Ok(Asked {
        request,
        start: Start { transaction, terminal, data, channel, user, origin, followed },
        after,
    })
}

/// Those who listen hear of a START for the task's own terminal, with data and without a time: such STARTs, given without end, fill a
/// region with automatic initiate descriptors.
#[cold]
fn tells_descriptor(task: &Task, call: &Call<'_>, terminal: Option<TerminalName>) -> Outcome {
    const TIMES: [OptionId; 4] = [opt::INTERVAL, opt::TIME, opt::AFTER, opt::AT];
    let own = task.terminal().map(|own| own.name);
    if terminal.is_none() || terminal != own || !call.has(opt::FROM) {
        return Ok(());
    }
    if TIMES.iter().any(|option| call.has(*option)) {
        return Ok(());
    }
    match Notices::tell(&task.region, Some(&task.control), Notice::Descriptor) {
        true => Err(cond::INVREQ.raise(REFUSED_BY_RULE)),
        false => Ok(()),
    }
}

/// Returns true if a router says where a START without a terminal runs, or a routing program hears of it. One that another region asks
/// for stays where it was sent.
fn may_be_routed(task: &Task, call: &Call<'_>, definition: &Transaction) -> bool {
    let hears = || !Transactions::of(&task.region).distributed_router().is_blank();
    let is_asked = definition.is_distributed() || (definition.routable && hears());
    is_asked && call.command() != cmd::START_ATTACH && !task.start_code.is_link()
}

/// Returns true if a routing program hears of a START that names another system: it goes there, whatever the program says.
fn router_hears(task: &Task, call: &Call<'_>) -> Outcome<bool> {
    let transactions = Transactions::of(&task.region);
    if transactions.distributed_router().is_blank() || call.has(opt::TERMID) {
        return Ok(false);
    }
    let definition = transactions.get(call.need_name(opt::TRANSID)?);
    Ok(definition.is_some_and(|definition| definition.routable && may_be_routed(task, call, &definition)))
}

/// The outcome of a command for another system that cannot be asked.
const NOBODY_THERE: Raise = Raise::Condition(cond::SYSIDERR, 0);

/// SYSID, if it is another system's.
fn other_system(task: &Task, call: &Call<'_>) -> Outcome<Option<Name<4>>> {
    let system: Option<Name<4>> = call.name(opt::SYSID)?;
    Ok(system.filter(|system| *system != task.region.options.sysid))
}

fn user(task: &Task, call: &Call<'_>) -> Outcome<Arc<User>> {
    match call.name::<8>(opt::USERID)? {
        None => Ok(Arc::clone(&task.user)),
        Some(name) if name == task.user.id => Ok(Arc::clone(&task.user)),
        Some(name) => {
            let user = known(&task.region, name).ok_or_else(|| cond::USERIDERR.raise(8))?;
            match may_start_as(&task.region, &task.user, &task.control.transaction, user.id) {
                true => Ok(user),
                false => Err(cond::NOTAUTH.raise(NOT_A_SURROGATE)),
            }
        }
    }
}

/// RETRIEVE: the data of the START, then those of further STARTs of this transaction at this terminal whose time has
/// come, one after the other. ENDDATA afterwards, and for a task that was started without any.
async fn retrieve(task: &mut Task, call: &Call<'_>) -> Outcome {
    let first = task.kept.take::<StartData>().filter(|data| !data.is_empty());
    let data = match first {
        Some(data) => data,
        None => {
            let next = next_started(task, call.keyword(opt::WAIT)).await?;
            let next = next.ok_or_else(|| cond::ENDDATA.raise(0))?;
            next.kept.into_iter().for_each(|kept| task.work.begin_errand(kept));
            next
        }
    };
    give(task, call, data)
}

/// The data of the next START of the same transaction at the same terminal. With WAIT, none only when the terminal is
/// gone, or the task has none.
async fn next_started(task: &Task, waits: bool) -> Outcome<Option<StartData>> {
    let Some(terminal) = task.terminal().filter(|_| task.start_code.is_start()) else { return Ok(None) };
    let transaction = task.transaction.name;
    let has_data = |attach: &Attach| attach.kept.get().is_some_and(|data: &StartData| !data.is_empty());
    let attach = match terminal.take_started(transaction, has_data) {
        None if waits => {
            elsewhere().await;
            terminal.flush().await;
            task.wait(WaitKind::INTERVAL, terminal.wait_started(transaction, has_data)).await?
        }
        attach => attach,
    };
    Ok(attach.and_then(|mut attach| attach.kept.take()))
}

/// Gives the program what it asks for of a START's data.
fn give(task: &mut Task, call: &Call<'_>, data: StartData) -> Outcome {
    let missing = (call.has(opt::RTRANSID) && data.transaction.is_none())
        || (call.has(opt::RTERMID) && data.terminal.is_none())
        || (call.has(opt::QUEUE) && data.queue.is_none());
    if missing {
        return Err(cond::ENVDEFERR.raise(0));
    }
    put_name(call, opt::RTRANSID, data.transaction.as_ref().map(|n| n.as_bytes().as_slice()))?;
    put_name(call, opt::RTERMID, data.terminal.as_ref().map(|n| n.as_bytes().as_slice()))?;
    put_name(call, opt::QUEUE, data.queue.as_ref().map(|n| n.as_bytes().as_slice()))?;
    match data.data {
        Some(bytes) => call.deliver(&bytes, Delivery::PLAIN, |data| task.hold(data)),
        None if call.has(opt::INTO) || call.has(opt::SET) => Err(cond::ENVDEFERR.raise(0)),
        None => Ok(()),
    }
}

fn put_name(call: &Call<'_>, option: OptionId, name: Option<&[u8]>) -> Outcome {
    name.map_or(Ok(()), |name| call.put(option, name))
}

/// CANCEL: a pending START, or a DELAY or POST of another task; without REQID the task's own POST.
///
/// TRANSID says which transaction the START must be for.
async fn cancel(task: &mut Task, call: &Call<'_>) -> Outcome {
    let Some(request) = call.name::<8>(opt::REQID)? else {
        let withdrawn = task.kept.part::<LastPost>().withdraw();
        return if withdrawn { Ok(()) } else { Err(cond::INVREQ.raise(0)) };
    };
    task.level_mut().eib.set_request(request);
    if let Some(system) = other_system(task, call)? {
        return Err(leads(task, call, system, None, NOBODY_THERE));
    }
    let named = call.name(opt::TRANSID)?.and_then(|name| Transactions::of(&task.region).get(name));
    if let Some(remote) = named.and_then(|transaction| transaction.remote) {
        let there = Some((opt::TRANSID, remote.name.trimmed()));
        return Err(leads(task, call, remote.system, there, NOBODY_THERE));
    }
    if IntervalControl::of(&task.region).cut_short(request) {
        return Ok(());
    }
    // The record of a protected START is deleted when that is cancelled already.
    elsewhere().await;
    let cancelled = IntervalControl::of(&task.region).cancel_start(request, call.name(opt::TRANSID)?);
    match cancelled.ok_or_else(|| cond::NOTFND.raise(0))?.kept {
        Some(kept) => kept.forget(&task.region).await,
        None => Ok(()),
    }
}
