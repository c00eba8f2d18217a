//! Units of work that are in doubt here ask how they end: the region that decides about them is called every second until it has
//! told. So it does not matter which message a broken link has swallowed, nor that a decision has come before the order to prepare:
//! with neither of them the region that decides would know that a region waits.
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
use crate::limits::DOUBT_AGE;
use crate::partner::Partner;
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

/// Bytes of the name that a coordinator gives a unit of work: its APPLID, and a number.
pub(super) const UNIT_LENGTH: usize = 16;

/// The units of work in doubt here that a partner has to decide about.
pub(super) fn in_doubt(
    region: &Region,
    partner: &Partner,
) -> impl Iterator<Item = (Identity, Standing)> + use<> {
    let applid = *partner.applid.as_bytes();
    let all = region.records.indoubt().unwrap_or_else(|error| {
        tracing::error!(target: "RM", "units of work in doubt cannot be listed: {error}");
        Vec::new()
    });
    all.into_iter().filter_map(move |one| {
        let name = Identity::from_name(&one.name)?;
        let is_its = is_a_partners(&name) && name.coordinated_as.starts_with(&applid);
        is_its.then_some((name, one.standing))
    })
}

/// Returns true if another region decides about a unit of work in doubt.
pub(super) fn is_a_partners(unit: &Identity) -> bool {
    unit.coordinated_as.len() == UNIT_LENGTH + size_of::<u64>()
}

/// The log of the coordinator in which it decides about a unit of work that [`in_doubt`] has found.
pub(super) fn log_of(unit: &Identity) -> &[u8] {
    unit.coordinated_as.get(UNIT_LENGTH..).unwrap_or_default()
}

/// Returns true if the partner has another log now than the one in which it has decided.
pub(super) fn is_of_other_log(partner: &Partner, unit: &Identity) -> bool {
    partner.state.lock().log.is_some_and(|log| log_of(unit) != log.to_le_bytes())
}
