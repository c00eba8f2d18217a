//! STARTs without a terminal: the program that DSRTPGM names says where one runs that no definition and no SYSID places, or the region;
//! of one that is placed, the program hears.

use std::sync::Arc;

use kernel::channels::Channel;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Call, Flow, Followed, Leads, Link, Parcel, Routed, SystemReason, leave_here, ship};
use kernel::name::{Name, Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, TaskPart};
use kernel::transactions::{Transaction, Transactions};
use spec::{cond, opt};

use super::choice::{self, Choice};
use super::program::{self, Asks, fault_of};
use crate::affinity::Belongs;
use crate::dypds::{Dypds, Function, Kind, RoutingFault};
use crate::limits::ROUTE_TRIES_MAX;
use crate::shipping::NotTaken;
use crate::systems::Systems;

/// The outcome of a START that no system takes; and of one that the routing program refuses.
const NOBODY: Raise = Raise::Condition(cond::SYSIDERR, 0);
const REJECTED: Raise = Raise::Condition(cond::SYSIDERR, 1);
/// The abend of a program that has nothing to ask for.
const NOT_ASKED: &str = "AZTA";
/// The part of the region that asks, in DYRCOMP.
const COMPONENT: [u8; 2] = *b"SH";

/// Finds out where a START runs.
///
/// # Errors
/// The condition of the START, or an abend.
pub(crate) async fn start(task: &mut Task, call: &Call<'_>, _: Raise) -> Outcome<Routed> {
    let region = Arc::clone(&task.region);
    if task.kept.part::<Asks>().0 {
        return Ok(Routed::Here);
    }
    let name: TransactionName = call.need_name(opt::TRANSID)?;
    let transaction = Transactions::of(&region).get(name).ok_or_else(|| cond::TRANSIDERR.raise(0))?;
    let router = Transactions::of(&region).distributed_router();
    if !router.is_blank() && Programs::of(&region).usable(router).is_ok() {
        let named = call.name(opt::SYSID)?.filter(|system| *system != region.options.sysid);
        return by_program(task, call, transaction, named);
    }
    // Its handler sends it to the system that SYSID names.
    if !transaction.dynamic || call.has(opt::SYSID) {
        return Ok(Routed::Here);
    }
    by_region(task, call, &transaction).await
}

/// The system and the name that the definition says.
fn place(own: Name<4>, transaction: &Transaction) -> (Name<4>, Name8) {
    let here = (own, Name8::new(transaction.name));
    transaction.remote.map_or(here, |remote| (remote.system, remote.name))
}

/// Chooses by affinity, health, load and link.
async fn by_region(task: &mut Task, call: &Call<'_>, transaction: &Transaction) -> Outcome<Routed> {
    let region = Arc::clone(&task.region);
    let own = region.options.sysid;
    let (defined, name) = place(own, transaction);
    let affinities = &Systems::of(&region).setup().affinities;
    let belongs = Belongs::of_request(affinities, transaction.name, task.user.id, None);
    let mut choice = Choice::new(&region, defined, None, belongs);
    if transaction.remote.is_some() {
        choice.without(own);
    }
    while let Some(system) = choice.next() {
        if system == own {
            return Ok(Routed::Here);
        }
        let there = Some((opt::TRANSID, name.trimmed().to_vec()));
        match choice::at(task, call, (system, choice.waits()), there, NOBODY).await? {
            Ok(()) => return Ok(Routed::Done),
            Err(_) => choice.not_taken(system),
        }
    }
    Err(NOBODY)
}

/// A START whose place a routing program says.
struct Starting {
    transaction: Arc<Transaction>,
    parcel: Parcel,
    channel: Option<Arc<Channel>>,
    /// The system that SYSID names.
    named: Option<Name<4>>,
}

/// The same on its way to the program that asks; the command as bytes.
struct Kept {
    transaction: Arc<Transaction>,
    parcel: Vec<u8>,
    channel: Option<Arc<Channel>>,
    named: Option<Name<4>>,
}

impl TaskPart for Kept {}

fn by_program(
    task: &mut Task,
    call: &Call<'_>,
    transaction: Arc<Transaction>,
    named: Option<Name<4>>,
) -> Outcome<Routed> {
    let parcel = Parcel::of_shipped(call, &Leads::to(call, Name::BLANK, None, NOBODY))?;
    let channel = match call.name(opt::CHANNEL)? {
        Some(name) => Some(task.channel(name).ok_or_else(|| cond::CHANNELERR.raise(2))?),
        None => None,
    };
    let own = task.level().program;
    task.kept.put(Kept { transaction, parcel: parcel.to_bytes(), channel, named });
    let program = Arc::new(Program::supplied(own, stands_between));
    Ok(Routed::By(Link { program, commarea: None, channel: None, input_message: None }))
}

fn stands_between<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let Some(Kept { transaction, parcel, channel, named }) = context.task().kept.take() else {
            return Ok(Flow::Return);
        };
        let parcel = Parcel::from_bytes(&parcel).map_err(|_| Raise::abend(NOT_ASKED))?;
        let starting = Starting { transaction, parcel, channel, named };
        context.level_mut().channel.clone_from(&starting.channel);
        let outcome = placed(context, &starting).await;
        let request = context.level().eib.request();
        let name = Name8::new(starting.transaction.name);
        if let Some(caller) = context.task().caller_mut() {
            caller.eib.set_request(request);
            caller.eib.set_resource(name);
        }
        match outcome {
            Ok(()) => {}
            Err(raise @ Raise::Condition(..)) => context.task().came_to = Some(raise),
            Err(abend) => return Err(abend),
        }
        Ok(Flow::Return)
    })
}

