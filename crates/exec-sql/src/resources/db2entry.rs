//! DB2ENTRY: threads of some transactions' own.

use std::sync::Arc;

use csd::ResourceType;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Raise, RaiseCondition};
use kernel::registry::{Defined, Given, Key, Kind, Resource, Set, Setting, Takes};
use spec::{cmd, cond, opt};

use super::attributes::Attributes;
use super::{Pool, db2tran};
use crate::region::Attachment;

/// A DB2ENTRY definition.
pub(crate) struct Db2entry {
    pub(crate) attributes: Attributes,
    /// THREADLIMIT.
    pub(crate) pool: Arc<Pool>,
}

impl Db2entry {
    /// Whether its own TRANSID means a transaction.
    pub(super) fn is_for(&self, transaction: &str) -> bool {
        let transid = self.attributes.get("TRANSID");
        !transid.is_empty() && db2tran::fits(&transid, transaction)
    }

    /// Whether an operator has disabled it.
    pub(super) fn is_disabled(&self) -> bool {
        self.attributes.is(STATUS, "DISABLED")
    }
}

/// What SET changes and no definition has.
const STATUS: &str = "ENABLESTATUS";
const DISABLEDACT: &str = "DISABLEDACT";

/// What a DB2ENTRY definition becomes.
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
    install: |region, definition| {
        let name = Name8::from(definition.name.as_str());
        let attributes = Attributes::of(definition);
        let pool = Pool::new(attributes.number("THREADLIMIT"));
        let entry = Arc::new(Db2entry { attributes, pool });
        Attachment::of(region).resources.entries.write().insert(name, entry);
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard: |region, name| {
        let is_there = Attachment::of(region).resources.entries.read().contains_key(&Name8::new(name));
        if is_there { Ok(()) } else { Err(cond::NOTFND.raise(NOT_FOUND)) }
    },
    remove: |region, name| drop(Attachment::of(region).resources.entries.write().remove(&Name8::new(name))),
    status: None,
};

/// RESP2 of NOTFND: there is none of that name.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ for a value that is none.
const REFUSED: i32 = 0;

/// What is told of an entry, and changed.
static ENTRIES: Resource<Arc<Db2entry>> = Resource {
    name: opt::DB2ENTRY,
    key: Key::Name,
    names: |by| {
        let entries = Attachment::of(&by.region).resources.entries.read();
        entries.keys().map(|name| name.as_bytes().to_vec()).collect()
    },
    find: |by, name| Attachment::of(&by.region).resources.entries.read().get(&Name8::new(name)).cloned(),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::THREADLIMIT, |_, e| e.attributes.count("THREADLIMIT")),
        (opt::THREADS, |_, e| Value::Number(e.pool.used() as i64)),
        (opt::THREADWAIT, |_, e| {
            e.attributes.choice("THREADWAIT", &[("YES", "TWAIT"), ("NO", "NOTWAIT"), ("POOL", "TPOOL")])
        }),
        (opt::ENABLESTATUS, |_, e| Value::either(e.is_disabled(), "DISABLED", "ENABLED")),
        (opt::DISABLEDACT, |_, e| {
            e.attributes.choice(DISABLEDACT, &[("ABEND", "ABEND"), ("SQLCODE", "SQLCODE"), ("POOL", "POOL")])
        }),
        (opt::PLAN, |_, e| e.attributes.text("PLAN", 8)),
        (opt::PLANEXITNAME, |_, e| e.attributes.text("PLANEXITNAME", 8)),
        (opt::AUTHID, |_, e| e.attributes.text("AUTHID", 8)),
        (opt::PROTECTNUM, |_, e| e.attributes.count("PROTECTNUM")),
        (opt::SHARELOCKS, |_, e| e.attributes.choice("SHARELOCKS", &[("YES", "YES"), ("NO", "NO")])),
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
        Setting {
            option: opt::THREADWAIT,
            takes: Takes::OneOf(&[("TWAIT", opt::TWAIT), ("NOTWAIT", opt::NOTWAIT), ("TPOOL", opt::TPOOL)]),
            resp2: REFUSED,
            set: Set::Now(|_, e, to| {
                let word = match to {
                    Given::Cvda("TWAIT") => "YES",
                    Given::Cvda("NOTWAIT") => "NO",
                    _ => "POOL",
                };
                e.attributes.set("THREADWAIT", word);
                Ok(())
            }),
        },
        Setting {
            option: opt::DISABLEDACT,
            takes: Takes::OneOf(&[("ABEND", opt::ABEND), ("SQLCODE", opt::SQLCODE), ("POOL", opt::POOL)]),
            resp2: REFUSED,
            set: Set::Now(|_, e, to| {
                if let Given::Cvda(action) = to {
                    e.attributes.set(DISABLEDACT, *action);
                }
                Ok(())
            }),
        },
        Setting {
            option: opt::ENABLESTATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: REFUSED,
            set: Set::Now(|_, e, to| {
                e.attributes.set(STATUS, if to.is("DISABLED") { "DISABLED" } else { "ENABLED" });
                Ok(())
            }),
        },
    ],
};

/// INQUIRE DB2ENTRY, SET DB2ENTRY.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_DB2ENTRY, Handler::Now(|task, call| ENTRIES.inquire(task, call))),
    (cmd::SET_DB2ENTRY, Handler::Waits(|task, call| Box::pin(ENTRIES.set(task, call)))),
];

/// The type.
pub(super) static KIND: Kind = Kind {
    name: "DB2ENTRY",
    table: &ENTRIES,
    inquire: cmd::INQUIRE_DB2ENTRY,
    set: Some(cmd::SET_DB2ENTRY),
    defined: Some(&DEFINED),
};
