//! The catalogue's rows: the parts of each domain of this crate, and the commands of the modules below the door.

use kernel::catalog::Domain;
use kernel::diagnostics::{self, Diagnostics};
use kernel::security::User;
use kernel::terminal_control;
use kernel::terminals::Terminals;

use crate::counters::Counters;
use crate::documents::TemplateNames;
use crate::enqueue::definition::Models;
use crate::events::Events;
use crate::files::{Files, Tables};
use crate::interval::IntervalControl;
use crate::journals::Journals;
use crate::maps::Mapsets;
use crate::temporary_storage::TemporaryStorage;
use crate::transient_data::TransientData;
use crate::{
    builtin, children, commands, counters, documents, enqueue, environment, events, exceptions, files,
    interval, journals, maps, operator, temporary_storage, transient_data,
};

/// A row for each. If several follow the ends of tasks, the first of them is asked first: a START is one before it
/// is at a terminal.
pub static DOMAINS: &[Domain] = &[
    Domain { commands: &[builtin::HANDLERS], ..Domain::named("builtin") },
    Domain { commands: &[commands::channels::HANDLERS], ..Domain::named("channels") },
    Domain { commands: &[children::HANDLERS], ..Domain::named("children") },
    Domain {
        commands: &[counters::HANDLERS],
        keeper: Some(&counters::KEEPER),
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
    Domain {
        commands: &[temporary_storage::HANDLERS],
        keeper: Some(&temporary_storage::KEEPER),
        begin: |kept, options| kept.put(TemporaryStorage::new(options.ts_main_bytes_max)),
        ..Domain::named("temporary storage")
    },
    Domain {
        commands: &[transient_data::HANDLERS],
        keeper: Some(&transient_data::KEEPER),
        begin: |kept, _| kept.put(TransientData::default()),
        ..Domain::named("transient data")
    },
    Domain {
        commands: interval::HANDLERS,
        keeper: Some(&interval::KEEPER),
        follower: Some(&interval::FOLLOWER),
        begin: |kept, _| kept.put(IntervalControl::default()),
        ..Domain::named("interval")
    },
    Domain {
        commands: &[commands::terminals::HANDLERS, commands::issue::HANDLERS],
        follower: Some(&terminal_control::FOLLOWER),
        begin: |kept, _| kept.put(Terminals::default()),
        ..Domain::named("terminals")
    },
];
