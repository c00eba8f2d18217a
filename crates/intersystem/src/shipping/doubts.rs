//! Units of work that are in doubt here ask how they end: the region that decides about them is called every second until it has
//! told. So it does not matter which message a broken link has swallowed, nor that a decision has come before the order to prepare:
//! with neither of them the region that decides would know that somebody waits.
//!
//! ```text
//!   here ── Doubts ──► there                  the coordinator suspects this region
//!   here ◄─ Indoubt ── there ── units ──►     over its own link, as whenever that is made
//!   here ◄─ Decide ─── there                  of a unit of work that it does not know: backed out
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use kernel::name::Name8;
use kernel::recovery::Identity;
use kernel::region::Region;
use records::{Indoubt, Standing};

use super::away::Away;
use super::mirrors::is_a_partners;
use super::operator::is_of_other_log;
use crate::limits::DOUBT_AGE;
use crate::systems::Systems;

/// Asks the partners that decide about them.
pub(super) fn ask(region: &Arc<Region>, all: &[Indoubt]) {
    let partners: BTreeSet<Name8> = all.iter().filter_map(|one| decider(region, one)).collect();
    for applid in partners {
        Away::of(region, applid).asks_for_decisions();
    }
}

/// The partner that can say how a unit of work ends. One that is about to end, with its mirror task, need not ask.
fn decider(region: &Region, one: &Indoubt) -> Option<Name8> {
    let unit = Identity::from_name(&one.name).filter(is_a_partners)?;
    let is_long = one.since.elapsed().unwrap_or_default() >= DOUBT_AGE;
    if one.standing == Standing::Attended && !is_long {
        return None;
    }
    let (applid, _) = unit.coordinator()?;
    let systems = Systems::of(region);
    let partner = systems.at(applid)?;
    let has_forgotten = systems.is_of_backup(unit.unit) || is_of_other_log(&partner, &unit);
    (!has_forgotten).then_some(applid)
}
