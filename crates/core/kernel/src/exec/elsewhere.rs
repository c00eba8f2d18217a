//! Commands whose resources are in another region.
//!
//! A handler finds out where its resource is, and before it does anything: by SYSID, or by the definition that it has looked up
//! anyway. It notes the place ([`leads`]) and raises what the command comes to if no region can be asked there. The door looks for
//! such a note only behind a command that has failed, so that a command on a resource of this region pays nothing.
//!
//! If no definition says the place of a resource, but a router ([`routed`]), the door asks that ([`Ships::route`]). A command that it
//! leaves in this region comes to its handler a second time ([`runs_here`]).

use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use spec::{CommandId, OptionId, cmd, cond, opt};

use super::{Call, Flow, Link, Waiting};
use crate::limits::TS_ITEM_LENGTH_MAX;
use crate::name::{Name, Name8};
use crate::raise::{Outcome, Raise};
use crate::region::Region;
use crate::task::{Amount, Task, TaskPart};

/// The place to which a command leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leads {
    command: CommandId,
    /// The system: the name of a CONNECTION or IPCONN.
    pub system: Name<4>,
    /// The option that names the resource, and the name that it has there; `None`: that of the command.
    pub renamed: Option<(OptionId, Vec<u8>)>,
    /// The outcome if no region can be asked.
    pub otherwise: Raise,
    /// The request waits if no session is free.
    pub waits: bool,
    is_routed: bool,
}

impl Leads {
    /// The place to which a command leads: this system, whose resource may have another name.
    pub fn to(
        call: &Call<'_>,
        system: Name<4>,
        renamed: Option<(OptionId, Vec<u8>)>,
        otherwise: Raise,
    ) -> Self {
        Self { command: call.command(), system, renamed, otherwise, waits: true, is_routed: false }
    }

    /// The command.
    pub fn command(&self) -> CommandId {
        self.command
    }

    /// Returns true if a router says the place.
    pub(super) fn is_routed(&self) -> bool {
        self.is_routed
    }
}

impl TaskPart for Leads {}

/// Notes that a command leads to another system. The handler returns what this returns, and has done nothing else.
#[cold]
pub fn leads(
    task: &mut Task,
    call: &Call<'_>,
    system: Name<4>,
    renamed: Option<(OptionId, &[u8])>,
    otherwise: Raise,
) -> Raise {
    let renamed = renamed.map(|(option, name)| (option, name.to_vec()));
    task.kept.put(Leads::to(call, system, renamed, otherwise));
    otherwise
}

/// Notes that a router says where a command is answered. The handler returns what this returns, and has done nothing else.
#[cold]
pub fn routed(task: &mut Task, call: &Call<'_>, otherwise: Raise) -> Raise {
    task.kept.put(Leads { is_routed: true, ..Leads::to(call, Name::BLANK, None, otherwise) });
    otherwise
}

/// The mark of a command that a router has left in this region.
struct RunsHere(CommandId);

impl TaskPart for RunsHere {}

/// Returns true if a router has left the command in this region: its handler asks no router again.
#[cold]
pub fn runs_here(task: &mut Task, call: &Call<'_>) -> bool {
    task.kept.take::<RunsHere>().is_some_and(|mark| mark.0 == call.command())
}

/// From now on the task's next command of this kind is one that a router has left in this region.
pub fn leave_here(task: &mut Task, command: CommandId) {
    task.kept.put(RunsHere(command));
}

/// Takes the note of a command that has come to this.
#[cold]
#[inline(never)]
pub(super) fn taken(task: &mut Task, call: &Call<'_>, raise: Raise) -> Option<Leads> {
    let leads = task.kept.take::<Leads>()?;
    (leads.command == call.command() && leads.otherwise == raise).then_some(leads)
}

/// The area of a routing program that hears of the beginning and the end of a task where that runs. A START that comes next in its
/// task takes it along.
#[derive(Clone)]
pub struct Followed(pub Arc<[u8]>);

impl TaskPart for Followed {}

/// The program with which such a task begins.
pub const FOLLOWS: &str = "DFHSHFOL";

/// The second and third byte of EIBRCODE behind SYSIDERR: the reason why a system cannot be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemReason(pub [u8; 2]);

impl TaskPart for SystemReason {}

/// The one who has commands answered by other regions.
pub trait Ships: Send + Sync {
    /// Has a command answered there, and fills its fields.
    fn ship<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, to: Leads) -> Waiting<'a>;

    /// Finds out where a command is answered whose place a router says.
    fn route<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, otherwise: Raise) -> Routing<'a>;

    /// The system of a region, as the definitions here name it; `None` if none leads to it.
    fn system_of(&self, region: &Region, applid: Name8) -> Option<OtherSystem>;
}