/// Asks the routing program until a system has taken the START, and says so to it.
async fn placed(context: &mut Context<'_>, starting: &Starting) -> Outcome {
    let router = Transactions::of(&context.region).distributed_router();
    let mut area = first(context, starting);
    if starting.named.is_some() || !starting.transaction.dynamic {
        area.call(Function::Notify);
        area = program::call(context, router, area).await?;
        let outcome = match starting.named {
            Some(system) => at_named(context, starting, system, &mut area).await,
            None => here(context, starting, &area).await,
        };
        return complete(context, router, area, outcome).await;
    }
    let own = context.region.options.sysid;
    let mut outcome = Err(REJECTED);
    area.call(Function::Select);
    for _ in 0..ROUTE_TRIES_MAX {
        area = program::call(context, router, area).await?;
        if area.return_code() != 0 {
            outcome = Err(REJECTED);
            break;
        }
        let system: Name<4> = Name::new(area.system());
        let is_here = system.is_blank() || system == own;
        if is_here && starting.transaction.remote.is_none() {
            outcome = here(context, starting, &area).await;
            break;
        }
        outcome = Err(NOBODY);
        let fault = match is_here {
            true => RoutingFault::Unknown,
            false => match there(context, starting, system, &area).await {
                Ok(Ok(())) => {
                    outcome = Ok(());
                    break;
                }
                Ok(Err(fault)) => fault,
                Err(raise) => {
                    outcome = Err(raise);
                    break;
                }
            },
        };
        area.set_fault(fault);
        area.call(Function::Error);
    }
    complete(context, router, area, outcome).await
}

/// The routing program hears that the START was routed, or could not be.
async fn complete(context: &mut Context<'_>, router: Name8, mut area: Dypds, outcome: Outcome) -> Outcome {
    if !context.is_purged() {
        // Why a system cannot be asked belongs to the START, whatever the program asks for meanwhile.
        let reason = context.task().kept.take::<SystemReason>();
        area.call(Function::Complete);
        let _ = program::call(context, router, area).await?;
        if let Some(reason) = reason {
            context.task().kept.put(reason);
        }
    }
    outcome
}

/// The area for the first call.
fn first(context: &Context<'_>, starting: &Starting) -> Dypds {
    let region = &context.region;
    let (mut system, mut name) = place(region.options.sysid, &starting.transaction);
    if let Some(named) = starting.named {
        (system, name) = (named, Name8::new(starting.transaction.name));
    }
    let mut area = Dypds::new();
    let with_channel = starting.channel.is_some();
    area.set_kind(if with_channel { Kind::DistributedWithChannel } else { Kind::Distributed });
    if let Some(channel) = &starting.channel {
        area.set_channel(channel.name.as_bytes());
    }
    area.set_component(COMPONENT);
    area.set_system_alone(*system.as_bytes());
    area.set_transaction(*name.as_bytes());
    area.set_user(*context.user.id.as_bytes(), 0);
    area
}

/// The START takes the area along if the routing program wants to hear of its task where that runs.
fn follow(context: &mut Context<'_>, area: &Dypds) {
    if area.wants_end() {
        context.task().kept.put(Followed(area.bytes().into()));
    }
}

/// The START is carried out as its definition says.
async fn here(context: &mut Context<'_>, starting: &Starting, area: &Dypds) -> Outcome {
    follow(context, area);
    leave_here(context.task(), starting.parcel.command().id);
    let issued = context.issue(&starting.parcel).await;
    // A START that was refused has left it.
    let _ = context.task().kept.take::<Followed>();
    issued.map_err(|abend| Raise::Abend(abend.code))?;
    match starting.parcel.response() {
        None | Some((cond::NORMAL, _)) => Ok(()),
        Some((condition, resp2)) => Err(condition.raise(resp2)),
    }
}

/// The START is carried out by the region that it names; the program sees why that has not taken it.
async fn at_named(
    context: &mut Context<'_>,
    starting: &Starting,
    system: Name<4>,
    area: &mut Dypds,
) -> Outcome {
    let Some(call) = Call::over(&starting.parcel) else { return Err(NOBODY) };
    follow(context, area);
    let _ = context.task().kept.take::<NotTaken>();
    let shipped = ship(context.task(), &call, Leads::to(&call, system, None, NOBODY)).await;
    let _ = context.task().kept.take::<Followed>();
    if let Some(why) = context.task().kept.take::<NotTaken>() {
        area.set_fault(fault_of(why, true));
    }
    shipped
}

/// The START is carried out by another region; inside, why that has not taken it.
async fn there(
    context: &mut Context<'_>,
    starting: &Starting,
    system: Name<4>,
    area: &Dypds,
) -> Outcome<Result<(), RoutingFault>> {
    let name = Name8::new(area.transaction());
    let name = if name.is_blank() { Name8::new(starting.transaction.name) } else { name };
    let Some(call) = Call::over(&starting.parcel) else { return Err(NOBODY) };
    let there = Some((opt::TRANSID, name.trimmed().to_vec()));
    follow(context, area);
    let taken = choice::at(context.task(), &call, (system, true), there, NOBODY).await;
    let _ = context.task().kept.take::<Followed>();
    Ok(taken?.map_err(|why| fault_of(why, true)))
}
