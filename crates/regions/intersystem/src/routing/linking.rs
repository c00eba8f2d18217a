//! LINKs that a routing program places: a program of the region's own stands between the one that LINKs and the one that is
//! LINKed to, until the place is known.
//!
//! ```text
//! select (0) ─► here: the LINKed program takes the level
//!            ─► there: LINK ─► ended (2), abended (4), if the program wants to hear it
//!                       └─ fails ─► error (1) ─► as the program says
//! ```

use std::sync::Arc;

use kernel::channels::{Channel, DataType};
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Call, Content, Flow, Link, Parcel, Routed};
use kernel::meters::Figure;
use kernel::name::{Name, Name8, Name16, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::{Outcome, Raise};
use kernel::task::{Commarea, Task, TaskPart};
use kernel::transactions::Transactions;
use spec::{Condition, cmd, cond, opt};

use super::choice;
use super::program::{self, Passed, fault_of};
use super::wanted::{NOBODY, Wanted};
use crate::dypds::{Dypds, Function, Kind, RoutingFault};
use crate::limits::ROUTE_TRIES_MAX;
use crate::shipping::{NotTaken, commarea_length};
use crate::systems::Systems;

/// The outcome of a LINK that the routing program refuses. Its number is recalled, not read.
const REJECTED: Raise = Raise::Condition(cond::PGMIDERR, 25);
/// The container that a routing program sees of a channel.
const ROUTE: &str = "DFHROUTE";
/// The part of the region that asks, in DYRCOMP. Recalled, not read.
const COMPONENT: [u8; 2] = *b"PG";

/// A LINK whose place a routing program says.
struct Linking {
    wanted: Wanted,
    channel: Option<Arc<Channel>>,
    /// DATALENGTH.
    sent: Option<i64>,
}

impl TaskPart for Linking {}

/// The program that gets control for such a LINK. It is named like the one that is LINKed to, for which it stands.
///
/// # Errors
/// The LINK's condition, or an abend.
pub(super) fn by_program(task: &mut Task, call: &Call<'_>, wanted: Wanted) -> Outcome<Routed> {
    let length = commarea_length(call)?;
    let commarea = match call.address(opt::COMMAREA) {
        Some(address) => Some(Commarea::Lent { address, length }),
        None => call.bytes_of(opt::COMMAREA, length)?.map(|bytes| Commarea::held(&bytes)),
    };
    let channel = match call.name::<16>(opt::CHANNEL)? {
        Some(name) => Some(task.channel_to_pass(name)?),
        None => None,
    };
    let input_message = call.bytes(opt::INPUTMSG)?.map(|bytes| bytes.to_vec());
    let program = Arc::new(Program::supplied(wanted.name, stands_between));
    let sent = call.number(opt::DATALENGTH)?;
    task.kept.put(Linking { wanted, channel, sent });
    Ok(Routed::By(Link { program, commarea, channel: None, input_message }))
}

fn stands_between<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let Some(linking) = context.task().kept.take::<Linking>() else { return Ok(Flow::Return) };
        context.level_mut().channel.clone_from(&linking.channel);
        match placed(context, &linking).await {
            Ok(flow) => Ok(flow),
            Err(raise @ Raise::Condition(..)) => {
                context.task().came_to = Some(raise);
                Ok(Flow::Return)
            }
            Err(abend) => Err(abend),
        }
    })
}

