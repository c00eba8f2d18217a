//! INQUIRE TRANSACTION, SET TRANSACTION, and how they are defined.

pub(super) mod definition;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use records::Decision;
use spec::{cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name, Name8, TransactionName};
use kernel::raise::Raise;
use kernel::registry::{Key, Resource, Set, Setting, Takes};
use kernel::transactions::{Transaction, Transactions};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TRANSACTION, Handler::Now(|task, call| TRANSACTIONS.inquire(task, call))),
    (cmd::SET_TRANSACTION, Handler::Waits(|task, call| Box::pin(TRANSACTIONS.set(task, call)))),
];

/// Seconds of a minute.
const MINUTE: u64 = 60;

/// Returns true if a unit of work in doubt waits for its coordinator: WAIT.
pub(super) fn waits_indoubt(transaction: &Transaction) -> bool {
    transaction.indoubt_wait.is_none_or(|longest| !longest.is_zero())
}

/// The minutes for which it waits: WAITTIME. 0: without end, or not at all.
pub(super) fn indoubt_minutes(transaction: &Transaction) -> i64 {
    transaction.indoubt_wait.map_or(0, |longest| (longest.as_secs() / MINUTE) as i64)
}

/// RESP2 of TRANSIDERR: no such transaction.
pub(super) const NOT_FOUND: i32 = 1;
/// The class of transactions without one.
const NO_CLASS: &str = "DFHTCL00";

pub(super) static TRANSACTIONS: Resource<Arc<Transaction>> = Resource {
    name: opt::TRANSACTION,
    key: Key::Name,
    names: |by| Transactions::of(&by.region).list().iter().map(|t| t.name.as_bytes().to_vec()).collect(),
    find: |by, name| Transactions::of(&by.region).get(TransactionName::new(name)),
    missing: Raise::Condition(cond::TRANSIDERR, NOT_FOUND),
    rows: &[
        (opt::CMDSEC, |_, t| Value::either(t.command_security, "CMDSECYES", "CMDSECNO")),
        (opt::DTIMEOUT, |_, t| Value::Number(t.deadlock_timeout_s.into())),
        (opt::DUMPING, |_, t| Value::either(t.dump, "TRANDUMP", "NOTRANDUMP")),
        (opt::INDOUBT, |_, t| Value::either(t.indoubt == Decision::Commit, "COMMIT", "BACKOUT")),
        (opt::INDOUBTMINS, |_, t| Value::Number(indoubt_minutes(t))),
        (opt::INDOUBTWAIT, |_, t| Value::either(waits_indoubt(t), "WAIT", "NOWAIT")),
        (opt::PRIORITY, |_, t| Value::Number(t.priority.into())),
        (opt::PROGRAM, |_, t| Value::text(t.program)),
        (opt::PURGEABILITY, |_, t| Value::either(t.purgeable, "PURGEABLE", "NOTPURGEABLE")),
        (opt::REMOTENAME, |_, t| Value::text(t.remote.map_or(Name8::BLANK, |remote| remote.name))),
        (opt::REMOTESYSTEM, |_, t| Value::text(t.remote.map_or(Name::<4>::BLANK, |remote| remote.system))),
        (opt::RESSEC, |_, t| Value::either(t.resource_security, "RESSECYES", "RESSECNO")),
        (opt::ROUTING, |_, t| Value::either(t.dynamic, "DYNAMIC", "STATIC")),
        (opt::RUNAWAY, |by, t| Value::Number(t.runaway_ms.unwrap_or(by.region.options.runaway_ms) as i64)),
        (opt::RUNAWAYTYPE, |_, t| Value::either(t.runaway_ms.is_some(), "USER", "SYSTEM")),
        (opt::SHUTDOWN, |_, _| Value::Cvda("SHUTDISABLED")),
        (opt::STATUS, |_, t| Value::either(t.is_enabled(), "ENABLED", "DISABLED")),
        (opt::TASKDATALOC, |_, t| Value::either(t.data_below, "BELOW", "ANY")),
        (opt::TRANCLASS, |_, t| {
            Value::text(if t.class.is_blank() { Name8::from(NO_CLASS) } else { t.class })
        }),
        (opt::TWASIZE, |_, t| Value::Number(t.twa_length as i64)),
    ],
    settings: &[Setting {
        option: opt::STATUS,
        takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
        resp2: 8,
        set: Set::Now(|_, transaction, to| {
            transaction.enabled.store(to.is("ENABLED"), Ordering::Relaxed);
            Ok(())
        }),
    }],
};
