//! INQUIRE SYSTEM, SET SYSTEM.

use spec::{cmd, cond, opt};

use kernel::dispatcher::Dispatcher;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::programs::Programs;
use kernel::raise::{Outcome, Raise};
use kernel::registry::signature;
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};
use kernel::security::{User, Users};
use kernel::transactions::Transactions;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_SYSTEM, Handler::Now(|task, call| SYSTEM.inquire(task, call))),
    (cmd::SET_SYSTEM, Handler::Waits(|task, call| Box::pin(SYSTEM.set(task, call)))),
];

/// The level of the published interface that programs get: version, release, modification.
const LEVEL: &[u8; 6] = b"060100";
/// The operating system, as OPSYS has a character for each.
const OPERATING_SYSTEM: &[u8; 1] = b"X";
/// The most that MAXTASKS may be.
const TASKS_MAX: i64 = 2_000;
/// The least and the most that EDSALIMIT may be, in bytes; less than elsewhere, as in the system initialization table.
const STORAGE_MIN: i64 = 1 << 20;
const STORAGE_MAX: i64 = 2_047 << 20;

/// The region itself: there is one.
pub(super) static SYSTEM: Resource<()> = Resource {
    name: opt::SYSTEM,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::CICSSTATUS, |_, ()| Value::Cvda("ACTIVE")),
        (opt::CICSTSLEVEL, |_, ()| Value::text(LEVEL)),
        (opt::CMDPROTECT, |_, ()| Value::Cvda("NOCMDPROT")),
        (opt::DFLTUSER, |by, ()| Value::text(Users::of(&by.region).default.id)),
        (opt::DSRTPROGRAM, |by, ()| Value::text(Transactions::of(&by.region).distributed_router())),
        (opt::DTRPROGRAM, |by, ()| Value::text(Transactions::of(&by.region).router())),
        (opt::DUMPING, |_, ()| Value::Cvda("NOSYSDUMP")),
        (opt::EDSALIMIT, |by, ()| Value::Number(by.region.dsa.limit() as i64)),
        (opt::EUDSASIZE, |by, ()| Value::Number(by.region.dsa.used() as i64)),
        (opt::GMMLENGTH, |by, ()| Value::Number(by.region.options.greeting.len() as i64)),
        (opt::GMMTEXT, |by, ()| Value::text(&by.region.options.greeting)),
        (opt::GMMTRANID, |by, ()| Value::text(by.region.options.greeting_transaction)),
        (opt::INITSTATUS, |_, ()| Value::Cvda("INITCOMPLETE")),
        (opt::JOBNAME, |by, ()| Value::text(by.region.options.applid)),
        (opt::MAXOPENTCBS, |by, ()| Value::Number(by.region.options.open_tcbs as i64)),
        (opt::MAXTASKS, |by, ()| Value::Number(Dispatcher::of(&by.region).tasks_max() as i64)),
        (opt::OPSYS, |_, ()| Value::text(OPERATING_SYSTEM)),
        (opt::PROGAUTOINST, |by, ()| {
            Value::either(Programs::of(&by.region).autoinstall().is_some(), "AUTOACTIVE", "AUTOINACTIVE")
        }),
        (opt::REENTPROTECT, |_, ()| Value::Cvda("NOREENTPROT")),
        (opt::REGIONUSERID, |_, ()| Value::text(User::region().id)),
        (opt::RELEASE, |_, ()| Value::text(signature::RELEASE)),
        (opt::RUNAWAY, |by, ()| Value::Number(by.region.options.runaway_ms as i64)),
        (opt::SHUTSTATUS, |_, ()| Value::Cvda("NOTAPPLIC")),
        (opt::SOSSTATUS, |by, ()| Value::either(by.region.dsa.is_short(), "SOS", "NOTSOS")),
        (opt::STOREPROTECT, |_, ()| Value::Cvda("INACTIVE")),
        (opt::TRANISOLATE, |_, ()| Value::Cvda("INACTIVE")),
        (opt::XRFSTATUS, |_, ()| Value::Cvda("NOTAPPLIC")),
    ],
    settings: &[
        Setting {
            option: opt::MAXTASKS,
            takes: Takes::Number(1..=TASKS_MAX),
            resp2: 4,
            set: Set::Now(set_max_tasks),
        },
        Setting {
            option: opt::EDSALIMIT,
            takes: Takes::Number(STORAGE_MIN..=STORAGE_MAX),
            resp2: 3,
            set: Set::Now(set_storage_limit),
        },
        Setting {
            option: opt::DSRTPROGRAM,
            takes: Takes::Text,
            resp2: 0,
            set: Set::Now(set_distributed_router),
        },
        Setting { option: opt::DTRPROGRAM, takes: Takes::Text, resp2: 0, set: Set::Now(set_router) },
    ],
};

/// Sets the limit of storage. Tasks keep the storage that they have, also beyond a lower limit: the region is short on
/// storage then.
fn set_storage_limit(by: &Manager, (): &(), to: &Given) -> Outcome {
    if let Given::Number(bytes) = to {
        by.region.dsa.set_limit(*bytes as usize);
    }
    Ok(())
}

fn set_router(by: &Manager, (): &(), to: &Given) -> Outcome {
    if let Given::Text(name) = to {
        Transactions::of(&by.region).set_router(Name8::new(name));
    }
    Ok(())
}

fn set_distributed_router(by: &Manager, (): &(), to: &Given) -> Outcome {
    if let Given::Text(name) = to {
        Transactions::of(&by.region).set_distributed_router(Name8::new(name));
    }
    Ok(())
}

fn set_max_tasks(by: &Manager, (): &(), to: &Given) -> Outcome {
    if let Given::Number(most) = to {
        Dispatcher::of(&by.region).set_tasks_max(*most as usize);
        Dispatcher::of(&by.region).admit_waiting(&by.region);
    }
    Ok(())
}