/// Asks the routing program until the LINK has run.
async fn placed(context: &mut Context<'_>, linking: &Linking) -> Outcome<Flow> {
    let own = context.region.options.sysid;
    let router = Transactions::of(&context.region).router();
    let mut area = first(context, linking);
    let passed = pass(context, router, &mut area, linking)?;
    let mut outcome = REJECTED;
    area.call(Function::Select);
    for _ in 0..ROUTE_TRIES_MAX {
        area = program::call(context, router, area).await?;
        take_back(context, passed, linking).await?;
        if area.return_code() != 0 {
            return Err(outcome);
        }
        let system: Name<4> = Name::new(area.system());
        let is_here = system.is_blank() || system == own;
        if is_here && !linking.wanted.is_remote() {
            return here(context, Name8::new(area.program()), linking);
        }
        let fault = match is_here {
            true => (RoutingFault::Unknown, NOBODY),
            false => match there(context, linking, system, &area).await {
                Ok(()) => {
                    ended(context, router, area, passed).await?;
                    return Ok(Flow::Return);
                }
                Err(Raise::Abend(code)) => {
                    if area.wants_end() && !context.is_purged() {
                        area.set_abend(*code.as_bytes());
                        area.call(Function::Abended);
                        let _ = program::call(context, router, area).await?;
                    }
                    return Err(Raise::Abend(code));
                }
                Err(raise) => (fault(context, &area, raise), raise),
            },
        };
        outcome = fault.1;
        area.set_fault(fault.0);
        area.call(Function::Error);
    }
    Err(outcome)
}

/// The area for the first call.
fn first(context: &Context<'_>, linking: &Linking) -> Dypds {
    let region = &context.region;
    let (system, name) = linking.wanted.place(region);
    let mut area = Dypds::new();
    area.set_kind(if linking.channel.is_some() { Kind::LinkWithChannel } else { Kind::Link });
    if let Some(channel) = &linking.channel {
        area.set_channel(channel.name.as_bytes());
    }
    area.set_component(COMPONENT);
    let partner = Systems::of(region).of_system(system);
    let netname = partner.map_or(region.options.applid, |partner| partner.applid);
    area.set_system(*system.as_bytes(), *netname.as_bytes());
    area.set_transaction(*Name8::new(linking.wanted.mirror()).as_bytes());
    area.set_program(*name.as_bytes());
    area.set_user(*context.user.id.as_bytes(), context.priority);
    area
}

/// The container that the routing program sees.
fn container(linking: &Linking) -> Option<(&Channel, Vec<u8>, DataType)> {
    let channel = linking.channel.as_deref()?;
    let container = channel.get(Name16::from(ROUTE))?;
    Some((channel, container.data.to_vec(), container.data_type))
}

/// Gives the routing program the COMMAREA, or container DFHROUTE.
fn pass(context: &mut Context<'_>, router: Name8, area: &mut Dypds, linking: &Linking) -> Outcome<Passed> {
    if !context.is_cobol(router) {
        return Ok(None);
    }
    let bytes = match container(linking) {
        Some((_, bytes, _)) => Some(bytes),
        None => context.commarea()?,
    };
    let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else { return Ok(None) };
    let pointer = program::held(context, &bytes)?;
    area.set_commarea(pointer, bytes.len());
    Ok(Some((pointer, bytes.len())))
}

/// The LINK has them as the routing program has left them.
async fn take_back(context: &mut Context<'_>, passed: Passed, linking: &Linking) -> Outcome {
    let Some(now) = passed.and_then(|(pointer, length)| context.bytes_in_window(pointer, length)) else {
        return Ok(());
    };
    match container(linking) {
        Some((_, before, _)) if before == now => Ok(()),
        Some((channel, _, kind)) => {
            context.task().put_container(channel, Name16::from(ROUTE), now, kind).await
        }
        None => context.set_commarea(&now),
    }
}

/// The program runs in this region: it takes the level, as if it had been LINKed to.
fn here(context: &mut Context<'_>, name: Name8, linking: &Linking) -> Outcome<Flow> {
    let name = if name.is_blank() { linking.wanted.name } else { name };
    let program = Programs::of(&context.region).usable(name).map_err(Raise::from)?;
    let level = context.level_mut();
    level.program = level.invoked_by;
    let (commarea, channel) = (level.commarea.take(), level.channel.take());
    let input_message = level.input_message.take();
    if channel.is_some() {
        context.adds(Figure::LinksWithChannel, 1);
    }
    Ok(Flow::Xctl(Link { program, commarea, channel, input_message }))
}

