//! LINK, XCTL, RETURN, ABEND.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use kernel::channels::Channel;
use kernel::exec::{Answers, Call, Flow, Handler, Link, leads, routed, runs_here};
use kernel::limits::{COMMAREA_LENGTH_MAX, HALFWORD_LENGTH_MAX, LINK_LEVELS_MAX};
use kernel::lines::often;
use kernel::meters::Figure;
use kernel::name::{Name, Name8};
use kernel::programs::{LoadError, Programs};
use kernel::raise::{Abend, AbendCode, Outcome, Raise, RaiseCondition};
use kernel::storage::StorageAddress;
use kernel::task::{Commarea, NextTask, Task};

/// RESP2 of LENGERR and SYSIDERR.
mod resp2 {
    /// LINK and RETURN: the COMMAREA's length is below zero or above the longest.
    pub const LENGTH: i32 = 11;
    /// DATALENGTH is below zero.
    pub const DATALENGTH: i32 = 12;
    /// DATALENGTH is more than the COMMAREA has.
    pub const DATALENGTH_ABOVE: i32 = 13;
    /// LINK: SYSID names no connection.
    pub const NO_SUCH_SYSTEM: i32 = 18;
    /// The COMMAREA has a length, and no address.
    pub const NO_COMMAREA: i32 = 26;
    /// The same of XCTL.
    pub const XCTL_LENGTH: i32 = 28;
    /// The same of INPUTMSG.
    pub const INPUTMSG_LENGTH: i32 = 27;
}

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::LINK, Handler::Control(link)),
    (cmd::XCTL, Handler::Control(xctl)),
    (cmd::RETURN, Handler::Control(return_)),
    (cmd::ABEND, Handler::Control(abend)),
];

/// LINK: order of checks: length, system, channel, program. TRANSID is for a program of another region.
fn link(task: &mut Task, call: &Call<'_>) -> Outcome<Flow> {
    if task.depth() >= LINK_LEVELS_MAX {
        let program = task.level().program;
        often!(error, target: "AP", "task {}: {program} is link level {LINK_LEVELS_MAX}: do programs LINK to each other without end?", task.number);
        return Err(Raise::abend("APCL"));
    }
    let length = commarea_length(call, resp2::LENGTH)?;
    check_data_length(call, length)?;
    let system: Option<Name<4>> = call.name(opt::SYSID)?;
    let system = system.filter(|system| !system.is_blank());
    if let Some(system) = system.filter(|system| *system != task.region.options.sysid) {
        return Err(leads(task, call, system, None, NOBODY_THERE));
    }
    let commarea = match call.address(opt::COMMAREA) {
        Some(address) => Some(Commarea::Lent { address, length }),
        // A caller whose bytes are no storage of the task gives a copy.
        None => call.bytes_of(opt::COMMAREA, length)?.map(|bytes| Commarea::held(&bytes)),
    };
    let link = match target(task, call, commarea, NOBODY_THERE) {
        Err(NOBODY_THERE) => return Err(elsewhere(task, call, system)?),
        Err(NOT_DEFINED) if system.is_none() && !runs_here(task, call) => {
            return Err(routed(task, call, NOT_DEFINED));
        }
        link => link?,
    };
    if link.program.dynamic && system.is_none() && !runs_here(task, call) {
        return Err(routed(task, call, NOBODY_THERE));
    }
    Ok(Flow::Link(link))
}

/// The outcome of a LINK to a program without a definition, which a router may place.
const NOT_DEFINED: Raise = Raise::Condition(cond::PGMIDERR, LoadError::NotDefined as i32);

/// The outcome of a LINK to a program of another system that cannot be asked.
const NOBODY_THERE: Raise = Raise::Condition(cond::SYSIDERR, resp2::NO_SUCH_SYSTEM);

/// A LINK to a program that is defined as one of another system, or that a router places. `named`: SYSID names this region.
#[cold]
fn elsewhere(task: &mut Task, call: &Call<'_>, named: Option<Name<4>>) -> Outcome<Raise> {
    let name: Name8 = call.need_name(opt::PROGRAM)?;
    let Some(program) = Programs::of(&task.region).get(name) else { return Ok(NOBODY_THERE) };
    let Some(remote) = program.remote else { return Ok(NOBODY_THERE) };
    if program.dynamic && named.is_none() && !runs_here(task, call) {
        return Ok(routed(task, call, NOBODY_THERE));
    }
    let there = Some((opt::PROGRAM, remote.name.trimmed()));
    Ok(leads(task, call, remote.system, there, NOBODY_THERE))
}

