//! Commands whose resources are in another region.
//!
//! A handler finds out where its resource is, and before it does anything: by SYSID, or by the definition that it has looked up
//! anyway. It notes the place ([`leads`]) and raises what the command comes to if nobody can be asked there. The door looks for
//! such a note only behind a command that has failed, so that a command on a resource of this region pays nothing.

use std::sync::{Arc, OnceLock};

use spec::{CommandId, OptionId, cmd, opt};

use super::{Call, Waiting};
use crate::name::Name;
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
    /// The outcome if nobody can be asked.
    pub otherwise: Raise,
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
    task.kept.put(Leads { command: call.command(), system, renamed, otherwise });
    otherwise
}

/// Takes the note of a command that has come to this.
#[cold]
#[inline(never)]
pub(super) fn taken(task: &mut Task, call: &Call<'_>, raise: Raise) -> Option<Leads> {
    let leads = task.kept.take::<Leads>()?;
    (leads.command == call.command() && leads.otherwise == raise).then_some(leads)
}

/// The second and third byte of EIBRCODE behind SYSIDERR: the reason why a system cannot be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemReason(pub [u8; 2]);

impl TaskPart for SystemReason {}

/// The one who has commands answered by other regions.
pub trait Ships: Send + Sync {
    /// Has a command answered there, and fills its fields.
    fn ship<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, to: Leads) -> Waiting<'a>;
}

/// The one who does so for a region.
#[derive(Default)]
pub struct Shipper(OnceLock<Arc<dyn Ships>>);

impl Shipper {
    /// From now on this one ships the commands of a region. The first one stays.
    pub fn install(region: &Region, ships: Arc<dyn Ships>) {
        let _ = region.part::<Self>().0.set(ships);
    }
}

/// Counts a READ with UPDATE, whose counter it shares with the others.
pub(super) fn count_update(task: &Task, call: &Call<'_>) {
    if task.is_overseen() && call.command() == cmd::READ && call.keyword(opt::UPDATE) {
        task.adds_to(Amount::ReadsForUpdate, 1);
    }
}

/// Has a command answered by the region to which it leads.
pub(super) async fn ship(task: &mut Task, call: &Call<'_>, to: Leads) -> Outcome {
    let region = Arc::clone(&task.region);
    let Some(ships) = region.part::<Shipper>().0.get() else { return Err(to.otherwise) };
    let (system, watch) = (to.system, task.stopwatch());
    let program = call.name(opt::PROGRAM).ok().flatten().unwrap_or_default();
    let channel = call.name(opt::CHANNEL).ok().flatten().and_then(|name| task.channel(name));
    let passed = channel.as_ref().map(|channel| (&**channel, channel.bytes()));
    let outcome = ships.ship(task, call, to).await;
    count_update(task, call);
    task.has_shipped(call.command(), (program, system), passed, watch);
    outcome
}
