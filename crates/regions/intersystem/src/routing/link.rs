//! LINKs whose place no definition says: the routing program that DTRPGM names says it, or the region.

use std::sync::Arc;

use kernel::exec::{Call, Routed};
use kernel::name::Name;
use kernel::programs::Programs;
use kernel::raise::{Outcome, Raise};
use kernel::task::Task;
use kernel::transactions::Transactions;
use spec::opt;

use super::choice::{self, Choice};
use super::linking;
use super::program::Asks;
use super::wanted::{NOBODY, Wanted};
use crate::affinity::Belongs;
use crate::shipping::Away;
use crate::systems::Systems;

/// Finds out where a LINK runs. `otherwise`: its outcome if no definition has the program, and no exit places it.
///
/// # Errors
/// The LINK's condition, or an abend.
pub(crate) async fn link(task: &mut Task, call: &Call<'_>, otherwise: Raise) -> Outcome<Routed> {
    let region = Arc::clone(&task.region);
    let wanted = Wanted::of(task, call)?;
    if task.kept.part::<Asks>().0 {
        return Ok(Routed::Here);
    }
    if Programs::of(&region).usable(Transactions::of(&region).router()).is_ok() {
        return linking::by_program(task, call, wanted);
    }
    // A request of a partner is not sent further: two regions that have the same targets would pass it on for ever.
    let is_of_partner = task.depth() == 1 && task.start_code.is_link();
    let is_placed = !Systems::of(&region).setup().targets.is_empty();
    match &wanted.defined {
        None if !is_placed || is_of_partner => Err(otherwise),
        Some(program) if program.remote.is_none() && is_of_partner => Ok(Routed::Here),
        _ => by_region(task, call, &wanted, otherwise).await,
    }
}

/// Chooses by unit of work, affinity, health, load and link.
async fn by_region(task: &mut Task, call: &Call<'_>, wanted: &Wanted, otherwise: Raise) -> Outcome<Routed> {
    let region = Arc::clone(&task.region);
    let systems = Systems::of(&region);
    let (defined, name) = wanted.place(&region);
    let (own, unit) = (region.options.sysid, task.work.name());
    let works = |system: &Name<4>| {
        let partner = systems.of_system(*system);
        partner.is_some_and(|partner| Away::of(&region, partner.applid).has(&unit))
    };
    let targets = || systems.setup().targets.iter().copied().chain([defined]);
    // What the unit of work has at a partner stays whole there; a LINK with SYNCONRETURN is none of it.
    let bound = if wanted.syncs { None } else { targets().find(works) };
    let terminal = task.terminal().cloned();
    let belongs =
        Belongs::of_request(&systems.setup().affinities, wanted.mirror(), task.user.id, terminal.as_ref());
    let mut choice = Choice::new(&region, defined, bound, belongs);
    if wanted.is_remote() {
        choice.without(own);
    }
    if wanted.syncs && systems.setup().targets.len() > 1 {
        targets().filter(works).for_each(|system| choice.without(system));
    }
    while let Some(system) = choice.next() {
        if system == own {
            return if wanted.defined.is_some() { Ok(Routed::Here) } else { Err(otherwise) };
        }
        let there = Some((opt::PROGRAM, name.trimmed().to_vec())).filter(|_| name != wanted.name);
        match choice::at(task, call, (system, choice.waits()), there, NOBODY).await? {
            Ok(()) => return Ok(Routed::Done),
            Err(_) => choice.not_taken(system),
        }
    }
    Err(NOBODY)
}
