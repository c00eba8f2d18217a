//! The domains of a process: what each brings, as one row.
//!
//! Those of this crate are [`OWN`]. A crate above it brings others with [`add`], before the first region starts; so a domain
//! needs no line here to have commands, resource types and a part in every region.

use parking_lot::RwLock;

use crate::counters::Counters;
use crate::diagnostics::Diagnostics;
use crate::dispatcher::Follower;
use crate::documents::TemplateNames;
use crate::enqueue::definition::Models;
use crate::events::Events;
use crate::exec::Answers;
use crate::files::{Files, Tables};
use crate::interval::IntervalControl;
use crate::journals::Journals;
use crate::maps::Mapsets;
use crate::parts::Parts;
use crate::region::RegionOptions;
use crate::registry::Kind;
use crate::security::User;
use crate::temporary_storage::TemporaryStorage;
use crate::terminals::Terminals;
use crate::transient_data::TransientData;
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
    Domain {
        commands: &[counters::HANDLERS],
        begin: |kept, _| kept.put(Counters::default()),
        ..Domain::named("counters")
    },
    Domain {
        commands: diagnostics::HANDLERS,
        begin: |kept, options| kept.put(Diagnostics::new(options.dump_folder.clone())),
        ..Domain::named("diagnostics")
    },
    Domain {
        commands: &[documents::HANDLERS, documents::definition::HANDLERS],
        begin: |kept, _| kept.put(TemplateNames::default()),
        ..Domain::named("documents")
    },
    Domain {
        commands: &[enqueue::HANDLERS, enqueue::definition::HANDLERS],
        begin: |kept, _| kept.put(Models::default()),
        ..Domain::named("enqueue")
    },
    Domain { commands: environment::HANDLERS, ..Domain::named("environment") },
    Domain {
        commands: &[events::HANDLERS],
        begin: |kept, _| kept.put(Events::default()),
        ..Domain::named("events")
    },
    Domain { commands: &[exceptions::HANDLERS], ..Domain::named("exceptions") },
    Domain {
        commands: files::HANDLERS,
        begin: |kept, _| {
            kept.put(Files::default());
            kept.put(Tables::default());
        },
        ..Domain::named("files")
    },
    Domain {
        commands: interval::HANDLERS,
        follower: Some(&interval::FOLLOWER),
        begin: |kept, _| kept.put(IntervalControl::default()),
        ..Domain::named("interval")
    },
    Domain {
        commands: &[journals::HANDLERS],
        begin: |kept, options| {
            let user = User::region().id;
            kept.put(Journals::new(options.journal_folder.clone(), options.applid, user));
        },
        ..Domain::named("journals")
    },
    Domain {
        commands: maps::HANDLERS,
        begin: |kept, _| kept.put(Mapsets::default()),
        ..Domain::named("maps")
    },
    Domain { commands: &[commands::monitoring::HANDLERS], ..Domain::named("monitoring") },
    Domain { commands: &[operator::HANDLERS], ..Domain::named("operator") },
    Domain { commands: commands::programs::HANDLERS, ..Domain::named("programs") },
    Domain { commands: &[commands::recovery::HANDLERS], ..Domain::named("recovery") },
    Domain { commands: &[commands::security::HANDLERS], ..Domain::named("security") },
    Domain { commands: &[commands::statistics::HANDLERS], ..Domain::named("statistics") },
    Domain { commands: &[commands::storage::HANDLERS], ..Domain::named("storage") },
    Domain { commands: system::HANDLERS, kinds: system::KINDS, ..Domain::named("system") },
    Domain {
        commands: &[temporary_storage::HANDLERS],
        begin: |kept, options| kept.put(TemporaryStorage::new(options.ts_main_bytes_max)),
        ..Domain::named("temporary storage")
    },
    Domain {
        commands: &[commands::terminals::HANDLERS],
        follower: Some(&terminal_control::FOLLOWER),
        begin: |kept, _| kept.put(Terminals::default()),
        ..Domain::named("terminals")
    },
    Domain {
        commands: &[transient_data::HANDLERS],
        begin: |kept, _| kept.put(TransientData::default()),
        ..Domain::named("transient data")
    },
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
