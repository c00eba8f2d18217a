//! The systems that are tried for a LINK or a START, one after the other, where no program says so.

use std::sync::Arc;

use kernel::exec::{Call, Leads, ship};
use kernel::name::Name;
use kernel::raise::{Outcome, Raise};
use kernel::region::Region;
use kernel::task::Task;
use spec::OptionId;

use super::candidate::candidate;
use super::choose::{Candidate, choose};
use super::route::Routing;
use crate::affinity::Belongs;
use crate::shipping::NotTaken;
use crate::systems::Systems;

/// The systems that may get a request.
pub(super) struct Choice<'a> {
    region: Arc<Region>,
    targets: Vec<Name<4>>,
    /// The one that has to get it.
    bound: Option<Name<4>>,
    belongs: Option<Belongs<'a>>,
    tried: Vec<Name<4>>,
}

impl<'a> Choice<'a> {
    /// The targets of `[links]`, or the system of the definition. `unit`: the one that works for the unit of work already.
    pub fn new(
        region: &Arc<Region>,
        defined: Name<4>,
        unit: Option<Name<4>>,
        belongs: Option<Belongs<'a>>,
    ) -> Self {
        let setup = Systems::of(region).setup();
        let targets = if setup.targets.is_empty() { vec![defined] } else { setup.targets.clone() };
        let is_there = |system| candidate(region, system, &[]).is_open;
        let affine = belongs.as_ref().and_then(|task| Routing::of(region).affinities.system(task, is_there));
        Self { region: Arc::clone(region), targets, bound: unit.or(affine), belongs, tried: Vec::new() }
    }

    /// A system does not come into question.
    pub fn without(&mut self, system: Name<4>) {
        self.tried.push(system);
    }

    /// The next system; `None`: no other one takes the request.
    pub fn next(&mut self) -> Option<Name<4>> {
        let routing = Routing::of(&self.region);
        let system = match self.bound {
            Some(system) => Some(system).filter(|system| !self.tried.contains(system)),
            None => {
                let known = |system: &Name<4>| candidate(&self.region, *system, &self.tried);
                let all: Vec<Candidate> = self.targets.iter().map(known).collect();
                choose(&all, |count| routing.random(count)).map(|place| self.targets[place])
            }
        }?;
        if let Some(task) = &self.belongs {
            routing.affinities.routed(task, system);
        }
        Some(system)
    }

    /// The system has not taken it.
    pub fn not_taken(&mut self, system: Name<4>) {
        if let (Some(task), None) = (&self.belongs, self.bound) {
            Routing::of(&self.region).affinities.forget(task);
        }
        self.tried.push(system);
    }

    /// Returns true if the request waits for a session: no other system may take it.
    pub fn waits(&self) -> bool {
        self.bound.is_some() || self.targets.len() == 1
    }
}

/// Has a command answered by a system. `Ok(false)`: the system has not taken it, and another one may.
///
/// # Errors
/// The command's condition, or an abend.
pub(super) async fn at(
    task: &mut Task,
    call: &Call<'_>,
    (system, waits): (Name<4>, bool),
    renamed: Option<(OptionId, Vec<u8>)>,
    otherwise: Raise,
) -> Outcome<Result<(), NotTaken>> {
    let region = Arc::clone(&task.region);
    let partner = Systems::of(&region).of_system(system);
    let _counted = partner.map(|partner| Routing::of(&region).counted(partner.applid));
    let mut to = Leads::to(call, system, renamed, otherwise);
    to.waits = waits;
    let _ = task.kept.take::<NotTaken>();
    match ship(task, call, to).await {
        Ok(()) => Ok(Ok(())),
        Err(raise) if raise == otherwise => match task.kept.take::<NotTaken>() {
            Some(why) => {
                let _ = task.kept.take::<kernel::exec::SystemReason>();
                Ok(Err(why))
            }
            None => Err(raise),
        },
        Err(raise) => Err(raise),
    }
}
