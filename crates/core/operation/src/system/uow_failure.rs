//! INQUIRE UOWDSNFAIL: the data sets of which units of work keep records locked, since their coordinator has not said how they end.

use std::collections::BTreeSet;

use records::{Holding, Resource, Standing};
use spec::{cmd, opt};

use domains::files::Files;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name, Name8};
use kernel::recovery::UnitId;
use kernel::region::Region;
use kernel::registry::Manager;

use super::uow::{Unit, units};
use super::uow_browse::Listing;
use super::uow_enq::datasets;

/// This command.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_UOWDSNFAIL, Handler::Now(|task, call| FAILURES.browse(task, call, |_, _| true)))];

/// Characters of a data set's name.
const NAME_LENGTH: usize = 44;

/// A data set with records that a unit of work in doubt keeps locked.
pub(super) struct Failure {
    dataset: String,
    is_rls: bool,
    /// The region that decides, and its system; blank: no region does.
    netname: Name8,
    system: Name<4>,
}

pub(super) static FAILURES: Listing<Failure> = Listing {
    all: failures,
    rows: &[
        (opt::CAUSE, |_, f| Value::either(f.netname.is_blank(), "UNDEFINED", "CONNECTION")),
        (opt::DSNAME, |_, f| Value::padded(&f.dataset, NAME_LENGTH)),
        (opt::NETNAME, |_, f| Value::text(f.netname)),
        (opt::REASON, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::RLSACCESS, |_, f| Value::either(f.is_rls, "RLS", "NOTRLS")),
        (opt::SYSID, |_, f| Value::text(f.system)),
    ],
};

fn failures(by: &Manager) -> Vec<(UnitId, Failure)> {
    let region = &by.region;
    let names = datasets(region);
    let elsewhere = region.records.held_elsewhere();
    let mut all = Vec::new();
    for (id, unit) in units(by) {
        let Unit::Indoubt(shown, _) = &unit else { continue };
        if shown.standing != Standing::Shunted {
            continue;
        }
        let held = shown.owner.map(|owner| region.records.locks().held(owner)).unwrap_or_default();
        let is_its = |by: &Holding| matches!(by, Holding::Doubtful(name) if *name == shown.name);
        let there = elsewhere.iter().filter(|(by, _)| is_its(by)).map(|(_, lock)| &lock.resource);
        let stores: BTreeSet<_> = held.iter().chain(there).filter_map(Resource::store).collect();
        let netname = unit.waits_for().unwrap_or_default();
        let system = unit.system(by).map_or(Name::BLANK, |system| system.name);
        all.extend(stores.iter().filter_map(|store| names.get(store)).map(|dataset| {
            let is_rls = is_rls(region, dataset);
            (id, Failure { dataset: dataset.clone(), is_rls, netname, system })
        }));
    }
    all
}

/// Returns true if a file in RLS mode names a data set.
fn is_rls(region: &Region, dataset: &str) -> bool {
    let files = Files::of(region).list();
    files.iter().any(|file| file.attribute(|a| a.mode.rls && a.dataset == dataset))
}
