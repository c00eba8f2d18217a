//! DB2ENTRY: threads of some transactions' own.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use csd::ResourceType;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Raise, RaiseCondition};
use kernel::registry::{Defined, Key, Kind, Resource, Set, Setting, Takes};
use spec::{cmd, cond, opt};

use super::attributes::Attributes;
use super::choices::{self, sets_choice, sets_number, sets_text};
use super::{Holders, Pool, Resources};
use crate::{patterns, waits};

/// A DB2ENTRY definition.
pub(crate) struct Db2entry {
    pub(crate) attributes: Attributes,
    /// THREADLIMIT.
    pub(crate) pool: Arc<Pool>,
    /// Tasks that have a thread of its own.
    pub(super) holders: Arc<Holders>,
    /// Statements of its transactions.
    pub(crate) calls: AtomicU64,
}

impl Db2entry {
    /// Returns true if its own TRANSID means a transaction.
    pub(super) fn is_for(&self, transaction: &str) -> bool {
        let transid = self.attributes.get("TRANSID");
        !transid.is_empty() && patterns::fits(&transid, transaction)
    }

    /// Returns true if an operator has disabled it.
    pub(super) fn is_disabled(&self) -> bool {
        self.attributes.is(STATUS, "DISABLED")
    }
}

/// Attribute that SET changes and no definition has.
const STATUS: &str = "ENABLESTATUS";

/// Attributes of a DB2ENTRY definition.
static DEFINED: Defined = Defined {
    resource: ResourceType::Db2entry,
    create: cmd::CREATE_DB2ENTRY,
    discard: cmd::DISCARD_DB2ENTRY,
    reads: &["DROLLBACK", "THREADLIMIT", "THREADWAIT", "TRANSID"],
    without_effect: &[
        ("AUTHID", "statements run as the database's user of [sql] in region.toml"),
        ("PLAN", "a program's statements are its own package"),
        ("PROTECTNUM", "sessions are kept for the next task in any case"),
    ],
    elsewhere: None,
    needs: &[],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let name = Name8::from(definition.name.as_str());
        let attributes = Attributes::of(definition);
        let pool = Pool::new(attributes.number("THREADLIMIT"));
        // What an entry is installed with that no definition says.
        attributes.set("DISABLEDACT", "POOL");
        let entry = Db2entry { attributes, pool, holders: Arc::default(), calls: AtomicU64::new(0) };
        Resources::of(region).entries.write().insert(name, Arc::new(entry));
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard: |region, name| {
        let is_there = Resources::of(region).entries.read().contains_key(&Name8::new(name));
        if is_there { Ok(()) } else { Err(cond::NOTFND.raise(NOT_FOUND)) }
    },
    remove: |region, name| drop(Resources::of(region).entries.write().remove(&Name8::new(name))),
    status: None,
};

/// RESP2 of NOTFND: there is none of that name.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ for a value that is none.
const REFUSED: i32 = 0;

