//! Units of work that are in doubt here because of a partner, and what an operator decides about them.

use std::sync::Arc;

use domains::transient_data::may_not_wait;
use kernel::exec::Waiting;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::recovery::Identity;
use kernel::region::Region;
use kernel::registry::{Given, Manager};
use kernel::task::WaitKind;
use kernel::transactions::Transactions;
use records::{Decider, Decision, Error, Indoubt, Standing};
use spec::cond;

use super::doubts;
use super::doubts::{in_doubt, is_a_partners, is_of_other_log};
use crate::limits::OVERDUE_EVERY;
use crate::partner::Partner;
use crate::systems::Systems;

/// RESP2 of INVREQ: a unit of work could not be ended. A number of ours.
const NOT_ENDED: i32 = 40;

/// Returns true if a unit of work waits for a decision that the partner cannot give any more: it came back with a new log.
pub(crate) fn is_pending(region: &Region, partner: &Partner) -> bool {
    waiting(region, partner).any(|name| is_forgotten(region, partner, &name))
}

/// UOWACTION: ends what is in doubt because of the partner. RESYNC does nothing more than each new link does.
pub(crate) fn act<'a>(by: &'a Manager, partner: &'a Arc<Partner>, to: &'a Given) -> Waiting<'a> {
    Box::pin(async move {
        if to.is("RESYNC") {
            return Ok(());
        }
        let decision = match to {
            to if to.is("COMMIT") => Some(Decision::Commit),
            to if to.is("BACKOUT") => Some(Decision::Backout),
            _ => None,
        };
        force(by, waiting(&by.region, partner), decision).await
    })
}

/// NOTPENDING: ends, by ACTION of their transactions, the units of work whose decisions the partner has forgotten.
pub(crate) fn not_pending<'a>(by: &'a Manager, partner: &'a Arc<Partner>, _: &'a Given) -> Waiting<'a> {
    Box::pin(async move {
        let forgotten = waiting(&by.region, partner).filter(|name| is_forgotten(&by.region, partner, name));
        force(by, forgotten, None).await
    })
}

/// NORECOVDATA: ends all of them by ACTION of their transactions.
pub(crate) fn no_recovery<'a>(by: &'a Manager, partner: &'a Arc<Partner>, _: &'a Given) -> Waiting<'a> {
    Box::pin(force(by, waiting(&by.region, partner), None))
}

/// The units of work that wait for the partner's decision.
fn waiting(region: &Region, partner: &Partner) -> impl Iterator<Item = Identity> + use<> {
    in_doubt(region, partner)
        .filter(|(_, standing)| !matches!(standing, Standing::Forced(_)))
        .map(|(name, _)| name)
}

/// Returns true if the partner has another log now than the one in which it has decided, or may have forgotten its decision because
/// this region had heard it before it was restored.
fn is_forgotten(region: &Region, partner: &Partner, unit: &Identity) -> bool {
    Systems::of(region).is_of_backup(unit.unit) || is_of_other_log(partner, unit)
}

/// Ends, by ACTION of their transactions, the units of work in doubt that have waited for a partner as long as WAIT and WAITTIME
/// allow. The partner hears of it when it is there again.
pub(super) async fn end_overdue(region: &Region) {
    end_those_overdue(region, &region.records.indoubt().unwrap_or_default()).await;
}

async fn end_those_overdue(region: &Region, all: &[Indoubt]) {
    for one in all.iter().filter(|one| one.standing == Standing::Shunted) {
        let Some(unit) = Identity::from_name(&one.name).filter(is_a_partners) else { continue };
        let Some(definition) = Transactions::of(region).get(unit.transaction) else { continue };
        let of_queue = one.owner.is_some_and(|owner| may_not_wait(region, owner));
        // A clock that was set back makes nothing overdue.
        let waited = one.since.elapsed().unwrap_or_default();
        let why = match definition.indoubt_wait {
            _ if of_queue => "WAIT of a TDQUEUE that it has changed is NO",
            Some(longest) if waited >= longest => {
                "it has waited for its coordinator as long as WAIT and WAITTIME allow"
            }
            _ => continue,
        };
        end_by_action(region, &one.name, &unit, definition.indoubt, why).await;
    }
}

/// XLNACTION(FORCE): ends, by ACTION of their transactions, the units of work whose decisions a partner with a new log has forgotten.
pub(crate) async fn impose(region: &Region, partner: &Partner) {
    if partner.text("XLNACTION") != "FORCE" {
        return;
    }
    let forgotten: Vec<Identity> =
        waiting(region, partner).filter(|unit| is_of_other_log(partner, unit)).collect();
    for unit in forgotten {
        let of_definition = Transactions::of(region).get(unit.transaction).map(|found| found.indoubt);
        let decision = of_definition.unwrap_or(Decision::Backout);
        let why = format!("{partner} has a new log, and XLNACTION is FORCE");
        end_by_action(region, &unit.to_name(), &unit, decision, &why).await;
    }
}

/// Ends a unit of work without its coordinator. The decision is remembered until that is there again.
async fn end_by_action(region: &Region, name: &[u8], unit: &Identity, decision: Decision, why: &str) {
    match region.records.resolve(name, decision, Decider::Operator).await {
        Ok(()) => {
            tracing::warn!(target: "RM", "unit of work {} of {}: {why}: {decision}", unit.unit, unit.transaction);
        }
        Err(Error::NotIndoubt) => {}
        Err(error) => tracing::error!(target: "RM", "unit of work {} cannot be resolved: {error}", unit.unit),
    }
}

/// Does so every now and then, and asks for the decisions that are still to come.
pub(crate) async fn watch_overdue(region: std::sync::Weak<Region>) {
    loop {
        tokio::time::sleep(OVERDUE_EVERY).await;
        let Some(region) = region.upgrade() else { return };
        let all = region.records.indoubt().unwrap_or_default();
        end_those_overdue(&region, &all).await;
        doubts::ask(&region, &all);
    }
}

/// Ends units of work; by ACTION of their transactions if there is no decision.
async fn force(by: &Manager, units: impl Iterator<Item = Identity>, decision: Option<Decision>) -> Outcome {
    for unit in units {
        let of_definition = || Transactions::of(&by.region).get(unit.transaction).map(|found| found.indoubt);
        let decision = decision.or_else(of_definition).unwrap_or(Decision::Backout);
        let name = unit.to_name();
        let resolved = by.region.records.resolve(&name, decision, Decider::Operator);
        match by.control().wait_through(WaitKind::LOG, resolved).await {
            Ok(()) => tracing::warn!(
                target: "RM",
                "unit of work {} of {} was forced to a {decision} by {}",
                unit.unit, unit.transaction, by.user().id
            ),
            Err(Error::NotIndoubt) => {}
            Err(error) => {
                tracing::error!(target: "RM", "unit of work {} cannot be resolved: {error}", unit.unit);
                return Err(cond::INVREQ.raise(NOT_ENDED));
            }
        }
    }
    Ok(())
}