/// A region to which a definition leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherSystem {
    /// The name of its CONNECTION or IPCONN, as commands have it.
    pub name: Name<4>,
    /// The host and the port of an IPCONN; `None`: a CONNECTION.
    pub address: Option<(String, u16)>,
    /// Its link is there.
    pub is_linked: bool,
}

/// The future of a command whose place a router says.
pub type Routing<'a> = Pin<Box<dyn Future<Output = Outcome<Routed>> + 'a>>;

/// The answer of a router.
pub enum Routed {
    /// The command is answered in this region.
    Here,
    /// Another region has answered it.
    Done,
    /// A program gets control that has it answered.
    By(Link),
}

/// The one who does so for a region.
#[derive(Default)]
pub struct Shipper(OnceLock<Arc<dyn Ships>>);

impl Shipper {
    /// From now on this one ships the commands of a region. The first one stays.
    pub fn install(region: &Region, ships: Arc<dyn Ships>) {
        let _ = region.part::<Self>().0.set(ships);
    }

    /// The system of a region; `None` if no definition leads to it.
    pub fn system_of(region: &Region, applid: Name8) -> Option<OtherSystem> {
        region.part::<Self>().0.get()?.system_of(region, applid)
    }
}

/// Counts a READ with UPDATE, whose counter it shares with the others.
pub(super) fn count_update(task: &Task, call: &Call<'_>) {
    if task.is_overseen() && call.command() == cmd::READ && call.keyword(opt::UPDATE) {
        task.adds_to(Amount::ReadsForUpdate, 1);
    }
}

/// Counts a WRITEQ TS, which its handler counts only if the queue is here.
fn count_write(task: &Task, call: &Call<'_>) {
    if task.is_overseen() && call.command() == cmd::WRITEQ_TS {
        let length = call.outgoing_length(opt::FROM, opt::LENGTH, TS_ITEM_LENGTH_MAX);
        task.adds_to(Amount::TsWrites, 1);
        task.adds_to(Amount::TsBytes, length.unwrap_or_default());
    }
}

/// Asks the router of a command: the flow of control, or `None` if its handler is to answer it.
pub(super) async fn route(task: &mut Task, call: &Call<'_>, otherwise: Raise) -> Outcome<Option<Flow>> {
    let region = Arc::clone(&task.region);
    let Some(ships) = region.part::<Shipper>().0.get() else { return Err(otherwise) };
    Ok(match ships.route(task, call, otherwise).await? {
        Routed::Here => {
            leave_here(task, call.command());
            None
        }
        Routed::Done => Some(Flow::On),
        Routed::By(link) => Some(Flow::Link(link)),
    })
}

/// Has a command answered by the region to which it leads.
///
/// # Errors
/// The command's condition, or an abend.
pub async fn ship(task: &mut Task, call: &Call<'_>, to: Leads) -> Outcome {
    let region = Arc::clone(&task.region);
    let Some(ships) = region.part::<Shipper>().0.get() else { return Err(to.otherwise) };
    let (system, watch) = (to.system, task.stopwatch());
    let program = call.name(opt::PROGRAM).ok().flatten().unwrap_or_default();
    let channel = call.name(opt::CHANNEL).ok().flatten().and_then(|name| task.channel(name));
    let passed = channel.as_ref().map(|channel| (&**channel, channel.bytes()));
    let outcome = ships.ship(task, call, to).await;
    count_update(task, call);
    count_write(task, call);
    task.has_shipped(call.command(), (program, system), passed, watch);
    if tracing::enabled!(target: "EI", tracing::Level::TRACE) {
        trace(task, call, system, outcome);
    }
    outcome
}

#[cold]
fn trace(task: &Task, call: &Call<'_>, system: Name<4>, outcome: Outcome) {
    let (condition, resp2) = match outcome {
        Ok(()) => (cond::NORMAL, 0),
        Err(Raise::Condition(condition, resp2)) => (condition, resp2),
        Err(Raise::Abend(_)) => return,
    };
    tracing::trace!(
        target: "EI",
        program = %task.level().program,
        statement = call.statement(),
        command = call.command().0,
        resp = condition.resp(),
        resp2,
        system = %system,
        "{} {}({}) {resp2} of {system}", spec::command(call.command()).name, condition.name(), condition.resp()
    );
}