/// XCTL: the COMMAREA is copied, since the program that owns it is over.
fn xctl(task: &mut Task, call: &Call<'_>) -> Outcome<Flow> {
    let length = commarea_length(call, resp2::XCTL_LENGTH)?;
    let own = task
        .level()
        .commarea
        .as_ref()
        .is_some_and(|own| call.address(opt::COMMAREA) == Some(own.address()) && length <= own.length());
    let copy = match own {
        true => None,
        false => call.bytes_of(opt::COMMAREA, length)?.map(|bytes| Commarea::held(&bytes)),
    };
    let mut link = target(task, call, copy, cond::PGMIDERR.raise(LoadError::Remote as i32))?;
    if own {
        // The area it was itself given stays where it is, so that a program above sees the changes. Until here it may still need it.
        link.commarea = task.level_mut().commarea.take();
    }
    if link.channel.is_some() {
        task.adds(Figure::XctlsWithChannel, 1);
    }
    Ok(Flow::Xctl(link))
}

/// Finds the program that gets control; `remote` is raised if it is a program of another system.
fn target(task: &mut Task, call: &Call<'_>, commarea: Option<Commarea>, remote: Raise) -> Outcome<Link> {
    let channel = channel(task, call)?;
    let name: Name8 = call.need_name(opt::PROGRAM)?;
    let input_message = input_message(call)?;
    task.level_mut().eib.set_resource(name);
    let program = Programs::of(&task.region).usable(name).map_err(|error| match error {
        LoadError::Remote => remote,
        error => Raise::from(error),
    })?;
    Ok(Link { program, commarea, channel, input_message })
}

/// The COMMAREA's length: LENGTH, or that of the area.
fn commarea_length(call: &Call<'_>, wrong: i32) -> Outcome<usize> {
    let length = match call.number(opt::LENGTH)? {
        Some(length) => length,
        None => call.size(opt::COMMAREA) as i64,
    };
    match usize::try_from(length) {
        Ok(0) => Ok(0),
        Ok(_) if call.address(opt::COMMAREA) == Some(StorageAddress::NULL) => {
            Err(cond::LENGERR.raise(resp2::NO_COMMAREA))
        }
        Ok(length) if length <= COMMAREA_LENGTH_MAX => Ok(length),
        _ => Err(cond::LENGERR.raise(wrong)),
    }
}

/// DATALENGTH of LINK: how much of the COMMAREA has to travel to another region. Here all of it stays where it is.
fn check_data_length(call: &Call<'_>, length: usize) -> Outcome {
    match call.number(opt::DATALENGTH)?.map(usize::try_from) {
        Some(Err(_)) => Err(cond::LENGERR.raise(resp2::DATALENGTH)),
        Some(Ok(sent)) if sent > length => Err(cond::LENGERR.raise(resp2::DATALENGTH_ABOVE)),
        _ => Ok(()),
    }
}

fn channel(task: &mut Task, call: &Call<'_>) -> Outcome<Option<Arc<Channel>>> {
    match call.name(opt::CHANNEL)? {
        None => Ok(None),
        Some(name) => task.channel_to_pass(name).map(Some),
    }
}

fn input_message(call: &Call<'_>) -> Outcome<Option<Vec<u8>>> {
    let message = call.outgoing(opt::INPUTMSG, opt::INPUTMSGLEN, HALFWORD_LENGTH_MAX);
    let message = message.map_err(|raise| match raise {
        Raise::Condition(condition, _) => condition.raise(resp2::INPUTMSG_LENGTH),
        abend => abend,
    })?;
    Ok(message.map(|bytes| bytes.to_vec()))
}

/// RETURN. The transaction of the next input may be named at any level; what is passed to it, and IMMEDIATE, are for the
/// highest alone.
fn return_(task: &mut Task, call: &Call<'_>) -> Outcome<Flow> {
    let passes = call.has(opt::COMMAREA) || call.has(opt::CHANNEL);
    if task.depth() > 1 && (passes || call.keyword(opt::IMMEDIATE)) {
        return Err(cond::INVREQ.raise(2));
    }
    let names = call.has(opt::TRANSID);
    if (names && task.terminal().is_none()) || (passes && !names) {
        return Err(cond::INVREQ.raise(1));
    }
    if names {
        let length = commarea_length(call, resp2::LENGTH)?;
        task.next = NextTask {
            commarea: call.bytes_of(opt::COMMAREA, length)?.map(|bytes| bytes.to_vec()),
            channel: channel(task, call)?,
            input_message: input_message(call)?,
            immediate: call.keyword(opt::IMMEDIATE),
            transaction: call.name(opt::TRANSID)?,
        };
    }
    Ok(Flow::Return)
}

/// ABEND: without ABCODE there is no dump, and the code is blank.
fn abend(_: &mut Task, call: &Call<'_>) -> Outcome<Flow> {
    let code: Option<AbendCode> = call.name(opt::ABCODE)?;
    Ok(Flow::Abend(Abend {
        code: code.unwrap_or(AbendCode::from("????")),
        cancel: call.keyword(opt::CANCEL),
        dump: code.is_some() && !call.keyword(opt::NODUMP),
    }))
}