/// The program runs in another region.
async fn there(context: &mut Context<'_>, linking: &Linking, system: Name<4>, area: &Dypds) -> Outcome {
    if context.level().input_message.is_some() {
        return Err(Raise::Condition(cond::INVREQ, INPUT_MESSAGE));
    }
    let program = Name8::new(area.program());
    let program = if program.is_blank() { linking.wanted.place(&context.region).1 } else { program };
    // TRANSID of the command is not changed.
    let chosen = || TransactionName::new(Name8::new(area.transaction()).trimmed());
    let transaction = linking.wanted.transaction.unwrap_or_else(chosen);
    let parcel = parcel(linking, program, transaction, context.commarea()?);
    let Some(call) = parcel.as_ref().and_then(Call::over) else { return Err(NOBODY) };
    let way = (system, area.waits());
    match choice::at(context.task(), &call, way, None, NOBODY).await? {
        Ok(()) => {}
        Err(why) => {
            context.task().kept.put(why);
            return Err(NOBODY);
        }
    }
    if let Some(Content::Bytes(bytes)) = parcel.as_ref().and_then(|parcel| parcel.content(opt::COMMAREA)) {
        context.set_commarea(&bytes)?;
    }
    Ok(())
}

/// RESP2 of INVREQ: INPUTMSG, which another region cannot give its program.
const INPUT_MESSAGE: i32 = 19;

/// The LINK as a command; `None`: one of its parts does not fit.
fn parcel(
    linking: &Linking,
    program: Name8,
    transaction: TransactionName,
    commarea: Option<Vec<u8>>,
) -> Option<Parcel> {
    let mut parcel = Parcel::new(cmd::LINK);
    let name = |name: &[u8]| Content::Bytes(name.to_vec());
    parcel.give(opt::PROGRAM, name(program.trimmed())).ok()?;
    if !transaction.is_blank() {
        parcel.give(opt::TRANSID, name(transaction.as_bytes())).ok()?;
    }
    if let Some(bytes) = commarea {
        parcel.give(opt::LENGTH, Content::Number(bytes.len() as i64)).ok()?;
        parcel.give(opt::COMMAREA, Content::Bytes(bytes)).ok()?;
    }
    if let Some(sent) = linking.sent {
        parcel.give(opt::DATALENGTH, Content::Number(sent)).ok()?;
    }
    if let Some(channel) = &linking.channel {
        parcel.give(opt::CHANNEL, name(channel.name.as_bytes())).ok()?;
    }
    if linking.wanted.syncs {
        parcel.keyword(opt::SYNCONRETURN).ok()?;
    }
    Some(parcel)
}

/// The routing program hears that the LINK has ended, if it wants to: it sees what has come back.
async fn ended(context: &mut Context<'_>, router: Name8, mut area: Dypds, passed: Passed) -> Outcome {
    if !area.wants_end() {
        return Ok(());
    }
    if passed.is_some()
        && let Some(bytes) = context.commarea()?.filter(|bytes| !bytes.is_empty())
    {
        let pointer = program::held(context, &bytes)?;
        area.set_commarea(pointer, bytes.len());
    }
    area.call(Function::Ended);
    program::call(context, router, area).await.map(drop)
}

/// DYRERROR of a LINK that has failed.
fn fault(context: &mut Context<'_>, area: &Dypds, raise: Raise) -> RoutingFault {
    if let Some(why) = context.task().kept.take::<NotTaken>() {
        return fault_of(why, area.waits());
    }
    const CONDITIONS: [(Condition, RoutingFault); 6] = [
        (cond::LENGERR, RoutingFault::Length),
        (cond::PGMIDERR, RoutingFault::Program),
        (cond::INVREQ, RoutingFault::Invalid),
        (cond::NOTAUTH, RoutingFault::NotAuthorized),
        (cond::TERMERR, RoutingFault::Lost),
        (cond::ROLLEDBACK, RoutingFault::RolledBack),
    ];
    let Raise::Condition(condition, _) = raise else { return RoutingFault::NotSupported };
    CONDITIONS
        .iter()
        .find(|(known, _)| *known == condition)
        .map_or(RoutingFault::NotSupported, |(_, fault)| *fault)
}