/// INQUIRE and SET of an entry.
static ENTRIES: Resource<Arc<Db2entry>> = Resource {
    name: opt::DB2ENTRY,
    key: Key::Name,
    names: |by| {
        let entries = Resources::of(&by.region).entries.read();
        entries.keys().map(|name| name.as_bytes().to_vec()).collect()
    },
    find: |by, name| Resources::of(&by.region).entries.read().get(&Name8::new(name)).cloned(),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::THREADLIMIT, |_, e| e.attributes.count("THREADLIMIT")),
        (opt::THREADS, |_, e| Value::Number(e.pool.used() as i64)),
        (opt::THREADWAIT, |_, e| e.attributes.chosen(&choices::ENTRY_THREADWAIT)),
        (opt::ENABLESTATUS, |_, e| match e.is_disabled() {
            true if e.holders.any() => Value::Cvda("DISABLING"),
            is_disabled => Value::either(is_disabled, "DISABLED", "ENABLED"),
        }),
        (opt::DISABLEDACT, |_, e| e.attributes.chosen(&choices::DISABLEDACT)),
        (opt::DROLLBACK, |_, e| e.attributes.chosen(&choices::DROLLBACK)),
        (opt::PLAN, |_, e| e.attributes.text("PLAN", 8)),
        (opt::PLANEXITNAME, |_, e| e.attributes.text_unless("PLAN", "PLANEXITNAME", 8)),
        (opt::PRIORITY, |_, e| e.attributes.chosen(&choices::PRIORITY)),
        (opt::ACCOUNTREC, |_, e| e.attributes.chosen(&choices::ACCOUNTREC)),
        (opt::AUTHID, |_, e| e.attributes.text("AUTHID", 8)),
        (opt::AUTHTYPE, |_, e| e.attributes.chosen_unless("AUTHID", &choices::AUTHTYPE)),
        (opt::PROTECTNUM, |_, e| e.attributes.count("PROTECTNUM")),
        // Idle sessions are for all tasks: none is an entry's own.
        (opt::PTHREADS, |_, _| Value::Number(0)),
        (opt::SHARELOCKS, |_, e| e.attributes.chosen(&choices::SHARELOCKS)),
    ],
    settings: &[
        Setting {
            option: opt::THREADLIMIT,
            takes: Takes::Number(0..=2000),
            resp2: REFUSED,
            set: Set::Now(|_, e, to| {
                e.attributes.set("THREADLIMIT", to.number().to_string());
                e.pool.limit_to(to.number() as usize);
                Ok(())
            }),
        },
        sets_choice!(THREADWAIT, ENTRY_THREADWAIT),
        sets_choice!(DISABLEDACT, DISABLEDACT),
        sets_choice!(ACCOUNTREC, ACCOUNTREC),
        Setting {
            option: opt::AUTHTYPE,
            takes: Takes::OneOf(choices::AUTHTYPE.keywords),
            resp2: REFUSED,
            set: Set::Now(|_, e, to| {
                e.attributes.choose(&choices::AUTHTYPE, to);
                e.attributes.set("AUTHID", "");
                Ok(())
            }),
        },
        sets_text!(AUTHID),
        sets_text!(PLAN),
        sets_text!(PLANEXITNAME, blanks "PLAN"),
        sets_choice!(PRIORITY, PRIORITY),
        sets_number!(PROTECTNUM, 0..=2000),
        sets_choice!(SHARELOCKS, SHARELOCKS),
        Setting {
            option: opt::ENABLESTATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: REFUSED,
            set: Set::Among(|by, e, to, given| {
                Box::pin(async move {
                    if !to.is("DISABLED") {
                        e.attributes.set(STATUS, "ENABLED");
                        return Ok(());
                    }
                    e.attributes.set(STATUS, "DISABLED");
                    let is = |how| given.iter().any(|(option, given)| *option == opt::BUSY && given.is(how));
                    if is("FORCE") {
                        e.holders.force(&by.region);
                    }
                    if is("NOWAIT") { Ok(()) } else { by.wait(waits::THREAD.kind(), e.holders.gone()).await }
                })
            }),
        },
        Setting {
            option: opt::BUSY,
            takes: Takes::OneOf(&[("WAIT", opt::WAIT), ("NOWAIT", opt::NOWAIT), ("FORCE", opt::FORCE)]),
            resp2: REFUSED,
            set: Set::No,
        },
    ],
};

/// INQUIRE DB2ENTRY, SET DB2ENTRY.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_DB2ENTRY, Handler::Now(|task, call| ENTRIES.inquire(task, call))),
    (cmd::SET_DB2ENTRY, Handler::Waits(|task, call| Box::pin(ENTRIES.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "DB2ENTRY",
    table: &ENTRIES,
    inquire: cmd::INQUIRE_DB2ENTRY,
    set: Some(cmd::SET_DB2ENTRY),
    defined: Some(&DEFINED),
};
