//! The domains of a process: what each brings, as one row.
//!
//! Those of this crate are [`OWN`]. A crate above it brings others with [`add`], before the first region starts; so a domain
//! needs no line here to have commands, resource types and a part in every region.

use parking_lot::RwLock;
use spec::Status;

use crate::exec::{Answers, Commands, Handler};
use crate::parts::Parts;
use crate::region::RegionOptions;
use crate::system::{self, Kind};
use crate::{
    builtin, channels, children, counters, definitions, diagnostics, documents, enqueue, environment, events,
    exceptions, files, interval, journals, maps, monitoring, operator, programs, recovery, security,
    statistics, storage, temporary_storage, terminals, transactions, transient_data,
};

/// A domain.
pub struct Domain {
    /// Its name.
    pub name: &'static str,
    /// Its commands, a list for each file.
    pub commands: &'static [Answers],
    /// Its resource types.
    pub kinds: &'static [&'static Kind],
    /// Puts there what it keeps in a region.
    pub begin: fn(&mut Parts, &RegionOptions),
}

impl Domain {
    /// A domain of a name that brings nothing yet.
    pub const fn named(name: &'static str) -> Self {
        Self { name, commands: &[], kinds: &[], begin: |_, _| {} }
    }
}

/// The domains of this crate.
static OWN: &[Domain] = &[
    Domain { commands: &[builtin::HANDLERS], ..Domain::named("builtin") },
    Domain { commands: &[channels::HANDLERS], ..Domain::named("channels") },
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
    Domain { commands: interval::HANDLERS, ..Domain::named("interval") },
    Domain { commands: &[journals::HANDLERS], ..Domain::named("journals") },
    Domain { commands: maps::HANDLERS, ..Domain::named("maps") },
    Domain { commands: &[monitoring::HANDLERS], ..Domain::named("monitoring") },
    Domain { commands: &[operator::HANDLERS], ..Domain::named("operator") },
    Domain { commands: programs::HANDLERS, ..Domain::named("programs") },
    Domain { commands: &[recovery::HANDLERS], ..Domain::named("recovery") },
    Domain { commands: &[security::HANDLERS], ..Domain::named("security") },
    Domain { commands: &[statistics::HANDLERS], ..Domain::named("statistics") },
    Domain { commands: &[storage::HANDLERS], ..Domain::named("storage") },
    Domain { commands: system::HANDLERS, kinds: system::KINDS, ..Domain::named("system") },
    Domain { commands: &[temporary_storage::HANDLERS], ..Domain::named("temporary storage") },
    Domain { commands: &[terminals::HANDLERS], ..Domain::named("terminals") },
    Domain { commands: &[transactions::profile::HANDLERS], ..Domain::named("transactions") },
    Domain { commands: &[transient_data::HANDLERS], ..Domain::named("transient data") },
];

/// Those that crates above have brought.
static OTHERS: RwLock<Vec<&'static Domain>> = RwLock::new(Vec::new());

/// Brings a domain, once however often it is called. To be called before the first region starts.
pub fn add(domain: &'static Domain) {
    let mut others = OTHERS.write();
    if !others.iter().any(|other| other.name == domain.name) {
        others.push(domain);
    }
}

/// All domains of the process, those of this crate first.
pub fn domains() -> Vec<&'static Domain> {
    OWN.iter().chain(OTHERS.read().iter().copied()).collect()
}

/// Where the records of commands and the handlers of all domains disagree, a line each: who brings domains along has nothing
/// left here.
pub fn disagreements() -> Vec<String> {
    let commands = commands();
    let mut lines = Vec::new();
    for command in spec::commands() {
        let handler = commands.handler(command.id);
        if handler.is_some() != (command.status != Status::NotYet) {
            lines.push(format!("{}: its status is {:?}", command.name, command.status));
        }
        match handler {
            Some(Handler::Now(_)) if command.suspends => lines.push(format!("{} never waits", command.name)),
            Some(Handler::Waits(_) | Handler::NowOr(..) | Handler::NowNearlyAlways(..))
                if !command.suspends =>
            {
                lines.push(format!("{} may wait", command.name));
            }
            // A program may have to be loaded, a unit of work to be committed.
            _ => {}
        }
    }
    lines
}

/// All resource types, by name.
pub fn kinds() -> Vec<&'static Kind> {
    let mut kinds: Vec<_> = domains().iter().flat_map(|domain| domain.kinds.iter().copied()).collect();
    kinds.sort_unstable_by_key(|kind| kind.name);
    kinds
}

/// All commands with their handlers, CREATE and DISCARD of every type that is defined among them.
pub(crate) fn commands() -> Commands {
    let domains = domains();
    let own = domains.iter().flat_map(|domain| domain.commands.iter().copied().flatten().copied());
    let kinds = kinds();
    let defined = kinds.iter().filter_map(|kind| kind.defined);
    let made = defined
        .flat_map(|defined| [(defined.create, definitions::CREATE), (defined.discard, definitions::DISCARD)]);
    Commands::new(own.chain(made))
}
