//! The domains of a process: what each brings, as one row.
//!
//! Those of this crate are [`OWN`]. A crate above it brings others with [`add`], before the first region starts; so a domain
//! needs no line here to have commands, resource types and a part in every region.

use parking_lot::RwLock;

use crate::dispatcher::Follower;
use crate::exec::Answers;
use crate::parts::Parts;
use crate::region::RegionOptions;
use crate::registry::Kind;
use crate::waits::BroughtKind;
use crate::{
    builtin, children, commands, counters, diagnostics, documents, enqueue, environment, events, exceptions,
    files, interval, journals, maps, operator, system, temporary_storage, terminal_control, transient_data,
};

/// A domain.
pub struct Domain {
    /// Its name.
    pub name: &'static str,
    /// Its commands, a list for each file.
    pub commands: &'static [Answers],
    /// Its resource types.
    pub kinds: &'static [&'static Kind],
    /// The kinds of waits that it brings.
    pub waits: &'static [&'static BroughtKind],
    /// What it does about tasks that end, or do not begin.
    pub follower: Option<&'static Follower>,
    /// Puts there what it keeps in a region.
    pub begin: fn(&mut Parts, &RegionOptions),
}

impl Domain {
    /// A domain of a name that brings nothing yet.
    pub const fn named(name: &'static str) -> Self {
        Self { name, commands: &[], kinds: &[], waits: &[], follower: None, begin: |_, _| {} }
    }
}

/// The domains of this crate.
static OWN: &[Domain] = &[
    Domain { commands: &[builtin::HANDLERS], ..Domain::named("builtin") },
    Domain { commands: &[commands::channels::HANDLERS], ..Domain::named("channels") },
    Domain { commands: &[children::HANDLERS], ..Domain::named("children") },
    Domain { commands: &[counters::HANDLERS], ..Domain::named("counters") },
    Domain { commands: diagnostics::HANDLERS, ..Domain::named("diagnostics") },
    Domain {
        commands: &[documents::HANDLERS, documents::definition::HANDLERS],
        ..Domain::named("documents")
    },
    Domain { commands: &[enqueue::HANDLERS, enqueue::definition::HANDLERS], ..Domain::named("enqueue") },
    Domain { commands: environment::HANDLERS, ..Domain::named("environment") },
    Domain { commands: &[events::HANDLERS], ..Domain::named("events") },
    Domain { commands: &[exceptions::HANDLERS], ..Domain::named("exceptions") },
    Domain { commands: files::HANDLERS, ..Domain::named("files") },
    Domain { commands: interval::HANDLERS, follower: Some(&interval::FOLLOWER), ..Domain::named("interval") },
    Domain { commands: &[journals::HANDLERS], ..Domain::named("journals") },
    Domain { commands: maps::HANDLERS, ..Domain::named("maps") },
    Domain { commands: &[commands::monitoring::HANDLERS], ..Domain::named("monitoring") },
    Domain { commands: &[operator::HANDLERS], ..Domain::named("operator") },
    Domain { commands: commands::programs::HANDLERS, ..Domain::named("programs") },
    Domain { commands: &[commands::recovery::HANDLERS], ..Domain::named("recovery") },
    Domain { commands: &[commands::security::HANDLERS], ..Domain::named("security") },
    Domain { commands: &[commands::statistics::HANDLERS], ..Domain::named("statistics") },
    Domain { commands: &[commands::storage::HANDLERS], ..Domain::named("storage") },
    Domain { commands: system::HANDLERS, kinds: system::KINDS, ..Domain::named("system") },
    Domain { commands: &[temporary_storage::HANDLERS], ..Domain::named("temporary storage") },
    Domain {
        commands: &[commands::terminals::HANDLERS],
        follower: Some(&terminal_control::FOLLOWER),
        ..Domain::named("terminals")
    },
    Domain { commands: &[transient_data::HANDLERS], ..Domain::named("transient data") },
];

/// Those that crates above have brought.
static OTHERS: RwLock<Vec<&'static Domain>> = RwLock::new(Vec::new());

/// Brings a domain, once however often it is called. To be called before the first region starts.
pub fn add(domain: &'static Domain) {
    let mut others = OTHERS.write();
    if !others.iter().any(|other| other.name == domain.name) {
        others.push(domain);
        // Records of monitoring have a column for each kind: it has its place before they begin.
        for waits in domain.waits {
            waits.kind();
        }
    }
}

/// All domains of the process, those of this crate first.
pub fn domains() -> Vec<&'static Domain> {
    OWN.iter().chain(OTHERS.read().iter().copied()).collect()
}

/// All resource types, by name.
pub fn kinds() -> Vec<&'static Kind> {
    let mut kinds: Vec<_> = domains().iter().flat_map(|domain| domain.kinds.iter().copied()).collect();
    kinds.sort_unstable_by_key(|kind| kind.name);
    kinds
}

/// The resource type of a name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    domains().iter().flat_map(|domain| domain.kinds.iter().copied()).find(|kind| kind.name == name)
}
